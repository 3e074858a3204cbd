"""What sensors with offsets, scales and mountings of their own make of the true motion."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model import RobotModel, SensorNoise, Sensors, STREAMS, StreamSettings
from spacerobot_id.simulation.simulation import MotionSamples

_SLACK = 1e-6
"""Share of a sample by which rates may be off a multiple through rounding."""


@dataclass(frozen=True, eq=False)
class Deliveries:
    """The messages of one stream that some samples make.

    Parameters
    ----------
    rows : ndarray of int, shape (M,)
        Samples that come, of those asked about.
    arrivals : ndarray, shape (M,)
        When they come, s.
    stamps : ndarray, shape (M,)
        Stamps that they have, s.
    """

    rows: NDArray[np.intp]
    arrivals: NDArray[np.float64]
    stamps: NDArray[np.float64]


class StreamDelivery:
    """One stream on its way.

    Parameters
    ----------
    settings : StreamSettings
        Rate, latency and drop-out.
    rate : float
        Rate of the samples, Hz.
    seed : sequence of int
        Seed of the drop-outs.
    """

    def __init__(self, settings: StreamSettings, rate: float, seed: list[int]) -> None:
        self._settings = settings
        self._share = 1.0 if settings.rate is None else settings.rate / rate
        self._generator = np.random.default_rng(seed)
        self._count = 0

    @property
    def settings(self) -> StreamSettings:
        """Rate, latency, drop-out and stamps."""
        return self._settings

    def deliver(self, times: NDArray[np.float64]) -> Deliveries:
        """Return which of the next samples come, and when.

        Parameters
        ----------
        times : ndarray, shape (N,)
            Times of the next samples, s.
        """
        counts = self._count + np.arange(len(times) + 1)
        self._count += len(times)
        due = np.diff(np.floor(counts * self._share + _SLACK)) > 0.0
        if self._settings.dropout:
            due &= self._generator.random(len(times)) >= self._settings.dropout
        rows = np.flatnonzero(due)
        stamps = rounded_up(times[rows] + self._settings.delay, self._settings.stamp_step)
        arrivals = np.maximum(times[rows] + self._settings.latency, stamps)
        return Deliveries(rows, arrivals, stamps)


def rounded_up(times: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return times as a clock of this step gives them, s; as they are if it is zero."""
    return step * np.ceil(times / step - _SLACK) if step else times


def stream_deliveries(
    model: RobotModel, seed: int, *, ideal: bool = False
) -> dict[str, StreamDelivery]:
    """Return the ways of all streams of a robot.

    Parameters
    ----------
    model : RobotModel
        Robot, for its sensors.
    seed : int
        Seed; every stream draws for itself.
    ideal : bool
        Whether nothing is late or lost; rates stay.
    """
    made = {}
    for number, name in enumerate(STREAMS, 10):
        given = model.sensors.stream(name)
        settings = StreamSettings(given.rate) if ideal else given
        made[name] = StreamDelivery(settings, model.noise.rate, [seed, number])
    return made


def offset_joints(model: RobotModel, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what encoders read of joint positions, rad or m, shape (N, n)."""
    offsets = model.sensors.encoder_offset
    return q + [offsets.get(name, 0.0) for name in model.joint_names]


def sensed_velocity(sensors: Sensors, twist: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the linear velocity that a sensor at its place reads, m/s, shape (N, 3)."""
    there = twist[:, :3] + np.cross(twist[:, 3:], sensors.twist_point)
    return _seen_in(sensors.twist_mounting, there) * (1.0 + np.array(sensors.twist_scale))


def sensed_angular_velocity(sensors: Sensors, omega: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the gyro reads of the angular velocity in its axes, rad/s, shape (N, 3)."""
    return _seen_in(sensors.gyro_mounting, omega) * (1.0 + np.array(sensors.gyro_scale))


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
        'imu/data': (('angular_velocity', noise.base_angular_velocity),),
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
    if part in ('velocity', 'angular_velocity'):
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
