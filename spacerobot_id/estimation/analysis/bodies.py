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

_MOST_PARTNERS = 3
"""Parameters at most that one is combined with."""

_SEEN = 0.5
"""Share of the standard deviation before the data up to which a combination is seen."""

_GAIN = 0.9
"""Share of its standard deviation that a combination may keep with one more partner."""


@dataclass(frozen=True)
class Combination:
    """A combination of parameters that is known better than its first one.

    Parameters
    ----------
    names : tuple of str
        Parameters; the first is the one that is not seen alone.
    factors : tuple of float
        What they are multiplied by, in SI units; that of the first is one.
    unit : str
        Unit of the combination, that of the first parameter.
    value, std, before : float
        Estimate, standard deviation, and that before the data.
    alone : float
        Standard deviation of the first parameter alone.
    """

    names: tuple[str, ...]
    factors: tuple[float, ...]
    unit: str
    value: float
    std: float
    before: float
    alone: float

    def formula(self) -> str:
        """Return it as a formula."""
        formula = self.names[0]
        for name, factor in zip(self.names[1:], self.factors[1:], strict=True):
            formula += f' {"-" if factor < 0.0 else "+"} {abs(factor):.3g} {name}'
        return formula


def seen_combinations(result: Result) -> tuple[Combination, ...]:
    """Return combinations that are seen, one for each parameter that is not, where there is one.

    Partners are taken one by one, the one that leaves least open first; the combination is that
    whose variance is that of the parameter given its partners.

    Parameters
    ----------
    result : Result
        Result of an identification.
    """
    estimate = result.estimate
    p, prior = len(estimate.names), result.method.prior()
    before = prior.linearised(prior.mean).covariance()[:p, :p]
    if not (np.isfinite(before).all() and np.isfinite(estimate.covariance).all()):
        return ()
    found: dict[frozenset[str], Combination] = {}
    for name in estimate.not_identified():
        combination = _combination(result, estimate.names.index(name), before)
        if combination is not None:
            found.setdefault(frozenset(combination.names), combination)
    return tuple(found.values())


def _combination(result: Result, place: int, before: NDArray[np.float64]) -> Combination | None:
    """Return the combination with the fewest partners that is seen; None if there is none."""
    estimate, covariance = result.estimate, result.estimate.covariance
    partners: list[int] = []
    std = float(estimate.std[place])
    while len(partners) < _MOST_PARTNERS:
        others = [each for each in range(len(covariance)) if each not in (place, *partners)]
        if not others:
            return None
        left = [_given(covariance, place, [*partners, each]) for each in others]
        best = int(np.argmin(left))
        partners.append(others[best])
        if left[best] > _GAIN * std:
            return None  # no partner of it adds much
        std = float(left[best])
        factors = -_weights(covariance, place, partners)
        row = np.zeros(len(covariance))
        row[place], row[partners] = 1.0, factors
        open_before = float(np.sqrt(row @ before @ row))
        if std < _SEEN * min(open_before, float(estimate.std[place])):
            return Combination(
                tuple(estimate.names[each] for each in (place, *partners)),
                (1.0, *factors.tolist()),
                estimate.units[place],
                float(row @ estimate.values),
                std,
                open_before,
                float(estimate.std[place]),
            )
    return None


def _weights(covariance: NDArray[np.float64], place: int, given: list[int]) -> NDArray[np.float64]:
    """Return the regression of one parameter on others."""
    scale = np.sqrt(np.diag(covariance))
    among = covariance[np.ix_(given, given)] / np.outer(scale[given], scale[given])
    slope = np.linalg.lstsq(among, covariance[given, place] / scale[given], rcond=1e-12)[0]
    return slope / scale[given]


def _given(covariance: NDArray[np.float64], place: int, given: list[int]) -> float:
    """Return the standard deviation of one parameter given others."""
    explained = float(covariance[place, given] @ _weights(covariance, place, given))
    return float(np.sqrt(max(covariance[place, place] - explained, 0.0)))


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
    settings = result.method.prior_settings
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
