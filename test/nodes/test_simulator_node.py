"""The simulator node in a process of its own, over DDS."""

from contextlib import contextmanager
from dataclasses import dataclass
import os
import signal
import time

from geometry_msgs.msg import PoseStamped, TwistStamped
import numpy as np
from numpy.testing import assert_allclose
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from robots import dual_arm
from ros_harness import Client, NodeProcess, ROBOTS, running
from rosgraph_msgs.msg import Clock
from scipy.optimize import brentq
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.nodes import entry
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import (
    duration_from_seconds,
    gyro_from_message,
    joints_from_message,
    pose_from_message,
    stamp_from_seconds,
    trajectory_message,
    twist_from_message,
)
from spacerobot_id.simulation import KinematicSimulation

ROBOT = str(ROBOTS / 'naveen_dual_arm.urdf')
MODEL = dual_arm()
JOINTS, WHEELS = MODEL.joint_names, MODEL.wheel_names
PARAMETERS = {'robot': ROBOT, 'real_time_factor': 2.0, 'motion': 'kinematic'}


class Listener:
    """A client that publishes to a simulator and subscribes to all of it."""

    def __init__(self, client):
        self.client = client
        hear = client.record
        self.clock = hear(Clock, 'clock', qos.sensor_input(1000))
        self.joints = hear(JointState, 'joint_states', qos.sensor_input(1000))
        self.imu = hear(Imu, 'imu/data', qos.sensor_input(1000))
        self.pose = hear(PoseStamped, 'base_pose', qos.sensor_input(1000))
        self.twist = hear(TwistStamped, 'base_twist', qos.sensor_input(1000))
        self.true_joints = hear(
            JointState, 'simulator/truth/joint_states', qos.stream_output(1000)
        )
        self.true_pose = hear(PoseStamped, 'simulator/truth/base_pose', qos.stream_output(1000))
        self.true_twist = hear(TwistStamped, 'simulator/truth/base_twist', qos.stream_output(1000))
        self.status = hear(String, 'simulator/status', qos.latched())
        self.commands = {
            topic: client.publisher(JointTrajectoryMessage, topic, qos.command())
            for topic in ('joint_trajectory', 'wheel_trajectory')
        }

    @property
    def streams(self):
        return (self.joints, self.imu, self.pose, self.twist)

    @property
    def truths(self):
        return (self.true_joints, self.true_pose, self.true_twist)

    @property
    def text(self):
        return self.status.last.data if self.status else ''

    def reset_time(self):
        """Put the robot at rest; return the time since which it is."""
        response = self.client.call(Trigger, 'simulator/reset')
        assert response.success
        return float(response.message.split()[3])

    def reset(self):
        """Put the robot at rest, and forget what was received."""
        at_rest_since = self.reset_time()
        everything = (self.clock, *self.streams, *self.truths)
        self.client.wait_until(
            lambda: all(each and stamp_of(each.last) > at_rest_since + 0.05 for each in everything)
        )
        for recorder in everything:
            recorder[:] = [each for each in recorder if stamp_of(each) > at_rest_since]
        self.client.wait_until(lambda: not self.status or 'at rest' in self.text)

    def wait_for_speed(self, factor):
        """Wait until time goes at a factor, over a while in which the machine does not stall."""

        def is_kept():
            begin, wall = len(self.clock), time.monotonic()
            self.client.wait_for(self.clock, 100)
            passed = (len(self.clock) - begin) * 0.01
            return 0.6 < passed / (time.monotonic() - wall) / factor < 1.2

        self.client.wait_until(is_kept)

    def send(self, topic, message):
        """Send a trajectory; wait until the status speaks of it, and return that."""
        count = len(self.status)
        self.commands[topic].publish(message)
        self.client.wait_until(lambda: len(self.status) > count)
        return self.text


@contextmanager
def alone(parameters):
    """Run another simulator and a client to it, out of the way of the one of this module."""
    with (
        running('simulator', parameters, ('-r', '__ns:=/alone')) as node,
        Client(namespace='alone') as client,
    ):
        yield node, client


@pytest.fixture(scope='module')
def simulator():
    with running('simulator', PARAMETERS) as node:
        yield node


@pytest.fixture(scope='module')
def client(simulator):
    with Client() as client:
        yield client


