"""Motion of one rigid body under wrenches on its base frame, many bodies at once.

The body is a free-flyer with what it has grasped, arms at rest. A state is one row of thirteen:
position of the frame (m), quaternion x y z w of ``R_WB``, velocity of the origin (m/s) and angular
velocity (rad/s) in base axes. Wrenches are held constant through a step, as a computer on board
does; within it everything is integrated by the classical Runge-Kutta method of fourth order.
"""

from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.spatial import skew

POSE = slice(0, 7)
"""Where position and quaternion stand in a state."""

TWIST = slice(7, 13)
"""Where the twist in base axes stands in a state."""


def body_inertia(parameters: ArrayLike) -> NDArray[np.float64]:
    """Return the spatial inertia about the origin, from the ten parameters.

    Parameters
    ----------
    parameters : array_like, shape (..., 10)
        Ixx Iyy Izz Ixy Iyz Izx m mx my mz.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Matrix that carries a twist (linear, angular) to the momentum (linear, angular).
    """
    parameters = np.asarray(parameters, dtype=float)
    matrix = np.zeros((*parameters.shape[:-1], 6, 6))
    matrix[..., [0, 1, 2], [0, 1, 2]] = parameters[..., 6:7]
    matrix[..., 3:, :3] = skew(parameters[..., 7:])
    matrix[..., :3, 3:] = -matrix[..., 3:, :3]
    matrix[..., [3, 4, 5], [3, 4, 5]] = parameters[..., :3]
    matrix[..., [3, 4, 5], [4, 5, 3]] = matrix[..., [4, 5, 3], [3, 4, 5]] = parameters[..., 3:6]
    return matrix


def rigid_body_motion(
    parameters: ArrayLike,
    states: ArrayLike,
    wrenches: ArrayLike,
    steps: ArrayLike,
    sampled: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return where bodies go under series of wrenches.

    Parameters
    ----------
    parameters : array_like, shape (B, 10)
        Parameters of each body.
    states : array_like, shape (B, 13)
        State of each at the start.
    wrenches : array_like, shape (K, 6) or (B, K, 6)
        Force (N) and moment about the origin (N m) in base axes, through each step; the same for
        all bodies, or each its own.
    steps : array_like, shape (K,)
        Steps, s.
    sampled : array_like of bool, shape (K,), optional
        Which steps' ends are returned; all if None.

    Returns
    -------
    ndarray, shape (B, S, 13)
        States at the ends of the S sampled steps.
    """
    parameters, states, wrenches, steps = (
        np.array(each, dtype=float, order='C') for each in (parameters, states, wrenches, steps)
    )
    sampled = np.ones(len(steps), dtype=bool) if sampled is None else np.array(sampled, dtype=bool)
    record = np.empty((len(states), int(sampled.sum()), states.shape[1]))
    inverse = np.linalg.inv(body_inertia(parameters))
    wrenches = wrenches[None] if wrenches.ndim == 2 else wrenches
    kernels().advance_bodies(parameters, inverse, states, wrenches, steps, sampled, record)
    return record


@cache
def kernels() -> ModuleType:
    """Return the compiled kernels; importing numba takes, and only those who need them wait."""
    from spacerobot_id.multibody.kernels import rigid_body_step

    return rigid_body_step
