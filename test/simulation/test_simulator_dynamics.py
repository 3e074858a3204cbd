"""The simulator node with motors that give torques: modes, base wrench, payload, sensors."""

import shutil

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import dual_arm
from ros_harness import Client, ROBOTS, running
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.multibody import momentum, wheel_momentum
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import (
    joints_from_message,
    trajectory_message,
    twist_from_message,
)

MODEL = dual_arm()
PARAMETERS = {
    'robot': str(ROBOTS / 'naveen_dual_arm.urdf'),
    'controller_robot': str(ROBOTS / 'naveen_dual_arm_prior.urdf'),
    'real_time_factor': 4.0,
    'payload_mass': 40.0,
    'payload_inertia': [2.0, 2.0, 2.0, 0.0, 0.0, 0.0],
}


@pytest.fixture(scope='module')
def simulator():
    with running('simulator', PARAMETERS) as node:
        yield node


class Listener:
    """A client that subscribes to a simulator."""

    def __init__(self, client):
        self.client = client
        self.joints = client.record(
            JointState, 'simulator/truth/joint_states', qos.stream_output(1000)
        )
        self.twist = client.record(
            TwistStamped, 'simulator/truth/base_twist', qos.stream_output(1000)
        )
        self.status = client.record(String, 'simulator/status', qos.latched())
        self.wrench = client.publisher(WrenchStamped, 'base_wrench', qos.command())
        self.commands = {
            topic: client.publisher(JointTrajectoryMessage, topic, qos.command())
            for topic in ('joint_trajectory', 'wheel_trajectory')
        }

    def status_after(self, action):
        """Do something; return the next status."""
        count = len(self.status)
        action()
        self.client.wait_until(lambda: len(self.status) > count)
        return self.status.last.data

    def push(self, force, torque=(0.0, 0.0, 0.0), frame='L0'):
        """Ask for a wrench; return the status."""
        message = WrenchStamped()
        message.header.frame_id = frame
        for part, values in ((message.wrench.force, force), (message.wrench.torque, torque)):
            part.x, part.y, part.z = values
        return self.status_after(lambda: self.wrench.publish(message))

    def verb(self, name):
        return self.client.call(Trigger, f'simulator/{name}')

    def mode(self, name):
        """Set the mode; return the status."""
        return self.status_after(lambda: self.client.set_parameter('simulator', 'mode', name))


@pytest.fixture(scope='module')
def listener(simulator):
    with Client() as client:
        yield Listener(client)


@pytest.fixture(autouse=True)
def rest(listener):
    """Begin in the default mode, at rest."""
    listener.client.set_parameter('simulator', 'mode', 'rotation-floating')
    listener.verb('reset')


def cycloid(names, reach, seconds):
    """Return a smooth way from zero to a reach."""
    times = np.arange(1, 21) / 20 * seconds
    angle = 2 * np.pi * times / seconds
    shapes = (
        times / seconds - np.sin(angle) / (2 * np.pi),
        (1 - np.cos(angle)) / seconds,
        2 * np.pi * np.sin(angle) / seconds**2,
    )
    columns = np.ones(len(names)) * reach
    return JointTrajectory(tuple(names), times, *(np.outer(each, columns) for each in shapes))


def both(listener):
    """Return true joints and twists with the same stamps."""
    twists = {seconds_from_stamp(each.header.stamp): each for each in listener.twist}
    names = [*MODEL.joint_names, *MODEL.wheel_names]
    readings = [joints_from_message(each, names) for each in listener.joints]
    readings = [each for each in readings if each.stamp in twists]
    positions = np.array([each.positions for each in readings])
    velocities = np.array([each.velocities for each in readings])
    found = np.array([twist_from_message(twists[each.stamp]).twist for each in readings])
    return positions, velocities, found


def test_trajectories_are_followed_and_momentum_stays_zero(listener):
    """Under a control that has the prior: all arrive, and the base moves as it must."""
    del listener.joints[:], listener.twist[:]
    for topic, names, reach in (
        ('wheel_trajectory', MODEL.wheel_names, -8.0),
        ('joint_trajectory', MODEL.joint_names, 0.1),
    ):
        message = trajectory_message(cycloid(names, reach, 3.0))
        status = listener.status_after(lambda m=message, t=topic: listener.commands[t].publish(m))
        assert status.startswith('moving')
        assert 'rotation-floating: linear and angular momentum conserved' in status
    listener.client.wait_until(lambda: listener.status.last.data.startswith('at rest'))
    listener.client.wait_for(listener.joints, 150)
    positions, velocities, twists = both(listener)
    assert_allclose(positions[-1], [0.1] * 6 + [-8.0] * 3, atol=1e-3)
    total = momentum(MODEL, positions[:, :6], velocities[:, :6], twists)
    spin = wheel_momentum(MODEL, positions[:, :6], velocities[:, 6:])
    assert abs(spin).max() > 1.0
    assert abs(total + spin).max() < 1e-9


