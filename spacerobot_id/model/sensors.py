"""What sensors of a real robot do beside white noise; all off by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from spacerobot_id.settings.kinds import Finite, Maybe, NotNegative, Positive, Share, Vector

STREAMS = ('joint_states', 'imu/data', 'base_pose', 'base_twist')
"""Names of the streams that sensors make."""

NOTHING: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class StreamSettings:
    """How one stream comes.

    Parameters
    ----------
    rate : float, optional
        Samples per second, Hz; that of the noise, which is the largest, if None.
    latency : float
        Time from the stamp to the arrival, s.
    dropout : float
        Share of messages that never come, 0 to 1.
    delay : float
        Stamp less the time that a reading is of, s; the latency for stamps of receipt.
    outliers : float
        Share of readings that are far off, 0 to 1.
    outlier_size : float
        How far, in standard deviations of the noise.
    stamp_step : float
        Step that stamps are rounded up to, as those of a coarse clock, s; none if zero.
    """

    rate: Maybe[Positive] = None
    latency: NotNegative = 0.0
    dropout: Share = 0.0
    delay: Finite = 0.0
    outliers: Share = 0.0
    outlier_size: NotNegative = 100.0
    stamp_step: NotNegative = 0.0


@dataclass(frozen=True)
class Sensors:
    """Sensors beside their white noise, which is in ``SensorNoise``.

    Parameters
    ----------
    encoder_resolution : float
        Step of the joint positions measured, rad or m; none if zero.
    gyro_bias : float
        Bias of the gyro at the start on each axis, rad/s ([Christidi 2017] Eq. 24).
    gyro_bias_walk : float
        Random walk of that bias, rad/s per square root of a second ([Christidi 2017] Eq. 25).
    accelerometer : float, optional
        Noise of the specific force, m/s^2; there is no accelerometer if None.
    imu_frame : str, optional
        Link of the description, fixed to the base, that gyro and accelerometer sit on and whose
        axes they have; the base if None.
    streams : mapping of str to StreamSettings
        Streams by name: joint_states, imu/data, base_pose, base_twist.
    encoder_offset : mapping of str to float
        What encoders read of joints at zero, by joint, rad or m.
    gyro_mounting : tuple of 3 floats
        Rotation vector from the IMU's described axes to its true ones, rad.
    gyro_scale : tuple of 3 floats
        Relative errors of the scale of the axes of the gyro.
    twist_point : tuple of 3 floats
        Place on the base whose velocity is measured, m.
    twist_mounting : tuple of 3 floats
        Rotation vector from the base's axes to those that velocities are measured in, rad.
    twist_scale : tuple of 3 floats
        Relative errors of the scale of the axes of the velocity.
    pose_point : tuple of 3 floats
        Place on the base whose position is measured, m.
    pose_mounting : tuple of 3 floats
        Rotation vector from the base's axes to those whose attitude is measured, rad.
    """

    encoder_resolution: NotNegative = 0.0
    gyro_bias: Finite = 0.0
    gyro_bias_walk: NotNegative = 0.0
    accelerometer: Maybe[NotNegative] = None
    imu_frame: Maybe[str] = None
    streams: Mapping[Literal[STREAMS], StreamSettings] = field(default_factory=dict)
    encoder_offset: Mapping[str, Finite] = field(default_factory=dict)
    gyro_mounting: Vector = NOTHING
    gyro_scale: Vector = NOTHING
    twist_point: Vector = NOTHING
    twist_mounting: Vector = NOTHING
    twist_scale: Vector = NOTHING
    pose_point: Vector = NOTHING
    pose_mounting: Vector = NOTHING

    def stream(self, name: str) -> StreamSettings:
        """Return how a stream comes."""
        return self.streams.get(name, StreamSettings())
