"""States of a flying body as numbers: moved, compared, and guessed from the poses measured.

A state is position (m), quaternion x y z w, then linear (m/s) and angular (rad/s) velocity in the
body's axes; it has twelve degrees of freedom.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import local_slopes, Record
from spacerobot_id.spatial import body_rates, without_flips

_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])
"""Signs of a quaternion's conjugate."""


def first_states(record: Record, edges: NDArray[np.int64], window: float) -> NDArray[np.float64]:
    """Return states at the beginnings of segments, by local polynomials through the poses.

    Parameters
    ----------
    record : Record
        Poses.
    edges : ndarray of int, shape (G + 1,)
        Segments.
    window : float
        Length of the polynomials, s.

    Returns
    -------
    ndarray, shape (G, 13)
        States.
    """
    spacing = float(np.median(np.diff(record.times)))
    most = len(record) - 1 + len(record) % 2
    points = min(max(2 * round(0.5 * window / spacing) + 1, 3), most)
    attitude = without_flips(record.attitude)
    slopes = local_slopes(record.times, np.hstack([record.position, attitude]), points)
    begin = edges[:-1]
    row = np.clip(begin - points // 2, 0, len(slopes) - 1)
    turned = Rotation.from_quat(attitude[begin])
    velocity = turned.inv().apply(slopes[row, :3])
    rate = body_rates(attitude[begin], slopes[row, 3:])
    return np.hstack([record.position[begin], attitude[begin], velocity, rate])


def moved_states(states: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return states moved by position, rotation vector in body axes, and twist.

    Parameters
    ----------
    states : ndarray, shape (..., 13)
        States.
    by : ndarray, shape (..., 12)
        Change of position (m), rotation vector (rad), change of twist (m/s, rad/s).
    """
    angle = np.linalg.norm(by[..., 3:6], axis=-1, keepdims=True)
    vector = 0.5 * np.sinc(0.5 * angle / np.pi) * by[..., 3:6]
    turn = np.concatenate([vector, np.cos(0.5 * angle)], axis=-1)
    turn = np.broadcast_to(turn, (*states.shape[:-1], 4))
    return np.concatenate(
        [
            states[..., :3] + by[..., :3],
            _product(states[..., 3:7], turn),
            states[..., 7:] + by[..., 6:],
        ],
        axis=-1,
    )


def state_difference(from_: NDArray[np.float64], to: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what moves one state to the other, the short way round.

    Parameters
    ----------
    from_, to : ndarray, shape (..., 13)
        States.

    Returns
    -------
    ndarray, shape (..., 12)
        As ``moved_states`` takes it.
    """
    turn = _product(
        from_[..., 3:7] * _CONJUGATE, np.broadcast_to(to[..., 3:7], from_[..., 3:7].shape)
    )
    vector = turn[..., :3] * np.where(turn[..., 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, np.abs(turn[..., 3:]))
    scale = np.where(sine > 1e-9, angle / np.maximum(sine, 1e-300), 2.0)
    return np.concatenate(
        [to[..., :3] - from_[..., :3], scale * vector, to[..., 7:] - from_[..., 7:]], axis=-1
    )


def _product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the product of quaternions x y z w."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - np.sum(a[..., :3] * b[..., :3], axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)
