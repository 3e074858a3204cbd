"""Maximum likelihood over the trajectory of a free-flyer: shooting with the wrenches as given.

The equations of motion are integrated under the wrenches that acted, limits and all, and the
measured poses are fitted: the unknowns are the ten parameters and the state at the start. Nothing
is differentiated, no period is needed, and the noise sits where it is, in the poses, not in the
regressor, where [Ekal 2019] has it.

A long integration is informative, and far from linear: errors grow, in some rotations as an
exponential. So the flight is cut into short segments; first each has a state of its own, then the
gaps between them are closed as far as the data agree with that. The iteration goes over bodies
that can exist.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.shooting.multiple_shooting import Shooting, ShootingFit
from spacerobot_id.methods.shooting.rigid_body_states import first_states
from spacerobot_id.methods.shooting.shooting_residuals import flight_arrays, shoot
from spacerobot_id.model import bodies_from_log_cholesky
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_FEWEST_POSES = 20
"""Poses below which nothing is fitted."""

_ROUGHLY = 0.5
"""Tolerance, in standard deviations, for gaps that are going to be closed further."""

_WIDE = np.array([0.03, 0.03])
"""Walks that gaps begin with: m/s and rad/s per root second."""

_WIDTHS = (1.0, 1e-1, 1e-2, 1e-3)
"""Widths of the gaps, as shares of those, on the way to closed ones."""

_WIDENINGS = (1.0, 10.0, 100.0, 1000.0)
"""Factors by which walks are taken larger than they were said to be."""

_SHRUNK = 0.5
"""Share of the prior's standard deviation below which every combination counts as seen."""

_PINNED = 1e8
"""Information that keeps the numbers of a given body where they are."""

_SLOPE = 1e-6
"""Step of the central differences of the parameters by their log-Cholesky numbers."""


@dataclass(frozen=True)
class LikelihoodSettings:
    """How the fit is done.

    Parameters
    ----------
    position_std, attitude_std : float
        Noise of the measured positions (m) and attitudes (rad), white, on each axis.
    prior_std : float
        How far off the parameters to start from may be, in units of their log-Cholesky numbers:
        for one, masses by a factor of seven, and the centre of mass by a radius of gyration.
    segment : float
        Length of the segments, s.
    velocity_walk, rate_walk : float
        Random walk of velocity (m/s per root second) and angular velocity (rad/s per root second)
        that disturbances make; nothing but the wrenches moves the body if zero.
    disagreement : float
        Rise of the sum of squares per degree of freedom, as a share, that closing the gaps may
        cost: where it costs more, the walks are taken ten times larger.
    longest_step : float
        Longest step of integration, s.
    iterations : int
        Most Gauss-Newton steps for gaps of one size.
    tolerance : float
        Root mean square of a step, in standard deviations, that ends the iteration.
    """

    position_std: float
    attitude_std: float
    prior_std: float = 2.0
    segment: float = 1.0
    velocity_walk: float = 0.0
    rate_walk: float = 0.0
    disagreement: float = 0.1
    longest_step: float = 0.05
    iterations: int = 20
    tolerance: float = 0.02


@dataclass(frozen=True, eq=False)
class TrajectoryEstimate:
    """Parameters of the body and what stands behind them.

    Parameters
    ----------
    values : ndarray, shape (10,)
        Estimates, in the library's order.
    covariance : ndarray, shape (10, 10)
        Covariance, the unknown states integrated out.
    chi_square : float
        Sum of squares per degree of freedom; near one where the stated noise is true.
    velocity_walk, rate_walk : float
        Disturbances that the data were found to have: m/s and rad/s per root second; infinite
        where the gaps between the segments were left open.
    iterations : int
        Gauss-Newton steps in all.
    condition : float
        Condition number of what poses and prior say of the log-Cholesky numbers.
    freedom : int
        Rows less unknowns.
    """

    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    chi_square: float
    velocity_walk: float
    rate_walk: float
    iterations: int
    condition: float
    freedom: int

    @property
    def std(self) -> NDArray[np.float64]:
        """Standard deviations, shape (10,)."""
        return np.sqrt(np.diag(self.covariance))


