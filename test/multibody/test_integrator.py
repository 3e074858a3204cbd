"""The integrator on SE(3): order, exactness where it can be, and how samples cut the motion."""

from functools import reduce

from flights import flight, sample_times
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from random_robots import random_robot
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import SimulationError, TrajectoryError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.multibody import forward_dynamics
from spacerobot_id.simulation import (
    DynamicSimulation,
    KinematicSimulation,
    MotionSamples,
    RobotState,
)


def driven(step, seconds=1.0):
    """Return the end of a tree's motion under constant torques and a constant base wrench."""
    model = random_robot(np.random.default_rng(5), 5)
    rng = np.random.default_rng(1)
    simulation = DynamicSimulation.at_rest(model, np.zeros(5), mode='flying', step=step)
    simulation = simulation.with_joint_torque(rng.uniform(-3, 3, 5))
    simulation = simulation.with_base_wrench(rng.uniform(-5, 5, 6))
    end, samples = simulation.advanced_to([seconds])
    return end.state, samples


def test_order_of_convergence_is_four():
    """Halving the step divides every error by sixteen: pose, velocities, joints, work."""
    exact, _ = driven(1 / 4096)
    errors = []
    for step in (1 / 32, 1 / 64, 1 / 128, 1 / 256):
        state, _ = driven(step)
        turned = Rotation.from_matrix(exact.rotation.T @ state.rotation).magnitude()
        parts = ('position', 'base_twist', 'q', 'qd', 'work')
        gaps = [abs(getattr(state, part) - getattr(exact, part)).max() for part in parts]
        errors.append([turned, *gaps])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders[-1].min() > 3.7
    assert orders[-1].max() < 4.6


def test_accelerations_are_those_of_forward_dynamics():
    """What is recorded beside a state is what the other entrance to the dynamics gives."""
    model = random_robot(np.random.default_rng(5), 5)
    _, samples = driven(1e-3)
    given = forward_dynamics(
        model,
        samples.q,
        samples.qd,
        samples.base_twist,
        samples.joint_torque,
        base_wrench=samples.base_wrench,
    )
    assert_allclose(samples.qdd, given.qdd, rtol=1e-9, atol=1e-10)
    assert_allclose(samples.base_acceleration, given.base_acceleration, rtol=1e-9, atol=1e-10)


def test_a_rigid_spin_is_exact_however_long_the_step():
    """A ball in free flight screws along: its pose is exact to rounding with steps of 0.1 s."""
    ball = random_robot(np.random.default_rng(0), 0)
    body = ball.links[0].inertial
    ball = ball.with_parameters([*[0.4] * 3, 0.0, 0.0, 0.0, body.mass, 0.0, 0.0, 0.0])
    simulation = DynamicSimulation.at_rest(ball, [], step=0.1)
    twist = np.array([0.3, 0.1, -0.2, 0.5, -0.4, 0.9])
    state = simulation.state
    spinning = RobotState(**{**vars(state), 'base_twist': twist})
    simulation, samples = simulation.with_state(spinning).advanced_to(sample_times(20.0, 10.0))
    wanted = Rotation.from_rotvec(np.outer(samples.times, twist[3:]))
    assert (wanted.inv() * Rotation.from_quat(samples.attitude)).magnitude().max() < 1e-12
    # The centre of mass goes straight on, at a velocity constant in inertial axes.
    assert_allclose(samples.position, np.outer(samples.times, twist[:3]), atol=1e-4)


def test_it_does_not_matter_how_samples_are_cut():
    """All at once, one by one, or in uneven batches: bit by bit the same motion."""
    begin, times = flight(intervals=3), sample_times(1.0)
    at_end, whole = begin.advanced_to(times)
    for cuts in (np.arange(1, 100), [3, 50, 51]):
        simulation, parts = begin, []
        for batch in np.split(times, cuts):
            simulation, samples = simulation.advanced_to(batch)
            parts.append(samples)
        joined = reduce(MotionSamples.followed_by, parts)
        for name, values in vars(whole).items():
            if values is not None:
                assert_array_equal(getattr(joined, name), values, err_msg=name)
        assert_array_equal(simulation.state.position, at_end.state.position)


def test_it_agrees_with_the_kinematic_motion():
    """Two roads, dynamics and conservation of momentum: the base goes the same way to 1e-6."""
    simulation = flight(intervals=20)
    kinematic = KinematicSimulation.at_rest(dual_arm(), simulation.state.q)
    kinematic = KinematicSimulation(
        kinematic.model, kinematic.state, simulation.joints, simulation.wheels
    )
    times = sample_times(20.0)
    (_, driven), (_, given) = simulation.advanced_to(times), kinematic.advanced_to(times)
    assert np.ptp(given.attitude, axis=0).max() > 0.01
    assert_allclose(driven.position, given.position, atol=1e-6)
    assert_allclose(driven.attitude, given.attitude, atol=1e-6)
    assert_allclose(driven.base_twist, given.base_twist, atol=1e-5)


def test_F8_attitude_keeps_its_sign_and_stays_a_rotation():
    """A robot that tumbles on and on, from call to call."""
    simulation = DynamicSimulation.at_rest(dual_arm(), np.zeros(6), mode='flying')
    simulation = simulation.with_base_wrench([0.0, 0.0, 0.0, 900.0, 300.0, -200.0])
    last, turned = simulation.state.attitude, 0.0
    for begin in range(8):
        simulation, samples = simulation.advanced_to(sample_times(1.0, begin=float(begin)))
        path = np.vstack([last, samples.attitude])
        assert (np.einsum('ni,ni->n', path[1:], path[:-1]) > 0.9).all()
        turned += np.linalg.norm(samples.base_twist[:, 3:], axis=1).sum() / 100.0
        last = path[-1]
    assert turned > 2 * np.pi
    rotation = simulation.state.rotation
    assert abs(rotation.T @ rotation - np.eye(3)).max() < 1e-14


def test_F36_refused_trajectory_changes_nothing():
    simulation, _ = flight(intervals=5).advanced_to(sample_times(1.0))
    names = simulation.model.joint_names
    with pytest.raises(TrajectoryError):
        simulation.with_joint_trajectory(
            JointTrajectory(names, np.array([1.0]), np.full((1, 6), 50.0))
        )
    _, on = simulation.advanced_to(sample_times(1.0, begin=1.0))
    _, undisturbed = flight(intervals=5).advanced_to(sample_times(2.0))
    assert_allclose(on.q, undisturbed.q[100:], atol=1e-13)  # times differ by rounding


@pytest.mark.parametrize('joints', [0, 1])
def test_robot_without_wheels_or_joints(joints):
    model = random_robot(np.random.default_rng(0), joints)
    simulation = DynamicSimulation.at_rest(model, np.zeros(joints), mode='flying')
    _, samples = simulation.with_base_wrench(np.ones(6)).advanced_to(sample_times(0.1))
    assert samples.q.shape == (10, joints)
    assert samples.wheel_torque.shape == (10, 0)
    assert samples.base_twist.all()


@pytest.mark.parametrize('step', [0.0, -1.0, np.nan])
def test_steps_that_make_no_sense_are_refused(step):
    with pytest.raises(SimulationError, match='step: must be above zero'):
        DynamicSimulation.at_rest(dual_arm(), np.zeros(6), step=step)
