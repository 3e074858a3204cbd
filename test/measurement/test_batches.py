"""Messages taken many at once leave everything as messages taken one by one."""

from dataclasses import fields, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from logs import servicer_log_with_poses
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation
from small_robot import small_robot
from streams import flight, gyro_reading, STEP

from spacerobot_id.estimation.sensor_intake import record_from_log, sensor_intake
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import log_record, StreamNeeds, VelocitySource
from spacerobot_id.measurement.batches import take_plain
from spacerobot_id.measurement.monitors.frozen import Change, FrozenByWrenches
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.pose_stream import PoseStream

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
        arrived.append(JointStream(stamp, stamp, NAMES, samples.positions[row], rates, nothing))
        gyro = samples.twist[row, 3:] + 1e-5 * rng.normal(size=3)
        arrived.append(gyro_reading(stamp + 1e-5, 'base', gyro))
        if row % 2 == 0:
            position = samples.position[row] + 1e-4 * rng.normal(size=3)
            arrived.append(PoseStream(stamp, stamp, 'world', position, samples.attitude[row]))
    return arrived


def streams_of(arrived):
    """Return the streams that joints, gyro and poses make."""
    poses = [each for each in arrived if isinstance(each, PoseStream)]
    at = np.array([each.stamp for each in poses])
    joints = [each for each in arrived if isinstance(each, JointStream)]
    gyro = [each for each in arrived if isinstance(each, ImuStream)]
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
        PoseStream(
            at,
            at,
            'world',
            np.array([each.position for each in poses]),
            np.array([each.attitude for each in poses]),
        ),
    ]


def left_over(arrived):
    """Return what is to be taken one by one after the streams were."""
    last = {type(each): place for place, each in enumerate(arrived)}
    return [each for place, each in enumerate(arrived) if place == last[type(each)]]


def taken_readings(arrived, sizes, *, at_once):
    """Return an intake that has taken readings, looked at after so many, and samples they made."""
    intake, at, samples, batches = new_intake(), 0, [], 0
    for size in sizes:
        part, at = arrived[at : at + size], at + size
        kinds = [type(each) for each in part]
        several = min(map(kinds.count, (JointStream, ImuStream, PoseStream))) > 1
        if at_once and several and take_plain(streams_of(part), intake):
            part, batches = left_over(part), batches + 1
        for each in part:
            intake.take(each)
        samples.append(intake.samples())
    return intake, [each for each in samples if each is not None], batches


def assert_same(one, other):
    """Hold two intakes to have the same buffered, counted, and known."""
    for name, stream in one.alignment.streams.items():
        np.testing.assert_array_equal(stream.stamps, other.alignment.streams[name].stamps)
        assert_allclose(stream.values, other.alignment.streams[name].values, rtol=1e-15)
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
    one, alone, _ = taken_readings(arrived, sizes, at_once=False)
    other, together, batches = taken_readings(arrived, sizes, at_once=True)
    assert batches >= 1
    assert_same(one, other)
    assert len(alone) == len(together)
    for expected, found in zip(alone, together, strict=True):
        np.testing.assert_array_equal(found.times, expected.times)
        np.testing.assert_array_equal(found.qd, expected.qd)
        assert_allclose(found.base_twist, expected.base_twist, rtol=1e-9, atol=1e-15)


def test_batches_of_the_first_messages_are_not_plain():
    """Which joints give rates is known from a first message on."""
    assert not take_plain(streams_of(readings()[:60]), new_intake())


def spoilt(change):
    """Return whether a batch is taken of which one joint state, or more, is changed."""
    arrived = readings()
    intake = new_intake()
    for each in arrived[:200]:
        intake.take(each)
    streams = streams_of(arrived[200:300])
    change(*streams[:2])
    before = intake.statistics['joint_states'].accepted
    is_taken = take_plain(streams, intake)
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


def watched_by_wrenches(poses, together):
    """Return what becomes of the last of poses, 30 times again, while a wrench acts."""
    monitor = FrozenByWrenches(np.eye(6), lambda: np.full(6, 0.1), (1e-4, 1e-4), 25)
    if together:
        assert monitor.all_change('base_pose', poses)
        monitor.take_changed('base_pose', 0.02 * (len(poses) - 1), poses[-1])
    else:
        for row, pose in enumerate(poses):
            assert monitor.change('base_pose', 0.02 * row, pose) is Change.POSSIBLE
    times = 0.02 * np.arange(len(poses), len(poses) + 30)
    return [monitor.change('base_pose', time, poses[-1]) for time in times]


def test_poses_under_wrenches_are_taken_together_and_found_frozen_as_one_by_one():
    poses = np.random.default_rng(0).normal(size=(40, 7))
    alone, together = (watched_by_wrenches(poses, each) for each in (False, True))
    assert alone == together
    assert {Change.POSSIBLE, Change.LACKING, Change.FROZEN} == set(alone)
    monitor = FrozenByWrenches(np.eye(6), lambda: np.ones(6), (1e-4, 1e-4), 25)
    monitor.take_changed('base_pose', 0.0, poses[0])
    assert not monitor.all_change('base_pose', poses)  # the first one is as the one before


