"""Streams to the estimator whose stamps or values go wrong: refused, counted, survived."""

from copy import deepcopy
from itertools import count

from diagnostic_msgs.msg import DiagnosticStatus
from estimator_sensors import (
    CHUNK,
    EVERY_TOPIC,
    FAST,
    fault_survived,
    long_flight,
    refused,
    robots_folder,
    spoiling,
    standing_still,
)
import numpy as np
from numpy.testing import assert_array_equal
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from streams import messages, ROBOT, STEP, TYPES

from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import stamp_from_seconds


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='flight')
def flight_of_faults(folder):
    with long_flight(folder, 'streams', settle_time=2.0) as sensors:
        yield sensors


@pytest.fixture(name='sensors')
def sensors_before_a_fault(flight):
    with fault_survived(flight) as sensors:
        yield sensors


def test_F13_duplicate_stamps_are_dropped(sensors):
    """Every message twice on every topic: as many samples as without that."""
    before = sensors.quiet()['samples']
    rejected = {topic: sensors.rejected(topic) for topic in EVERY_TOPIC}
    sensors.fly(100, lambda sent: {topic: [message] * 2 for topic, message in sent.items()})
    for topic in EVERY_TOPIC:
        assert sensors.rejected(topic) - rejected[topic] == 100
        assert int(sensors.counts(topic)['rejected: has the stamp of the sample before']) >= 100
    assert 95 <= sensors.settle()['samples'] - before <= 100


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F14_stamps_out_of_order_are_dropped_and_counted_per_topic(sensors, topic):
    held = []

    def swap(messages):
        """Let every second message be overtaken by the one after it."""
        held.append(messages.pop(topic))
        if len(held) == 2:
            messages[topic] = held[::-1]
            held.clear()
        return messages

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
    """Logged once, and in the diagnostics as long as it is there."""
    other = sensors.client.publisher(JointState, 'joint_states', qos.stream_output())
    sensors.client.wait_until(lambda: sensors.status('joint_states').message == '2 publishers')
    assert sensors.status('joint_states').level == DiagnosticStatus.WARN
    sensors.client.node.destroy_publisher(other)
    sensors.client.wait_until(lambda: sensors.status('joint_states').message != '2 publishers')
    assert sensors.node.output().count('joint_states has 2 publishers') == 1


def test_a_robot_at_rest_adds_nothing(sensors):
    """Samples in which nothing moves are left out, however many come; none is called frozen."""
    before = sensors.quiet()['samples']
    rejected = {topic: sensors.rejected(topic) for topic in EVERY_TOPIC}
    sensors.fly(60, standing_still)
    assert {topic: sensors.rejected(topic) for topic in EVERY_TOPIC} == rejected
    assert sensors.settle()['samples'] - before <= 1


@pytest.mark.parametrize('topic', EVERY_TOPIC)
def test_F12_a_value_that_freezes_while_the_robot_moves_is_not_used(sensors, topic):
    """After 25 equal samples they are refused until it changes; every other topic goes on."""
    held = []

    def freeze(messages):
        held.append(deepcopy(messages[topic]))
        messages[topic] = deepcopy(held[0])
        messages[topic].header.stamp = held[-1].header.stamp
        return messages

    key = 'rejected: value is frozen: the same in 25 samples, while the robot moves'
    before, rejected = sensors.quiet()['samples'], dict.fromkeys(EVERY_TOPIC, 0)
    rejected = {each: sensors.rejected(each) for each in EVERY_TOPIC}
    sensors.fly(100, freeze)
    assert sensors.status(topic).level == DiagnosticStatus.WARN
    assert 60 <= int(sensors.counts(topic)[key]) <= 99
    others = [each for each in EVERY_TOPIC if each != topic]
    assert [sensors.rejected(each) for each in others] == [rejected[each] for each in others]
    sensors.node.wait_for_output(f'{topic}: {key}')
    if topic != 'base_pose':
        assert sensors.report['samples'] - before <= 45
    sensors.fly(30)
    assert sensors.settle()['samples'] - before >= 25


@pytest.mark.parametrize('share', [0.1, 0.3])
def test_F21_lost_messages_give_fewer_samples_and_are_counted(sensors, share):
    """The estimate is as good as it says afterwards, as after every fault."""
    before = sensors.quiet()['samples']
    missing = int(sensors.counts('imu/data')['missing'])

    def lose(messages):
        return {topic: each for topic, each in messages.items() if sensors.rng.random() > share}

    sensors.fly(200, lose)
    sensors.fly(CHUNK)
    counted = int(sensors.counts('imu/data')['missing']) - missing
    assert counted == pytest.approx(200 * share, abs=25)
    assert 60 <= sensors.settle()['samples'] - before <= 225


def test_F9_the_gyro_s_noise_is_what_its_first_message_states(folder):
    """Logged beside the description's, before any sample counts."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST}
    with (
        running('estimator', parameters, ('-r', '__ns:=/noise')) as node,
        Client(namespace='noise') as client,
    ):
        publishers = {
            topic: client.publisher(TYPES[topic], topic, qos.stream_output(100))
            for topic in EVERY_TOPIC
        }
        rng, steps = np.random.default_rng(0), count()
        described = ROBOT.noise.base_angular_velocity
        noise = f'imu/data states a noise of 0.0003 rad/s, the description {described:.3g} rad/s'

        def is_logged():
            step = next(steps)
            sent = messages(step, 1000.0 + step * STEP, rng)
            sent['imu/data'].angular_velocity_covariance[[0, 4, 8]] = 9e-8
            for topic, message in sent.items():
                publishers[topic].publish(message)
            return noise in node.output()

        client.wait_until(is_logged)


@pytest.mark.parametrize(('setting', 'wanted'), [(0.0, 3e-4), (2e-4, 2e-4)])
def test_F9_the_noise_stated_weighs_the_gyro(setting, wanted):
    """But a setting goes before it."""
    settings = settings_from_mapping({'gyro_noise': setting})
    method = settings.method_for(ROBOT, gyro_noise=3e-4)
    assert_array_equal(method.rate_std[3:6], [wanted] * 3)
