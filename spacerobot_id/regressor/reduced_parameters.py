"""Combinations of the inertial parameters that motion about the centre of mass depends on.

With the system's centre of mass at rest, the base's linear velocity is no measurement but follows
from the rest: angular momentum, torques and joint forces then depend on the minimal parameters and
on products of two first moments over the total mass (the barycentric masses A to F of [Christidi
2017]
Eqs. B20-B25 are such). They are linear in these candidates; which of them depend on one another
is found numerically, as [Christidi 2017] Eqs. 19-22 do column by column.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor.minimal_parameters import (
    independent_columns,
    minimal_parameters,
    MinimalParameters,
    momentum_candidates,
)

_NOTHING = 1e-9
"""Parameter of a description that is rounding, as a share of the largest."""

_POWERS = {'kg': 0, 'kg m': 1, 'kg m^2': 2}
"""Powers of the metre in the units of mass, first moment and inertia."""


@dataclass(frozen=True, eq=False)
class ReducedParameters:
    """Combinations of parameters that motion about the centre of mass depends on linearly.

    Parameters
    ----------
    names, units : tuple of str
        Of the k combinations: each is called after the one candidate that it has for its own.
    minimal : MinimalParameters
        Minimal parameters of the robot, p of them.
    pairs : ndarray of int, shape (c, 2)
        Candidates: two minimal parameters of which minus the product over the total mass is
        meant, or one and -1 where it is that parameter itself.
    kept : ndarray of int, shape (k,)
        Candidates whose columns stay.
    grouping : ndarray, shape (k, c)
        Matrix from candidates to combinations ([Christidi 2017] Eq. 22).
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    minimal: MinimalParameters
    pairs: NDArray[np.intp]
    kept: NDArray[np.intp]
    grouping: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of combinations."""
        return len(self.names)

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the combinations of a robot of this structure, shape (k,)."""
        return self.from_minimal(self.minimal.values(model))

    def from_minimal(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the combinations that minimal parameters make, shapes (p,) to (k,)."""
        values = np.asarray(values, dtype=float)
        first, second = self.pairs.T
        factor = np.where(second < 0, 1.0, -values[second] / values[self.minimal.masses].sum())
        return self.grouping @ (values[first] * factor)

    def slope(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative of the combinations by minimal parameters, shape (k, p)."""
        values = np.asarray(values, dtype=float)
        first, second = self.pairs.T
        rows, single = np.arange(len(first)), second < 0
        mass = values[self.minimal.masses].sum()
        slope = np.zeros((len(first), len(values)))
        slope[rows[single], first[single]] = 1.0
        product = ~single
        np.add.at(slope, (rows[product], first[product]), -values[second[product]] / mass)
        np.add.at(slope, (rows[product], second[product]), -values[first[product]] / mass)
        share = values[first[product]] * values[second[product]] / mass**2
        slope[np.ix_(product, self.minimal.masses)] += share[:, None]
        return self.grouping @ slope


def reduced_parameters(
    model: RobotModel, *, as_described: bool = False, seed: int = 0
) -> ReducedParameters:
    """Return the combinations that show in angular momentum about the centre of mass.

    Parameters
    ----------
    model : RobotModel
        Robot; only its geometry is used, unless ``as_described``.
    as_described : bool
        Whether parameters that are exactly zero in the description are known to be zero, such as
        products of inertia of symmetric links: so [Christidi 2017] has 19 combinations.
    seed : int
        Seed of the random states at which columns are compared.
    """
    minimal = minimal_parameters(model)
    pairs = _candidates(model, minimal, as_described=as_described)
    rng = np.random.default_rng(seed)
    samples, joints = len(pairs) // 2 + 10, len(model.joints)
    columns = momentum_candidates(
        model,
        minimal,
        pairs,
        rng.uniform(-np.pi, np.pi, (samples, joints)),
        rng.normal(size=(samples, joints)),
        rng.normal(size=(samples, 3)),
    ).reshape(-1, len(pairs))
    kept, grouping = independent_columns(columns)
    return ReducedParameters(
        tuple(_name(minimal, pairs[each]) for each in kept),
        tuple(_unit(minimal, pairs[each]) for each in kept),
        minimal,
        pairs,
        kept,
        grouping,
    )


def _candidates(
    model: RobotModel, minimal: MinimalParameters, *, as_described: bool
) -> NDArray[np.intp]:
    """Return inertias, then products of first moments, then first moments on their own."""
    possible = np.ones(len(minimal), dtype=bool)
    if as_described:
        there = np.abs(model.parameters) > _NOTHING * np.abs(model.parameters).max()
        possible = np.abs(minimal.grouping) @ there > _NOTHING
    is_inertia = np.array([unit == 'kg m^2' for unit in minimal.units])
    inertias = np.flatnonzero(possible & is_inertia)
    moments = np.flatnonzero(possible & ~is_inertia)
    moments = moments[moments != MASS]
    return np.array(
        [
            *((each, -1) for each in inertias),
            *combinations_with_replacement(moments, 2),
            *((each, -1) for each in moments),
        ],
        dtype=int,
    )


def _name(minimal: MinimalParameters, pair: NDArray[np.intp]) -> str:
    """Return the name of a candidate: two parameters with a colon between are their product."""
    return ':'.join(minimal.names[each] for each in pair if each >= 0)


def _unit(minimal: MinimalParameters, pair: NDArray[np.intp]) -> str:
    """Return the unit of a candidate."""
    power = sum(_POWERS[minimal.units[each]] for each in pair if each >= 0)
    return next(unit for unit, each in _POWERS.items() if each == power)
