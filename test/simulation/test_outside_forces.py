"""What acts on a robot from outside: thrusters, drag, a tilted table, the plane it holds."""

from dataclasses import replace

from air_bearing import air_bearing
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation
from thruster_flights import fly, Motion, Truth, valves

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.model import Actuators, Disturbances, Thruster, Valves
from spacerobot_id.multibody import centre_of_mass, mass_matrix, momentum, wheel_momentum
from spacerobot_id.simulation import Controller, DynamicSimulation, Gains
from spacerobot_id.simulation.dynamic.outside_forces import GRAVITY

ROBOT = air_bearing()
MASS = sum(link.inertial.mass for link in ROBOT.links)
PLANE = [0, 1, 5]
TWIST = np.array([0.05, -0.03, 0.0, 0.0, 0.0, 0.2])


def drifting(disturbances, planar=True, joints=(0.4, -0.7, 0.9), twist=TWIST):
    """Return a robot whose joints are loose and whose base moves, without work of any motor."""
    robot = replace(ROBOT, disturbances=disturbances)
    resting = DynamicSimulation.at_rest(robot, joints, mode='floating', planar=planar)
    state = replace(resting.state, base_twist=twist, qd=np.array([0.1, -0.2, 0.3]))
    return resting.with_state(state).with_joint_torque(np.zeros(3))


def whole_momentum(robot, samples):
    """Return linear and angular momentum in inertial axes about the inertial origin, (N, 6)."""
    own = momentum(robot, samples.q, samples.qd, samples.base_twist)
    own = own + wheel_momentum(robot, samples.q, samples.wheel_rates)
    turned = Rotation.from_quat(samples.attitude)
    linear, angular = turned.apply(own[:, :3]), turned.apply(own[:, 3:])
    return np.hstack([linear, angular + np.cross(samples.position, linear)])


def centres(samples):
    """Return the centre of mass in inertial axes, m, (N, 3)."""
    turned = Rotation.from_quat(samples.attitude)
    return samples.position + turned.apply(centre_of_mass(ROBOT, samples.q))


def kinetic_energy(samples):
    rates = np.hstack([samples.base_twist, samples.qd])
    return 0.5 * np.einsum('ni,nij,nj->n', rates, mass_matrix(ROBOT, samples.q), rates)


TIMES = 0.05 * np.arange(1, 101)


def test_a_table_keeps_the_base_in_its_plane():
    """Arms whose masses are above the base would tip it over; the plane's momentum stays."""
    free = drifting(Disturbances(), planar=False).advanced_to(TIMES)[1]
    assert np.abs(free.base_twist[:, 2:5]).max() > 1e-4
    held = drifting(Disturbances()).advanced_to(TIMES)[1]
    assert np.abs(held.base_twist[:, 2:5]).max() < 1e-15
    assert np.abs(held.position[:, 2]).max() < 1e-15
    total = whole_momentum(ROBOT, held)[:, PLANE]
    assert np.abs(total[0]).min() > 0.01
    assert_allclose(total, np.tile(total[0], (len(total), 1)), atol=1e-9)
    energy = kinetic_energy(held)
    assert_allclose(energy, energy[0], rtol=1e-9)


def test_drag_brakes_the_linear_momentum_as_an_exponential():
    samples = drifting(Disturbances(drag=0.3), planar=False).advanced_to(TIMES)[1]
    linear = whole_momentum(ROBOT, samples)[:, :3]
    start = linear[0] * np.exp(0.3 * TIMES[0])
    assert_allclose(linear, start * np.exp(-0.3 * TIMES)[:, None], rtol=1e-8, atol=1e-10)


def test_a_constant_force_moves_the_centre_of_mass_as_it_moves_a_point():
    force, torque = np.array([6e-3, -2e-3, 1e-3]), np.array([1e-3, 2e-3, -3e-3])
    disturbances = Disturbances(force=tuple(force), torque=tuple(torque))
    samples = drifting(disturbances, planar=False).advanced_to(TIMES)[1]
    total, centre = whole_momentum(ROBOT, samples), centres(samples)
    begun = total[0, :3] - force * TIMES[0]
    assert_allclose(total[:, :3], begun + force * TIMES[:, None], atol=1e-9)
    about = total[:, 3:] - np.cross(centre, total[:, :3])
    assert_allclose(about - about[0], torque * (TIMES - TIMES[0])[:, None], atol=1e-9)


