"""An estimate with its uncertainty, and with what is not identified."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from spacerobot_id.methods.method import Method
from spacerobot_id.methods.solution import Prior
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_SHRUNK = 0.5
"""Share of the prior standard deviation below which a parameter counts as identified."""

_KNOWN_SCALE = 0.1
"""Relative standard deviation of the total mass up to which a prior makes it known."""


@dataclass(frozen=True)
class OtherUnknown:
    """An unknown beside the parameters, such as a bias.

    Parameters
    ----------
    name, unit : str
        Name and unit.
    value, std : float
        Estimate and standard deviation.
    prior_std : float
        Standard deviation before the data.
    """

    name: str
    unit: str
    value: float
    std: float
    prior_std: float

    @property
    def is_identified(self) -> bool:
        """Whether the data at least halved its standard deviation."""
        return bool(self.std < _SHRUNK * self.prior_std)


@dataclass(frozen=True, eq=False)
class MassRatios:
    """Parameters over the total mass: what data show that leave the scale of all open.

    Parameters
    ----------
    values, std : ndarray, shape (p,)
        Ratios and their standard deviations, in the parameters' units over kg.
    prior_std : ndarray, shape (p,)
        Standard deviations before the data.
    """

    values: NDArray[np.float64]
    std: NDArray[np.float64]
    prior_std: NDArray[np.float64]

    @staticmethod
    def is_identified(std: float, prior_std: float) -> bool:
        """Return whether the data at least halved a standard deviation."""
        return bool(std < _SHRUNK * prior_std)

    @staticmethod
    def units(units: tuple[str, ...]) -> tuple[str, ...]:
        """Return units over kg."""
        return tuple(unit.removeprefix('kg').strip() or '1' for unit in units)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Minimal parameters, their covariance, and what stands behind them.

    Parameters
    ----------
    names, units : tuple of str
        Names and units of the p minimal parameters.
    values : ndarray, shape (p,)
        Estimates.
    covariance : ndarray, shape (p, p)
        Covariance.
    prior_std : ndarray, shape (p,)
        Standard deviations before the data.
    rank : int
        Number of combinations of parameters that the data determine better than the prior.
    condition : float
        Condition number of the momentum regressor at the measured rates; infinite without data.
    samples : int
        Number of samples used.
    chi_square : float
        Sum of squares per degree of freedom; near one where the stated noise is true.
    others : tuple of OtherUnknown
        What was estimated beside the parameters.
    ratios : MassRatios, optional
        Parameters over the total mass where the data leave that open: then no parameter is
        identified whose standard deviation is the prior's of the scale.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    prior_std: NDArray[np.float64]
    rank: int
    condition: float
    samples: int
    chi_square: float
    others: tuple[OtherUnknown, ...] = ()
    ratios: MassRatios | None = None

    @property
    def _scale(self) -> float:
        """Total mass that the ratios are to, kg."""
        largest = int(np.argmax(np.abs(self.ratios.values)))
        return float(self.values[largest] / self.ratios.values[largest])

    @property
    def std(self) -> NDArray[np.float64]:
        """Standard deviations, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))

    def relative_std(self) -> NDArray[np.float64]:
        """Return standard deviations as shares of the estimates, shape (p,)."""
        return self.std / np.maximum(np.abs(self.values), np.finfo(float).tiny)

    def condition_number(self) -> float:
        """Return the condition number of the regressor behind the estimate."""
        return self.condition

    def residual(self) -> float:
        """Return the sum of squares per degree of freedom."""
        return self.chi_square

    def not_identified(self) -> tuple[str, ...]:
        """Return the parameters whose standard deviation the data did not at least halve.

        Where the scale of all is open, also those that are uncertain by mostly that.
        """
        unseen = ~(self.std < _SHRUNK * self.prior_std)
        if self.ratios is not None:
            unseen |= self.std**2 > 2.0 * (self.ratios.std * self._scale) ** 2
        return tuple(name for name, flag in zip(self.names, unseen, strict=True) if flag)


