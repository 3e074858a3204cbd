"""Momentum output error: the base twist that momentum conservation predicts, fitted to the data.

Noise sits in the measured rates, not in the wheels' momentum, so least squares on the regressor
is biased. Here the measured base twist is compared with the predicted one, every sample weighted
by the noise of base twist and joint rates: maximum likelihood to first order in the noise.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.output_error_rows import output_error_cost, output_error_rows
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.model.inertial_parameters import MASS

_CHUNK = 2000
"""Samples whose rows are in memory at a time."""

_LEAST_DAMPING, _MOST_DAMPING = 1e-6, 1e2

_MOST_GROWTH = 0.9
"""Most by which the inverse of the mass may shrink in a step, as a share of it."""

_SMALL = 0.1
"""Step, in standard deviations, that weights which are taken anew at each may cost."""


@dataclass(frozen=True, eq=False)
class OutputErrorFit:
    """Result of a fit.

    Parameters
    ----------
    values : ndarray, shape (p,)
        Minimal parameters that the information is linear about.
    information : SquareRootInformation
        Estimate and covariance.
    iterations : int
        Gauss-Newton steps taken.
    converged : bool
        Whether the last step was small against the standard deviations.
    cost : float
        Minus twice the logarithm of the posterior density at the values, but for a constant.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    iterations: int
    converged: bool
    cost: float


def momentum_output_error(
    problem: MomentumProblem,
    measurement: Measurement,
    start: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
    iterations: int = 20,
    tolerance: float = 1e-3,
    begun: SquareRootInformation | None = None,
) -> OutputErrorFit:
    """Fit minimal parameters by Gauss-Newton with step control.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        Samples.
    start : ndarray, shape (p,)
        Minimal parameters to start from: least squares, a prior, an earlier estimate.
    prior : Prior, optional
        What the description says; nothing by default.
    known : SquareRootInformation, optional
        What earlier samples say that are no longer there; nothing by default.
    iterations : int
        Most steps.
    tolerance : float
        Largest step, in standard deviations, that ends the fit.
    begun : SquareRootInformation, optional
        All information linear about the start, where it is there already.

    Returns
    -------
    OutputErrorFit
        Estimate, covariance, and whether it converged.
    """
    fit = _Fit(problem, measurement, prior, known)
    values = np.asarray(start, dtype=float)
    cost, damping = fit.cost(values), 0.0
    information = begun or fit.linearised(values)
    for iteration in range(iterations):
        size = information.deviations(information.values() - values)
        if size < tolerance:
            return OutputErrorFit(values, information, iteration, True, cost)
        step = fit.step(values, information, cost, damping)
        if step is None:
            return OutputErrorFit(values, information, iteration, size < _SMALL, cost)
        values, cost, damping = step.values, step.cost, step.damping
        information = fit.linearised(values)
    return OutputErrorFit(values, information, iterations, False, cost)


def posterior_cost(
    problem: MomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
) -> float:
    """Return minus twice the logarithm of the posterior density, but for a constant.

    Parameters
    ----------
    problem, measurement, prior, known
        As for ``momentum_output_error``.
    values : ndarray, shape (u,)
        Unknowns.
    """
    return _Fit(problem, measurement, prior, known).cost(values)


def known_information(
    values: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
) -> SquareRootInformation:
    """Return what is known without a measurement, linear about some values.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns to linearise about.
    prior, known
        As for ``momentum_output_error``.
    """
    information = known or SquareRootInformation.nothing(len(values))
    if prior is not None:
        linear = prior.linearised(values)
        information = information.absorb(linear.factor, linear.target)
        information = replace(information, residual=information.residual + linear.residual)
    return information


