"""Readings on their way into the alignment: what a method needs, judged and counted."""

from dataclasses import replace
import inspect

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from scipy.spatial.transform import Rotation
from small_robot import R_BASE_IMU
from streams import flight, gyro_reading, NAMES, ROBOT, STEP

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import (
    AlignmentSettings,
    FREE_FLYER,
    Need,
    Record,
    StreamNeeds,
    VelocitySource,
)
from spacerobot_id.measurement.intake import topics_of
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.methods.registry import method_class, method_names
from spacerobot_id.model import Frame

NAN = np.full(5, np.nan)
BOUNDS = AlignmentSettings(longest_bracket=0.05)


def intake_of(needs=StreamNeeds(), source=VelocitySource.TWIST, **keywords):  # noqa: B008
    return sensor_intake(ROBOT, needs, source, BOUNDS, **keywords)


def readings(row, *, frame='base', efforts=NAN, stamp=None):
    """Return the readings of a sample of a flight, poses first."""
    seen, stamp = flight(), 100.0 + STEP * row if stamp is None else stamp
    twist = seen.twist[row].copy()
    if frame == 'world':
        x, y, z, w = seen.attitude[row]
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        twist[:3] = (np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross) @ twist[:3]
    return {
        'pose': PoseStream(stamp, stamp, 'world', seen.position[row], seen.attitude[row]),
        'joints': JointStream(
            stamp, stamp, NAMES, seen.positions[row], seen.velocities[row], efforts
        ),
        'gyro': gyro_reading(stamp, 'imu', R_BASE_IMU.T @ seen.twist[row, 3:]),
        'twist': TwistStream(stamp, stamp, frame, twist),
        'wrench': WrenchStream(stamp, stamp, 'base', np.arange(6.0) + row),
    }


def fed(intake, rows, *, without=(), **keywords):
    """Give an intake what it has a topic for; return the samples."""
    parts = []
    for row in rows:
        for name, reading in readings(row, **keywords).items():
            if name not in without:
                intake.take(reading)
        parts.append(intake.samples())
    parts.append(intake.samples(is_last=True))
    return Record.concatenate([each for each in parts if each is not None and len(each)])


def test_topics_are_those_that_a_method_uses():
    assert topics_of(StreamNeeds()) == ('joint_states', 'imu/data', 'base_pose', 'base_twist')
    assert topics_of(FREE_FLYER) == ('base_pose', 'base_wrench', 'applied_wrench')
    only = StreamNeeds(velocity=Need.UNUSED, pose=Need.UNUSED)
    assert topics_of(only) == ('joint_states', 'imu/data')


def test_a_record_has_the_columns_that_a_method_uses():
    """Angular velocity alone; joints and wrenches together, each sample with what acts then."""
    gyro = StreamNeeds(velocity=Need.UNUSED, pose=Need.UNUSED)
    found = fed(intake_of(gyro), range(100), without=('pose', 'twist', 'wrench'))
    assert len(found) == 100
    assert found.position is found.attitude is found.wrench is found.joint_torque is None
    assert_allclose(found.base_twist[:, 3:], flight().twist[:100, 3:])
    pushed = StreamNeeds(wrench=Need.NEEDED)
    found = fed(intake_of(pushed), range(100))
    assert len(found) == 100
    assert_allclose(found.wrench.at(found.times)[:, 0], np.arange(100))
    assert found.has('position', 'attitude').all()


@pytest.mark.parametrize('need', [Need.NEEDED, Need.USED, Need.UNUSED])
def test_torques_come_with_the_joint_states(need):
    """Each sample has those of its own message."""
    intake = intake_of(StreamNeeds(torque=need))
    rows, parts = range(50), []
    for row in rows:
        given = readings(row, efforts=np.arange(5.0) + row)
        given.pop('wrench')
        for reading in given.values():
            intake.take(reading)
        parts.append(intake.samples())
    found = Record.concatenate([each for each in parts if each is not None and len(each)])
    if need is Need.UNUSED:
        assert found.joint_torque is None
    else:
        expected = np.arange(2.0) + np.round((found.times[:, None] - 100.0) / STEP)
        assert_array_equal(found.joint_torque, expected)


