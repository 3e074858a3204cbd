"""Pose coordinates and the reference of a free-flyer, against scipy and finite differences."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.periodic_family import pose_family
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics import (
    angles_from_quaternion,
    POSE_COORDINATES,
    pose_motion,
)


def reference(seed, period=10.0, limits=None):
    family = pose_family(limits or FreeFlyerLimits(), period, cycles=2)
    numbers = np.random.default_rng(seed).uniform(-1.0, 1.0, family.shape)
    return FreeFlyerReference(family.kept_motion(numbers))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0.5, 19.5))
def test_rates_are_those_of_the_rotation(seed, time):
    """W from R^T dR/dt, its derivative from w, both by central differences."""
    flown, step = reference(seed), 1e-4
    motion = flown.sample([time - step, time, time + step])
    turned = Rotation.from_matrix(motion.rotation)
    turning = (turned[0].inv() * turned[2]).as_rotvec() / (2 * step)
    np.testing.assert_allclose(turning, motion.angular_velocity[1], atol=1e-6)
    change = (motion.angular_velocity[2] - motion.angular_velocity[0]) / (2 * step)
    np.testing.assert_allclose(change, motion.angular_acceleration[1], atol=1e-6)
    speed = (motion.position[2] - motion.position[0]) / (2 * step)
    np.testing.assert_allclose(speed, motion.velocity[1], atol=1e-6)


def test_the_rotation_is_that_of_z_y_x_angles():
    """As scipy composes them; the acceleration in base axes is turned by it."""
    angles = np.random.default_rng(2).uniform(-1.2, 1.2, (20, 3))
    coordinates = np.hstack([np.zeros((20, 3)), angles])
    accelerations = np.random.default_rng(3).normal(size=(20, 6))
    motion = pose_motion(coordinates, np.zeros((20, 6)), accelerations)
    turned = Rotation.from_euler('ZYX', angles[:, ::-1])
    np.testing.assert_allclose(motion.rotation, turned.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(
        motion.acceleration_in_base_axes, turned.inv().apply(accelerations[:, :3]), atol=1e-14
    )


def test_angles_come_back_without_jumps():
    """Through quaternions of either sign, over more than a turn of yaw."""
    time = np.linspace(0.0, 10.0, 400)
    angles = np.stack([0.5 * np.sin(time), 0.9 * np.cos(time), 1.1 * time], axis=1)
    quaternions = Rotation.from_euler('ZYX', angles[:, ::-1]).as_quat()
    quaternions[::3] *= -1.0
    np.testing.assert_allclose(angles_from_quaternion(quaternions), angles, atol=1e-12)


def test_the_family_keeps_the_limits_of_the_pose():
    """Position and angle each by their own."""
    limits = FreeFlyerLimits(distance=0.2, angle=0.3)
    motion = reference(7, limits=limits).motion
    assert motion.names == POSE_COORDINATES
    extent = motion.extent()
    assert (np.abs(extent.highest) <= [0.2 + 1e-9] * 3 + [0.3 + 1e-9] * 3).all()
    assert extent.velocity[:3].max() <= limits.speed + 1e-9
    assert extent.acceleration[3:].max() <= limits.angular_acceleration + 1e-9


def test_other_actuators_are_no_pose():
    """Joints are refused by name, and angles that reach the singularity of the coordinates."""
    motion = reference(1).motion
    with pytest.raises(PlanningError, match='elbow'):
        FreeFlyerReference(replace(motion, names=('elbow',) * 6))
    with pytest.raises(PlanningError, match='quarter'):
        FreeFlyerLimits(angle=1.6)
