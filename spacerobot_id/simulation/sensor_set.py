"""Sensors: what they make of the true motion; white noise, and what a robot's YAML file adds."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model import Frame, RobotModel, SensorNoise, Sensors, STREAMS
from spacerobot_id.simulation.sensor_errors import (
    offset_joints,
    sensed_angular_velocity,
    sensed_pose,
    sensed_velocity,
    with_outliers,
)
from spacerobot_id.simulation.simulation import MotionSamples

_GYRO_STREAM, _ACCELEROMETER_STREAM, _FIRST_OUTLIER_STREAM = 1, 2, 30
"""Numbers that keep the generators of one seed apart; the first one is that of white noise."""


@dataclass(frozen=True, eq=False)
class Readings:
    """What all sensors give at some times: every row is one time.

    Parameters
    ----------
    motion : MotionSamples
        Joints, base pose and base twist as measured, the gyro of the base among them.
    gyro : ndarray, shape (N, 3)
        Angular velocity that the IMU gives, in its own axes, rad/s.
    attitude : ndarray, shape (N, 4)
        Attitude quaternion x y z w that the IMU gives, of its own axes.
    specific_force : ndarray, shape (N, 3), optional
        Specific force at the IMU in its own axes, m/s^2; None without an accelerometer, or where
        the motion comes without accelerations.
    """

    motion: MotionSamples
    gyro: NDArray[np.float64]
    attitude: NDArray[np.float64]
    specific_force: NDArray[np.float64] | None = None


class SensorSet:
    """The sensors of a robot: noise, bias that wanders, quantisation; the seed fixes it all.

    Parameters
    ----------
    model : RobotModel
        Robot, for its noise, its sensors and where its IMU is.
    seed : int
        Seed. How samples are cut into calls plays no part.
    noisy : bool
        Whether the sensors have their errors; they give the truth if not.
    """

    def __init__(self, model: RobotModel, seed: int = 0, *, noisy: bool = True) -> None:
        frame = model.sensors.imu_frame
        self._imu = Frame(0, np.eye(3), np.zeros(3)) if frame is None else model.frames[frame]
        self._model = model
        self._is_turned = not np.array_equal(self._imu.R_LF, np.eye(3))
        self._noise, self._sensors = model.noise, model.sensors
        self._white = np.random.default_rng(seed)
        self._gyro = np.random.default_rng([seed, _GYRO_STREAM])
        self._accelerometer = np.random.default_rng([seed, _ACCELEROMETER_STREAM])
        self._outliers = {
            name: np.random.default_rng([seed, number])
            for number, name in enumerate(STREAMS, _FIRST_OUTLIER_STREAM)
            if model.sensors.stream(name).outliers
        }
        self._bias = np.full(3, model.sensors.gyro_bias)
        self._last: float | None = None
        self.noisy = noisy

    @property
    def noise(self) -> SensorNoise:
        """White noise that is added."""
        return self._used_noise

    @property
    def sensors(self) -> Sensors:
        """Errors beside the white noise that the readings have."""
        return self._used

    @property
    def noisy(self) -> bool:
        """Whether the sensors have their errors."""
        return self._noisy

    @noisy.setter
    def noisy(self, noisy: bool) -> None:
        self._noisy = noisy
        self._used_noise = self._noise if noisy else SensorNoise(rate=self._noise.rate)
        present = self._sensors.accelerometer
        without = Sensors(accelerometer=None if present is None else 0.0)
        self._used = self._sensors if noisy else without

    def measure(self, truth: MotionSamples) -> Readings:
        """Return what the sensors give of a motion."""
        motion = measure(self._mismeasured(truth), self._used_noise, self._white)
        if self._noisy:
            motion = with_outliers(motion, self._sensors, self._noise, self._outliers)
        motion = replace(motion, q=quantised(motion.q, self._used.encoder_resolution))
        gyro = motion.base_twist[:, 3:] + (self._walk(truth.times) if self._noisy else 0.0)
        turned = Rotation.from_quat(motion.attitude) * Rotation.from_matrix(self._imu.R_LF)
        attitude = turned.as_quat() if self._is_turned else motion.attitude
        force = self._specific_force(truth)
        return Readings(motion, gyro @ self._imu.R_LF, attitude, force)

    def _mismeasured(self, truth: MotionSamples) -> MotionSamples:
        """Return the motion as sensors see it that are off, before their noise."""
        if not self._noisy:
            return truth
        sensors, R_BI = self._sensors, self._imu.R_LF
        omega = truth.base_twist[:, 3:]
        if any(sensors.gyro_mounting) or any(sensors.gyro_scale):
            omega = sensed_angular_velocity(sensors, omega @ R_BI) @ R_BI.T
        position, attitude = sensed_pose(sensors, truth.position, truth.attitude)
        velocity = sensed_velocity(sensors, truth.base_twist)
        return replace(
            truth,
            q=offset_joints(self._model, truth.q),
            base_twist=np.hstack([velocity, omega]),
            position=position,
            attitude=attitude,
        )

    def _walk(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the bias of the gyro, which goes on from call to call.

        [Christidi 2017] Eq. 25.
        """
        before = times[0] if self._last is None else self._last
        self._last = float(times[-1])
        spread = self._used.gyro_bias_walk * np.sqrt(np.diff(times, prepend=before))
        steps = self._gyro.standard_normal((len(times), 3)) * spread[:, None]
        biases = self._bias + np.cumsum(steps, axis=0)
        self._bias = biases[-1]
        return biases

    def _specific_force(self, truth: MotionSamples) -> NDArray[np.float64] | None:
        """Return the acceleration against free fall at the IMU, in its axes, with its noise."""
        if self._used.accelerometer is None or truth.base_acceleration is None:
            return None
        omega, lever = truth.base_twist[:, 3:], self._imu.p_LF_L
        linear, angular = truth.base_acceleration[:, :3], truth.base_acceleration[:, 3:]
        swept = np.cross(omega, np.cross(omega, lever))
        force = (linear + np.cross(angular, lever) + swept) @ self._imu.R_LF
        drawn = self._accelerometer.standard_normal(force.shape)
        return force + self._used.accelerometer * drawn


