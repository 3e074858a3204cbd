"""Messages taken many at once leave everything as messages taken one by one."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from small_robot import small_robot
from streams import flight, STEP

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.bag.streams import ImuStream, JointStream
from spacerobot_id.measurement.plain_batches import take_plain
from spacerobot_id.measurement.readings import GyroReading, JointReading, PoseReading

ROBOT = small_robot()
NAMES = ROBOT.joint_names + ROBOT.wheel_names
COUNT = 400


def new_intake():
    return sensor_intake(ROBOT, StreamNeeds(), VelocitySource.POSE)


def readings(seed=0):
    """Return readings of joints, gyro and poses in the middle of a flight, in order of arrival."""
    rng, arrived, samples = np.random.default_rng(seed), [], flight()
    for row in range(100, 100 + COUNT):
        stamp = 1000.0 + STEP * row + 1e-4 * rng.uniform()
        rates = samples.velocities[row].copy()
        rates[: len(ROBOT.joints)] += 1e-5 * rng.normal(size=len(ROBOT.joints))
        nothing = np.empty(0)
        arrived.append(JointReading(stamp, NAMES, samples.positions[row], rates, nothing))
        gyro = samples.twist[row, 3:] + 1e-5 * rng.normal(size=3)
        arrived.append(GyroReading(stamp + 1e-5, 'base', gyro))
        if row % 2 == 0:
            position = samples.position[row] + 1e-4 * rng.normal(size=3)
            arrived.append(PoseReading(stamp, 'world', position, samples.attitude[row]))
    return arrived


def streams_of(arrived):
    """Return the streams that joints and gyro make."""
    joints = [each for each in arrived if isinstance(each, JointReading)]
    gyro = [each for each in arrived if isinstance(each, GyroReading)]
    stamps = [np.array([each.stamp for each in part]) for part in (joints, gyro)]
    unknown = np.full((len(gyro), 4), np.nan)
    return [
        JointStream(
            stamps[0],
            stamps[0],
            NAMES,
            np.array([each.positions for each in joints]),
            np.array([each.velocities for each in joints]),
        ),
        ImuStream(
            stamps[1],
            stamps[1],
            'base',
            np.array([each.angular_velocity for each in gyro]),
            0.0,
            unknown[:, :3],
            unknown,
        ),
    ]


def left_over(arrived):
    """Return what is to be taken one by one after the streams were."""
    last = {type(each): place for place, each in enumerate(arrived)}
    fast = (JointReading, GyroReading)
    return [
        each
        for place, each in enumerate(arrived)
        if not isinstance(each, fast) or place == last[type(each)]
    ]


def taken(arrived, sizes, *, at_once):
    """Return an intake that has taken readings, looked at after so many, and samples they made."""
    intake, at, samples, batches = new_intake(), 0, [], 0
    for size in sizes:
        part, at = arrived[at : at + size], at + size
        kinds = [type(each) for each in part]
        several = min(kinds.count(JointReading), kinds.count(GyroReading)) > 1
        if at_once and several and take_plain(ROBOT, streams_of(part), intake):
            part, batches = left_over(part), batches + 1
        for each in part:
            intake.take(each)
        samples.append(intake.samples())
    return intake, [each for each in samples if each is not None], batches


def assert_same(one, other):
    """Hold two intakes to have the same buffered, counted, and known."""
    for name, stream in one.alignment.streams.items():
        np.testing.assert_array_equal(stream.stamps, other.alignment.streams[name].stamps)
        np.testing.assert_array_equal(stream.values, other.alignment.streams[name].values)
    for topic, counted in one.statistics.items():
        assert counted.summary() == other.statistics[topic].summary()
    np.testing.assert_array_equal(one.last_positions, other.last_positions)
    for topic, same in one.frozen.monitor._same.items():
        there = other.frozen.monitor._same[topic]
        np.testing.assert_array_equal(same.value, there.value)
        assert (same.begin, same.last, same.count) == (there.begin, there.last, there.count)


@settings(max_examples=15)
@given(seed=st.integers(0, 100), sizes=st.lists(st.integers(6, 120), min_size=6, max_size=40))
def test_batches_leave_everything_as_single_messages_do(seed, sizes):
    """Buffers, counters, samples, what is known of glitches and of frozen values."""
    arrived = readings(seed)
    one, alone, _ = taken(arrived, sizes, at_once=False)
    other, together, batches = taken(arrived, sizes, at_once=True)
    assert batches >= 1
    assert_same(one, other)
    assert len(alone) == len(together)
    for expected, found in zip(alone, together, strict=True):
        np.testing.assert_array_equal(found.times, expected.times)
        np.testing.assert_array_equal(found.qd, expected.qd)
        np.testing.assert_array_equal(found.base_twist, expected.base_twist)


def test_batches_of_the_first_messages_are_not_plain():
    """Which joints give rates is known from a first message on."""
    assert not take_plain(ROBOT, streams_of(readings()[:60]), new_intake())


def spoilt(change):
    """Return whether a batch is taken of which one joint state, or more, is changed."""
    arrived = readings()
    intake = new_intake()
    for each in arrived[:60]:
        intake.take(each)
    streams = streams_of(arrived[60:160])
    change(*streams)
    before = intake.statistics['joint_states'].accepted
    is_taken = take_plain(ROBOT, streams, intake)
    assert is_taken or intake.statistics['joint_states'].accepted == before
    return is_taken


def test_a_good_batch_is_plain():
    assert spoilt(lambda _joints, _gyro: None)


def changing(field, row, value, *, of_gyro=False):
    """Return what changes a row of a field of joints or gyro."""

    def change(joints, gyro):
        getattr(gyro if of_gyro else joints, field)[row] = value

    return change


@pytest.mark.parametrize(
    'change',
    [
        changing('positions', (20, 0), 3.0),
        changing('positions', (20, 0), np.nan),
        changing('velocities', (20, 1), np.nan),
        changing('velocities', (20, 1), 1e16),
        changing('stamps', 20, 0.0),
        changing('stamps', 0, 900.0),
        changing('stamps', -1, 1e5),
        changing('angular_velocity', 5, np.nan, of_gyro=True),
        changing('stamps', 5, 1e5, of_gyro=True),
        lambda _joints, gyro: gyro.angular_velocity.__setitem__(8, gyro.angular_velocity[7]),
        lambda joints, _gyro: (
            joints.positions.__setitem__(8, joints.positions[7]),
            joints.velocities.__setitem__(8, joints.velocities[7]),
        ),
    ],
    ids=[
        'glitch',
        'no position',
        'no rate',
        'rate too large',
        'no stamp',
        'stamp before',
        'stamp far ahead',
        'no gyro',
        'gyro stamp far ahead',
        'gyro repeats',
        'joints repeat',
    ],
)
def test_a_batch_with_one_message_in_doubt_is_not_taken(change):
    """Glitches, NaN, sizes, stamps, values that repeat: all of it goes one by one."""
    assert not spoilt(change)


def test_a_frame_that_is_unknown_is_said_message_by_message():
    arrived, intake = readings(), new_intake()
    for each in arrived[:60]:
        intake.take(each)
    joints, gyro = streams_of(arrived[60:160])
    elsewhere = ImuStream(**{**vars(gyro), 'frame_id': 'nowhere'})
    assert not take_plain(ROBOT, [joints, elsewhere], intake)
