"""The free-floating simulation: what is conserved, how exactly, and how it is cut in time."""

from dataclasses import replace
from functools import reduce
from pathlib import Path
import warnings

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from random_robots import random_robot
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.model import Link, load_robot, ReactionWheel
from spacerobot_id.multibody import momentum, momentum_matrix, wheel_momentum, whole_robot
from spacerobot_id.simulation import KinematicSimulation, MotionSamples
from spacerobot_id.simulation.kinematic_simulation import integrate_base, StepTwists

ROBOTS = Path(__file__).parents[2] / 'config/robots'
KINDS = ('linear', 'cubic', 'quintic')
RATE = 100.0


def robot(name):
    """Return one of the shipped robots, or a random one with two wheels, one on its arm."""
    if name != 'random':
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # the dual-arm robot's parameters are as printed
            return load_robot(ROBOTS / f'{name}.urdf')
    model = random_robot(np.random.default_rng(3), 6)
    assert isinstance(model.links[0], Link)
    axes = np.eye(3)
    wheels = [ReactionWheel('w0', 0, axes[0], 0.5), ReactionWheel('w1', 3, axes[2], 0.2)]
    return replace(model, wheels=wheels)


def wander(names, seconds, reach, kind, seed, step=2.0):
    """Return a random motion about zero, through points that are not where samples are."""
    rng = np.random.default_rng(seed)
    times = np.arange(1, int(seconds / step) + 1) * step
    times[:-1] += rng.uniform(-0.2, 0.2, len(times) - 1) * step
    positions = reach * rng.uniform(-1, 1, (len(times), len(names)))
    velocities = 0.3 * reach * rng.uniform(-1, 1, positions.shape)
    velocities[-1] = 0.0
    accelerations = 0.3 * reach * rng.uniform(-1, 1, positions.shape)
    return JointTrajectory(
        tuple(names),
        times,
        positions,
        velocities if kind != 'linear' else None,
        accelerations if kind == 'quintic' else None,
    )


def moving(name, kind='quintic', seconds=60.0, seed=0):
    """Return a robot whose joints and wheels wander."""
    model = robot(name)
    simulation = KinematicSimulation.at_rest(model, np.zeros(len(model.joints)), 1.0)
    joints = wander(model.joint_names, seconds, 0.022, kind, seed)
    wheels = wander(model.wheel_names, seconds, 5.0, kind, seed + 1)
    return simulation.with_joint_trajectory(joints).with_wheel_trajectory(wheels)


def sample_times(seconds, begin=1.0):
    return begin + np.arange(1, round(seconds * RATE) + 1) / RATE


def centres_of_mass(model, samples):
    """Return the system's centre of mass in the inertial frame, shape (N, 3)."""
    of_base = momentum_matrix(model, samples.q)[:, :, :6]
    moment = np.stack([of_base[:, 5, 1], of_base[:, 3, 2], of_base[:, 4, 0]], axis=1)
    turned = Rotation.from_quat(samples.attitude).apply(moment / of_base[0, 0, 0])
    return samples.position + turned


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('name', ['naveen_dual_arm', 'servicer', 'random'])
def test_momentum_stays_zero_and_centre_of_mass_still(name, kind):
    """Over a minute: momentum to rounding, centre of mass to 1e-9 m, rotations orthogonal."""
    simulation = moving(name, kind)
    model = simulation.model
    _, truth = simulation.advanced_to(sample_times(61.0))
    total = momentum(model, truth.q, truth.qd, truth.base_twist)
    spin = wheel_momentum(model, truth.q, truth.wheel_rates)
    assert abs(total).max() > 0.1
    assert abs(total + spin).max() < 1e-12 * abs(total).max()
    start = whole_robot(model, np.zeros(len(model.joints))).com
    assert abs(centres_of_mass(model, truth) - start).max() < 1e-9
    turned = Rotation.from_quat(truth.attitude).as_matrix()
    assert abs(turned @ np.swapaxes(turned, 1, 2) - np.eye(3)).max() < 1e-14
    assert_allclose(np.linalg.norm(truth.attitude, axis=1), 1.0, rtol=1e-15)