@pytest.fixture(scope='module')
def module_listener(client):
    return Listener(client)


@pytest.fixture
def listener(module_listener):
    module_listener.reset()
    return module_listener


def stamp_of(message):
    return seconds_from_stamp(
        message.clock if isinstance(message, Clock) else message.header.stamp
    )


def stamps(messages):
    return np.array([stamp_of(message) for message in messages])


def way(names, reach, seconds=1.0, points=5):
    """Return a quintic trajectory from zero to a reach, through points of a smooth curve."""
    phase = np.arange(1, points + 1) / points
    angle = 2.0 * np.pi * phase
    shapes = (
        phase - np.sin(angle) / (2.0 * np.pi),
        (1.0 - np.cos(angle)) / seconds,
        2.0 * np.pi * np.sin(angle) / seconds**2,
    )
    return JointTrajectory(
        tuple(names),
        phase * seconds,
        *(np.outer(shape, np.full(len(names), reach)) for shape in shapes),
    )


def matched(messages, others):
    """Return pairs of messages with the same stamp."""
    by_stamp = dict(zip(stamps(others), others, strict=True))
    return [
        (message, by_stamp[stamp])
        for stamp, message in zip(stamps(messages), messages, strict=True)
        if stamp in by_stamp
    ]


def test_streams_have_100_samples_a_second_and_their_names_and_frames(listener):
    listener.client.wait_for(listener.joints, 100)
    for stream in (*listener.streams, *listener.truths):
        assert_allclose(np.diff(stamps(stream)), 0.01, atol=2e-9)
    assert listener.joints.last.name == [*JOINTS, *WHEELS]
    assert listener.joints.last.header.frame_id == ''
    assert listener.imu.last.header.frame_id == 'L0'
    assert listener.pose.last.header.frame_id == 'world'
    assert listener.twist.last.header.frame_id == 'L0'
    ticks = stamps(listener.clock)
    assert_allclose(np.diff(ticks), 0.01, atol=2e-9)
    assert ticks[0] > 1.0
    assert set(stamps(listener.joints)) <= set(ticks)


def test_time_goes_at_the_real_time_factor(listener):
    listener.wait_for_speed(2.0)


def test_F9_imu_says_what_it_has(listener):
    reading = gyro_from_message(listener.imu.last)
    assert reading.noise == pytest.approx(MODEL.noise.base_angular_velocity)
    assert listener.imu.last.linear_acceleration_covariance[0] == -1.0
    quaternion = listener.imu.last.orientation
    assert quaternion.w == pytest.approx(1.0)


def test_noise_is_that_of_the_yaml_file(listener):
    """Measured less true has the standard deviation of each sensor; wheels have none."""
    listener.client.wait_for(listener.joints, 400)
    names = [*JOINTS, *WHEELS]
    joints = [
        (joints_from_message(one, names), joints_from_message(other, names))
        for one, other in matched(listener.joints, listener.true_joints)
    ]
    poses = [
        pose_from_message(one).position - pose_from_message(other).position
        for one, other in matched(listener.pose, listener.true_pose)
    ]
    twists = [
        twist_from_message(one).twist - twist_from_message(other).twist
        for one, other in matched(listener.twist, listener.true_twist)
    ]
    angles = np.array([one.positions - other.positions for one, other in joints])
    rates = np.array([one.velocities - other.velocities for one, other in joints])
    for errors, wanted in (
        (angles[:, :6], MODEL.noise.joint_position),
        (rates[:, :6], MODEL.noise.joint_rate),
        (np.array(poses), MODEL.noise.base_position),
        (np.array(twists)[:, :3], MODEL.noise.base_linear_velocity),
        (np.array(twists)[:, 3:], MODEL.noise.base_angular_velocity),
    ):
        assert len(errors) > 300
        assert errors.std() == pytest.approx(wanted, rel=0.15)
    assert not angles[:, 6:].any()
    assert not rates[:, 6:].any()


def true_path(listener):
    """Return stamps and positions of joints and wheels."""
    readings = [joints_from_message(each, [*JOINTS, *WHEELS]) for each in listener.true_joints]
    return stamps(listener.true_joints), np.array([each.positions for each in readings])


