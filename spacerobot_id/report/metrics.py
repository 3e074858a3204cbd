"""Errors of an estimate where the truth is known ([Naveen 2024] Eqs. 38, 39)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from spacerobot_id.report.page.content import ROUNDING


@dataclass(frozen=True, eq=False)
class EstimateErrors:
    """Errors of p parameters.

    Parameters
    ----------
    relative : ndarray, shape (p,)
        Errors relative to the true values, with their sign; NaN where the true value is zero.
    median, largest : float
        Median and largest magnitude of these; NaN if there are none.
    coverage : float
        Share of the true values inside the 95 % intervals.
    """

    relative: NDArray[np.float64]
    median: float
    largest: float
    coverage: float


def estimate_errors(values: ArrayLike, std: ArrayLike, true: ArrayLike) -> EstimateErrors:
    """Return how far an estimate is from the truth.

    Parameters
    ----------
    values, std, true : array_like, shape (p,)
        Estimates, their standard deviations and true values, in any unit.
    """
    values, std, true = (np.asarray(array, dtype=float) for array in (values, std, true))
    relative = relative_to(true, values - true)
    inside = np.abs(values - true) <= 1.96 * std
    magnitude = np.abs(relative[np.isfinite(relative)])
    median, largest = (np.median(magnitude), magnitude.max()) if len(magnitude) else 2 * [np.nan]
    return EstimateErrors(relative, float(median), float(largest), float(inside.mean()))


def relative_to(true: NDArray[np.float64], amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an amount as a share of the true values; NaN where these are about zero."""
    nowhere = np.full(np.shape(amount), np.nan)
    there = np.abs(true) > ROUNDING * np.abs(true).max(initial=0.0)
    return np.divide(amount, true, out=nowhere, where=there)


@dataclass(frozen=True)
class JointError:
    """How far all parameters together are from the truth (Bar-Shalom et al., 2001, 5.4.2).

    Parameters
    ----------
    value : float
        ``e^T C^-1 e``, the normalised estimation error squared.
    count : int
        Number of parameters, which is its expectation.
    bounds : tuple of float
        What it stays within in 95 of 100 cases if the covariance is true; zeros of no parameter.
    left_out : int
        Parameters that are not identified, whose errors are those of the description.
    """

    value: float
    count: int
    bounds: tuple[float, float]
    left_out: int = 0

    @property
    def is_by_chance(self) -> bool:
        """Whether chance allows it."""
        return self.bounds[0] <= self.value <= self.bounds[1]

    def sentence(self) -> str:
        """Return it as a sentence."""
        if not self.count:
            return 'No parameter is identified whose error could be compared.'
        low, high = self.bounds
        which = f'the {self.count} identified' if self.left_out else f'all {self.count}'
        chance = f'chance allows {low:.4g} to {high:.4g}'
        sentence = (
            f'Normalised squared error of {which} parameters together: {self.value:.4g}; {chance}.'
        )
        if self.is_by_chance:
            return f'{sentence} The errors are what the covariance says they are.'
        if self.value < low:
            return f'{sentence} The errors are smaller than the covariance says they are.'
        return (
            f'{sentence} The errors are {np.sqrt(self.value / self.count):.3g} times as large as '
            'the covariance says they are.'
        )


def joint_error(
    values: ArrayLike,
    covariance: ArrayLike,
    true: ArrayLike,
    seen: ArrayLike | None = None,
) -> JointError:
    """Return the joint error of an estimate.

    Parameters
    ----------
    values, true : array_like, shape (p,)
        Estimates and true values.
    covariance : array_like, shape (p, p)
        Covariance of the estimates.
    seen : array_like of bool, shape (p,), optional
        Which of them are identified; of the others nothing is known but the description, whose
        errors are no matter of chance. All by default.
    """
    error = np.asarray(values, dtype=float) - np.asarray(true, dtype=float)
    covariance = np.asarray(covariance, dtype=float)
    kept = np.ones(len(error), dtype=bool) if seen is None else np.asarray(seen, dtype=bool)
    kept &= np.isfinite(np.diag(covariance))
    left_out = int(np.sum(~kept))
    error, covariance = error[kept], covariance[np.ix_(kept, kept)]
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    value = float(error / scale @ np.linalg.solve(correlation, error / scale))
    count = len(error)
    shares = (0.025, 0.975) if count else (0.0, 0.0)
    bounds = tuple(2.0 * float(gammaincinv(max(0.5 * count, 0.5), share)) for share in shares)
    return JointError(value, count, bounds, left_out)


def error_values(
    values: ArrayLike,
    covariance: ArrayLike,
    true: ArrayLike,
    seen: ArrayLike | None = None,
) -> dict[str, object]:
    """Return the errors of an estimate as plain values, for JSON.

    Parameters
    ----------
    values, true : array_like, shape (p,)
        Estimates and true values.
    covariance : array_like, shape (p, p)
        Covariance of the estimates.
    seen : array_like of bool, shape (p,), optional
        Which of them are identified, which the joint error is of; all by default.
    """
    covariance = np.asarray(covariance, dtype=float)
    errors = estimate_errors(values, np.sqrt(np.diag(covariance)), true)
    joint = joint_error(values, covariance, true, seen)
    return {
        'median_relative_error': errors.median,
        'max_relative_error': errors.largest,
        'coverage_95': errors.coverage,
        'normalised_squared_error': joint.value,
        'normalised_squared_error_bounds': list(joint.bounds),
        'normalised_squared_error_of': joint.count,
    }
