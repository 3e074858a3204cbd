"""Messages of bags read and made: what is put in comes out."""

import numpy as np
from numpy.testing import assert_array_equal
import pytest
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.streams.imu_stream import gyro_from_message, imu_message
from spacerobot_id.measurement.streams.joint_stream import joint_state_message, joints_from_message
from spacerobot_id.measurement.streams.pose_stream import pose_from_message, pose_message
from spacerobot_id.measurement.streams.twist_stream import twist_from_message, twist_message
from spacerobot_id.measurement.streams.wrench_stream import APPLIED_WRENCH, wrench_message

STORE = get_typestore(Stores.ROS2_JAZZY)
RNG = np.random.default_rng(0)


def make(kind, **fields):
    return STORE.types[kind](**fields)


def sent(message):
    """Return what is read of a message that was written."""
    kind = message.__msgtype__
    return STORE.deserialize_cdr(STORE.serialize_cdr(message, kind), kind)


def test_joints_there_and_back():
    message = sent(joint_state_message(make, 1.5, ('a', 'b'), [1.0, 2.0], [3.0, 4.0]))
    reading = joints_from_message(message)
    assert (reading.stamp, reading.names) == (1.5, ('a', 'b'))
    turned = reading.of(('b', 'a'))
    assert_array_equal(turned.positions, [2.0, 1.0])
    assert_array_equal(turned.velocities, [4.0, 3.0])
    assert np.isnan(turned.efforts).all()


@pytest.mark.parametrize(
    ('names', 'positions', 'reason'),
    [
        (('a', 'a'), [1.0, 2.0], 'named twice'),
        (('a', 'c'), [1.0, 2.0], 'joint b is missing'),
        (('a', 'b'), [1.0], '1 position values for 2 joints'),
    ],
)
def test_F1_F2_F3_joints_that_are_not_what_they_should_be_are_said(names, positions, reason):
    message = sent(joint_state_message(make, 1.0, names, positions, []))
    with pytest.raises(MeasurementError, match=reason):
        joints_from_message(message).of(('a', 'b'))


@pytest.mark.parametrize('has', [True, False])
def test_an_imu_there_and_back(has):
    """What is None is marked as absent, and read as that."""
    rates, attitude, force = (RNG.normal(size=size) if has else None for size in (3, 4, 3))
    message = sent(imu_message(make, 2.0, 'imu', rates, 1e-3, attitude, force))
    reading = gyro_from_message(message)
    assert np.isnan(reading.angular_velocity).all() == (not has)
    if has:
        assert_array_equal(reading.angular_velocity, rates)
        assert_array_equal(reading.attitudes, attitude)
        assert_array_equal(reading.specific_force, force)
        assert reading.noise == pytest.approx(1e-3)
    else:
        assert np.isnan(reading.attitudes).all()
        assert np.isnan(reading.specific_force).all()
        assert reading.noise == 0.0


def test_poses_twists_and_wrenches_there_and_back():
    position, attitude, six = RNG.normal(size=3), RNG.normal(size=4), RNG.normal(size=6)
    pose = pose_from_message(sent(pose_message(make, 3.0, 'w', position, attitude)))
    assert_array_equal(np.hstack([pose.position, pose.attitude]), [*position, *attitude])
    twist = twist_from_message(sent(twist_message(make, 3.0, 'base', six)))
    assert_array_equal(twist.twist, six)
    message = sent(wrench_message(make, 3.0, 'base', six))
    wrench = APPLIED_WRENCH.of_message(message)
    assert_array_equal(wrench.in_frame('base'), six)
    assert wrench.is_applied
    with pytest.raises(MeasurementError, match="frame 'base', not the base 'bus'"):
        wrench.in_frame('bus')
    assert {each.stamp for each in (pose, twist, wrench)} == {3.0}
