"""Bodies that can exist, by ten numbers without limits: the log-Cholesky parameters.

The pseudo-inertia of a body that can exist is positive definite, and has a triangular factor with
a positive diagonal (Rucker and Wensing, Smooth Parameterization of Rigid-Body Inertia, 2022). Here
the factor is taken relative to that of a reference body, so that the ten numbers have no unit and
are all zero for it.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model.inertial_parameters import PSEUDO_INERTIA_BASIS

_ROWS, _COLUMNS = (0, 1, 0, 0, 1, 2), (1, 2, 2, 3, 3, 3)
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
    factor[..., _ROWS, _COLUMNS] = numbers[..., [3, 4, 5, 7, 8, 9]]
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
    numbers[[3, 4, 5, 7, 8, 9]] = factor[_ROWS, _COLUMNS]
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
