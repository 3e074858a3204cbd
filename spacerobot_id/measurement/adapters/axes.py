"""Axes that messages may be given in, turned to those of REP 103: x forward or east, z up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

WORLD_AXES: Mapping[str, tuple[str, str, str]] = {
    'enu': ('x', 'y', 'z'),
    'ned': ('y', 'x', '-z'),
    'nwu': ('x', 'y', 'z'),
}
"""Which components of inertial axes are ours; what is horizontal and z up needs no turn."""

BODY_AXES: Mapping[str, tuple[str, str, str]] = {
    'flu': ('x', 'y', 'z'),
    'frd': ('x', '-y', '-z'),
}
"""Which components of axes on the base are ours."""

_EXACT = 1e-12
"""Distance from a whole number within which the element of a turn is one."""


def axes_matrix(components: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the rotation from given axes to ours, shape (3, 3).

    Parameters
    ----------
    components : tuple of str
        Which of the given components, with its sign, is our x, y and z: ``('y', 'x', '-z')``.

    Raises
    ------
    ValueError
        If they are not those of a rotation.
    """
    rows = []
    for each in components:
        letter = each.removeprefix('-')
        if letter not in ('x', 'y', 'z'):
            raise ValueError(f'must be of x, y, z, -x, -y, -z, got {each!r}')
        rows.append((-1.0 if each.startswith('-') else 1.0) * np.eye(3)['xyz'.index(letter)])
    matrix = np.array(rows)
    if matrix.shape != (3, 3) or not np.isclose(np.linalg.det(matrix), 1.0):
        raise ValueError(f'{", ".join(components)}: not the axes of a rotation')
    return matrix


def quaternion_matrix(
    R_world: NDArray[np.float64],
    R_body: NDArray[np.float64],
    order: str = 'xyzw',
    *,
    is_inverse: bool = False,
) -> NDArray[np.float64]:
    """Return what turns a quaternion as it is given into ours, shape (4, 4).

    Parameters
    ----------
    R_world, R_body : ndarray, shape (3, 3)
        Rotations from the given inertial axes and those on the base to ours.
    order : str
        Order of the components, ``xyzw`` or ``wxyz``.
    is_inverse : bool
        Whether the quaternion is that from inertial axes to those of the base.
    """
    world = Rotation.from_matrix(R_world)
    body = Rotation.from_matrix(R_body).inv()
    basis = np.eye(4)[[order.index(letter) for letter in 'xyzw']]
    if is_inverse:
        basis = np.diag([-1.0, -1.0, -1.0, 1.0]) @ basis
    matrix = _product_matrix(world.as_quat()) @ _product_matrix(body.as_quat(), first=False)
    near = np.abs(matrix - np.round(matrix)) < _EXACT
    return np.where(near, np.round(matrix), matrix) @ basis


@dataclass(frozen=True, eq=False)
class Axes:
    """Axes that the numbers of a topic are in.

    Parameters
    ----------
    world, body : ndarray, shape (3, 3)
        Rotations from the inertial axes and those on the base that are used to ours.
    """

    world: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))
    body: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))


def _product_matrix(q: NDArray[np.float64], *, first: bool = True) -> NDArray[np.float64]:
    """Return the matrix that multiplies a quaternion x y z w by another, which is the first."""
    x, y, z, w = q
    sign = 1.0 if first else -1.0
    cross = sign * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.empty((4, 4))
    matrix[:3, :3], matrix[:3, 3] = w * np.eye(3) + cross, (x, y, z)
    matrix[3, :3], matrix[3, 3] = (-x, -y, -z), w
    return matrix
