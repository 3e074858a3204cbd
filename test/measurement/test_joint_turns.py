"""Joints whose encoders wrap: positions go on, by whole turns; nothing else of them changes."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from small_robot import small_robot
from streams import flight, gyro_reading, STEP

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.joint_glitches import JointTurns, TURN
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.model import JointLimits

ROBOT = small_robot()
JOINTS = len(ROBOT.joints)
NAMES = ROBOT.joint_names + ROBOT.wheel_names


def between(positions, least):
    """Return angles between some angle and a whole turn more."""
    return least + (positions - least) % TURN


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1000),
    least=st.floats(-np.pi, 0.0),
    step=st.sampled_from([1e-3, 0.1, 1.4]),
    lost=st.sampled_from([0.0, 0.2]),
)
def test_F8_wrapped_positions_go_on(seed, least, step, lost):
    """Up to whole turns of the first one they are those that there were, however many turns."""
    rng = np.random.default_rng(seed)
    q = np.cumsum(rng.uniform(-step, 2.0 * step / 3.0, (300, 2)), axis=0)
    angles = np.column_stack([between(q[:, 0], least), q[:, 1]])
    angles[1:][rng.random(angles[1:].shape) < lost * (step < 1.0)] = np.nan
    turns = JointTurns([True, False])
    found = np.array([turns.take(each) for each in angles])
    there = np.isfinite(angles)
    assert_array_equal(np.isfinite(found), there)
    away = (found - q)[there[:, 0], 0]
    assert_allclose(away, away[0], atol=1e-9)
    assert_array_equal(found[there[:, 1], 1], q[there[:, 1], 1])


@pytest.mark.parametrize('value', [4.0, -30.0, 1e9, np.inf])
def test_jumps_that_are_no_turns_stay(value):
    """Glitches, new zeros and numbers that are no angles are judged by others."""
    turns = JointTurns([True])
    angles = [0.1, 0.2, value, 0.3]
    assert_array_equal(np.concatenate([turns.take(np.array([each])) for each in angles]), angles)


def record_of(wrap):
    """Return the samples of a flight whose encoders give angles wrapped by a function."""
    intake = sensor_intake(ROBOT, StreamNeeds(), VelocitySource.POSE)
    samples, parts, unknown = flight(), [], np.empty(0)
    for row in range(100, 500):
        stamp = 1000.0 + STEP * row
        positions = samples.positions[row].copy()
        positions[:JOINTS] = wrap(positions[:JOINTS])
        intake.take(JointStream(stamp, stamp, NAMES, positions, samples.velocities[row], unknown))
        later = samples.twist[row, 3:]
        intake.take(gyro_reading(stamp + 0.3 * STEP, 'base', later))
        intake.take(
            PoseStream(stamp, stamp, 'world', samples.position[row], samples.attitude[row])
        )
        parts.append(intake.samples())
    parts.append(intake.samples(is_last=True))
    return Record.concatenate([each for each in parts if each is not None and len(each)])


def test_F8_samples_between_wrapped_positions_are_those_of_the_motion():
    """Positions are interpolated to the gyro's stamps: across a wrap, too; none is a glitch."""
    plain = record_of(np.array)
    middle = np.median(plain.q, axis=0)
    wrapped = record_of(lambda q: between(q, middle))
    assert_array_equal(wrapped.times, plain.times)
    away = wrapped.q - plain.q
    assert_allclose(away, np.broadcast_to(away[0], away.shape), atol=1e-9)
    assert_allclose(away[0] / TURN, np.rint(away[0] / TURN), atol=1e-9)
    assert_array_equal(wrapped.qd, plain.qd)


def test_joints_without_an_end_are_continuous():
    """A joint with one limit has an end."""
    joint = replace(ROBOT.joints[0], limits=JointLimits())
    assert joint.is_continuous
    assert not replace(joint, limits=JointLimits(upper=3.0)).is_continuous
    assert not replace(joint, limits=JointLimits(-3.0, 3.0)).is_continuous