def estimate_from_information(
    method: Method,
    information: SquareRootInformation,
    prior: Prior,
    gram: NDArray[np.float64],
    samples: int,
    condition: float | None = None,
    noise: float = 1.0,
) -> Estimate:
    """Return the estimate that information holds.

    Where the residual shows more noise than is stated, the covariance is that of the noise shown;
    where none is stated, the residual is the noise. Before there are as many rows as unknowns,
    the estimate is the prior.

    Parameters
    ----------
    method : Method
        Robot and unknowns.
    information : SquareRootInformation
        Prior and data.
    prior : Prior
        Prior alone.
    gram : ndarray, shape (p, p)
        ``G^T G`` of the rows that judge excitation.
    samples : int
        Number of samples in it.
    condition : float, optional
        Condition number where it is not that of ``gram``.
    noise : float
        Variance of the noise that is known to be there, where 1 is stated.
    """
    unknowns, p = method.unknowns, method.unknowns.parameters
    description = prior.linearised(prior.mean)
    whole = description.covariance()
    prior_std, before = np.sqrt(np.diag(whole)), whole[:p, :p]
    if not method.has_stated_noise:
        information = information.with_unit_residual()
    freedom = information.rows - len(unknowns)
    chi_square = information.residual / freedom if freedom > 0 else np.nan
    if method.is_for_comparison and information.rows < len(unknowns):
        information = description
    values, covariance = information.values(), _covariance(method, information, description, noise)
    std = np.sqrt(np.diag(covariance))
    found = unknowns.names, unknowns.units, values, std, prior_std
    after = _Gaussian(values[:p], covariance[:p, :p])
    ratios = _open_ratios(list(method.masses), after, _Gaussian(description.values()[:p], before))
    return Estimate(
        names=unknowns.names[:p],
        units=unknowns.units[:p],
        values=values[:p],
        covariance=covariance[:p, :p],
        prior_std=prior_std[:p],
        rank=shrunk_combinations(covariance[:p, :p], before),
        condition=regressor_condition(gram) if condition is None else condition,
        samples=samples,
        chi_square=chi_square,
        others=tuple(
            OtherUnknown(name, unit, float(value), float(std), float(prior))
            for name, unit, value, std, prior in list(zip(*found, strict=True))[p:]
        ),
        ratios=ratios,
    )


@dataclass(frozen=True, eq=False)
class _Gaussian:
    """Mean and covariance of the parameters."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    def relative_std(self, masses: list[int]) -> float:
        """Return the standard deviation of the total mass as a share of it."""
        of_mass = self.covariance[np.ix_(masses, masses)].sum()
        return float(np.sqrt(of_mass) / np.abs(self.mean[masses].sum()))

    def ratios(self, masses: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the parameters over the total mass and their standard deviations."""
        mass = self.mean[masses].sum()
        ratios = self.mean / mass
        slope = np.eye(len(ratios)) / mass
        slope[:, masses] -= ratios[:, None] / mass
        variances = np.einsum('ij,jk,ik->i', slope, self.covariance, slope)
        return ratios, np.sqrt(np.maximum(variances, 0.0))


def _open_ratios(masses: list[int], after: _Gaussian, before: _Gaussian) -> MassRatios | None:
    """Return the ratios to the total mass if neither data nor prior determine that mass."""
    finite = all(np.isfinite(each.covariance).all() for each in (after, before))
    if not masses or not finite or not after.mean[masses].sum() > 0.0:
        return None
    prior = before.relative_std(masses)
    if not _KNOWN_SCALE < prior <= after.relative_std(masses) / _SHRUNK:
        return None
    return MassRatios(*after.ratios(masses), before.ratios(masses)[1])


def _covariance(
    method: Method,
    information: SquareRootInformation,
    prior: SquareRootInformation,
    noise: float,
) -> NDArray[np.float64]:
    """Return the covariance, with as much noise as the residual shows."""
    variance = max(information.noise_variance(), noise if method.has_stated_noise else 1.0)
    if variance > 1.0:
        sure = None if method.is_for_comparison or method.solves_at_once else prior
        information = information.with_noise(variance, sure)
    return information.covariance()


def shrunk_combinations(covariance: NDArray[np.float64], before: NDArray[np.float64]) -> int:
    """Return in how many directions a covariance is smaller than before."""
    if not np.isfinite(covariance).all():
        return 0
    return int(np.sum(eigh(covariance, before, eigvals_only=True) < _SHRUNK**2))


def regressor_condition(gram: NDArray[np.float64]) -> float:
    """Return the condition number of a regressor of given ``G^T G``; infinite if singular."""
    eigenvalues = np.linalg.eigvalsh(gram)
    smallest, largest = eigenvalues[0], eigenvalues[-1]
    if smallest <= np.finfo(float).eps * largest:
        return np.inf
    return float(np.sqrt(largest / smallest))
