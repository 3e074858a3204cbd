"""The estimator's messages and streams, spoilt one after the other: refused, counted, said."""

from contextlib import contextmanager

from diagnostic_msgs.msg import DiagnosticStatus
from estimator_sensors import (
    EVERY_TOPIC,
    fault_survived,
    long_flight,
    robots_folder,
    spoiling,
)
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from small_robot import R_BASE_IMU
from streams import NAMES

from spacerobot_id.nodes import qos
from spacerobot_id.nodes.message_pieces import array_from_vector3, vector3_from_array
from spacerobot_id.nodes.stamps import stamp_from_seconds

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


@contextmanager
def refused(sensors, topic, count, reason):
    """Hold that messages of a topic are refused with a reason that is said once, and no others."""
    before = {each: sensors.rejected(each) for each in sensors.topics}
    key, said = f'rejected: {reason}', sensors.node.output()
    known = int(sensors.counts(topic).get(key, 0))
    yield
    after = {each: sensors.rejected(each) - before[each] for each in sensors.topics}
    assert after == {**dict.fromkeys(sensors.topics, 0), topic: count}
    assert int(sensors.counts(topic)[key]) - known == count
    news = sensors.node.output()[len(said) :]
    assert news.count(f'{topic}: rejected: {reason}') == 1, news


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
    """What they say may be nonsense."""

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

    with refused(sensors, 'imu/data', 20, 'says that it has no angular velocity'):
        sensors.fly(20, spoiling('imu/data', absent))


