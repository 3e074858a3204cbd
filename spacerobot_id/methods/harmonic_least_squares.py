"""The method of [Ekal 2019]: average, filter, Fourier fit, least squares (sections 5.1 to 5.4).

The measured poses are averaged over the cycles, fitted by a finite Fourier series, differentiated
analytically, and put into the Newton-Euler regressor. The number of harmonics is the one with the
least residual. It needs a periodic motion, and takes the regressor for free of noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.kinematics import angles_from_quaternion, pose_motion
from spacerobot_id.measurement import average_over_cycles, fit_fourier_series, Record
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.solution import Solution
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import newton_euler_regressor
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

HARMONICS = tuple(range(3, 11))
"""Numbers of harmonics that [Ekal 2019] tries."""


@dataclass(frozen=True, eq=False)
class PeriodicSamples:
    """Poses and wrenches of whole cycles on a regular grid.

    Parameters
    ----------
    period : float
        Period, s.
    coordinates : ndarray, shape (C, M, 6)
        The six pose coordinates at M equally spaced times of C cycles: m and rad.
    wrenches : ndarray, shape (C, M, 6)
        Mean wrench from each of these times to the next, N and N m.
    """

    period: float
    coordinates: NDArray[np.float64]
    wrenches: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HarmonicEstimate:
    """Parameters of the body and what stands behind them.

    Parameters
    ----------
    values : ndarray, shape (10,)
        Estimates, in the library's order.
    covariance : ndarray, shape (10, 10)
        Covariance as the residual shows it, the regressor taken for free of noise; it is not.
    harmonics : int
        Number of harmonics chosen, ``n_filt``.
    residuals : ndarray, shape (H,)
        Norm of the residual for every number of harmonics tried (Eq. 23).
    condition : float
        Condition number of the regressor.
    """

    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    harmonics: int
    residuals: NDArray[np.float64]
    condition: float


def periodic_samples(
    record: Record, period: float, samples: int, skipped: int = 1
) -> PeriodicSamples:
    """Return whole cycles of a record on a regular grid, the first ones left out.

    Parameters
    ----------
    record : Record
        Flight that begins where a cycle does.
    period : float
        Period, s.
    samples : int
        Samples of one cycle; poses between those measured are interpolated.
    skipped : int
        Cycles at the start that are disturbed by transients.

    Raises
    ------
    EstimationError
        If no whole cycle is left.
    """
    start, step = record.times[0], period / samples
    spacing = float(np.median(np.diff(record.times))) if len(record) > 1 else 0.0
    cycles = int((record.times[-1] - start + 1.5 * max(spacing, step)) / period) - skipped
    if cycles < 1:
        raise EstimationError(
            f'no cycle of {period:g} s is left after the first {skipped}: the record is '
            f'{record.times[-1] - start:.1f} s long'
        )
    grid = start + skipped * period + step * np.arange(cycles * samples)
    angles = angles_from_quaternion(record.attitude)
    measured = np.hstack([record.position, angles])
    coordinates = np.stack([np.interp(grid, record.times, each) for each in measured.T], axis=1)
    shape = (cycles, samples, 6)
    return PeriodicSamples(
        period, coordinates.reshape(shape), _mean_wrenches(record, grid, step).reshape(shape)
    )


def harmonic_least_squares(
    cycles: PeriodicSamples, tried: Sequence[int] = HARMONICS
) -> HarmonicEstimate:
    """Return the estimate from all cycles at once.

    Parameters
    ----------
    cycles : PeriodicSamples
        Cycles.
    tried : sequence of int
        Numbers of harmonics to choose from.

    Raises
    ------
    EstimationError
        If the motion does not show all ten parameters.
    """
    coordinates = average_over_cycles(cycles.coordinates.reshape(-1, 6), len(cycles.coordinates))
    wrench = average_over_cycles(cycles.wrenches.reshape(-1, 6), len(cycles.wrenches)).ravel()
    matrices = [_regressor(coordinates, cycles.period, number) for number in tried]
    fits = [SquareRootInformation.nothing(10).absorb(matrix, wrench) for matrix in matrices]
    residuals = np.sqrt([fit.residual for fit in fits])
    best = int(np.argmin(residuals))
    return _estimate(fits[best], tried[best], residuals, matrices[best])


def recursive_harmonic_least_squares(
    cycles: PeriodicSamples,
    tried: Sequence[int] = HARMONICS,
    prior: SquareRootInformation | None = None,
) -> list[HarmonicEstimate]:
    """Return the estimate after every cycle, each absorbed as it ends ([Ekal 2019] section 7).

    Every cycle is fitted and differentiated by itself, its rows are absorbed by recursive least
    squares, and the samples can be forgotten. As the noise of one cycle is not averaged with that
    of the others before it goes into the regressor, the bias is larger than that of the batch.

    Parameters
    ----------
    cycles : PeriodicSamples
        Cycles.
    tried : sequence of int
        Numbers of harmonics to choose from, for every cycle on its own.
    prior : SquareRootInformation, optional
        What is known before; nothing if None.

    Raises
    ------
    EstimationError
        If the first cycle, and the prior, do not show all ten parameters.
    """
    known, estimates = prior or SquareRootInformation.nothing(10), []
    for coordinates, wrenches in zip(cycles.coordinates, cycles.wrenches, strict=True):
        wrench = wrenches.ravel()
        matrices = [_regressor(coordinates, cycles.period, number) for number in tried]
        alone = [SquareRootInformation.nothing(10).absorb(each, wrench) for each in matrices]
        residuals = np.sqrt([fit.residual for fit in alone])
        best = int(np.argmin(residuals))
        known = known.absorb(matrices[best], wrench)
        estimates.append(_estimate(known, tried[best], residuals, matrices[best]))
    return estimates


def with_enough_harmonics(
    estimate: Callable[[PeriodicSamples, Sequence[int]], HarmonicEstimate], cycles: PeriodicSamples
) -> HarmonicEstimate:
    """Return the estimate with twice as many harmonics tried while the most of them are chosen.

    Parameters
    ----------
    estimate : callable
        Gives the estimate from cycles and the numbers of harmonics to choose from.
    cycles : PeriodicSamples
        Cycles, of which samples bound the harmonics.
    """
    bound, tried = (cycles.coordinates.shape[1] - 1) // 2, HARMONICS
    found = estimate(cycles, tried)
    while found.harmonics == tried[-1] < bound:
        tried = tuple(range(tried[0], min(2 * tried[-1], bound) + 1))
        found = estimate(cycles, tried)
    return found


def _regressor(
    coordinates: NDArray[np.float64], period: float, harmonics: int
) -> NDArray[np.float64]:
    """Return W of one cycle, shape (6 M, 10), in the middle between the samples.

    A wrench that is held from one sample to the next stands for the time half-way.
    """
    series = fit_fourier_series(coordinates, period, harmonics)
    times = (np.arange(len(coordinates)) + 0.5) * period / len(coordinates)
    motion = pose_motion(*series.at(times))
    return newton_euler_regressor(motion).reshape(-1, 10)


def _mean_wrenches(record: Record, grid: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return the mean wrench from each time of a grid to the next, shape (N, 6)."""
    begins, held = record.wrench.times, record.wrench.values
    lengths = np.diff(begins, append=max(begins[-1], grid[-1]) + step)
    impulse = np.vstack([np.zeros(6), np.cumsum(held * lengths[:, None], axis=0)])
    ends = np.append(begins, begins[-1] + lengths[-1])
    given = [
        np.stack([np.interp(times, ends, each) for each in impulse.T], axis=1)
        for times in (grid, grid + step)
    ]
    return (given[1] - given[0]) / step