def trajectory_likelihood(
    record: Record,
    start: ArrayLike,
    settings: LikelihoodSettings,
    prior: SquareRootInformation | None = None,
) -> TrajectoryEstimate:
    """Return the most likely parameters of a body, given its flight.

    Parameters
    ----------
    record : Record
        Poses and wrenches.
    start : array_like, shape (10,)
        Parameters to start from: those of the robot without its load will do.
    settings : LikelihoodSettings
        How the fit is done.
    prior : SquareRootInformation, optional
        What is known of the log-Cholesky numbers about the start; as the settings say by default.

    Raises
    ------
    EstimationError
        If the record is too short or shows less than the ten parameters, or no body can have the
        parameters to start from.
    """
    fitted = _fitted(record, np.asarray(start, dtype=float), settings, prior)
    return _estimate(
        fitted.problem.reference, fitted.fit, settings, fitted.walks, fitted.iterations
    )


@dataclass(frozen=True, eq=False)
class FlightResiduals:
    """Measured less predicted poses of a given body.

    Parameters
    ----------
    residuals : ndarray, shape (N, 6)
        Position and rotation vector, in standard deviations.
    fitted : int
        Degrees of freedom of the states that were fitted to them.
    """

    residuals: NDArray[np.float64]
    fitted: int


def flight_residuals(
    record: Record, body: ArrayLike, settings: LikelihoodSettings
) -> FlightResiduals:
    """Return what a given body leaves over of a flight, its states fitted.

    Parameters
    ----------
    record : Record
        Poses and wrenches.
    body : array_like, shape (10,)
        Parameters.
    settings : LikelihoodSettings
        How the fit is done.

    Raises
    ------
    EstimationError
        If the record is too short, or no body can have the parameters.
    """
    pinned = SquareRootInformation(_PINNED * np.eye(10), np.zeros(10))
    fitted = _fitted(record, np.asarray(body, dtype=float), settings, pinned)
    bodies = bodies_from_log_cholesky(fitted.problem.reference, fitted.fit.numbers[None])
    shots = shoot(fitted.problem.flight, fitted.problem.edges, bodies, fitted.fit.states[:, None])
    free = 6 * len(record) - fitted.fit.freedom - 10
    return FlightResiduals(shots.residuals[0], free)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Where the iteration ended, of which problem, with which disturbances."""

    problem: Shooting
    fit: ShootingFit
    walks: NDArray[np.float64]
    iterations: int


def _fitted(
    record: Record,
    start: NDArray[np.float64],
    settings: LikelihoodSettings,
    prior: SquareRootInformation | None,
) -> _Fitted:
    """Return the fit with gaps closed as far as the data agree with that."""
    problem = _problem(record, start, settings, prior)
    states = first_states(record, problem.edges, window=settings.segment)
    open_fit = problem.fit(np.zeros(10), states, settings.iterations, _ROUGHLY)
    iterations = open_fit.iterations
    for widening in _WIDENINGS:
        walks = widening * _walks(settings)
        fit = _close(problem, open_fit, walks, settings)
        iterations += fit.iterations
        if _agree(open_fit, fit, settings.disagreement):
            return _Fitted(problem, fit, walks, iterations)
    fit = problem.fit(open_fit.numbers, open_fit.states, settings.iterations, settings.tolerance)
    return _Fitted(problem, fit, np.full(2, np.inf), iterations)


def _close(
    problem: Shooting, begin: ShootingFit, walks: NDArray[np.float64], settings: LikelihoodSettings
) -> ShootingFit:
    """Return the fit with gaps as walks make them, closed in steps from wide to narrow."""
    narrow, fit, iterations = _gap_std(walks, settings), begin, 0
    for width in _WIDTHS:
        gap_std = np.maximum(narrow, width * _gap_std(_WIDE, settings))
        is_last = bool((gap_std <= narrow).all()) or width == _WIDTHS[-1]
        tolerance = settings.tolerance if is_last else _ROUGHLY
        narrowed = replace(problem, gap_std=gap_std)
        fit = narrowed.fit(fit.numbers, fit.states, settings.iterations, tolerance)
        iterations += fit.iterations
        if is_last:
            break
    return replace(fit, iterations=iterations)


def _walks(settings: LikelihoodSettings) -> NDArray[np.float64]:
    """Return the walks of velocity and angular velocity, at least what rounding is."""
    return np.maximum([settings.velocity_walk, settings.rate_walk], _WIDTHS[-1] * _WIDE)


def _gap_std(walks: NDArray[np.float64], settings: LikelihoodSettings) -> NDArray[np.float64]:
    """Return how far walks carry a state away through a segment, shape (12,)."""
    velocity, rate = walks * np.sqrt(settings.segment)
    way = settings.segment / np.sqrt(3.0)
    return np.repeat([velocity * way, rate * way, velocity, rate], 3)


def _problem(
    record: Record,
    start: NDArray[np.float64],
    settings: LikelihoodSettings,
    prior: SquareRootInformation | None,
) -> Shooting:
    """Return the problem, once it is known to be one."""
    if len(record) < _FEWEST_POSES:
        raise EstimationError(f'{len(record)} poses are too few to fit a motion to')
    try:
        bodies_from_log_cholesky(start, np.zeros(10))
    except ValueError:
        raise EstimationError('the fit needs a body that can exist to start from') from None
    flight = flight_arrays(
        record, settings.longest_step, settings.position_std, settings.attitude_std
    )
    prior = prior or SquareRootInformation(np.eye(10) / settings.prior_std, np.zeros(10))
    length = min(settings.segment, record.times[-1] - record.times[0])
    return Shooting(flight, _edges(record, length), start, prior, np.full(12, np.inf))


def _edges(record: Record, length: float) -> NDArray[np.int64]:
    """Return where segments of about equal length begin, and the number of poses."""
    begin, end = record.times[0], record.times[-1]
    count = max(1, round((end - begin) / length))
    inner = np.searchsorted(record.times, np.linspace(begin, end, count + 1)[:-1])
    return np.append(np.unique(inner), len(record)).astype(np.int64)


def _agree(apart: ShootingFit, together: ShootingFit, disagreement: float) -> bool:
    """Return whether the data are fitted as well with gaps closed as with gaps open."""
    chance = 4.0 * np.sqrt(2.0 / max(apart.freedom, 1))
    return together.chi_square <= (1.0 + disagreement + chance) * apart.chi_square


def _estimate(
    reference: NDArray[np.float64],
    fit: ShootingFit,
    settings: LikelihoodSettings,
    walks: NDArray[np.float64],
    iterations: int,
) -> TrajectoryEstimate:
    """Return a fit in terms of the inertial parameters; raise if one was not seen."""
    largest = np.linalg.eigvalsh(fit.information.covariance())[-1]
    if not largest < (_SHRUNK * settings.prior_std) ** 2:
        raise EstimationError('the motion does not show all ten parameters of the body')
    ahead, behind = (
        bodies_from_log_cholesky(reference, fit.numbers + sign * _SLOPE * np.eye(10))
        for sign in (1.0, -1.0)
    )
    slope = ((ahead - behind) / (2.0 * _SLOPE)).T
    return TrajectoryEstimate(
        bodies_from_log_cholesky(reference, fit.numbers),
        slope @ fit.information.covariance() @ slope.T,
        fit.chi_square,
        float(walks[0]),
        float(walks[1]),
        iterations,
        float(np.linalg.cond(fit.information.factor)),
        fit.freedom,
    )