def test_torques_that_are_needed_and_not_there_are_named():
    """Where they are only used, the samples are good without."""
    intake = intake_of(StreamNeeds(torque=Need.NEEDED))
    assert not intake.take(readings(0)['joints'])
    assert intake.statistics['joint_states'].reason == (
        f'effort of {", ".join(ROBOT.joint_names)} is not provided'
    )
    used = intake_of(StreamNeeds(torque=Need.USED))
    assert fed(used, range(20), without=('wrench',)).joint_torque is None


def test_a_velocity_that_has_to_be_measured_is_not_made_from_poses():
    needed = StreamNeeds(velocity=Need.NEEDED)
    intake = intake_of(needed)
    for row in range(100):
        for name in ('pose', 'joints', 'gyro'):
            intake.take(readings(row)[name])
    assert intake.samples() is None
    assert intake.alignment.waiting_for() == ('base_twist',)


def test_F11_twists_in_the_frame_of_the_pose_are_turned_to_the_base():
    found = fed(intake_of(), range(100), without=('wrench',), frame='world')
    assert len(found) == 100
    assert_allclose(found.base_twist, flight().twist[:100], atol=1e-12)


def test_F20_twists_in_the_frame_of_the_pose_wait_for_it_and_are_refused_in_the_end():
    """They count as used while they wait, and no longer when no pose has come."""
    intake = intake_of()
    fed(intake, range(10), without=('wrench',), frame='world')
    for row in range(10, 100):
        intake.take(readings(row, frame='world')['twist'])
        intake.samples()
    statistics = intake.statistics['base_twist']
    reason = 'no poses within 0.05 s to turn it to base axes with'
    assert statistics.messages == 100
    assert 80 <= statistics.rejected[reason] <= 90
    assert statistics.accepted == 100 - statistics.rejected[reason]


@pytest.mark.parametrize('name', method_names())
def test_every_method_takes_the_same_record(name):
    """One type, whether it has joints or not."""
    kind = method_class(name)
    for function in ('prepared', 'is_moving', 'usable', 'residuals'):
        assert inspect.signature(getattr(kind, function)).parameters['record'].annotation is Record


MARKER = Frame(0, Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix(), np.array([0.3, -0.1, 0.2]))


def marked(**frames):
    """Return an intake of the robot with more frames."""
    robot = replace(ROBOT, frames={**ROBOT.frames, 'marker': MARKER, **frames})
    return sensor_intake(robot, StreamNeeds(), VelocitySource.TWIST, BOUNDS)


def of_marker(row):
    """Return the odometry of a frame on the base: its pose, and its twist in its axes."""
    given, seen = readings(row), flight()
    turned = Rotation.from_quat(seen.attitude[row])
    linear, angular = np.split(seen.twist[row], 2)
    there = linear + np.cross(angular, MARKER.p_LF_L)
    place = seen.position[row] + turned.apply(MARKER.p_LF_L)
    attitude = (turned * Rotation.from_matrix(MARKER.R_LF)).as_quat()
    twist = np.concatenate([MARKER.R_LF.T @ there, MARKER.R_LF.T @ angular])
    given['pose'] = PoseStream(*2 * [given['pose'].stamp], 'world', place, attitude, 'marker')
    given['twist'] = TwistStream(*2 * [given['twist'].stamp], 'marker', twist)
    return given