def _estimate(
    fit: SquareRootInformation,
    harmonics: int,
    residuals: NDArray[np.float64],
    matrix: NDArray[np.float64],
) -> HarmonicEstimate:
    """Return the solution of a fit."""
    if fit.rank() < 10:
        raise EstimationError('the motion does not show all ten parameters of the body')
    scaled = fit.with_unit_residual()
    condition = float(np.linalg.cond(matrix))
    return HarmonicEstimate(fit.values(), scaled.covariance(), harmonics, residuals, condition)


@dataclass(frozen=True, eq=False)
class HarmonicLeastSquares(FreeFlyer):
    """Averaged cycles of a periodic motion, all at once; the first cycle is left out.

    Parameters
    ----------
    period : float
        Period of the motion, s.
    """

    name: ClassVar[str] = 'harmonic_least_squares'
    summary: ClassVar[str] = 'one body from averaged cycles of a periodic motion, to compare'
    takes: ClassVar[frozenset[str]] = frozenset({'period'})
    is_for_comparison: ClassVar[bool] = True
    fits_several_flights: ClassVar[bool] = False

    period: float = 0.0

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot whose motion has a period."""
        if not settings.period > 0.0:
            raise ConfigurationError(f'period: {cls.name} needs the period of the motion')
        return cls(model, period=settings.period)

    def solution(self, record: Record, start: NDArray[np.float64]) -> Solution:
        """Return the estimate from whole cycles."""
        spacing = float(np.median(np.diff(record.times))) if len(record) > 1 else self.period
        samples = max(1, round(self.period / spacing))
        found = self._estimate(periodic_samples(record, self.period, samples))
        information = SquareRootInformation.from_prior(found.values, found.covariance)
        information = replace(information, rows=len(found.values))
        return Solution(found.values, information, condition=found.condition)

    def _estimate(self, cycles: PeriodicSamples) -> HarmonicEstimate:
        return with_enough_harmonics(harmonic_least_squares, cycles)


@dataclass(frozen=True, eq=False)
class RecursiveHarmonicLeastSquares(HarmonicLeastSquares):
    """The same, cycle by cycle ([Ekal 2019] section 7)."""

    name: ClassVar[str] = 'recursive_harmonic_least_squares'
    summary: ClassVar[str] = 'one body from cycles of a periodic motion, one by one, to compare'

    def _estimate(self, cycles: PeriodicSamples) -> HarmonicEstimate:
        return with_enough_harmonics(
            lambda each, tried: recursive_harmonic_least_squares(each, tried)[-1], cycles
        )
