"""The ten inertial parameters of a rigid link ([Naveen 2024] Eqs. 8-10).

The pseudo-inertia of a body that can exist is positive definite, and has a triangular factor with
a positive diagonal (Rucker and Wensing, Smooth Parameterization of Rigid-Body Inertia, 2022). Here
the factor is taken relative to that of a reference body, so that the ten numbers have no unit and
are all zero for it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.spatial import skew

TOLERANCES = {
    'encoder_offset': 'rad or m',
    'joint_axis': 'rad',
    'joint_origin': 'm',
    'gyro_bias': 'rad/s',
    'gyro_mounting': 'rad',
    'gyro_scale': '1',
    'twist_point': 'm',
    'twist_mounting': 'rad',
    'twist_scale': '1',
    'pose_point': 'm',
    'pose_mounting': 'rad',
    'delay.imu': 's',
    'delay.base_twist': 's',
    'delay.base_pose': 's',
    'wheel_scale': '1',
}
"""Units of the tolerances by their names, which are those of the estimator's settings."""

CALIBRATED = {
    'gyro_mounting': 3,
    'gyro_scale': 3,
    'twist_point': 3,
    'twist_mounting': 3,
    'twist_scale': 3,
    'pose_point': 3,
    'pose_mounting': 3,
    'delay.imu': 1,
    'delay.base_twist': 1,
    'delay.base_pose': 1,
}
"""Numbers of the errors of sensors that a robot's YAML file can state, in the same units."""


PARAMETER_NAMES = ('Ixx', 'Iyy', 'Izz', 'Ixy', 'Iyz', 'Izx', 'm', 'mx', 'my', 'mz')
"""Names of the ten link parameters, in the order of [Naveen 2024]."""

PARAMETER_UNITS = ('kg m^2',) * 6 + ('kg',) + ('kg m',) * 3
"""Units of the ten link parameters."""

IXX, IYY, IZZ, IXY, IYZ, IZX, MASS, MX, MY, MZ = range(10)
"""Positions of the ten link parameters."""

INERTIA_ELEMENTS = (
    ((0, 0),),
    ((1, 1),),
    ((2, 2),),
    ((0, 1), (1, 0)),
    ((1, 2), (2, 1)),
    ((2, 0), (0, 2)),
)
"""Where each of the first six parameters stands in the inertia matrix."""

_ROWS = (0, 1, 2, 0, 1, 2)
_COLUMNS = (0, 1, 2, 1, 2, 0)


def inertia_from_elements(elements: ArrayLike) -> NDArray[np.float64]:
    """Return the symmetric matrix of elements xx, yy, zz, xy, yz, zx, shape (3, 3)."""
    matrix = np.empty((3, 3))
    matrix[_ROWS, _COLUMNS] = matrix[_COLUMNS, _ROWS] = elements
    return matrix


