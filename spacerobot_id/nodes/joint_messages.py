"""Joint states from messages and to them: joints are found by name, nothing else is judged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sensor_msgs.msg import JointState

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.nodes.stamps import seconds_from_stamp, stamp_from_seconds


@dataclass(frozen=True, eq=False)
class JointReading:
    """Joints as one message has them; NaN where it does not say.

    Parameters
    ----------
    stamp : float
        Time, s.
    positions, velocities : ndarray, shape (m,)
        In the order of the names asked for: rad and rad/s, or m and m/s.
    efforts : ndarray, shape (m,)
        Torques, N m, or forces, N.
    """

    stamp: float
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    efforts: NDArray[np.float64]


def joint_state_message(
    stamp: float,
    names: Sequence[str],
    positions: ArrayLike,
    velocities: ArrayLike,
    efforts: ArrayLike = (),
) -> JointState:
    """Return a message of joints, values in the order of the names; no efforts by default."""
    message = JointState(
        name=list(names),
        position=np.asarray(positions, dtype=float).tolist(),
        velocity=np.asarray(velocities, dtype=float).tolist(),
        effort=np.asarray(efforts, dtype=float).tolist(),
    )
    message.header.stamp = stamp_from_seconds(stamp)
    return message


def joints_from_message(message: JointState, names: Sequence[str]) -> JointReading:
    """Return some joints of a message, found by name (F1).

    Parameters
    ----------
    message : JointState
        Message; other joints in it are ignored (F2).
    names : sequence of str
        Joints wanted.

    Returns
    -------
    JointReading
        Positions, velocities and efforts, NaN where the message has an empty array or NaN, or
        efforts of another number.

    Raises
    ------
    MeasurementError
        If a joint is missing or named twice, or an array has another size than the names.
    """
    places = {name: place for place, name in enumerate(message.name)}
    if len(places) != len(message.name):
        raise MeasurementError('a joint is named twice')
    missing = [name for name in names if name not in places]
    if missing:
        raise MeasurementError(f'joint {", ".join(missing)} is missing')
    rows = [places[name] for name in names]
    values = []
    for field in ('position', 'velocity', 'effort'):
        given = np.asarray(getattr(message, field), dtype=float)
        if field == 'effort' and len(given) != len(places):
            given = np.zeros(0)  # few need it: a bad one is as good as none
        if len(given) not in (0, len(places)):
            raise MeasurementError(f'{len(given)} {field} values for {len(places)} joints')
        values.append(given[rows] if len(given) else np.full(len(rows), np.nan))
    return JointReading(seconds_from_stamp(message.header.stamp), *values)