def along(trajectory, begin):
    """Return the robot at rest, but for a trajectory of joints or wheels that begins then."""
    still = KinematicSimulation.at_rest(MODEL, np.zeros(6), begin)
    if trajectory.names == tuple(WHEELS):
        return still.with_wheel_trajectory(trajectory)
    return still.with_joint_trajectory(trajectory)


def began(times, positions, trajectory):
    """Return the time at which something at rest began to move: it may be between two samples."""
    first = int(np.flatnonzero(positions)[0])
    before, after = times[first - 1], times[first]

    def off(begin):
        _, moved = along(trajectory, begin).advanced_to([after])
        places = moved.wheel_angles if trajectory.names == tuple(WHEELS) else moved.q
        return places[0, 0] - positions[first]

    if abs(off(before)) < 1e-9:
        return before
    return brentq(off, before, after - 1e-6, xtol=1e-12)


def test_trajectories_are_followed_and_the_base_gives_way(listener):
    """What the node did is what the simulation does with the same trajectories; then it rests."""
    asked = {
        'wheel_trajectory': way(WHEELS, -8.0, 4.0),
        'joint_trajectory': way(JOINTS, 0.1, 4.0),
    }
    for topic, trajectory in asked.items():
        assert listener.send(topic, trajectory_message(trajectory)).startswith('moving')
    listener.client.wait_until(lambda: listener.text.startswith('at rest'))
    ends = [0.1] * 6 + [-8.0] * 3  # the status may come before the last samples
    listener.client.wait_until(lambda: np.allclose(true_path(listener)[1][-1], ends, atol=1e-12))
    times, path = true_path(listener)
    wheels_begin = began(times, path[:, 6], asked['wheel_trajectory'])
    joints_begin = began(times, path[:, 0], asked['joint_trajectory'])
    listener.client.wait_until(lambda: stamps(listener.true_pose)[-1] >= times[-1])
    simulation = KinematicSimulation.at_rest(MODEL, np.zeros(6), wheels_begin)
    simulation = simulation.with_wheel_trajectory(asked['wheel_trajectory'])
    if joints_begin > wheels_begin:
        simulation, _ = simulation.advanced_to([joints_begin])
    simulation = simulation.with_joint_trajectory(asked['joint_trajectory'])
    later = times[times > joints_begin]
    _, truth = simulation.advanced_to(later)
    assert_allclose(path[-len(later) :, :6], truth.q, atol=1e-8)  # stamps are in nanoseconds
    received = dict(zip(stamps(listener.true_pose), listener.true_pose, strict=True))
    rows = [row for row, stamp in enumerate(later) if stamp in received]
    poses = [pose_from_message(received[later[row]]) for row in rows]
    assert np.ptp(truth.attitude, axis=0).max() > 0.01
    assert_allclose([pose.attitude for pose in poses], truth.attitude[rows], atol=1e-8)
    assert_allclose([pose.position for pose in poses], truth.position[rows], atol=1e-8)


def message_of(trajectory=None, names=None, times=None, stamp=0.0, **fields):
    """Return a message that may be wrong: every point's fields can be set, whatever their size."""
    message = trajectory_message(trajectory or way(JOINTS, 0.02, 1.0))
    message.joint_names = list(names or message.joint_names)
    for point, time_from_start in zip(message.points, times or [], strict=False):
        point.time_from_start = duration_from_seconds(time_from_start)
    for field, value in fields.items():
        setattr(message.points[2], field, value)
    message.header.stamp = stamp_from_seconds(stamp)
    return message


def huge():
    point = JointTrajectoryPoint(positions=[0.0] * 6)
    return JointTrajectoryMessage(joint_names=list(JOINTS), points=[point] * 100_001)


def not_at_rest():
    message = message_of()
    message.points[-1].velocities = [0.01] * 6
    return message


@dataclass
class Bad:
    """A trajectory that must be refused, and why."""

    message: object
    reason: str
    topic: str = 'joint_trajectory'