def test_base_twist_is_the_derivative_of_the_pose():
    """Seen from outside: position and attitude move as the twist in base axes says."""
    _, truth = moving('servicer').advanced_to(1.0 + np.arange(1, 3001) / 1000.0)
    turned, step = Rotation.from_quat(truth.attitude), 2e-3
    moved = (truth.position[2:] - truth.position[:-2]) / step
    spun = (turned[:-2].inv() * turned[2:]).as_rotvec() / step
    assert_allclose(turned[1:-1].inv().apply(moved), truth.base_twist[1:-1, :3], atol=1e-6)
    assert_allclose(spun, truth.base_twist[1:-1, 3:], atol=1e-6)


def test_it_does_not_matter_how_samples_are_cut():
    """All at once, one by one, or in uneven batches: the same motion."""
    begin, times = moving('servicer'), sample_times(1.0)
    at_end, whole = begin.advanced_to(times)
    for cuts in (np.arange(1, 100), [3, 50, 51]):
        simulation, parts = begin, []
        for batch in np.split(times, cuts):
            simulation, samples = simulation.advanced_to(batch)
            parts.append(samples)
        joined = reduce(MotionSamples.followed_by, parts)
        for name, values in vars(whole).items():
            if values is not None:
                assert_allclose(getattr(joined, name), values, atol=1e-13, err_msg=name)
        assert_allclose(simulation.state.position, at_end.state.position, atol=1e-13)


def test_samples_may_be_far_apart():
    """Substeps do not depend on the samples: one in a second gives the same as a hundred."""
    begin = moving('servicer')
    _, often = begin.advanced_to(sample_times(10.0))
    _, seldom = begin.advanced_to(1.0 + np.arange(1, 11))
    assert_allclose(seldom.position, often.position[99::100], atol=1e-12)
    assert_allclose(seldom.attitude, often.attitude[99::100], atol=1e-12)


def test_F8_attitude_does_not_jump_when_the_robot_turns_on_and_on():
    """Through many turns, and from call to call, no quaternion changes its sign."""
    wheel = ReactionWheel('wheel', 0, np.array([0.6, 0.0, 0.8]), 0.5)
    model = replace(random_robot(np.random.default_rng(0), 0), wheels=[wheel])
    simulation = KinematicSimulation.at_rest(model, [])
    spin = JointTrajectory(model.wheel_names, np.array([2000.0]), np.array([[-1e6]]))
    simulation = simulation.with_wheel_trajectory(spin)
    turns, last = 0.0, simulation.state.attitude
    for begin in range(0, 2000, 200):
        simulation, truth = simulation.advanced_to(begin + np.arange(1, 201))
        path = np.vstack([last, truth.attitude])
        assert (np.einsum('ni,ni->n', path[1:], path[:-1]) > 0.9).all()
        turns += np.linalg.norm(truth.base_twist[:, 3:], axis=1).sum() / (2 * np.pi)
        last = path[-1]
    assert turns > 2.0


def test_F36_refused_trajectory_changes_nothing():
    """The simulation goes on as if the trajectory had never come."""
    simulation, _ = moving('servicer').advanced_to(sample_times(3.0))
    names = simulation.model.joint_names
    with pytest.raises(TrajectoryError):
        simulation.with_joint_trajectory(
            JointTrajectory(names, np.array([1.0]), np.full((1, 7), 50.0))
        )
    with pytest.raises(TrajectoryError, match=r'velocity .* beyond its limit'):
        simulation.with_wheel_trajectory(
            JointTrajectory(simulation.model.wheel_names, np.array([1.0]), np.full((1, 3), 650.0))
        )
    _, on = simulation.advanced_to(sample_times(2.0, 4.0))
    _, undisturbed = moving('servicer').advanced_to(sample_times(5.0))
    assert_allclose(on.q, undisturbed.q[300:], atol=1e-15)
    assert_allclose(on.attitude, undisturbed.attitude[300:], atol=1e-13)


