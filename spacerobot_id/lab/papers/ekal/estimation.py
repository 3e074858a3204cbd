"""Estimates of the flights of [Ekal 2019] section 6 by all methods, and their errors (Eq. 24)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.solution import solution
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.lab.papers.ekal.study import EkalCase
from spacerobot_id.measurement import Record
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.harmonic_least_squares import (
    harmonic_least_squares,
    HARMONICS,
    periodic_samples,
    recursive_harmonic_least_squares,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.simulation import FreeFlyerFlight

METHODS = ('least squares', 'recursive', 'likelihood')
"""The paper's method, the same per cycle, and ours."""

QUANTITIES = ('mass', 'offset', 'inertia')
"""What errors are of: mass, centre-of-mass offset, inertia elements."""

FIRST_CYCLE = 2
"""The first cycle that least squares is given: the one before it is disturbed by transients."""


@dataclass(frozen=True, eq=False)
class FlightEstimates:
    """Estimates of one flight by all methods.

    Parameters
    ----------
    values : ndarray, shape (methods, 10)
        Estimates; NaN where a method was not asked.
    harmonics : int
        Number of harmonics chosen.
    residuals : ndarray, shape (H,)
        Norm of the residual for each of the ``HARMONICS``.
    by_harmonics : ndarray, shape (H, 10)
        Least squares for each of them.
    std : ndarray, shape (10,)
        Standard deviations of the likelihood.
    """

    values: NDArray[np.float64]
    harmonics: int
    residuals: NDArray[np.float64]
    by_harmonics: NDArray[np.float64]
    std: NDArray[np.float64]


def estimate_flight(record: Record, period: float, robot: RobotModel) -> FlightEstimates:
    """Return the estimates of all methods from one record."""
    spacing = float(np.median(np.diff(record.times)))
    cycles = periodic_samples(record, period, round(period / spacing), FIRST_CYCLE - 1)
    batch = harmonic_least_squares(cycles)
    recursive = recursive_harmonic_least_squares(cycles)[-1]
    values, std = np.full((3, 10), np.nan), np.full(10, np.nan)
    values[0], values[1] = batch.values, recursive.values
    method = FreeFlyer(robot)
    with suppress(EstimationError):  # counted by who reads it
        found = solution(method, record, method.prior().mean)
        values[2], std = found.values, np.sqrt(np.diag(found.information.covariance()))
    by_harmonics = np.array([harmonic_least_squares(cycles, [n]).values for n in HARMONICS])
    return FlightEstimates(values, batch.harmonics, batch.residuals, by_harmonics, std)


@dataclass(frozen=True, eq=False)
class EkalResult:
    """Errors of the estimates of F flights; quantities are those of ``QUANTITIES``.

    Parameters
    ----------
    case : EkalCase
        How they were flown.
    absolute : ndarray, shape (methods, F, 3)
        Errors: kg, m, kg m^2 (Eq. 24); NaN where a method was not asked.
    relative : ndarray, shape (methods, F, 3)
        The same as shares of the true norms, %.
    saturated : ndarray, shape (F,)
        Share of the time in which a propeller was at its limit.
    asked : ndarray, shape (F,)
        Largest thrust that was asked for, as a share of the limit; one where it was cut.
    harmonics : ndarray, shape (F,)
        Numbers of harmonics chosen.
    residuals : ndarray, shape (F, H)
        Norm of the residual for each of the ``HARMONICS``.
    by_harmonics : ndarray, shape (F, H, 3)
        Relative errors of least squares for each of them, %.
    deviations : ndarray, shape (F, 10)
        Errors of the likelihood's parameters in units of their standard deviations.
    """

    case: EkalCase
    absolute: NDArray[np.float64]
    relative: NDArray[np.float64]
    saturated: NDArray[np.float64]
    asked: NDArray[np.float64]
    harmonics: NDArray[np.intp]
    residuals: NDArray[np.float64]
    by_harmonics: NDArray[np.float64]
    deviations: NDArray[np.float64]

    @property
    def best_harmonics(self) -> NDArray[np.intp]:
        """The numbers of harmonics of the least errors, ``n_min``, shape (F, 3)."""
        return np.array(HARMONICS)[np.argmin(self.by_harmonics, axis=1)]

    def medians(self, method: str) -> NDArray[np.float64]:
        """Return the median relative errors of a method, shape (3,), %."""
        return np.nanmedian(self.relative[METHODS.index(method)], axis=0)


def collect(
    case: EkalCase,
    robot: RobotModel,
    loads: Sequence[InertialParameters],
    flight: FreeFlyerFlight,
    estimates: Sequence[FlightEstimates],
) -> EkalResult:
    """Return the errors of the estimates of all flights of a case."""
    truth = np.tile([load.vector for load in loads], (len(estimates) // len(loads), 1))
    values = np.stack([each.values for each in estimates], axis=1)
    by_harmonics = np.stack([each.by_harmonics for each in estimates], axis=1)
    std = np.stack([each.std for each in estimates])
    sizes = _sizes(_quantities(truth))
    absolute = _errors(values, truth)
    return EkalResult(
        case,
        absolute,
        100.0 * absolute / sizes,
        flight.saturated_share,
        thrust_shares(robot, flight),
        np.array([each.harmonics for each in estimates]),
        np.stack([each.residuals for each in estimates]),
        np.moveaxis(100.0 * _errors(by_harmonics, truth) / sizes, 0, 1),
        (values[2] - truth) / std,
    )


def thrust_shares(robot: RobotModel, flight: FreeFlyerFlight) -> NDArray[np.float64]:
    """Return the largest thrust of each flight as a share of the limit, shape (F,)."""
    propellers = robot.actuators.propellers
    thrusts = np.abs(flight.wrenches @ propellers.allocation.T)
    return thrusts.max(axis=(1, 2)) / propellers.max_thrust


def _errors(values: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the errors of mass, offset and inertia elements (Eq. 24), shape (..., 3)."""
    found, true = _quantities(values), _quantities(truth)
    return _sizes([f - t for f, t in zip(found, true, strict=True)])


def _sizes(quantities: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the norms of mass, offset and inertia elements, shape (..., 3)."""
    return np.stack([np.linalg.norm(each, axis=-1) for each in quantities], axis=-1)


def _quantities(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return mass, offset and the six inertia elements about the base's origin."""
    mass = values[..., 6:7]
    return mass, values[..., 7:] / mass, values[..., :6]
