"""Messages to the estimator, spoilt one after the other: refused, counted, logged."""

from diagnostic_msgs.msg import DiagnosticStatus
from estimator_sensors import (
    fault_survived,
    long_flight,
    refused,
    robots_folder,
    spoiling,
)
import numpy as np
import pytest
from small_robot import R_BASE_IMU
from streams import NAMES

from spacerobot_id.nodes.messages import array_from_vector3, vector3_from_array

NAN, INF = float('nan'), float('inf')


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='flight')
def flight_of_faults(folder):
    with long_flight(folder, 'inputs') as sensors:
        yield sensors


@pytest.fixture(name='sensors')
def sensors_before_a_fault(flight):
    with fault_survived(flight) as sensors:
        yield sensors


def test_F1_joints_in_another_order_every_time(sensors):
    """Mapped by name in each message."""

    def shuffle(message):
        order = sensors.rng.permutation(len(NAMES))
        for field in ('name', 'position', 'velocity'):
            values = getattr(message, field)
            setattr(message, field, [values[place] for place in order])

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(100, spoiling('joint_states', shuffle))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 90


def test_F2_a_missing_joint_stops_the_update_and_is_named(sensors):
    def without(message):
        message.name = message.name[1:]
        message.position, message.velocity = message.position[1:], message.velocity[1:]

    before = sensors.quiet()['samples']
    with refused(sensors, 'joint_states', 50, 'joint shoulder_left is missing'):
        sensors.fly(50, spoiling('joint_states', without))
        assert sensors.status('joint_states').level == DiagnosticStatus.WARN
    assert sensors.quiet()['samples'] == before


def test_F2_extra_joints_are_ignored(sensors):
    """Their values may be nonsense."""

    def with_more(message):
        message.name = ['antenna', *message.name, 'gripper']
        message.position = [NAN, *message.position, 7.0]
        message.velocity = [INF, *message.velocity, NAN]

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(100, spoiling('joint_states', with_more))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 90


def set_field(field, value):
    return lambda message: setattr(message, field, value)


def set_first(field, value):
    """Return a function that sets the first element of an array, after a copy."""
    return lambda message: setattr(message, field, [value, *getattr(message, field)[1:]])


BAD_JOINTS = {
    'F3 velocity empty': (set_field('velocity', []), 'velocity of shoulder_left, shoulder_right'),
    'F3 velocity too short': (set_field('velocity', [1.0]), '1 velocity values for 5 joints'),
    'F3 velocity too long': (set_field('velocity', [0.0] * 6), '6 velocity values for 5 joints'),
    'F3 position empty': (set_field('position', []), 'position of shoulder_left, shoulder_right '),
    'F4 velocity NaN': (set_first('velocity', NAN), 'velocity of shoulder_left is not provided'),
    'F4 position NaN': (set_first('position', NAN), 'position of shoulder_left is not provided'),
    'F6 velocity infinite': (set_first('velocity', INF), 'has NaN or infinity'),
    'F6 position infinite': (set_first('position', -INF), 'has NaN or infinity'),
    'a name twice': (set_first('name', 'wheel_x'), 'a joint is named twice'),
}


@pytest.mark.parametrize('fault', BAD_JOINTS)
def test_F3_F4_F6_bad_joint_states_are_refused(sensors, fault):
    """Nothing is taken for zero, and nothing is updated."""
    change, reason = BAD_JOINTS[fault]
    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(20, spoiling('joint_states', change))
    assert sensors.rejected('joint_states') - rejected == 20
    assert reason in sensors.status('joint_states').message
    assert sensors.quiet()['samples'] == before


def test_efforts_do_not_matter(sensors):
    """Wheels' positions are not needed either, as some drivers do not give them."""

    def change(message):
        message.effort = [NAN]
        message.position = [*message.position[:2], NAN, NAN, NAN]

    before, rejected = sensors.quiet()['samples'], sensors.rejected('joint_states')
    sensors.fly(50, spoiling('joint_states', change))
    assert sensors.rejected('joint_states') == rejected
    assert sensors.settle()['samples'] - before >= 45


PLACES = {
    ('imu/data', 'angular_velocity.z'): lambda message: message.angular_velocity,
    ('base_pose', 'position.z'): lambda message: message.pose.position,
    ('base_pose', 'orientation.z'): lambda message: message.pose.orientation,
    ('base_twist', 'linear.z'): lambda message: message.twist.linear,
}


@pytest.mark.parametrize('value', [NAN, INF, -INF])
@pytest.mark.parametrize('place', PLACES, ids='-'.join)
def test_F6_NaN_and_infinity_in_any_field_are_refused(sensors, place, value):
    topic, _ = place
    rejected = sensors.rejected(topic)
    sensors.fly(10, spoiling(topic, lambda message: setattr(PLACES[place](message), 'z', value)))
    assert sensors.rejected(topic) - rejected == 10
    assert sensors.counts(topic)['rejected: has NaN or infinity']