def test_modes_allow_what_they_drive(listener):
    """A force is refused by name in one mode and moves the robot in another."""
    status = listener.push([5.0, 0.0, 0.0])
    assert 'base_wrench refused: base wrench: mode rotation-floating allows no force' in status
    assert 'flying: no momentum conserved' in listener.mode('flying')
    assert 'refused: frame ' in listener.push([5.0, 0.0, 0.0], frame='world')
    assert 'base_wrench refused' not in listener.push([50.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    listener.client.wait_until(lambda: listener.twist.last.twist.linear.x > 0.01)
    assert 'translation-flying: angular momentum conserved' in listener.mode('translation-flying')
    assert 'mode translation-flying allows no torque' in listener.push([0.0] * 3, [1.0, 0.0, 0.0])


def test_drives_of_the_base_give_nothing_once_nobody_commands_them(listener):
    """A wrench lasts for its timeout; then the base coasts."""
    listener.mode('translation-flying')
    listener.push([50.0, 0.0, 0.0])

    def coasts():
        rates = [each.twist.linear.x for each in listener.twist[-20:]]
        return rates[0] > 0.01 and np.ptp(rates) < 1e-6

    listener.client.wait_until(coasts)


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('mode', 'hovering', 'must be one of floating'),
        ('payload_com', [0.0], 'must be 3 numbers'),
        ('payload_inertia', [0.0] * 7, 'must be 6 numbers'),
        ('payload_mass', -1.0, 'out of range'),
        ('motion', 'prescribed', 'read-only'),
        ('controller_robot', '', 'read-only'),
    ],
)
def test_F39_bad_runtime_set_is_refused_with_its_reason(listener, name, value, reason):
    result = listener.client.set_parameter('simulator', name, value)
    assert not result.successful
    assert reason in result.reason


def test_F36_wrenches_that_are_no_numbers_are_refused(listener):
    listener.mode('flying')
    assert 'base wrench: value 0 is nan' in listener.push([float('nan'), 0.0, 0.0])
    listener.client.wait_for(listener.twist, 20)
    assert listener.twist.last.twist.linear.x == 0.0


def test_payload_is_attached_and_released(listener):
    """Once each; the second time the reason is given. Velocities do not jump."""
    message = trajectory_message(cycloid(MODEL.joint_names, 0.3, 8.0))
    listener.status_after(lambda: listener.commands['joint_trajectory'].publish(message))
    listener.client.wait_for(listener.twist, 200)
    del listener.twist[:]
    answer = listener.verb('attach_payload')
    assert (answer.success, answer.message) == (True, f'40 kg on {MODEL.link_names[-1]}')
    listener.client.wait_until(lambda: 'payload on' in listener.status.last.data)
    answer = listener.verb('attach_payload')
    assert not answer.success
    assert 'one is joined' in answer.message
    listener.client.wait_for(listener.twist, 50)
    assert listener.verb('release_payload').success
    assert not listener.verb('release_payload').success
    twists = np.array([twist_from_message(each).twist for each in listener.twist])
    assert abs(np.diff(twists, axis=0)).max() < 1e-3


def test_payload_that_cannot_be_is_refused(listener):
    assert listener.client.set_parameter('simulator', 'payload_link', 'hand').successful
    answer = listener.verb('attach_payload')
    assert listener.client.set_parameter('simulator', 'payload_link', '').successful
    assert not answer.success
    assert "link 'hand' is unknown" in answer.message


@pytest.mark.slow
def test_sensors_of_the_yaml_file(tmp_path):
    """Half the rate, late poses, lost twists, an accelerometer: as the YAML file says."""
    for end in ('urdf', 'yaml'):
        shutil.copy(ROBOTS / f'naveen_dual_arm.{end}', tmp_path / f'robot.{end}')
    with (tmp_path / 'robot.yaml').open('a') as file:
        file.write(
            'sensors:\n'
            '  accelerometer: 1.0e-4\n'
            '  streams:\n'
            '    imu/data: {rate: 50.0}\n'
            '    base_pose: {latency: 0.05}\n'
            '    base_twist: {dropout: 1.0}\n'
        )
    parameters = {'robot': str(tmp_path / 'robot.urdf'), 'real_time_factor': 2.0}
    with (
        running('simulator', parameters, ('-r', '__ns:=/alone')),
        Client(namespace='alone') as client,
    ):
        clock = client.record(Clock, 'clock', qos.sensor_input(1000))
        imu = client.record(Imu, 'imu/data', qos.sensor_input(1000))
        pose = client.record(PoseStamped, 'base_pose', qos.sensor_input(1000))
        twist = client.record(TwistStamped, 'base_twist', qos.sensor_input(1000))
        client.wait_until(lambda: clock)
        client.wait_for(imu, 50)
        client.wait_for(pose, 50)
        stamps = np.array([seconds_from_stamp(each.header.stamp) for each in imu])
        assert_allclose(np.diff(stamps), 0.02, atol=2e-9)
        assert imu.last.linear_acceleration_covariance[0] != -1.0
        forces = np.array([each.linear_acceleration.x for each in imu])
        assert forces.std() == pytest.approx(1e-4, rel=0.5)
        late = seconds_from_stamp(clock.last.clock) - seconds_from_stamp(pose.last.header.stamp)
        assert 0.03 < late < 0.2
        assert not twist


def test_kinematic_motion_has_no_payload(simulator):
    parameters = {'robot': PARAMETERS['robot'], 'motion': 'prescribed'}
    with (
        running('simulator', parameters, ('-r', '__ns:=/alone')),
        Client(namespace='alone') as client,
    ):
        client.wait_for(client.record(Clock, 'clock', qos.sensor_input()), 5)
        services = {name for name, _ in client.node.get_service_names_and_types()}
        assert '/alone/simulator/reset' in services
        assert '/alone/simulator/attach_payload' not in services
