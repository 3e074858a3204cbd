"""What data show of parameters that they do not show alone: combinations with a few others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result

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
