"""Angular momentum, moments and torques per candidate of the reduced parameters.

Seen from a base whose origin stands still, a robot has a linear momentum and needs a force. What
brings its centre of mass to rest moves all links alike: its velocity is minus the momentum over
the mass, its acceleration minus the force over the mass, and with the levers of the first moments
it makes an angular momentum, a moment and joint torques that are sums over products.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.regressor.first_moment_regressor import first_moment_regressor
from spacerobot_id.regressor.minimal_parameters import MinimalParameters
from spacerobot_id.regressor.momentum_regressor import momentum_regressor
from spacerobot_id.regressor.wrench_regressor import wrench_regressor


def momentum_candidates(
    model: RobotModel,
    minimal: MinimalParameters,
    pairs: NDArray[np.intp],
    q: ArrayLike,
    qd: ArrayLike,
    angular_velocity: ArrayLike,
) -> NDArray[np.float64]:
    """Return the angular momentum about the centre of mass per candidate.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    minimal : MinimalParameters
        Its minimal parameters.
    pairs : ndarray of int, shape (c, 2)
        Candidates, as in ``ReducedParameters``.
    q, qd : array_like, shape (N, n)
        Joint positions and rates.
    angular_velocity : array_like, shape (N, 3)
        Angular velocity of the base in base axes, rad/s.

    Returns
    -------
    ndarray, shape (N, 3, c)
        Angular momentum in base axes per unit of each candidate.
    """
    both = momentum_regressor(model, q, qd, _about_origin(angular_velocity), minimal.columns)
    levers = _levers(first_moment_regressor(model, q, minimal.columns))
    return _columns(pairs, both[:, 3:], levers, both[:, :3])


def torque_candidates(
    model: RobotModel,
    minimal: MinimalParameters,
    pairs: NDArray[np.intp],
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    angular_velocity: ArrayLike,
    angular_acceleration: ArrayLike,
) -> NDArray[np.float64]:
    """Return the moment on the base and the joint torques per candidate.

    Parameters
    ----------
    model, minimal, pairs, q, qd, angular_velocity
        As for ``momentum_candidates``.
    qdd : array_like, shape (N, n)
        Joint accelerations.
    angular_acceleration : array_like, shape (N, 3)
        Angular acceleration of the base in base axes, rad/s^2.

    Returns
    -------
    ndarray, shape (N, 3 + n, c)
        Moment about the centre of mass in base axes, then joint torques (forces of prismatic
        joints), per unit of each candidate.
    """
    turning, bending = _about_origin(angular_velocity), _about_origin(angular_acceleration)
    columns = minimal.columns
    both = wrench_regressor(model, q, qd, qdd, turning, bending)[..., columns]
    joints, still = np.eye(len(model.joints)), np.zeros(6)
    moved = momentum_regressor(model, np.asarray(q)[:, None], joints, still, columns)[:, :, :3]
    levers = np.concatenate([_levers(first_moment_regressor(model, q, columns)), moved], axis=1)
    return _columns(pairs, both[:, 3:], levers, both[:, :3])


def _about_origin(turning: ArrayLike) -> NDArray[np.float64]:
    """Return a twist of the base, or its derivative, whose origin stands still."""
    turning = np.asarray(turning, dtype=float)
    return np.concatenate([np.zeros_like(turning), turning], axis=-1)


def _levers(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cross-product matrices of first moments, shapes (N, 3, p) to (N, 3, 3, p)."""
    x, y, z = np.moveaxis(moments, 0, -1)
    levers = np.zeros((3, 3, *x.shape))
    levers[0, 1], levers[0, 2], levers[1, 2] = -z, y, -x
    levers[1, 0], levers[2, 0], levers[2, 1] = z, -y, x
    return np.moveaxis(levers, -1, 0)


def _columns(
    pairs: NDArray[np.intp],
    single: NDArray[np.float64],
    levers: NDArray[np.float64],
    moved: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return columns of candidates, shape (N, r, c); in memory the samples are the fastest axis.

    Parameters
    ----------
    pairs : ndarray of int, shape (c, 2)
        Candidates.
    single : ndarray, shape (N, r, p)
        Columns of the minimal parameters.
    levers : ndarray, shape (N, r, 3, p)
        What a common motion of all links does to each row, per first moment.
    moved : ndarray, shape (N, 3, p)
        Linear momentum or force per minimal parameter.
    """
    single, levers, moved = (
        np.ascontiguousarray(np.moveaxis(each, 0, -1)) for each in (single, levers, moved)
    )
    columns = single[:, pairs[:, 0]]
    for column, (i, j) in zip(np.moveaxis(columns, 1, 0), pairs, strict=True):
        if j < 0:
            continue
        column[:] = 0.0
        for first, second in {(i, j), (j, i)}:
            for axis in range(3):
                column += levers[:, axis, first] * moved[axis, second]
    return np.moveaxis(columns, -1, 0)