@pytest.mark.parametrize(
    ('frame', 'reason'),
    [
        ('', "frame '' is not in the description"),
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


def in_world(said):
    """Return the messages with the twist in the axes that the pose is given in."""
    turned = said['base_pose'].pose.orientation
    turn = rotation(turned)
    linear = array_from_vector3(said['base_twist'].twist.linear)
    said['base_twist'].twist.linear = vector3_from_array(turn @ linear)
    said['base_twist'].header.frame_id = 'world'
    return said


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

    def without_pose(said):
        said = in_world(said)
        del said['base_pose']
        return said

    before, rejected = sensors.quiet()['samples'], sensors.rejected('base_twist')
    sensors.fly(100, without_pose)
    assert sensors.rejected('base_twist') - rejected >= 85
    assert sensors.counts('base_twist')[
        'rejected: no pose within 0.025 s to turn it to base axes with'
    ]
    assert sensors.report['samples'] - before <= 15


def test_F13_duplicate_stamps_are_dropped(sensors):
    """Every message twice on every topic: as many samples as without that."""
    before = sensors.quiet()['samples']
    rejected = {topic: sensors.rejected(topic) for topic in EVERY_TOPIC}
    sensors.fly(100, lambda said: {topic: [message] * 2 for topic, message in said.items()})
    for topic in EVERY_TOPIC:
        assert sensors.rejected(topic) - rejected[topic] == 100
        assert int(sensors.counts(topic)['rejected: has the stamp of the sample before']) >= 100
    assert 95 <= sensors.settle()['samples'] - before <= 100


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F14_stamps_out_of_order_are_dropped_and_counted_per_topic(sensors, topic):
    held = []

    def swap(said):
        """Let every second message be overtaken by the one after it."""
        held.append(said.pop(topic))
        if len(held) == 2:
            said[topic] = held[::-1]
            held.clear()
        return said

    rejected = sensors.rejected(topic)
    sensors.fly(50, swap)
    assert sensors.rejected(topic) - rejected == 25
    assert int(sensors.counts(topic)['rejected: is older than the sample before']) == 25


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F15_zero_stamps_are_refused(sensors, topic):
    def change(message):
        message.header.stamp = stamp_from_seconds(0.0)

    with refused(sensors, topic, 20, 'has no stamp'):
        sensors.fly(20, spoiling(topic, change))


@pytest.mark.parametrize('shift', [-900.0, 1e6])
@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F16_single_stamps_far_in_the_past_or_future_are_refused(sensors, topic, shift):
    """Every fifth stamp of a topic is wrong by far."""
    count = iter(range(50))

    def change(message):
        if next(count) % 5 == 2:
            message.header.stamp = stamp_from_seconds(sensors.stamp + shift)

    rejected, jumps = sensors.rejected(topic), sensors.report['clock_jumps']
    sensors.fly(50, spoiling(topic, change))
    assert sensors.rejected(topic) - rejected == 10
    assert sensors.settle()['clock_jumps'] == jumps


def shifted(topic, shift):
    """Return a function that gives a topic a clock of its own."""

    def change(message):
        stamp = message.header.stamp
        message.header.stamp = stamp_from_seconds(stamp.sec + 1e-9 * stamp.nanosec + shift)

    return spoiling(topic, change)


@pytest.mark.parametrize('skew', [-500.0, 500.0])
def test_F16_a_sensor_with_a_clock_of_its_own_is_named_and_not_used(sensors, skew):
    """No update while it lasts; when it is over, work is resumed."""
    before = sensors.quiet()['samples']
    sensors.fly(50, shifted('imu/data', skew))
    assert sensors.status().level == DiagnosticStatus.STALE
    assert sensors.status().message == 'waiting for imu'
    assert sensors.report['samples'] - before <= 2
    sensors.fly(30)
    assert sensors.settle()['samples'] - before >= 20


@pytest.mark.parametrize('jump', [-300.0, -0.5, 2000.0])
def test_F17_after_a_jump_of_the_clock_the_estimate_is_kept_and_work_resumed(sensors, jump):
    """Within ten samples, back and forward; the gap is never part of a sample."""
    before = sensors.report
    sensors.fly(40, pause=jump)
    after = sensors.settle()
    assert after['clock_jumps'] == before['clock_jumps'] + 1
    assert after['samples'] - before['samples'] >= 29
    assert after['resets'] == before['resets']
    assert 'the clock has jumped; buffers cleared' in sensors.node.output()


@pytest.mark.parametrize(
    ('topic', 'name'),
    [('joint_states', 'joint_states'), ('imu/data', 'imu'), ('base_twist', 'base_twist')],
)
def test_F22_a_stream_that_stops_is_named_and_work_resumed_when_it_returns(sensors, topic, name):
    """Nothing is forgotten meanwhile."""
    before = sensors.report
    sensors.fly(150, topics=[each for each in EVERY_TOPIC if each != topic])
    assert sensors.status().level == DiagnosticStatus.STALE
    assert sensors.status().message == f'waiting for {name}'
    sensors.client.wait_until(lambda: sensors.status(topic).message in ('silent', '0 new'))
    assert sensors.report['samples'] - before['samples'] <= 2
    assert sensors.report['std'] == pytest.approx(before['std'], rel=0.02)
    sensors.fly(40)
    assert sensors.settle()['samples'] - before['samples'] >= 29


def test_F5_a_second_publisher_is_warned_of(sensors):
    """Said once, and in the diagnostics as long as it is there."""
    other = sensors.client.publisher(JointState, 'joint_states', qos.stream_output())
    sensors.client.wait_until(lambda: sensors.status('joint_states').message == '2 publishers')
    assert sensors.status('joint_states').level == DiagnosticStatus.WARN
    sensors.client.node.destroy_publisher(other)
    sensors.client.wait_until(lambda: sensors.status('joint_states').message != '2 publishers')
    assert sensors.node.output().count('joint_states has 2 publishers') == 1


def test_a_robot_at_rest_adds_nothing(sensors):
    """Samples in which nothing moves are left out, however many come."""

    def stand_still(said):
        joints = said['joint_states']
        joints.velocity = [0.0] * len(NAMES)
        said['imu/data'].angular_velocity = vector3_from_array(np.zeros(3))
        said['base_twist'].twist.linear = vector3_from_array(np.zeros(3))
        return said

    before = sensors.quiet()['samples']
    sensors.fly(60, stand_still)
    assert sensors.settle()['samples'] - before <= 1