def test_an_uneven_table_gives_back_what_it_takes():
    """Kinetic energy and weight times height together stay; work done is the difference."""
    heights = {'x': 3e-4, 'y': -2e-4, 'xx': 1e-3, 'xy': -5e-4, 'yyy': 2e-3}
    samples = drifting(Disturbances(table=heights)).advanced_to(TIMES)[1]
    x, y, _ = centres(samples).T
    height = 3e-4 * x - 2e-4 * y + 1e-3 * x**2 - 5e-4 * x * y + 2e-3 * y**3
    energy, potential = kinetic_energy(samples), MASS * GRAVITY * height
    assert np.ptp(potential) > 0.01 * energy.max()
    assert_allclose(energy + potential, energy[0] + potential[0], rtol=1e-8)
    assert_allclose(energy - energy[0], samples.work[:, 3] - samples.work[0, 3], atol=1e-9)


def moved_by(robot, joints, wheels, twist, duration, **keywords):
    """Return a robot whose joints and wheels follow sines almost exactly."""
    stiff = Gains.critically_damped(1e5)
    times = 0.05 * np.arange(round(duration / 0.05) + 1)
    courses = {
        'joints': (robot.joint_names, joints.at(times)),
        'wheels': (robot.wheel_names, wheels.at(times)),
    }
    begin = {name: JointMotion(*(part[0] for part in each[1])) for name, each in courses.items()}
    simulation = DynamicSimulation.at_rest(
        robot, begin['joints'].position, controller=Controller(robot, stiff, stiff), **keywords
    )
    state = replace(
        simulation.state,
        base_twist=twist,
        qd=begin['joints'].velocity,
        wheel_angles=begin['wheels'].position,
        wheel_rates=begin['wheels'].velocity,
    )
    simulation = simulation.with_state(state)
    for name, (names, parts) in courses.items():
        if names:
            course = JointTrajectory(names, times[1:], *(part[1:] for part in parts))
            motion = TrajectoryMotion.from_trajectory(course, names, begin[name], 0.0)
            simulation = replace(simulation, **{name: motion})
    return simulation


def fired(simulation, thrust):
    """Return a simulation in which all commands of valves are given."""
    for time, row in zip(thrust.times, thrust.values, strict=True):
        simulation = simulation.with_thrust(row, time)
    return simulation


def thrusting_servicer():
    """Return the servicer with thrusters on two corners."""
    robot = servicer()
    thrusters = [
        Thruster(f'{side}_{axis}', np.array([side, 0.4, 0.3]), way * np.eye(3)[axis], 2.0)
        for side, way in ((0.5, -1.0), (-0.5, 1.0))
        for axis in range(3)
    ]
    return replace(robot, thrusters=thrusters)


@pytest.mark.parametrize('planar', [True, False])
def test_a_flight_is_that_of_mujoco(planar):
    """Strengths, directions, loss, dead time, delay and tilt; joints, wheels move."""
    rng, duration = np.random.default_rng(2), 6.0
    robot = ROBOT if planar else thrusting_servicer()
    names = [thruster.name for thruster in robot.thrusters]
    truth = Truth(
        strength=0.3 * rng.uniform(-1.0, 1.0, len(names)),
        loss=0.15,
        dead_time=0.02,
        delay=0.15,
        force=np.array([4e-3, -3e-3, 0.0]),
        direction=0.05 * rng.uniform(-1.0, 1.0, len(names)),
    )
    joints = Motion.drawn(len(robot.joints), 0.8, rng)
    wheels = Motion.drawn(len(robot.wheels), 20.0, rng)
    thrust = valves(len(names), duration, rng)
    flown = fly(robot, truth, joints, wheels, thrust, duration, rng, planar=planar)
    strength = dict(zip(names, truth.strength, strict=True))
    turned = {name: (0.0, 0.0, way) for name, way in zip(names, truth.direction, strict=True)}
    errors = Valves(strength, turned, strength_loss=0.15, dead_time=0.02, delay=0.15)
    true = replace(
        robot,
        actuators=Actuators(valves=errors),
        disturbances=Disturbances(force=tuple(truth.force)),
    )
    mode = 'flying' if planar else 'translation-flying'
    moving = moved_by(true, joints, wheels, flown.twist[0], duration, mode=mode, planar=planar)
    samples = fired(moving, thrust).advanced_to(flown.times[1:])[1]
    turned = Rotation.from_quat(samples.attitude).inv() * Rotation.from_quat(flown.attitude[1:])
    assert np.abs(flown.position[-1]).max() > 0.01
    assert_allclose(samples.position, flown.position[1:], atol=2e-6)
    assert turned.magnitude().max() < 2e-5


