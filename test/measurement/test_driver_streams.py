"""Streams as drivers send them: parts of the joints, slow poses, stray twists, lost origins."""

from dataclasses import replace
import tracemalloc

from logs import dual_arm_log, servicer_log, servicer_log_with_poses
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import dual_arm, servicer

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import VelocitySource
from spacerobot_id.measurement.joint_intake import JointMerger
from spacerobot_id.measurement.streams.joint_stream import JointStream

ROBOT = replace(servicer(), noise=replace(servicer().noise, base_position=1e-5))
COUNT = 1500


def first(stream, count=COUNT):
    return stream[np.arange(count)]


@pytest.fixture(name='log', scope='module')
def log_with_poses():
    return servicer_log_with_poses(COUNT)


def of_two_drivers(joints, late=0.0, every=1):
    """Return joint states of the arm, and of the wheels in messages of their own."""
    wheels = np.isin(joints.names, ROBOT.wheel_names)
    rows = np.arange(0, len(joints.stamps), every)
    parts = []
    for kept, chosen, shift in (
        (~wheels, np.arange(len(joints.stamps)), 0.0),
        (wheels, rows, late),
    ):
        tables = [
            np.where(kept, table[chosen], np.nan)
            for table in (joints.positions, joints.velocities)
        ]
        parts.append((joints.stamps[chosen] + shift, joints.arrivals[chosen] + shift, *tables))
    stamps, arrivals, positions, velocities = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    stream = JointStream(stamps, arrivals, joints.names, positions, velocities)
    return stream[np.argsort(arrivals, kind='stable')]


def test_joint_states_of_two_drivers_with_common_stamps_are_as_those_of_one(log):
    """Bit for bit, but for the first messages, before both are known."""
    expected = record_from_log(ROBOT, log).measurement
    parts = replace(log, joints=of_two_drivers(log.joints))
    record = record_from_log(ROBOT, parts)
    found = record.measurement
    assert len(found) >= len(expected) - 3
    rows = np.searchsorted(expected.times, found.times)
    assert_array_equal(found.times, expected.times[rows])
    for column in ('q', 'qd', 'wheel_rates', 'base_twist'):
        assert_array_equal(getattr(found, column), getattr(expected, column)[rows])
    assert sum(record.rejected.values()) <= 5


def test_drivers_with_stamps_of_their_own_are_joined_at_those_of_the_slower(log):
    """Wheels at 25 Hz, 7 ms apart from the arm at 50 Hz: as they were at their own stamps."""
    parts = replace(log, joints=of_two_drivers(log.joints, late=0.007, every=2))
    found = record_from_log(ROBOT, parts).measurement
    assert len(found) > COUNT / 2 - 5
    rows = np.round((found.times - log.joints.stamps[0] - 0.007) / 0.04).astype(int) * 2
    names = log.joints.names
    wheels = [names.index(name) for name in ROBOT.wheel_names]
    assert_allclose(found.wheel_rates, log.joints.velocities[rows][:, wheels], atol=1e-12)
    joints = [names.index(name) for name in ROBOT.joint_names]
    for row, time in enumerate(found.times[:50]):
        for place, joint in enumerate(joints):
            between = np.interp(time, log.joints.stamps, log.joints.positions[:, joint])
            assert found.q[row, place] == pytest.approx(between, abs=1e-9)


def test_joints_that_drop_out_at_random_take_bounded_memory():
    """Each set of joints that a message lacks looks like a driver of its own."""
    rng, names = np.random.default_rng(1), tuple(f'joint_{number}' for number in range(14))
    merger = JointMerger(names, longest_gap=1.0)
    tracemalloc.start()
    sizes = []
    for number in range(6000):
        given = rng.random(14) < 0.5
        values = np.where(given, 0.001 * number, np.nan)
        merger.take(
            JointStream(0.001 * number, 0.001 * number, names, values, values, values), given
        )
        if number in (2999, 5999):
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[1] < 1.1 * sizes[0]


def test_a_part_that_nobody_completes_is_refused_by_name(log):
    wheels = np.isin(log.joints.names, ROBOT.wheel_names)
    alone = replace(
        log.joints,
        positions=np.where(wheels, np.nan, log.joints.positions),
        velocities=np.where(wheels, np.nan, log.joints.velocities),
    )
    with pytest.raises(MeasurementError, match='velocity of wheel_x, wheel_y, wheel_z'):
        record_from_log(ROBOT, replace(log, joints=alone))


@pytest.mark.parametrize('rate', [10.0, 25.0])
def test_slow_poses_alone_give_the_velocity_without_a_setting(log, rate):
    """No twists; poses at the rates of motion capture."""
    every = round(50.0 / rate)
    slow = log.pose[np.arange(0, COUNT, every)]
    record = record_from_log(ROBOT, replace(log, twist=None, pose=slow))
    assert record.source is VelocitySource.POSE
    assert len(record.measurement) > 0.8 * COUNT
    seen = record.measurement.has('position')
    assert seen.sum() > 0.9 * len(slow.stamps)


