"""The intake of a robot's sensors for a method, live and from a log.

What is expected of the base, so that frozen values are found, comes from the robot's dynamics.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import (
    Alignment,
    AlignmentSettings,
    Need,
    StreamNeeds,
    VelocitySource,
)
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.log_record import (
    LogRecord,
    read_log,
    streams_used,
    velocity_source,
)
from spacerobot_id.measurement.monitors.frozen import (
    FrozenByJoints,
    FrozenByWrenches,
    FrozenMonitor,
)
from spacerobot_id.measurement.monitors.statistics import Logger, Silent
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum, whole_robot

FROZEN_SAMPLES = 25
"""Equal samples in a row after which a topic may be frozen, by default."""

_LOG_NEEDS = StreamNeeds(torque=Need.USED)


def frozen_monitor(
    model: RobotModel,
    needs: StreamNeeds,
    most: int = FROZEN_SAMPLES,
    *,
    turns_by_itself: bool = False,
    acting: Callable[[], NDArray[np.float64]] = lambda: np.zeros(6),
) -> FrozenMonitor:
    """Return what finds frozen topics of a robot.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    needs : StreamNeeds
        Streams of the method: joints move the base, or wrenches do where there are no joints.
    most : int
        Equal samples in a row after which a topic may be frozen; never if 0.
    turns_by_itself : bool
        Whether the robot may tumble with its joints at rest, as its angular momentum is not zero.
    acting : callable
        Returns the wrench that acts now, shape (6,).
    """
    if needs.joints:
        twist = partial(base_twist_from_momentum, model)
        return FrozenByJoints(model, twist, most, turns_by_itself=turns_by_itself)
    body, mobility = whole_robot(model, np.zeros(len(model.joints))), np.zeros((6, 6))
    mobility[:3, :3] = np.eye(3) / body.mass
    mobility[3:, 3:] = np.linalg.inv(body.inertia_about_com)
    pose_std = model.noise.base_position, model.noise.base_attitude
    return FrozenByWrenches(mobility, acting, pose_std, most)


def sensor_intake(
    model: RobotModel,
    needs: StreamNeeds,
    source: VelocitySource,
    settings: AlignmentSettings = AlignmentSettings(),
    *,
    frozen_samples: int = FROZEN_SAMPLES,
    turns_by_itself: bool = False,
    logger: Logger = Silent(),  # noqa: B008 - has no state
    imu_frame: str = '',
    patience: float | None = None,
) -> Intake:
    """Return what judges and aligns a robot's sensors.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    needs : StreamNeeds
        Streams of the method.
    source : VelocitySource
        Where the linear velocity comes from.
    settings : AlignmentSettings
        Bounds of the alignment.
    frozen_samples : int
        Equal samples in a row after which a topic may be frozen; never if 0.
    turns_by_itself : bool
        Whether the robot may tumble with its joints at rest.
    logger : Logger
        Logger of messages that are refused.
    imu_frame : str
        Frame of an IMU whose messages name none.
    patience : float, optional
        Time that twists in inertial axes wait for poses, s.
    """
    alignment = Alignment(
        len(model.joints),
        len(model.wheels),
        source,
        settings,
        needs,
        model.actuators.propellers,
        len(model.thrusters),
    )
    alignment.noise |= _stated_noise(model, alignment.streams['joint_states'].width)
    frozen = frozen_monitor(
        model,
        needs,
        frozen_samples,
        turns_by_itself=turns_by_itself,
        acting=lambda: alignment.wrenches.acting,
    )
    return Intake(model, alignment, frozen, logger, imu_frame=imu_frame, patience=patience)


def _stated_noise(model: RobotModel, width: int) -> dict[str, NDArray[np.float64]]:
    """Return the standard deviations of streams that the description states, by component."""
    noise, n, wheels = model.noise, len(model.joints), len(model.wheels)
    joints = np.zeros(width)
    joints[:n], joints[n + wheels : 2 * n + wheels] = noise.joint_position, noise.joint_rate
    return {
        'joint_states': joints,
        'imu': np.full(3, noise.base_angular_velocity),
        'base_twist': np.full(3, noise.base_linear_velocity),
        'base_pose': np.repeat([noise.base_position, noise.base_attitude], [3, 4]),
    }


def record_from_log(
    model: RobotModel,
    log: BagStreams,
    settings: AlignmentSettings = AlignmentSettings(),
    needs: StreamNeeds = _LOG_NEEDS,
    *,
    source: VelocitySource | None = None,
    frozen_samples: int = FROZEN_SAMPLES,
    turns_by_itself: bool = False,
    imu_frame: str = '',
    is_one_clock: bool = True,
) -> LogRecord:
    """Return the aligned samples of a log, its messages taken in the order of their arrival.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints, wheels and frames.
    log : BagStreams
        Streams of the log.
    settings : AlignmentSettings
        Bounds of the alignment.
    needs : StreamNeeds
        Streams of the method; torques are taken along where there are any by default.
    source : VelocitySource, optional
        Where the linear velocity is to come from; from twists if there are any by default.
    frozen_samples : int
        Equal samples in a row after which a topic may be frozen; never if 0.
    turns_by_itself : bool
        Whether the robot may tumble with its joints at rest.
    imu_frame : str
        Frame of an IMU whose messages name none.
    is_one_clock : bool
        Whether stamps of gyro and pose are of one clock.

    Raises
    ------
    MeasurementError
        If a stream that is needed is missing, no sample is complete, or gyro or twist contradict
        the pose; the message names which.
    """
    source = velocity_source(log, needs, source)
    intake = sensor_intake(
        model,
        needs,
        source,
        settings,
        frozen_samples=frozen_samples,
        turns_by_itself=turns_by_itself,
        imu_frame=imu_frame,
        patience=settings.longest_gap,
    )
    return read_log(model, streams_used(log, needs), intake, is_one_clock=is_one_clock)