def test_wheel_momentum_limit_is_a_limit_of_the_rate():
    """The dual-arm robot's wheels hold 18.8 N m s and have no limit of the rate."""
    simulation = KinematicSimulation.at_rest(robot('naveen_dual_arm'), np.zeros(6))
    names = simulation.model.wheel_names
    for rate, fits in ((18.8, True), (19.0, False)):
        asked = JointTrajectory(names, np.array([10.0]), np.full((1, 3), 10.0 * rate))
        if fits:
            simulation.with_wheel_trajectory(asked)
        else:
            with pytest.raises(TrajectoryError, match=r"'wheel_1': velocity .* limit, 18\.8"):
                simulation.with_wheel_trajectory(asked)


def test_new_trajectory_takes_over_without_a_jump():
    """Half way through a motion another one begins at the very state that the first has led to."""
    simulation, before = moving('servicer').advanced_to(sample_times(2.505))
    names = simulation.model.joint_names
    stop = JointTrajectory(
        names, np.array([2.0]), before.q[-1:], np.zeros((1, 7)), np.zeros((1, 7))
    )
    stopped = simulation.with_joint_trajectory(stop)
    assert stopped.is_moving
    ended, after = stopped.advanced_to(simulation.time + np.arange(1, 400) * 1e-2)
    assert_allclose(after.q[0], before.q[-1], atol=2e-4)
    assert_allclose(after.qd[0], before.qd[-1], atol=2e-3)
    assert_array_equal(after.qd[-1], np.zeros(7))
    assert_allclose(after.q[-1], before.q[-1], atol=1e-15)
    assert ended.is_moving  # its wheels are


def test_robot_without_wheels_or_joints():
    for joints in (0, 2):
        model = random_robot(np.random.default_rng(0), joints)
        simulation = KinematicSimulation.at_rest(model, np.zeros(joints))
        _, truth = simulation.advanced_to(sample_times(1.0, 0.0))
        assert truth.q.shape == (100, joints)
        assert truth.wheel_rates.shape == (100, 0)
        assert not truth.base_twist.any()
        assert not simulation.is_moving


def smooth_twist(times):
    """Return a twist whose rotation axis turns, so that rotations do not commute, shape (N, 6)."""
    t = np.asarray(times)[:, None]
    frequencies = np.array([1.0, 1.7, 0.6, 1.3, 0.8, 2.1])
    return np.sin(frequencies * t + np.arange(6))


def integrate(count, twist=smooth_twist, seconds=4.0):
    """Return the pose after some steps."""
    step = seconds / count
    start = np.arange(count) * step
    twists = StepTwists(twist(start), twist(start + step / 2), twist(start + step))
    path = integrate_base(np.zeros(3), [0.0, 0.0, 0.0, 1.0], np.full(count, step), twists)
    return path.positions[-1], Rotation.from_quat(path.attitudes[-1])


def test_order_of_convergence_is_four():
    """Halving the step divides the errors of attitude and position by sixteen."""
    position, attitude = integrate(8192)
    errors = []
    for count in (32, 64, 128, 256):
        there, turned = integrate(count)
        errors.append([(attitude.inv() * turned).magnitude(), np.linalg.norm(there - position)])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders.min() > 3.8
    assert orders.max() < 4.5


def test_constant_twist_is_integrated_exactly():
    """A screw motion: rotation to rounding however long the step."""
    twist = np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.6])
    for count in (1, 7):
        _, attitude = integrate(count, lambda times: np.tile(twist, (len(times), 1)))
        wanted = Rotation.from_rotvec(4.0 * twist[3:])
        assert (wanted.inv() * attitude).magnitude() < 1e-14