def test_momentum_is_the_integral_of_what_thrusters_give():
    """The wrench that is recorded, turned to inertial axes in the middle of each step."""
    rng = np.random.default_rng(7)
    errors = Valves(scatter=0.2, dead_time=0.013, delay=0.0217, strength_loss=0.1)
    robot = replace(ROBOT, actuators=Actuators(valves=errors))
    flying = DynamicSimulation.at_rest(robot, np.zeros(3), mode='flying', planar=True, seed=4)
    thrust, step = valves(8, 4.0, rng), 1e-3
    course = JointTrajectory(robot.joint_names, np.array([4.0]), np.array([[1.0, -0.5, 0.8]]))
    times = step * np.arange(1, 4001)
    samples = fired(flying.with_joint_trajectory(course), thrust).advanced_to(times)[1]
    turned = Rotation.from_quat(samples.attitude)
    middle = turned * Rotation.from_rotvec(-0.5 * step * samples.base_twist[:, 3:])
    place = samples.position - 0.5 * step * turned.apply(samples.base_twist[:, :3])
    force = middle.apply(samples.base_wrench[:, :3])
    moment = middle.apply(samples.base_wrench[:, 3:]) + np.cross(place, force)
    expected = step * np.cumsum(np.hstack([force, moment]), axis=0)[:, PLANE]
    total = whole_momentum(robot, samples)[:, PLANE]
    assert np.abs(total).max() > 0.1
    assert_allclose(total, expected, atol=1e-7)
    given_work = samples.work[-1, 0]
    assert given_work == pytest.approx(kinetic_energy(samples)[-1] - samples.work[-1, 1])


def test_the_control_of_joints_knows_the_table():
    """With the true robot in it, nothing is left to its gains."""
    rng = np.random.default_rng(3)
    joints, none = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    soft = Controller(ROBOT, Gains.critically_damped(1.0))
    for planar, most in ((True, 1e-4), (False, 1e-4)):
        still = np.zeros(6)
        moving = moved_by(ROBOT, joints, none, still, 3.0, mode='flying', planar=planar)
        samples = replace(moving, controller=soft).advanced_to(0.1 * np.arange(1, 30))[1]
        wanted = joints.at(samples.times)[0]
        assert np.abs(wanted - wanted[0]).max() > 0.3
        assert_allclose(samples.q, wanted, atol=most)


def test_a_base_that_is_held_stays_on_its_table():
    """The base hold works in the plane alone, and its drives push nowhere else."""
    robot = replace(ROBOT, disturbances=Disturbances(force=(0.05, 0.02, 0.0)))
    control = Controller(robot, holds_base=True)
    held = DynamicSimulation.at_rest(
        robot, np.zeros(3), mode='flying', planar=True, controller=control
    )
    samples = held.advanced_to(np.arange(1.0, 60.0))[1]
    stretch = np.array([0.05, 0.02]) / MASS / control.base.stiffness
    assert_allclose(samples.position[-1, :2], stretch, rtol=0.1)
    assert_allclose(samples.base_wrench[:, 2:5], 0.0, atol=1e-12)


def test_a_state_out_of_the_plane_is_refused():
    resting = DynamicSimulation.at_rest(ROBOT, np.zeros(3), mode='flying', planar=True)
    rising = replace(resting.state, base_twist=np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0]))
    with pytest.raises(SimulationError, match='planar'):
        resting.with_state(rising)