@dataclass(frozen=True, eq=False)
class InertialParameters:
    """Mass, first moment and inertia of a link, all about the origin of its frame.

    Parameters
    ----------
    mass : float
        Mass, kg.
    first_moment : array_like, shape (3,)
        Mass times position of the centre of mass, kg m.
    inertia : array_like, shape (3, 3)
        Inertia matrix about the **link frame's origin**, off-diagonal elements as they stand in
        the matrix, kg m^2.
    """

    mass: float
    first_moment: NDArray[np.float64]
    inertia: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ('first_moment', 'inertia'):
            array = np.array(getattr(self, name), dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_com(cls, mass: float, com: ArrayLike, inertia: ArrayLike) -> 'InertialParameters':
        """Build from the inertia about the centre of mass ([Naveen 2024] below Eq. 8).

        Parameters
        ----------
        mass : float
            Mass, kg.
        com : array_like, shape (3,)
            Centre of mass in the link frame, m.
        inertia : array_like, shape (3, 3)
            Inertia matrix about the centre of mass, in link axes, kg m^2.
        """
        com = np.asarray(com, dtype=float)
        return cls(mass, mass * com, inertia - mass * skew(com) @ skew(com))

    @classmethod
    def from_vector(cls, vector: ArrayLike) -> 'InertialParameters':
        """Build from the ten parameters in the order of ``PARAMETER_NAMES``."""
        vector = np.asarray(vector, dtype=float)
        return cls(float(vector[MASS]), vector[MX:], inertia_from_elements(vector[:6]))

    @classmethod
    def zero(cls) -> 'InertialParameters':
        """Return the parameters of a link without mass."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @cached_property
    def vector(self) -> NDArray[np.float64]:
        """The ten parameters in the order of ``PARAMETER_NAMES``, shape (10,)."""
        return np.concatenate([self.inertia[_ROWS, _COLUMNS], [self.mass], self.first_moment])

    @property
    def com(self) -> NDArray[np.float64]:
        """Centre of mass in the link frame, m; NaN without mass."""
        return self.first_moment / self.mass if self.mass else np.full(3, np.nan)

    @property
    def inertia_about_com(self) -> NDArray[np.float64]:
        """Inertia matrix about the centre of mass, in link axes, shape (3, 3), kg m^2."""
        if not self.mass:
            return self.inertia
        return self.inertia + skew(self.first_moment) @ skew(self.first_moment) / self.mass

    @property
    def pseudo_inertia(self) -> NDArray[np.float64]:
        """Pseudo-inertia about the frame's origin, shape (4, 4); positive definite if physical."""
        second_moment = 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia
        return np.block(
            [
                [second_moment, self.first_moment[:, None]],
                [self.first_moment[None, :], np.array([[self.mass]])],
            ]
        )

    def defects(self, *, planar: bool = False) -> list[str]:
        """Return why no rigid body can have these parameters, one sentence each; [] if one can.

        Parameters
        ----------
        planar : bool
            Whether only mass and inertia about z count: motion in the plane shows no others.
        """
        if not np.isfinite(self.vector).all():
            return ['a parameter is not finite']
        if self.mass <= 0.0:
            return [f'mass {self.mass:g} kg is not positive']
        inertia = self.inertia_about_com
        if planar:
            about = f'inertia about z through the centre of mass, {inertia[2, 2]:g} kg m^2,'
            return [] if inertia[2, 2] > 0.0 else [f'{about} is not positive']
        moments = np.linalg.eigvalsh(inertia)
        smallest, middle, largest = moments
        if smallest <= 0.0:
            return [
                f'inertia about the centre of mass is not positive definite '
                f'(smallest principal moment {smallest:g} kg m^2)'
            ]
        if largest > (smallest + middle) * (1.0 + 1e-9):
            return [
                f'principal moments break the triangle inequality '
                f'({largest:g} > {smallest:g} + {middle:g} kg m^2)'
            ]
        return []

    def is_physical(self) -> bool:
        """Return whether some rigid body has these parameters."""
        return not self.defects()

    def expressed_in(self, rotation: ArrayLike, translation: ArrayLike) -> 'InertialParameters':
        """Return the same body's parameters in another frame.

        Parameters
        ----------
        rotation : array_like, shape (3, 3)
            ``R_AL``, from this link's axes to the other frame's.
        translation : array_like, shape (3,)
            ``p_AL_A``, this link's origin in the other frame, m.
        """
        return InertialParameters.from_vector(
            parameter_transform(rotation, translation) @ self.vector
        )

    def __add__(self, other: 'InertialParameters') -> 'InertialParameters':
        """Return the parameters of two bodies in one frame, taken as one body."""
        return InertialParameters.from_vector(self.vector + other.vector)


def parameter_transform(rotation: ArrayLike, translation: ArrayLike) -> NDArray[np.float64]:
    """Return the matrix that carries a body's ten parameters from one frame to another.

    Parameters
    ----------
    rotation : array_like, shape (3, 3)
        ``R_AL``, from the axes of the old frame L to those of the new frame A.
    translation : array_like, shape (3,)
        ``p_AL_A``, the old origin in the new frame, m.

    Returns
    -------
    ndarray, shape (10, 10)
        ``T`` with ``parameters_A = T @ parameters_L``, in the order of ``PARAMETER_NAMES``.
    """
    rotation = np.asarray(rotation, dtype=float)
    translation = np.asarray(translation, dtype=float)
    columns = []
    for unit in np.eye(10):
        body = InertialParameters.from_vector(unit)
        moment = rotation @ body.first_moment
        inertia = (
            rotation @ body.inertia @ rotation.T
            - body.mass * skew(translation) @ skew(translation)
            - skew(translation) @ skew(moment)
            - skew(moment) @ skew(translation)
        )
        moved = InertialParameters(body.mass, moment + body.mass * translation, inertia)
        columns.append(moved.vector)
    return np.stack(columns, axis=1)


PSEUDO_INERTIA_BASIS = np.stack(
    [InertialParameters.from_vector(unit).pseudo_inertia for unit in np.eye(10)]
)
"""Pseudo-inertias of the ten parameters, each one and the others zero, shape (10, 4, 4)."""


_FACTOR_ROWS, _FACTOR_COLUMNS = (0, 1, 0, 0, 1, 2), (1, 2, 2, 3, 3, 3)
"""Where the numbers 3, 4, 5 and 7, 8, 9 stand in the factor."""


def bodies_from_log_cholesky(reference: ArrayLike, numbers: ArrayLike) -> NDArray[np.float64]:
    """Return the inertial parameters of bodies.

    Parameters
    ----------
    reference : array_like, shape (10,)
        Parameters of the reference body.
    numbers : array_like, shape (..., 10)
        Logarithms of the stretches along three axes; three shears; half the logarithm of the
        mass ratio; three shifts of the centre of mass in radii of gyration.

    Returns
    -------
    ndarray, shape (..., 10)
        Inertial parameters, in the order of ``PARAMETER_NAMES``.

    Raises
    ------
    ValueError
        If the reference cannot exist.
    """
    numbers = np.asarray(numbers, dtype=float)
    factor = np.zeros((*numbers.shape[:-1], 4, 4))
    factor[..., [0, 1, 2], [0, 1, 2]] = np.exp(numbers[..., :3])
    factor[..., _FACTOR_ROWS, _FACTOR_COLUMNS] = numbers[..., [3, 4, 5, 7, 8, 9]]
    factor[..., 3, 3] = 1.0
    factor *= np.exp(numbers[..., 6])[..., None, None]
    factor = _factor(reference) @ factor
    return _parameters(factor @ np.swapaxes(factor, -1, -2))


def log_cholesky_from_body(reference: ArrayLike, body: ArrayLike) -> NDArray[np.float64]:
    """Return the ten numbers of a body.

    Parameters
    ----------
    reference, body : array_like, shape (10,)
        Inertial parameters.

    Returns
    -------
    ndarray, shape (10,)
        Numbers.

    Raises
    ------
    ValueError
        If one of the two cannot exist.
    """
    factor = np.linalg.solve(_factor(reference), _factor(body))
    numbers = np.empty(10)
    numbers[6] = np.log(factor[3, 3])
    factor = factor / factor[3, 3]
    numbers[:3] = np.log(np.diag(factor)[:3])
    numbers[[3, 4, 5, 7, 8, 9]] = factor[_FACTOR_ROWS, _FACTOR_COLUMNS]
    return numbers


def _factor(parameters: ArrayLike) -> NDArray[np.float64]:
    """Return the upper triangular factor ``U`` of the pseudo-inertia ``U U^T``, (4, 4)."""
    pseudo = np.tensordot(np.asarray(parameters, dtype=float), PSEUDO_INERTIA_BASIS, axes=1)
    try:
        return np.linalg.cholesky(pseudo[::-1, ::-1])[::-1, ::-1]
    except np.linalg.LinAlgError:
        raise ValueError('no body can have these parameters') from None


def _parameters(pseudo: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return inertial parameters of pseudo-inertias."""
    trace = np.trace(pseudo[..., :3, :3], axis1=-2, axis2=-1)[..., None]
    diagonal = trace - pseudo[..., [0, 1, 2], [0, 1, 2]]
    products = -pseudo[..., [0, 1, 2], [1, 2, 0]]
    return np.concatenate([diagonal, products, pseudo[..., 3, 3:], pseudo[..., :3, 3]], axis=-1)
