"""A log as one measurement: what cannot be used is counted, wrong axes are named."""

from dataclasses import fields, replace

from logs import BEGIN, servicer_log_with_poses
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import AlignmentSettings, VelocitySource

ROBOT = replace(servicer(), noise=replace(servicer().noise, base_position=1e-5))
COUNT = 1500
LONG_GAPS = AlignmentSettings(longest_gap=5.0)
FIRST = np.arange(500)
HELD = 450
"""Message whose value stays: the motion does not make the base as fast as then again."""


@pytest.fixture(name='log', scope='module')
def log_with_poses():
    return servicer_log_with_poses(COUNT)


@pytest.fixture(name='expected', scope='module')
def undisturbed(log):
    return record_from_log(ROBOT, log).measurement


def with_gyro(log, change):
    """Return a log whose gyro says something else."""
    return replace(log, imu=replace(log.imu, angular_velocity=change(log.imu.angular_velocity)))


def with_linear(log, change):
    """Return a log whose twists have another linear part."""
    twists = log.twist.twists.copy()
    twists[:, :3] = change(twists[:, :3])
    return replace(log, twist=replace(log.twist, twists=twists))


def in_world(log):
    """Return a log whose twists are in the axes of the pose."""
    turned = Rotation.from_quat(log.pose.attitudes)
    moved = with_linear(log, turned.apply)
    return replace(moved, twist=replace(moved.twist, frame_id='world'))


def inverse(log):
    """Return a log whose quaternions lead from the inertial frame to the base."""
    attitudes = Rotation.from_quat(log.pose.attitudes).inv().as_quat()
    return replace(log, pose=replace(log.pose, attitudes=attitudes))


def joined(first, then):
    """Return one stream after the other; what is no array, and what is missing, is the same."""
    return replace(
        first,
        **{
            each.name: np.concatenate([getattr(first, each.name), getattr(then, each.name)])
            for each in fields(first)
            if isinstance(getattr(first, each.name), np.ndarray)
        },
    )


TILT = Rotation.from_euler('z', 30.0, degrees=True)

WRONG_AXES = {
    'NED': (lambda log: with_gyro(log, lambda w: w * [1, -1, -1]), 'negated in y and z (NED'),
    'exchanged': (
        lambda log: with_gyro(log, lambda w: w[:, [1, 0, 2]] * [1, 1, -1]),
        'exchanged: x is y, y is x, z is -z',
    ),
    'inertial': (
        lambda log: with_gyro(log, Rotation.from_quat(log.pose.attitudes).apply),
        'the gyro looks as if in inertial axes',
    ),
    'degrees': (lambda log: with_gyro(log, np.rad2deg), 'degrees per second'),
    'tilted': (lambda log: with_gyro(log, TILT.apply), 'turned by (0, 0, -30) deg'),
    'inverse': (inverse, 'from the inertial frame to the base'),
    'twist NED': (lambda log: with_linear(log, lambda v: v * [1, -1, -1]), 'twist looks negated'),
    'twist in world axes': (
        lambda log: replace(in_world(log), twist=replace(in_world(log).twist, frame_id='bus')),
        'the twist looks as if in inertial axes',
    ),
}


@pytest.mark.parametrize(('change', 'message'), WRONG_AXES.values(), ids=WRONG_AXES)
def test_F11_wrong_axes_are_an_error_that_names_them(log, change, message):
    with pytest.raises(MeasurementError) as error:
        record_from_log(ROBOT, change(log))
    assert 'disagree about the motion of the base' in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    'change',
    [
        lambda w: w + 0.01,
        lambda w: 0.98 * w,
        lambda w: w + 1e-3 * np.random.default_rng(0).normal(size=w.shape),
    ],
)
def test_F11_a_worse_gyro_is_still_one(log, change):
    """A bias, a wrong scale and more noise are not wrong axes."""
    assert len(record_from_log(ROBOT, with_gyro(log, change)).measurement) > 1400


def test_F11_a_noisy_pose_contradicts_nothing(log):
    """Poses that jump by more than the base moves say nothing of axes."""
    rng = np.random.default_rng(0)
    shake = Rotation.from_rotvec(0.05 * rng.normal(size=(COUNT, 3)))
    attitudes = (Rotation.from_quat(log.pose.attitudes) * shake).as_quat()
    positions = log.pose.positions + 0.1 * rng.normal(size=(COUNT, 3))
    pose = replace(log.pose, attitudes=attitudes, positions=positions)
    record_from_log(ROBOT, replace(log, pose=pose))