def test_stray_twists_do_not_give_the_velocity(log):
    """A few messages in the whole log: the poses give it, and that is logged."""
    strays = log.twist[np.array([10, 700, 1400])]
    record = record_from_log(ROBOT, replace(log, twist=strays))
    assert record.source is VelocitySource.POSE
    assert len(record.measurement) > 0.9 * COUNT
    said = 'base_twist: 3 messages, 14 s apart, are too few; base_pose gives the velocity'
    assert said in record.warnings()


@pytest.mark.parametrize(
    ('poses_too', 'wanted'), [(True, VelocitySource.TWIST), (False, VelocitySource.POSE)]
)
def test_twists_at_5_hz_give_the_velocity_where_nothing_comes_more_often(log, poses_too, wanted):
    """All at the rate of [Naveen 2024], or twists alone beside poses ten times as often."""
    every = np.arange(0, COUNT, 10)
    slow = replace(log, twist=log.twist[every])
    if poses_too:
        slow = replace(slow, pose=log.pose[every], joints=log.joints[every], imu=log.imu[every])
    record = record_from_log(ROBOT, slow)
    assert record.source is wanted
    assert len(record.measurement) > (0.09 if poses_too else 0.9) * COUNT


def with_jump(log, begin, end=None, shift=(0.5, -0.2, 0.1)):
    """Return a log whose positions are shifted from one message to another."""
    positions = log.pose.positions.copy()
    positions[begin:end] += shift
    return replace(log, pose=replace(log.pose, positions=positions))


@pytest.mark.parametrize('every', [1, 5])
def test_a_new_origin_of_the_poses_is_put_back_and_said_once(log, every):
    """The positions go on where they were; every message counts."""
    log = replace(log, twist=None, pose=log.pose[np.arange(0, COUNT, every)])
    expected = record_from_log(ROBOT, log).measurement
    record = record_from_log(ROBOT, with_jump(log, 700 // every))
    found = record.measurement
    assert_array_equal(found.times, expected.times)
    seen = found.has('position')
    assert_array_equal(seen, expected.has('position'))
    assert_allclose(found.position[seen], expected.position[seen], atol=5e-4)
    messages = [each for each in record.warnings() if 'new origin' in each]
    assert len(messages) == 1
    assert 'positions jumped by (0.500, -0.200, 0.100) m' in messages[0]


def test_poses_that_jump_and_come_back_are_refused(log):
    record = record_from_log(ROBOT, with_jump(log, 700, 702))
    assert record.rejected['base_pose: is far from the poses around it'] == 2
    assert not [each for each in record.warnings() if 'new origin' in each]


def test_a_new_origin_does_not_show_in_the_velocity(log):
    """Made of the poses, it would be more than a metre per second."""
    log = replace(log, twist=None)
    expected = record_from_log(ROBOT, log).measurement
    found = record_from_log(ROBOT, with_jump(log, 700)).measurement
    assert_allclose(found.base_twist[:, :3], expected.base_twist[:, :3], atol=5e-3)


@pytest.mark.parametrize('imu_frame', ['', 'bus'])
def test_an_imu_without_a_frame_is_taken_by_the_setting(imu_frame):
    log, robot = servicer_log(), servicer()
    base = robot.link_names[0]
    nameless = replace(log, imu=replace(log.imu, frame_id=''))
    if not imu_frame:
        with pytest.raises(MeasurementError, match='the setting imu_frame says'):
            record_from_log(robot, nameless)
        return
    expected = record_from_log(robot, log).measurement
    found = record_from_log(robot, nameless, imu_frame=base).measurement
    assert_array_equal(found.base_twist, expected.base_twist)


def test_a_dual_arm_with_two_drivers_is_as_one():
    """Every joint an own driver, all at the same stamps."""
    log = dual_arm_log()
    joints, count = log.joints, 500
    rows = np.repeat(np.arange(count), len(joints.names))
    own = np.tile(np.eye(len(joints.names), dtype=bool), (count, 1))
    split = JointStream(
        joints.stamps[rows],
        joints.arrivals[rows],
        joints.names,
        np.where(own, joints.positions[rows], np.nan),
        np.where(own, joints.velocities[rows], np.nan),
    )
    whole = replace(log, joints=first(joints, count))
    expected = record_from_log(dual_arm(), whole).measurement
    found = record_from_log(dual_arm(), replace(log, joints=split)).measurement
    rows = np.searchsorted(expected.times, found.times)
    assert len(found) > count - 6
    assert_array_equal(found.q, expected.q[rows])