def test_a_frame_that_is_unknown_is_said_message_by_message():
    arrived, intake = readings(), new_intake()
    for each in arrived[:200]:
        intake.take(each)
    joints, gyro, _ = streams_of(arrived[200:300])
    elsewhere = ImuStream(**{**vars(gyro), 'frame_id': 'nowhere'})
    assert not take_plain([joints, elsewhere], intake)


SERVICER = replace(servicer(), noise=replace(servicer().noise, base_position=1e-5))
MESSAGES = 1200


def changed(stream, field, row, value):
    """Return a log with one message, or all from one on, changed."""

    def change(log):
        values = getattr(getattr(log, stream), field).copy()
        values[row] = value(values[row]) if callable(value) else value
        return replace(log, **{stream: replace(getattr(log, stream), **{field: values})})

    return change


def slower(stream, step):
    """Return a log with every so many messages of a stream."""
    return lambda log: replace(log, **{stream: getattr(log, stream)[np.arange(0, MESSAGES, step)]})


GOOD = {
    'as it is': lambda log: log,
    'no poses': lambda log: replace(log, pose=None),
    'no twists': lambda log: replace(log, twist=None),
    'slow gyro': slower('imu', 5),
    'slow poses': slower('pose', 10),
    'other sign of quaternions': changed('pose', 'attitudes', slice(400, 700), np.negative),
    'quaternions not quite of unit length': changed('pose', 'attitudes', 5, lambda q: 1.01 * q),
    'torques': lambda log: replace(
        log, joints=replace(log.joints, efforts=np.ones_like(log.joints.positions))
    ),
    'late arrivals': lambda log: replace(
        log, pose=replace(log.pose, arrivals=log.pose.arrivals + 0.3)
    ),
    'twists in inertial axes': lambda log: replace(
        log,
        twist=replace(
            log.twist,
            frame_id='world',
            twists=np.hstack(
                [
                    Rotation.from_quat(log.pose.attitudes).apply(log.twist.twists[:, :3]),
                    log.twist.twists[:, 3:],
                ]
            ),
        ),
    ),
}
BAD = {
    'no number': changed('imu', 'angular_velocity', 300, np.nan),
    'no position of a joint': changed('joints', 'positions', (300, 1), np.nan),
    'an encoder glitch': changed('joints', 'positions', (300, 1), 1.5),
    'too large': changed('twist', 'twists', 420, 1e20),
    'a stamp twice': changed('joints', 'stamps', 301, lambda _: 1000.0 + 300 * 0.02),
    'a gap': changed('imu', 'stamps', slice(600, None), lambda stamps: stamps + 3.0),
    'no unit quaternion': changed('pose', 'attitudes', 440, lambda q: 1.5 * q),
    'a pose far away': changed('pose', 'positions', 500, lambda p: p + 3.0),
    'another origin': changed('pose', 'positions', slice(500, None), lambda p: p + 3.0),
    'frozen': changed('imu', 'angular_velocity', slice(300, 500), [0.1, 0.2, 0.3]),
    'an unknown frame': lambda log: replace(log, imu=replace(log.imu, frame_id='nowhere')),
}


def text_of(log):
    """Return what is made of a log, or why nothing is."""
    try:
        return record_from_log(SERVICER, log)
    except MeasurementError as error:
        return str(error)


@pytest.mark.parametrize('change', [*GOOD, *BAD])
def test_a_log_gives_what_its_messages_give_one_by_one(monkeypatch, change):
    """Samples, and what was refused, reordered and noted; good stretches are taken at once."""
    log, taken_at_once = (GOOD | BAD)[change](servicer_log_with_poses(MESSAGES)), []

    def noted(*arguments):
        taken_at_once.append(take_plain(*arguments))
        return taken_at_once[-1]

    monkeypatch.setattr(log_record, 'take_plain', noted)
    found = text_of(log)
    assert any(taken_at_once) == (change != 'an unknown frame')
    assert all(taken_at_once[1:]) == (change in GOOD)
    monkeypatch.setattr(log_record, 'take_plain', lambda *_: False)
    expected = text_of(log)
    if isinstance(expected, str):
        assert found == expected
        return
    for name in ('rejected', 'source', 'reordered', 'messages', 'notes'):
        assert getattr(found, name) == getattr(expected, name)
    for field in fields(expected.measurement):
        value, wanted = (getattr(each.measurement, field.name) for each in (found, expected))
        if isinstance(wanted, np.ndarray):
            assert_allclose(value, wanted, rtol=1e-13, atol=1e-15)
    assert_array_equal(found.measurement.times, expected.measurement.times)
