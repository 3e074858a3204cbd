"""What sensors with offsets, scales and mountings of their own make of the true motion."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model import RobotModel, SensorNoise, Sensors
from spacerobot_id.simulation.motion_samples import MotionSamples


def offset_joints(model: RobotModel, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what encoders read of joint positions, rad or m, shape (N, n)."""
    offsets = model.sensors.encoder_offset
    return q + [offsets.get(name, 0.0) for name in model.joint_names]


def sensed_velocity(sensors: Sensors, twist: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the linear velocity that a sensor at its place reads, m/s, shape (N, 3)."""
    there = twist[:, :3] + np.cross(twist[:, 3:], sensors.twist_point)
    return _seen_in(sensors.twist_mounting, there) * (1.0 + np.array(sensors.twist_scale))


def sensed_turning(sensors: Sensors, turning: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the gyro reads of the angular velocity in its axes, rad/s, shape (N, 3)."""
    return _seen_in(sensors.gyro_mounting, turning) * (1.0 + np.array(sensors.gyro_scale))


def sensed_pose(
    sensors: Sensors, position: NDArray[np.float64], attitude: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return position (m) and attitude of the marker's frame, shapes (N, 3) and (N, 4)."""
    turned = Rotation.from_quat(attitude)
    if any(sensors.pose_point):
        position = position + turned.apply(sensors.pose_point)
    if any(sensors.pose_mounting):
        attitude = (turned * Rotation.from_rotvec(sensors.pose_mounting)).as_quat()
    return position, attitude


def with_outliers(
    motion: MotionSamples,
    sensors: Sensors,
    noise: SensorNoise,
    generators: dict[str, np.random.Generator],
) -> MotionSamples:
    """Return readings of which some are far off, to either side on every axis.

    Parameters
    ----------
    motion : MotionSamples
        Readings, N samples.
    sensors : Sensors
        Shares and sizes of the outliers by stream.
    noise : SensorNoise
        What sizes are multiples of.
    generators : dict of str to numpy.random.Generator
        Source of the outliers of each stream that has some.
    """
    parts = {
        'joint_states': (('q', noise.joint_position), ('qd', noise.joint_rate)),
        'imu/data': (('turning', noise.base_angular_velocity),),
        'base_twist': (('velocity', noise.base_linear_velocity),),
        'base_pose': (('position', noise.base_position), ('attitude', noise.base_attitude)),
    }
    for stream, generator in generators.items():
        given = sensors.stream(stream)
        hit = generator.random(len(motion)) < given.outliers
        for part, std in parts[stream]:
            width = motion.q.shape[1] if stream == 'joint_states' else 3
            sides = np.where(generator.random((len(motion), width)) < 0.5, -1.0, 1.0)
            off = sides * (std * given.outlier_size * hit)[:, None]
            motion = _moved(motion, part, off)
    return motion


def _moved(motion: MotionSamples, part: str, off: NDArray[np.float64]) -> MotionSamples:
    """Return readings of which a part is off."""
    if part in ('velocity', 'turning'):
        twist = motion.base_twist.copy()
        twist[:, slice(0, 3) if part == 'velocity' else slice(3, 6)] += off
        return replace(motion, base_twist=twist)
    if part == 'attitude':
        turned = Rotation.from_quat(motion.attitude) * Rotation.from_rotvec(off)
        return replace(motion, attitude=turned.as_quat())
    return replace(motion, **{part: getattr(motion, part) + off})


def _seen_in(mounting: tuple[float, ...], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return vectors in axes that are turned."""
    return (
        Rotation.from_rotvec(mounting).apply(vectors, inverse=True) if any(mounting) else vectors
    )
