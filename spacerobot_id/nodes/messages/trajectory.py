"""Joint trajectories from messages and to them.

Nothing is judged but whether the sizes fit: whether a motion can be followed is the core's
business.
"""

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory, MAX_POINTS
from spacerobot_id.nodes.common.stamps import duration_from_seconds, seconds_from_stamp

_TRAJECTORY_FIELDS = ('positions', 'velocities', 'accelerations')


def trajectory_message(trajectory: JointTrajectory) -> JointTrajectoryMessage:
    """Return the message of a trajectory; its stamp is zero, which means to start now (F37)."""
    count = len(trajectory.times)
    message = JointTrajectoryMessage(joint_names=list(trajectory.names))
    columns = [
        [()] * count if values is None else values.tolist()
        for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    ]
    for time, *values in zip(trajectory.times.tolist(), *columns, strict=True):
        fields = dict(zip(_TRAJECTORY_FIELDS, values, strict=True))
        message.points.append(
            JointTrajectoryPoint(time_from_start=duration_from_seconds(time), **fields)
        )
    return message


def trajectory_from_message(message: JointTrajectoryMessage) -> JointTrajectory:
    """Return the trajectory of a message.

    Raises
    ------
    TrajectoryError
        If the sizes do not fit, there are efforts, or the stamp asks for another time than now.
    """
    stamp = seconds_from_stamp(message.header.stamp)
    if stamp:
        raise TrajectoryError(f'stamped {stamp:.3f} s: only stamp zero, start now, is taken')
    size = len(message.joint_names)
    if len(message.points) > MAX_POINTS:
        raise TrajectoryError(f'{len(message.points)} points, more than {MAX_POINTS}')
    if any(len(point.effort) for point in message.points):
        raise TrajectoryError('efforts cannot be followed')
    times = [seconds_from_stamp(point.time_from_start) for point in message.points]
    positions, *derivatives = (_point_values(message, field, size) for field in _TRAJECTORY_FIELDS)
    if positions is None:
        positions = np.zeros((0, size))
        if message.points:
            raise TrajectoryError('no positions')
    return JointTrajectory(
        tuple(message.joint_names), np.array(times, dtype=float), positions, *derivatives
    )


def _point_values(
    message: JointTrajectoryMessage, field: str, size: int
) -> NDArray[np.float64] | None:
    """Return one field of all points, shape (K, m); None if no point has it."""
    rows = [getattr(point, field) for point in message.points]
    lengths = [len(row) for row in rows]
    if not any(lengths):
        return None
    for index, length in enumerate(lengths):
        if length != size:
            raise TrajectoryError(f'point {index} has {length} {field} for {size} joints')
    return np.array(rows, dtype=float)