NAN = float('nan')
BAD = {
    'NaN': Bad(lambda: message_of(positions=[0.0, NAN, *[0.0] * 4]), "'joint_2', point 2: pos"),
    'velocity NaN': Bad(lambda: message_of(velocities=[NAN] * 6), 'point 2: velocities has nan'),
    'too few': Bad(lambda: message_of(positions=[0.0] * 5), 'point 2 has 5 positions for 6'),
    'too many': Bad(lambda: message_of(velocities=[0.0] * 7), 'point 2 has 7 velocities for 6'),
    'no positions': Bad(lambda: message_of(positions=[]), 'point 2 has 0 positions'),
    'effort': Bad(lambda: message_of(effort=[1.0] * 6), 'efforts'),
    'empty': Bad(lambda: JointTrajectoryMessage(joint_names=list(JOINTS)), 'no points'),
    'no names': Bad(JointTrajectoryMessage, 'is missing'),
    'time repeated': Bad(lambda: message_of(times=[0.2, 0.4, 0.4, 0.8]), 'point 2: its time'),
    'time negative': Bad(lambda: message_of(times=[-0.2]), 'point 0: its time is negative'),
    'unknown': Bad(lambda: message_of(names=[*JOINTS[:5], 'elbow']), "'elbow' is unknown"),
    'duplicate': Bad(lambda: message_of(names=[*JOINTS[:5], 'joint_1']), "'joint_1' is named twi"),
    'subset': Bad(lambda: message_of(way(JOINTS[:5], 0.02)), "joint 'joint_6' is missing"),
    'position limit': Bad(lambda: message_of(way(JOINTS, 3.2, 99.0)), 'position 3.'),
    'velocity limit': Bad(lambda: message_of(way(JOINTS, 1.0, 2.0)), "'joint_1': velocity"),
    'not at rest': Bad(not_at_rest, "'joint_1', point 4: not at rest"),
    'huge': Bad(huge, '100001 points'),
    'jump': Bad(
        lambda: message_of(way(JOINTS, -0.5), times=[0.0]), 'at time zero, while the joint is at'
    ),
    'wheel momentum': Bad(
        lambda: message_of(way(WHEELS, 20.0)), "'wheel_1': velocity", 'wheel_trajectory'
    ),
    'joints to the wheels': Bad(message_of, "'joint_1'", 'wheel_trajectory'),
    'F37 stamped': Bad(lambda: message_of(stamp=5.0), 'only stamp zero'),
}


def test_F36_bad_trajectories_are_refused_and_the_motion_goes_on(listener):
    """In the middle of a motion each fault is refused with its reason, and nothing changes."""
    trajectory, remaining = way(JOINTS, 0.5, 12.0), dict(BAD)

    def is_at_end():
        return np.allclose(true_path(listener)[1][-1][:6], trajectory.positions[-1], atol=1e-8)

    while remaining:  # a busy machine needs more than one motion for all of them
        before = len(remaining)
        listener.reset()
        listener.send('joint_trajectory', trajectory_message(trajectory))
        for name, bad in list(remaining.items()):
            text = listener.send(bad.topic, bad.message())
            if not text.startswith('moving'):  # at its end, and not stopped by what is bad
                listener.client.wait_until(is_at_end)
                break
            assert f'{bad.topic} refused: ' in text, name
            assert bad.reason in text, name
            del remaining[name]
        assert len(remaining) < before
    listener.client.wait_until(lambda: listener.text.startswith('at rest'))
    times, path = true_path(listener)
    begin = began(times, path[:, 0], trajectory)
    later = times[times > begin]
    _, truth = along(trajectory, begin).advanced_to(later)
    assert_allclose(path[-len(later) :, :6], truth.q, atol=1e-8)
    assert not path[:, 6:].any()


def test_F36_every_refusal_is_counted_and_forgotten_by_the_next_good_one(listener):
    before = int(listener.send('joint_trajectory', huge()).split('; ')[1].split()[0])
    text = listener.send('joint_trajectory', message_of(names=['x'] * 6))
    assert f'{before + 1} refused; joint_trajectory refused: ' in text
    assert listener.send('joint_trajectory', message_of()) == f'moving; {before + 1} refused'