def quantised(values: NDArray[np.float64], resolution: float) -> NDArray[np.float64]:
    """Return values rounded to the steps of an encoder; as they are if the step is zero."""
    return np.round(values / resolution) * resolution if resolution else values


def measure(
    truth: MotionSamples, noise: SensorNoise, generator: np.random.Generator
) -> MotionSamples:
    """Return what the sensors give of a motion.

    The attitude is turned by a small random rotation about base axes, which keeps it a rotation.
    Accelerations, wheel angles and wheel rates are not measured here: they are handed on as they
    are.

    Parameters
    ----------
    truth : MotionSamples
        True motion, N samples.
    noise : SensorNoise
        Standard deviations.
    generator : numpy.random.Generator
        Source of the noise. Every sample takes the same number of draws in the same order, so
        that the noise does not depend on how the samples are cut into calls.
    """
    joints = truth.q.shape[1]
    deviations = np.repeat(
        [
            noise.joint_position,
            noise.joint_rate,
            noise.base_linear_velocity,
            noise.base_angular_velocity,
            noise.base_position,
            noise.base_attitude,
        ],
        [joints, joints, 3, 3, 3, 3],
    )
    drawn = generator.standard_normal((len(truth), len(deviations))) * deviations
    ends = np.cumsum([joints, joints, 6, 3])
    angle, rate, twist, position, tilt = np.split(drawn, ends, axis=1)
    return replace(
        truth,
        q=truth.q + angle,
        qd=truth.qd + rate,
        base_twist=truth.base_twist + twist,
        position=truth.position + position,
        attitude=_tilted(truth.attitude, tilt),
    )


def _tilted(attitude: NDArray[np.float64], tilt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return attitudes turned about base axes by rotation vectors, in the same half space."""
    turned = (Rotation.from_quat(attitude) * Rotation.from_rotvec(tilt)).as_quat()
    flipped = np.einsum('ni,ni->n', turned, attitude) < 0.0
    return np.where(flipped[:, None], -turned, turned)
