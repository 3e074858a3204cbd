"""Mass, centre of mass and inertia of bodies with their standard deviations, to first order."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import whole_robot
from spacerobot_id.regressor import minimal_parameters

QUANTITIES = (
    'mass',
    *(f'centre of mass, {axis}' for axis in 'xyz'),
    *(f'inertia, {axes}' for axes in ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')),
)
"""Parameters of a body: inertias are about its centre of mass."""

UNITS = ('kg', *('m',) * 3, *('kg m^2',) * 6)
"""Units of the quantities."""

_ROWS, _COLUMNS = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
_STEP = 1e-3
"""Step of differences, in standard deviations."""


@dataclass(frozen=True, eq=False)
class BodyEstimate:
    """A body beside its description.

    Parameters
    ----------
    name : str
        Name.
    described, found : ndarray, shape (10,)
        Quantities by the description and by the estimate; NaN where they do not show.
    covariance : ndarray, shape (10, 10)
        Covariance of those found.
    """

    name: str
    described: NDArray[np.float64]
    found: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def std(self) -> NDArray[np.float64]:
        """Standard deviations, shape (10,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def quantities(body: InertialParameters, axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return mass, centre of mass and inertia about it, shape (10,).

    Parameters
    ----------
    body : InertialParameters
        Body.
    axes : ndarray, shape (3, 3)
        Rotation from the body's axes to those that it is to be given in.
    """
    inertia = axes @ body.inertia_about_com @ axes.T
    return np.concatenate([[body.mass], axes @ body.com, inertia[_ROWS, _COLUMNS]])


def inertia_matrix(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inertia of ten quantities as a matrix, shape (3, 3)."""
    matrix = np.zeros((3, 3))
    matrix[_ROWS, _COLUMNS] = matrix[_COLUMNS, _ROWS] = values[4:]
    return matrix


def whole_body(result: Result) -> BodyEstimate | None:
    """Return the whole robot as it stands, in base axes; None where nothing of it shows.

    Where the mass does not show, the inertia alone is known.

    Parameters
    ----------
    result : Result
        Result of an identification.
    """
    if result.body is None:
        return None
    method, count = result.method, len(result.estimate.names)
    described = quantities(whole_robot(method.model, result.positions), np.eye(3))

    def found(values: NDArray[np.float64]) -> NDArray[np.float64]:
        robot = method.robot(values, result.positions)
        if robot is not None:
            return quantities(robot, np.eye(3))
        inertia = method.inertia(values, result.positions)
        return np.concatenate([np.full(4, np.nan), inertia[_ROWS, _COLUMNS]])

    slope = _slope(found, result.values, result.estimate.std, count)
    covariance = _carried(slope, result.estimate.covariance)
    return BodyEstimate(method.model.name, described, found(result.values), covariance)


def link_bodies(result: Result) -> tuple[BodyEstimate, ...]:
    """Return the links in the axes of the description; empty where no links are known.

    Data determine combinations of the links' parameters; what they leave open of each link is
    what the description leaves open, given these combinations and their covariance.

    Parameters
    ----------
    result : Result
        Result of an identification.
    """
    if result.links is None or result.links.contradicts_data:
        return ()
    described, found = result.method.model, result.links.model
    settings = getattr(result.method, 'prior_settings', None)
    std = standard_std(described, 1.0 if settings is None else settings.relative_std)
    covariance = _standard_covariance(
        minimal_parameters(found).grouping, std, result.estimate.covariance
    )
    bodies = []
    for place, (before, after) in enumerate(zip(described.links, found.links, strict=True)):
        columns = slice(10 * place, 10 * place + 10)
        of_link, axes = covariance[columns, columns], after.R_UL

        def seen(vector: NDArray[np.float64], axes: NDArray[np.float64] = axes) -> NDArray:
            return quantities(InertialParameters.from_vector(vector), axes)

        vector = after.inertial.vector
        slope = _slope(seen, vector, std[columns], len(vector))
        bodies.append(
            BodyEstimate(
                after.name,
                quantities(before.inertial, before.R_UL),
                seen(vector),
                _carried(slope, of_link),
            )
        )
    return tuple(bodies)


def _carried(slope: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariance of what changes by slopes; infinite where nothing is known."""
    if not np.isfinite(covariance).all():
        return np.full((len(slope), len(slope)), np.inf)
    return slope @ covariance @ slope.T


def _standard_covariance(
    grouping: NDArray[np.float64], std: NDArray[np.float64], covariance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the covariance of standard parameters, given that of the minimal ones.

    Law of total covariance: what is open given the minimal parameters, and what is open of these.
    """
    spread = grouping * std
    gain = std[:, None] * np.linalg.pinv(spread)
    left = np.diag(std) - gain @ spread
    return left @ left.T + _carried(gain, covariance)


def _slope(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    values: NDArray[np.float64],
    std: NDArray[np.float64],
    count: int,
) -> NDArray[np.float64]:
    """Return the slope of a function in its first values, by central differences."""
    columns = []
    for place in range(count):
        step = np.zeros(len(values))
        step[place] = _STEP * std[place] if np.isfinite(std[place]) and std[place] > 0.0 else 1e-9
        columns.append((function(values + step) - function(values - step)) / (2.0 * step[place]))
    return np.stack(columns, axis=-1)