def absorb_output_error(
    problem: MomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    information: SquareRootInformation,
    before: float | None = None,
) -> SquareRootInformation:
    """Return information with a measurement's rows in it, linear about some values.

    Parameters
    ----------
    problem : MomentumProblem
        Robot, noise and unknowns.
    measurement : Measurement
        Samples in the order of time.
    values : ndarray, shape (u,)
        Unknowns to linearise about.
    information : SquareRootInformation
        What is known.
    before : float, optional
        Time of the last sample already in it, s; unknowns that walk do so from then on.
    """
    walk, duration = problem.unknowns.walk, problem.nuisance.walk_segment
    if not len(walk):
        return _absorb_rows(problem, measurement, values, information)
    segments = np.floor(measurement.times / duration)
    last = None if before is None else np.floor(before / duration)
    for segment in np.unique(segments):
        if last is not None and segment > last:
            information = information.walked(walk * np.sqrt((segment - last) * duration))
        part = measurement[segments == segment]
        information = _absorb_rows(problem, part, values, information)
        last = segment
    return information


def _absorb_rows(
    problem: MomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    information: SquareRootInformation,
) -> SquareRootInformation:
    """Return information with rows in it; those of what walks are linear about zero."""
    about = values.copy()
    about[problem.unknowns.constants :] = 0.0
    for chunk in _chunks(measurement):
        rows = output_error_rows(problem, chunk, about)
        information = information.absorb(rows.matrix, rows.right)
    return information


@dataclass(frozen=True, eq=False)
class _Fit:
    """What is fitted: data, prior, and earlier knowledge."""

    problem: MomentumProblem
    measurement: Measurement
    prior: Prior | None
    known: SquareRootInformation | None

    def linearised(self, values: NDArray[np.float64]) -> SquareRootInformation:
        """Return all information, linear about some values."""
        known = known_information(values, self.prior, self.known)
        return absorb_output_error(self.problem, self.measurement, values, known)

    def step(
        self,
        values: NDArray[np.float64],
        information: SquareRootInformation,
        cost: float,
        damping: float,
    ) -> '_Step | None':
        """Return a step that makes the fit better, or None.

        Damping is in units of the information on every parameter (Levenberg-Marquardt). A step
        of a small part of the standard deviation is taken in any case.
        """
        scale = np.diag(np.linalg.norm(information.factor, axis=0))
        while damping <= _MOST_DAMPING:
            damper = np.sqrt(damping) * scale
            moved = self.stepped(values, information.absorb(damper, damper @ values).values())
            reached = self.cost(moved)
            small = information.deviations(moved - values) < _SMALL
            if reached < cost or (small and np.isfinite(reached)):
                return _Step(moved, reached, damping / 10.0 if damping > _LEAST_DAMPING else 0.0)
            damping = max(10.0 * damping, _LEAST_DAMPING)
        return None

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a linear step leads when the mass's inverse takes it, and ratios to mass.

        The minimal parameters share the scale of the total mass, which early data know far worse
        than their ratios to it. What the wheels' momentum does is in proportion to its inverse,
        so the prediction is nearly linear in that and in the ratios. A straight step would leave
        the ratios behind where the mass moves far, and could make it negative.
        """
        count = len(self.problem.minimal)
        share = min(linear[MASS] / values[MASS] - 1.0, _MOST_GROWTH)
        moved = linear.copy()
        moved[:count] = (linear[:count] - share * values[:count]) / (1.0 - share)
        return moved

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return minus twice the logarithm of the posterior density, but for a constant.

        Infinite where nothing can be predicted.
        With unknowns that walk it is the least over their course, to first order.
        """
        if not values[MASS] > 0.0:
            return np.inf
        total = 0.0 if self.prior is None else self.prior.cost(values)
        if self.known is not None:
            total += self.known.cost(values)
        if not np.isfinite(total):
            return np.inf
        if len(self.problem.unknowns.walk):
            constants = values[: self.problem.unknowns.constants]
            return self.linearised(values).least_cost(constants)
        try:
            return total + sum(
                output_error_cost(self.problem, chunk, values)
                for chunk in _chunks(self.measurement)
            )
        except np.linalg.LinAlgError:  # a robot that does not resist motion predicts none
            return np.inf


@dataclass(frozen=True, eq=False)
class _Step:
    """Values after a step, their cost, and the damping to try next."""

    values: NDArray[np.float64]
    cost: float
    damping: float


def _chunks(measurement: Measurement) -> Iterator[Measurement]:
    """Yield a measurement in parts that fit the memory."""
    for begin in range(0, len(measurement), _CHUNK):
        yield measurement[begin : begin + _CHUNK]
