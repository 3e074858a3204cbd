"""Integrating the base's twist: fourth-order Magnus on SO(3) and Simpson's rule, vectorised."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.spatial import exp_so3, rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class StepTwists:
    """Twists of the base in base axes at three instants of every step.

    Parameters
    ----------
    start, middle, end : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity; the end of a step may differ from the start
        of the next where the velocity jumps.
    """

    start: NDArray[np.float64]
    middle: NDArray[np.float64]
    end: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BasePath:
    """Poses of the base at the ends of the steps.

    Parameters
    ----------
    positions : ndarray, shape (N, 3)
        Positions in the inertial frame, m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w from base to inertial axes, without jumps of sign.
    """

    positions: NDArray[np.float64]
    attitudes: NDArray[np.float64]


def integrate_base(
    position: ArrayLike, attitude: ArrayLike, steps: ArrayLike, twists: StepTwists
) -> BasePath:
    """Return where twists carry the base; errors are of fourth order in the steps.

    Parameters
    ----------
    position : array_like, shape (3,)
        Position at the start, m.
    attitude : array_like, shape (4,)
        Quaternion x y z w at the start.
    steps : array_like, shape (N,)
        Durations of the steps, s.
    twists : StepTwists
        Twists within the steps.
    """
    steps = np.asarray(steps, dtype=float)[:, None]
    turns = magnus_rotation_vector(steps, twists)
    attitudes = cumulative_attitude(attitude, Rotation.from_rotvec(turns).as_quat())
    moved = _displacements(rotation_from_quaternion(attitudes), steps, twists)
    return BasePath(np.asarray(position, dtype=float) + np.cumsum(moved, axis=0), attitudes[1:])


def magnus_rotation_vector(steps: NDArray[np.float64], twists: StepTwists) -> NDArray[np.float64]:
    """Return the rotation of each step, by its rotation vector in base axes, shape (N, 3).

    With ``R' = R [w]`` the commutator has the sign opposite to that of ``Y' = A Y``.
    """
    start, middle, end = (each[:, 3:] for each in (twists.start, twists.middle, twists.end))
    mean = steps / 6.0 * (start + 4.0 * middle + end)
    return mean + steps**2 / 12.0 * np.cross(start, end)


def cumulative_attitude(attitude: ArrayLike, turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the attitudes before, between and after successive turns in body axes.

    Parameters
    ----------
    attitude : array_like, shape (4,)
        Quaternion x y z w at the start.
    turns : ndarray, shape (N, 4)
        Quaternions of the turns.

    Returns
    -------
    ndarray, shape (N + 1, 4)
        Unit quaternions, the start first.
    """
    x, y, z, w = np.asarray(attitude, dtype=float).tolist()
    path = [(x, y, z, w)]
    for a, b, c, d in turns.tolist():
        x, y, z, w = (
            w * a + x * d + y * c - z * b,
            w * b - x * c + y * d + z * a,
            w * c + x * b - y * a + z * d,
            w * d - x * a - y * b - z * c,
        )
        path.append((x, y, z, w))
    attitudes = np.array(path)
    return attitudes / np.linalg.norm(attitudes, axis=1, keepdims=True)


def _displacements(
    rotations: NDArray[np.float64], steps: NDArray[np.float64], twists: StepTwists
) -> NDArray[np.float64]:
    """Return the displacement in each step, in inertial axes, shape (N, 3)."""
    start, middle, end = (each[:, 3:] for each in (twists.start, twists.middle, twists.end))
    # Half of the step: the integral of the parabola through the three rates, and its commutator.
    to_middle = steps / 24.0 * (5.0 * start + 8.0 * middle - end)
    to_middle += steps**2 / 48.0 * np.cross(start, middle)
    halfway = rotations[:-1] @ exp_so3(to_middle)
    velocities = (
        (rotations[:-1], twists.start, 1.0),
        (halfway, twists.middle, 4.0),
        (rotations[1:], twists.end, 1.0),
    )
    weighted = (
        weight * np.einsum('nij,nj->ni', turned, twist[:, :3])
        for turned, twist, weight in velocities
    )
    return steps / 6.0 * sum(weighted)
