"""Distributions of what is drawn, each by its quantiles, so that any design of samples serves.

With the mass all of a body grows in proportion; the centre of mass is shifted with the inertia
about it; the shape is that of its mass about its centre of mass by six of the log-Cholesky
parameters (Rucker and Wensing, 2022): any six numbers are a body that can exist if the described
one can. All in the axes of the description.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    Link,
    log_cholesky_from_body,
)

SHAPES = ('stretch_x', 'stretch_y', 'stretch_z', 'shear_xy', 'shear_xz', 'shear_yz')
"""Names of the numbers of a shape, all zero as described: logarithms of stretches, and shears."""

FIELDS = {'mass': 'kg', 'com.x': 'm', 'com.y': 'm', 'com.z': 'm'} | {
    f'shape.{name}': '1' for name in SHAPES
}
"""Units of what can be drawn of a body."""


def body_values(link: Link, nominal: Link) -> dict[str, float]:
    """Return what can be drawn of a link, as it is, its shape relative to another of its kind."""
    body, before = (_turned(each.inertial, each.R_UL) for each in (link, nominal))
    if not body.mass:
        return {'mass': 0.0}
    values = {'mass': body.mass} | dict(zip(('com.x', 'com.y', 'com.z'), body.com, strict=True))
    if nominal.inertial.is_physical() and link.inertial.is_physical():
        share = before.mass / body.mass
        same = InertialParameters.from_com(before.mass, before.com, share * body.inertia_about_com)
        numbers = log_cholesky_from_body(before.vector, same.vector)
        values |= {f'shape.{name}': float(numbers[k]) for k, name in enumerate(SHAPES)}
    return {key: float(value) for key, value in values.items()}


def link_with(link: Link, values: dict[str, float]) -> Link:
    """Return a link with some of its values changed, those of ``FIELDS``.

    Raises
    ------
    ValueError
        If no body can have them.
    """
    body = _turned(link.inertial, link.R_UL)
    mass = values.get('mass', body.mass)
    com = np.array([values.get(f'com.{axis}', body.com[k]) for k, axis in enumerate('xyz')])
    inertia = _shaped(body, values) * (mass / body.mass)
    made = InertialParameters.from_com(mass, com, inertia)
    if mass <= 0.0 or (link.inertial.is_physical() and not made.is_physical()):
        raise ValueError('; '.join(made.defects()))
    return replace(link, inertial=_turned(made, link.R_UL.T))


def _turned(body: InertialParameters, rotation: NDArray[np.float64]) -> InertialParameters:
    """Return a body in other axes of the same origin."""
    turned = rotation @ body.inertia @ rotation.T
    return InertialParameters(body.mass, rotation @ body.first_moment, turned)


def _shaped(body: InertialParameters, values: dict[str, float]) -> NDArray[np.float64]:
    """Return the inertia about the centre of mass with another shape, the mass the same."""
    numbers = np.array([values.get(f'shape.{name}', 0.0) for name in SHAPES] + [0.0] * 4)
    if not numbers.any():
        return body.inertia_about_com
    made = bodies_from_log_cholesky(body.vector, numbers)
    return InertialParameters.from_vector(made).inertia_about_com


@dataclass(frozen=True)
class Continuous:
    """A distribution with a density.

    Parameters
    ----------
    kind : str
        ``uniform`` (low, high), ``normal`` (mean, std), ``truncated_normal`` (mean, std, low,
        high) or ``lognormal`` (median, sigma).
    numbers : tuple of float
        Its parameters, in this order.
    """

    kind: str
    numbers: tuple[float, ...]

    def quantile(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers that lie at shares of the probability, shape (N,)."""
        return np.asarray(_law(self.kind, self.numbers).ppf(shares), dtype=float)

    def p_value(self, values: NDArray[np.float64]) -> float:
        """Return the p-value of Kolmogorov and Smirnov's test."""
        return float(stats.kstest(values, _law(self.kind, self.numbers).cdf).pvalue)

    def description(self) -> str:
        """Return a description of the distribution."""
        names = PARAMETERS[self.kind]
        parameters = ', '.join(
            f'{name} {value:.6g}' for name, value in zip(names, self.numbers, strict=True)
        )
        return f'{self.kind.replace("_", " ")} ({parameters})'


@dataclass(frozen=True)
class Choice:
    """One of some values.

    Parameters
    ----------
    values : tuple of float
        Values, all different.
    probabilities : tuple of float
        Their probabilities, which add up to one.
    """

    values: tuple[float, ...]
    probabilities: tuple[float, ...]

    def quantile(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values that lie at shares of the probability, shape (N,)."""
        edges = np.cumsum(self.probabilities)[:-1]
        return np.array(self.values)[np.searchsorted(edges, shares, side='right')]

    def p_value(self, values: NDArray[np.float64]) -> float:
        """Return the p-value of Pearson's chi-square test; 0 if a value is none of these."""
        nearest = np.abs(values[:, None] - np.array(self.values)).argmin(axis=1)
        away = np.abs(values - np.array(self.values)[nearest])
        if (away > 1e-6 * (1.0 + np.abs(self.values).max())).any():
            return 0.0
        counts = np.bincount(nearest, minlength=len(self.values))
        expected = len(values) * np.array(self.probabilities)
        possible = expected > 0.0
        if counts[~possible].any():
            return 0.0
        if possible.sum() < 2:
            return 1.0
        return float(stats.chisquare(counts[possible], expected[possible]).pvalue)

    def description(self) -> str:
        """Return a description of the distribution."""
        pairs = zip(self.values, self.probabilities, strict=True)
        return f'choice ({", ".join(f"{value:.6g}: {share:.3g}" for value, share in pairs)})'


Distribution = Continuous | Choice
"""Distribution of one number."""


def joint_normal_scores(
    matrix: Sequence[Sequence[float]], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return jointly normal numbers of mean zero.

    Parameters
    ----------
    matrix : sequence of k sequences of k floats
        Covariance, positive definite.
    shares : ndarray, shape (N, k)
        Shares of probability of k independent numbers.

    Returns
    -------
    ndarray, shape (N, k)
        Numbers.
    """
    return stats.norm.ppf(shares) @ np.linalg.cholesky(np.array(matrix)).T


_LAWS = {
    'uniform': (('low', 'high'), lambda low, high: stats.uniform(low, high - low)),
    'normal': (('mean', 'std'), stats.norm),
    'truncated_normal': (
        ('mean', 'std', 'low', 'high'),
        lambda mean, std, low, high: stats.truncnorm(
            (low - mean) / std, (high - mean) / std, loc=mean, scale=std
        ),
    ),
    'lognormal': (
        ('median', 'sigma'),
        lambda median, sigma: stats.lognorm(sigma, scale=median),
    ),
}
"""Parameters of the distributions with a density and what makes them, by kind."""

PARAMETERS = {kind: names for kind, (names, _) in _LAWS.items()}
"""Their parameters."""


@lru_cache(maxsize=1024)
def _law(kind: str, numbers: tuple[float, ...]) -> object:
    """Return scipy's distribution, which takes its time to make."""
    return _LAWS[kind][1](*numbers)