def test_reset_puts_the_robot_back_while_time_runs_on(listener):
    listener.send('joint_trajectory', message_of(way(JOINTS, 0.5, 20.0)))
    listener.client.wait_until(lambda: any(listener.true_joints.last.position))
    before = stamps(listener.true_joints)[-1]
    at_rest_since = listener.reset_time()
    listener.client.wait_until(lambda: listener.text.startswith('at rest'))
    listener.client.wait_until(
        lambda: all(stamp_of(each.last) > at_rest_since + 0.05 for each in listener.truths)
    )
    assert not np.array(listener.true_joints.last.position).any()
    assert_allclose(pose_from_message(listener.true_pose.last).attitude, [0, 0, 0, 1], atol=0)
    assert stamps(listener.true_joints)[-1] > before
    assert_allclose(np.diff(stamps(listener.true_joints)), 0.01, atol=2e-9)


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('real_time_factor', 0.0, 'out of range'),
        ('real_time_factor', 1000.0, 'out of range'),
        ('real_time_factor', NAN, 'out of range'),
        ('real_time_factor', 'fast', 'type'),
        ('robot', 'other.urdf', 'read-only'),
        ('seed', 3, 'read-only'),
        ('initial_joint_positions', [1.0], 'read-only'),
        ('speed', 1.0, 'declared'),
    ],
)
def test_F39_bad_runtime_set_is_refused_with_its_reason(client, name, value, reason):
    result = client.set_parameter('simulator', name, value)
    assert not result.successful
    assert reason in result.reason


def test_parameters_set_at_run_time_are_applied(listener):
    client = listener.client
    assert client.set_parameter('simulator', 'noise', False).successful
    listener.reset()
    assert [*listener.joints.last.velocity] == [0.0] * 9
    assert client.set_parameter('simulator', 'noise', True).successful
    listener.reset()
    assert 0.0 not in listener.joints.last.velocity[:6]
    for factor in (4.0, 2.0):
        assert client.set_parameter('simulator', 'real_time_factor', factor).successful
        listener.wait_for_speed(factor)


def test_F23_reliable_subscribers_hear_the_streams_too(client):
    profile = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
    client.wait_for(client.record(JointState, 'joint_states', profile), 10)


def test_F24_late_subscriber_gets_the_status(listener):
    late = listener.client.record(String, 'simulator/status', qos.latched())
    listener.client.wait_for(late)
    assert late.last.data.startswith('at rest')


def test_effective_configuration_is_printed(simulator):
    """F39: at the start all parameters are in the log."""
    text = simulator.output()
    assert 'effective configuration:' in text
    assert '  real_time_factor: 2.0' in text
    assert 'link L5: inertia about the centre of mass is not positive definite' in text


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('moment', ['importing', 'starting', 'running'])
def test_F27_signals_end_it_with_exit_code_0(number, moment):
    """At any moment from when Python is there: no traceback, exit code 0."""
    parameters = {'robot': ROBOT, 'real_time_factor': 20.0}
    node = NodeProcess('simulator', parameters, ('-r', '__ns:=/alone'))
    if moment == 'importing':
        node.wait_for_import('numpy')
    elif moment == 'starting':
        node.wait_for_output('effective configuration')
    else:
        with Client(namespace='alone') as client:
            client.wait_for(client.record(JointState, 'joint_states', qos.sensor_input()), 100)
    assert node.stop(number) == 0, node.final_output
    assert 'Traceback' not in node.final_output, node.final_output
    assert 'Error' not in node.final_output, node.final_output


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_F27_signals_break_off_the_first_compilation(number, monkeypatch, tmp_path):
    """Which takes minutes; a launch file kills a node after some seconds."""
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path))
    node = NodeProcess('simulator', {'robot': ROBOT}, ('-r', '__ns:=/alone'))
    node.wait_for_output('preparing kernels')
    assert node.stop(number) == 0, node.final_output
    assert 'Traceback' not in node.final_output, node.final_output
    assert 'compiled within' not in node.final_output


def test_F27_a_signal_just_before_a_compilation_breaks_it_off_too(monkeypatch):
    """Between the log message and the compilation it is only noted."""
    monkeypatch.setattr(entry, '_noted', [signal.SIGTERM])
    with pytest.raises(KeyboardInterrupt), entry.broken_off_by_signals():
        pytest.fail('compiles')
    monkeypatch.setattr(entry, '_noted', [])
    with entry.broken_off_by_signals():
        pass


