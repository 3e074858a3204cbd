"""A log, from a file or from memory, as samples and the method that it is identified by."""

from dataclasses import dataclass, replace

import numpy as np

from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.measurement import VelocitySource
from spacerobot_id.measurement.intake import believed_noise
from spacerobot_id.measurement.log_record import LogRecord
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.measurement.stream_summary import stream_summaries, StreamSummary
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.methods.method import Method
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class RecordedLog:
    """A log, and the method that it is to be identified by.

    Parameters
    ----------
    log : LogRecord
        Aligned samples, and what was not used.
    method : Method
        Robot, noise and unknowns.
    streams : tuple of StreamSummary
        How its messages came.
    """

    log: LogRecord
    method: Method
    streams: tuple[StreamSummary, ...] = ()


def needs_of_log(robot: RobotModel, settings: IdentifySettings) -> StreamNeeds:
    """Return the streams of a method, torques taken along where joint states have them."""
    needs = settings.method_type().needs.of_robot(len(robot.joints), len(robot.wheels))
    if not needs.joints or needs.torque:
        return needs
    return replace(needs, torque=Need.USED)


def log_from_streams(
    robot: RobotModel, streams: BagStreams, settings: IdentifySettings
) -> RecordedLog:
    """Return the log that some streams make.

    Parameters
    ----------
    robot : RobotModel
        Description of the robot.
    streams : BagStreams
        Streams of the sensors.
    settings : IdentifySettings
        Method and alignment.

    Raises
    ------
    MeasurementError
        If a stream that is needed is missing, no sample is complete, or gyro or twist contradict
        the pose; the message names which.
    ConfigurationError
        If the method does not take what was set.
    """
    needs = needs_of_log(robot, settings)
    source = None
    if settings.base_velocity != 'auto':
        source = VelocitySource(settings.base_velocity)
    log = record_from_log(
        robot,
        streams,
        settings.alignment,
        needs,
        source=source,
        frozen_samples=settings.frozen_samples,
        turns_by_itself=settings.turns_by_itself,
        imu_frame=settings.imu_frame,
        is_one_clock=settings.is_one_clock,
    )
    stated = 0.0 if streams.imu is None else streams.imu.noise
    method = settings.method_for(
        robot,
        from_pose=log.source is VelocitySource.POSE and bool(needs.velocity),
        gyro_noise=believed_noise(stated, robot.noise.base_angular_velocity),
    )
    rates = log.measurement.qd
    if rates is not None and not np.isfinite(rates).all():
        method = method.without_joint_rates()
    begun = method.since(float(log.measurement.times[0]))
    summaries = stream_summaries(streams, log)
    return RecordedLog(replace(log, notes=streams.notes + log.notes), begun, summaries)