def scaled(factor):
    def change(message):
        turned = message.pose.orientation
        for axis in 'xyzw':
            setattr(turned, axis, factor * getattr(turned, axis))

    return spoiling('base_pose', change)


@pytest.mark.parametrize('factor', [0.0, 0.5, 3.0])
def test_F7_quaternions_that_are_no_rotation_are_refused(sensors, factor):
    rejected = sensors.rejected('base_pose')
    sensors.fly(20, scaled(factor))
    assert sensors.rejected('base_pose') - rejected == 20
    assert sensors.counts('base_pose')['rejected: quaternion is not of unit length']


@pytest.mark.parametrize('factor', [0.97, -1.02])
def test_F7_F8_quaternions_next_to_unit_length_are_normalised(sensors, factor):
    rejected = sensors.rejected('base_pose')
    sensors.fly(20, scaled(factor))
    assert sensors.rejected('base_pose') == rejected


def test_F9_an_imu_that_says_it_has_no_rates_is_not_asked_for_them(sensors):
    def absent(message):
        message.angular_velocity_covariance[0] = -1.0

    with refused(sensors, 'imu/data', 20, 'angular velocity is marked as not provided'):
        sensors.fly(20, spoiling('imu/data', absent))


@pytest.mark.parametrize(
    ('frame', 'reason'),
    [
        (
            '',
            "frame '' is not in the description; the setting imu_frame says which frame an IMU "
            'is without one',
        ),
        ('camera', "frame 'camera' is not in the description"),
        ('left', "frame 'left' is not fixed to the base"),
    ],
)
def test_F10_an_imu_in_an_unknown_frame_is_refused_by_name(sensors, frame, reason):
    def change(message):
        message.header.frame_id = frame

    before = sensors.quiet()['samples']
    with refused(sensors, 'imu/data', 20, reason):
        sensors.fly(20, spoiling('imu/data', change))
    assert sensors.report['samples'] - before <= 1


def test_F10_a_turned_imu_is_turned_back_as_the_description_says(sensors):
    def change(message):
        rates = array_from_vector3(message.angular_velocity)
        message.angular_velocity = vector3_from_array(R_BASE_IMU.T @ rates)
        message.header.frame_id = 'imu'

    before, rejected = sensors.quiet()['samples'], sensors.rejected('imu/data')
    sensors.fly(100, spoiling('imu/data', change))
    assert sensors.rejected('imu/data') == rejected
    assert sensors.settle()['samples'] - before >= 95


@pytest.mark.parametrize('frame', ['', 'map', 'left'])
def test_F11_a_twist_in_an_unknown_frame_is_refused_by_name(sensors, frame):
    def change(message):
        message.header.frame_id = frame

    reason = f"frame '{frame}' is neither the base 'base' nor the frame of the pose 'world'"
    before = sensors.quiet()['samples']
    with refused(sensors, 'base_twist', 20, reason):
        sensors.fly(20, spoiling('base_twist', change))
    assert sensors.report['samples'] - before <= 1


def in_world(messages):
    """Return the messages with the twist in the axes that the pose is given in."""
    turned = messages['base_pose'].pose.orientation
    turn = rotation(turned)
    linear = array_from_vector3(messages['base_twist'].twist.linear)
    messages['base_twist'].twist.linear = vector3_from_array(turn @ linear)
    messages['base_twist'].header.frame_id = 'world'
    return messages


def rotation(turned):
    x, y, z, w = turned.x, turned.y, turned.z, turned.w
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def test_F11_a_twist_in_the_frame_of_the_pose_is_turned_to_the_base(sensors):
    before, rejected = sensors.quiet()['samples'], sensors.rejected('base_twist')
    sensors.fly(100, in_world)
    assert sensors.rejected('base_twist') - rejected <= 2
    assert sensors.settle()['samples'] - before >= 90


def test_F20_a_twist_in_the_frame_of_the_pose_needs_a_pose_of_its_time(sensors):
    """Without poses it is refused, and not turned with an old one."""

    def without_pose(messages):
        messages = in_world(messages)
        del messages['base_pose']
        return messages

    before, rejected = sensors.settle()['samples'], sensors.rejected('base_twist')
    sensors.fly(100, without_pose)  # what is received waits for poses before it is refused
    sensors.client.wait_until(lambda: sensors.rejected('base_twist') - rejected >= 85)
    assert sensors.counts('base_twist')[
        'rejected: no poses within 0.025 s to turn it to base axes with'
    ]
    assert sensors.report['samples'] - before <= 15