@pytest.mark.parametrize(
    ('parameters', 'reason'),
    [
        ({}, 'robot: the path of a URDF is needed'),
        ({'robot': '/nowhere.urdf'}, '/nowhere.urdf: file: cannot be read'),
        ({'robot': ROBOT, 'initial_joint_positions': [0.1, 0.2]}, '2 values for 6 joints'),
        (
            {'robot': ROBOT, 'initial_joint_positions': ['a']},
            'initial_joint_positions[0]: must be a number',
        ),
        ({'robot': ROBOT, 'real_time_factor': 2}, "expecting type 'DOUBLE'"),
        ({'robot': ROBOT, 'real_time_factor': -1.0}, 'out of range'),
        (
            {'robot': ROBOT, 'mode': 'hovering'},
            'mode: must be one of floating, rotation-fl',
        ),
        (
            {'robot': ROBOT, 'motion': 'none'},
            'motion: must be one of dynamic, kinematic, prescribed',
        ),
        ({'robot': ROBOT, 'step': 0.1}, 'out of range'),
        ({'robot': ROBOT, 'payload_com': [1.0]}, 'payload_com: must be 3 numbers, got 1'),
        (
            {'robot': ROBOT, 'motion': 'kinematic', 'mode': 'flying'},
            'mode, base_hold: kinematic motion has neither',
        ),
        (
            {'robot': ROBOT, 'controller_robot': str(ROBOTS / 'servicer.urdf')},
            'controller: joint names',
        ),
    ],
)
def test_F39_settings_it_cannot_start_with_are_said_without_a_traceback(parameters, reason):
    node = NodeProcess('simulator', parameters)
    assert node.exit_code() == 1, node.final_output
    assert reason in node.final_output
    assert 'Traceback' not in node.final_output


def test_options_at_start():
    """Initial positions, another frame, no base velocity, no clock; names in a namespace."""
    parameters = {
        'robot': str(ROBOTS / 'servicer.urdf'),
        'initial_joint_positions': [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7],
        'world_frame': 'orbit',
        'publish_base_twist': False,
        'publish_clock': False,
        'noise': False,
        'sped': 3.0,
    }
    with alone(parameters) as (node, client):
        joints = client.record(JointState, 'joint_states', qos.sensor_input())
        pose = client.record(PoseStamped, 'base_pose', qos.sensor_input())
        client.wait_for(joints, 5)
        client.wait_for(pose)
        assert_allclose(joints.last.position[:7], parameters['initial_joint_positions'])
        assert pose.last.header.frame_id == 'orbit'
        assert stamps(joints)[-1] == pytest.approx(time.time(), abs=60.0)
        topics = {name for name, _ in client.node.get_topic_names_and_types()}
        assert '/alone/imu/data' in topics
        assert not {'/alone/base_twist', '/alone/clock'} & topics
        node.wait_for_output('parameter sped was given and is unknown here')


def test_F19_it_is_the_source_of_the_clock_even_with_use_sim_time():
    with alone({'robot': ROBOT, 'use_sim_time': True}) as (_, client):
        clock = client.record(Clock, 'clock', qos.sensor_input())
        client.wait_for(clock, 20)
        assert (np.diff(stamps(clock)) > 0.0).all()


def test_lifecycle_manager_is_obeyed():
    """Without autostart it waits; deactivated it stands still, and goes on where it stood."""
    with alone({'robot': ROBOT, 'autostart': False}) as (_, client):
        assert not client.change_state('simulator', 'activate')
        assert client.change_state('simulator', 'configure')
        joints = client.record(JointState, 'joint_states', qos.sensor_input())
        assert client.change_state('simulator', 'activate')
        client.wait_for(joints, 5)
        assert client.change_state('simulator', 'deactivate')
        count, last = len(joints), None
        while count != last:  # what was on its way
            client.spin()
            count, last = len(joints), count
        assert client.change_state('simulator', 'activate')
        client.wait_for(joints, 5)
        assert np.diff(stamps(joints)) == pytest.approx(0.01)
        assert client.change_state('simulator', 'deactivate')
        assert client.change_state('simulator', 'cleanup')
        assert client.change_state('simulator', 'configure')
        assert client.change_state('simulator', 'activate')
        client.wait_for(joints, 5)


def test_processes_of_this_test_are_alone():
    """Two test runs on one machine must not hear each other."""
    assert os.environ['ROS_DOMAIN_ID'] != '0'
    assert os.environ['ROS_PYTHON_CHECK_FIELDS'] == '1'