def test_F11_stamps_of_clocks_that_differ_contradict_nothing(log):
    """A pose late by as much as its delay is unknown looks like one in other axes."""
    late = replace(log, pose=replace(log.pose, stamps=log.pose.stamps + 4.0))
    with pytest.raises(MeasurementError, match='disagree about the motion of the base'):
        record_from_log(ROBOT, late)
    assert len(record_from_log(ROBOT, late, is_one_clock=False).measurement) > 1000
    for delay, is_one in ((0.02, True), (1.0, False)):
        values = {'method': 'momentum_balance', 'delay.base_pose': delay}
        assert settings_from_mapping(values).is_one_clock is is_one


def test_F11_without_poses_the_twist_tells(log):
    """Angular velocities of gyro and twist in other axes."""
    wrong = with_gyro(replace(log, pose=None), lambda w: w * [1, -1, -1])
    with pytest.raises(MeasurementError, match=r'imu/data and base_twist disagree.*NED'):
        record_from_log(ROBOT, wrong)


@pytest.mark.parametrize('lost', ['lost', 'unknown'])
def test_F11_twists_that_are_lost_for_seconds_contradict_nothing(log, expected, lost):
    """What lies between them is not known; it was taken from a straight line."""
    there = (np.arange(COUNT) // 20) % 20 == 0
    turned = log.twist.twists.copy()
    turned[~there, 3:] = np.nan
    twist = replace(log.twist, twists=turned)
    if lost == 'lost':
        twist = log.twist[np.flatnonzero(there)]
    seldom = replace(log, twist=twist)
    found = record_from_log(ROBOT, seldom, LONG_GAPS, source=VelocitySource.POSE).measurement
    assert len(found) > 0.98 * len(expected)
    wrong = with_gyro(seldom, lambda w: w * [1, -1, -1])
    with pytest.raises(MeasurementError, match='imu/data and base_'):
        record_from_log(ROBOT, wrong, LONG_GAPS, source=VelocitySource.POSE)


def test_F15_a_clock_that_is_put_back_brings_stamps_twice(log):
    """The same ten seconds nearly at rest and in motion: each twist is of one run alone."""
    still = replace(
        log,
        pose=None,
        imu=replace(log.imu, angular_velocity=0.01 * log.imu.angular_velocity),
        twist=replace(log.twist, twists=0.01 * log.twist.twists),
    )
    both = {
        name: joined(getattr(still, name)[FIRST], getattr(log, name)[FIRST])
        for name in ('joints', 'imu', 'twist')
    }
    twice = replace(still, **both)
    assert len(record_from_log(ROBOT, twice, frozen_samples=0).measurement) > 1.6 * len(FIRST)
    with pytest.raises(MeasurementError, match='imu/data and base_twist disagree'):
        record_from_log(ROBOT, with_gyro(twice, lambda w: w * [1, -1, -1]), frozen_samples=0)


def test_twists_in_inertial_axes_are_turned_between_poses(log, expected):
    """Poses of another time than the twists; a zero quaternion costs what is next to it."""
    world = in_world(log)
    half = world.pose[np.arange(0, COUNT, 2)]
    half.attitudes[100] = 0.0
    found = record_from_log(
        ROBOT, replace(world, pose=half), AlignmentSettings(longest_bracket=0.05)
    )
    lost = {reason: times for reason, times in found.rejected.items() if 'no poses' in reason}
    assert lost == {'base_twist: no poses within 0.05 s to turn it to base axes with': 3 + 1}
    measured = found.measurement[np.isin(found.measurement.times, expected.times)]
    rows = np.searchsorted(expected.times, measured.times)
    assert_allclose(measured.base_twist[:, :3], expected.base_twist[rows, :3], atol=2e-5)


def test_F14_a_log_is_sorted_by_stamp(log, expected):
    """Messages up to 0.2 s late: the same measurement, and how many came out of order."""
    rng = np.random.default_rng(0)

    def shuffled(stream):
        order = np.argsort(stream.stamps + rng.uniform(0.0, 0.2, len(stream.stamps)))
        return replace(stream[order], arrivals=stream.arrivals)

    streams = {name: shuffled(getattr(log, name)) for name in ('joints', 'imu', 'pose', 'twist')}
    found = record_from_log(ROBOT, replace(log, **streams))
    assert found.reordered['joint_states'] > 500
    assert not found.rejected
    assert_allclose(found.measurement.times, expected.times, atol=0)
    assert_allclose(found.measurement.base_twist, expected.base_twist, atol=0)


def test_F17_a_log_is_not_sorted_across_a_jump_of_the_clock(log):
    """The same log twice: what comes after the jump is as good as what came before."""

    def repeated(stream):
        rows = np.tile(np.arange(COUNT), 2)
        arrivals = BEGIN + 0.02 * np.arange(2 * COUNT)
        return replace(stream[rows], arrivals=arrivals)

    streams = {name: repeated(getattr(log, name)) for name in ('joints', 'imu', 'pose', 'twist')}
    found = record_from_log(ROBOT, replace(log, **streams))
    assert not found.reordered
    assert len(found.measurement) > 2 * COUNT - 50


def test_F16_a_stray_stamp_spoils_only_itself(log):
    stamps = log.imu.stamps.copy()
    stamps[200], stamps[700] = 1e9, 1.0
    found = record_from_log(ROBOT, replace(log, imu=replace(log.imu, stamps=stamps)))
    assert found.rejected['imu/data: has a stamp far from the sample before'] == 2
    assert len(found.measurement) >= COUNT - 4


@pytest.mark.parametrize('size', [1e300, 1e16])
def test_F6_numbers_that_no_sensor_means_are_refused(log, size):
    rates = log.joints.velocities.copy()
    rates[100:105, 2] = size
    found = record_from_log(ROBOT, replace(log, joints=replace(log.joints, velocities=rates)))
    assert found.rejected == {'joint_states: is too large to be measured': 5}


FROZEN = 'value is frozen: the same in 25 samples, while the robot moves'


@pytest.mark.parametrize('topic', ['joint_states', 'imu/data', 'base_pose', 'base_twist'])
def test_F12_frozen_values_are_refused_as_they_are_live(log, topic):
    """From one message on a topic says the same; the others go on."""
    fields = {
        'joint_states': ('joints', ('positions', 'velocities')),
        'imu/data': ('imu', ('angular_velocity',)),
        'base_pose': ('pose', ('positions', 'attitudes')),
        'base_twist': ('twist', ('twists',)),
    }
    name, columns = fields[topic]
    held = {column: getattr(getattr(log, name), column).copy() for column in columns}
    for values in held.values():
        values[HELD:] = values[HELD]
    found = record_from_log(ROBOT, replace(log, **{name: replace(getattr(log, name), **held)}))
    assert set(found.rejected) - {'joint_states: no other samples around it'} == {
        f'{topic}: {FROZEN}'
    }
    assert COUNT - HELD - 15 <= found.rejected[f'{topic}: {FROZEN}'] <= COUNT - HELD - 1
    assert any(topic in message and FROZEN in message for message in found.warnings())


@pytest.mark.slow
def test_F12_a_log_with_a_dead_gyro_is_said_to_be_frozen(log):
    """What it says from its begin on is no measurement."""
    found = record_from_log(ROBOT, with_gyro(log, np.zeros_like))
    assert found.rejected[f'imu/data: {FROZEN}'] > COUNT - 100


def test_F12_it_can_be_turned_off(log):
    with pytest.raises(MeasurementError, match=r'wrong frame, .* or a frozen value'):
        record_from_log(ROBOT, with_gyro(log, np.zeros_like), frozen_samples=0)


def test_what_many_messages_lose_is_a_warning(log):
    rates = log.joints.velocities.copy()
    rates[::3, 2] = np.nan
    found = record_from_log(ROBOT, replace(log, joints=replace(log.joints, velocities=rates)))
    assert found.warnings() == (
        'joint_states: velocity of arm_joint_3 is not provided: 500 of 1500 messages were '
        'not used',
    )


def test_the_source_of_the_velocity_can_be_asked_for(log):
    """Positions although there are twists; twists that are not there are an error."""
    found = record_from_log(ROBOT, log, source=VelocitySource.POSE)
    assert found.source is VelocitySource.POSE
    with pytest.raises(MeasurementError, match='base_twist is not in the log'):
        record_from_log(ROBOT, replace(log, twist=None), source=VelocitySource.TWIST)