def test_odometry_of_a_frame_on_the_base_is_that_of_the_base():
    """Pose and twist of its child frame are carried to the base's origin and axes."""
    found, intake = [], marked()
    for row in range(100):
        for name, reading in of_marker(row).items():
            if name != 'wrench':
                assert intake.take(reading)
        found.append(intake.samples())
    found = Record.concatenate([each for each in found if each is not None and len(each)])
    rows = np.round((found.times - 100.0) / STEP).astype(int)
    assert_allclose(found.base_twist, flight().twist[rows], atol=1e-12)
    assert_allclose(found.position, flight().position[rows], atol=1e-12)
    turned = Rotation.from_quat(found.attitude).inv() * Rotation.from_quat(flight().attitude[rows])
    assert turned.magnitude().max() < 1e-7


@pytest.mark.parametrize(
    ('frame', 'reason'),
    [('camera', "frame 'camera' is not in the description"), ('arm', 'is not fixed to the base')],
)
def test_a_pose_of_a_frame_that_is_not_on_the_base_is_refused_by_name(frame, reason):
    """It says nothing of the base without the joints, or nothing at all."""
    intake = marked(arm=Frame(1, np.eye(3), np.zeros(3)))
    pose = readings(0)['pose']
    assert not intake.take(
        PoseStream(pose.stamp, pose.stamp, 'world', pose.position, pose.attitude, frame)
    )
    assert reason in intake.statistics['base_pose'].reason


def held(rows, since, until, name):
    """Yield the readings of rows, one of which stays while stamps advance."""
    for row in rows:
        found = readings(row)
        if since <= row < until:
            found[name] = replace(readings(since)[name], stamps=found[name].stamps)
        yield found


TOPIC_OF = {'joints': 'joint_states', 'gyro': 'imu/data', 'pose': 'base_pose'}
SINCE = 130
"""Sample of the flight from which on a value stays: everything moves then."""


@pytest.mark.parametrize('name', TOPIC_OF)
@pytest.mark.parametrize('count', [20, 100])
def test_F12_of_a_topic_that_is_frozen_nothing_is_used(name, count):
    """One that comes again a few times, and then another, is used as it came."""
    intake = intake_of(frozen_samples=25)
    for given in held(range(300), SINCE, SINCE + count, name):
        for each in ('pose', 'joints', 'gyro', 'twist'):
            intake.take(given[each])
    stamps = intake.alignment.streams[TOPIC_OF[name].split('/')[0]].stamps
    stamps = np.round((stamps - 100.0) / STEP)
    own = stamps[(stamps > SINCE) & (stamps < SINCE + count)]
    rejected = sum(intake.statistics[TOPIC_OF[name]].rejected.values())
    if count == 20:
        assert_array_equal(own, np.arange(SINCE + 1, SINCE + count))
        assert rejected == 0
    else:
        assert len(own) <= 15
        assert rejected == count - 1 - len(own)


def gyro_noise_after(stds):
    """Return an intake after messages of a gyro that state these standard deviations."""
    intake = intake_of()
    for row, std in enumerate(stds):
        intake.take(gyro_reading(100.0 + STEP * row, 'imu', np.zeros(3), std))
    return intake


DESCRIBED = ROBOT.noise.base_angular_velocity


@pytest.mark.parametrize(
    ('stds', 'expected'),
    [
        ([1e-15] * 9, 0.0),
        ([1e-15] + [2.0 * DESCRIBED] * 8, 2.0 * DESCRIBED),
        ([2.0 * DESCRIBED] * 3 + [1e-15] * 2, 2.0 * DESCRIBED),
        ([0.0] * 9, 0.0),
        ([0.1 * DESCRIBED] * 5 + [3.0] * 5, 0.1 * DESCRIBED),
        ([2.0 * DESCRIBED] * 4, None),
        ([], None),
    ],
)
def test_F9_the_noise_of_the_gyro_is_what_several_messages_state(stds, expected):
    """One message states nothing alone, and what no gyro can have is named and left out."""
    intake = gyro_noise_after(stds)
    assert intake.gyro_noise == (None if expected is None else pytest.approx(expected))
    named = [note for note in intake.notes if 'covariance states a noise of 1e-15 rad/s' in note]
    assert len(named) == (stds.count(1e-15) == 9)
