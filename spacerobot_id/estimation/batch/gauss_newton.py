"""Gauss-Newton with step control: the likeliest unknowns of any method, all samples at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.solution import solution
from spacerobot_id.exceptions import DivergenceError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.methods.method import chunks, Method
from spacerobot_id.methods.solution import Prior, Solution
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_LEAST_DAMPING, _MOST_DAMPING = 1e-6, 1e2
"""Bounds of Levenberg-Marquardt damping, over the information on each parameter: without effect,
and a step of a hundredth of what its gradient asks for."""

_SMALL = 0.1
"""Step, in standard deviations, that weights which are recomputed at each may cost."""

_CHANCE = 5.0
"""Standard deviations by which a sum of squares may exceed its expectation by chance."""

_MORE = 10
"""Further steps of a fit that has not converged."""

_SHRINKING = 0.8
"""Size of a step beside that of the one before, up to which steps lead to a root."""

_REWEIGHTINGS = 3
"""Solutions of linear equations whose weights depend on the values, from ordinary ones on."""


def best_fit(
    method: Method,
    record: Record,
    candidates: Sequence[NDArray[np.float64]],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
    iterations: int = 20,
    tolerance: float = 1e-3,
    begun: SquareRootInformation | None = None,
    *,
    finish: bool = True,
    first: NoiseSizes | None = None,
) -> Solution:
    """Return the fit from the best of some starts, or the best fit if that explains too little.

    Early data show the ratios of the parameters and hardly the scale; far from the truth the
    likelihood has valleys that lead nowhere. A fit that does not explain its data by the stated
    noise is therefore begun again from elsewhere, and so is one from an earlier estimate that has
    not converged.

    Parameters
    ----------
    method, record, prior, known, iterations, tolerance
        As for ``gauss_newton``.
    candidates : sequence of ndarray, shape (u,)
        Unknowns to start from, the likeliest first; the method may have more.
    begun : SquareRootInformation, optional
        All information linear about the first candidate, where it is there already.
    finish : bool
        Whether what only whole stretches of samples show is added.
    first : NoiseSizes, optional
        Sizes of noise that an earlier fit with local states found.

    Raises
    ------
    EstimationError
        If a method that solves at once sees too little, or from none of the candidates anything
        can be predicted.
    """
    if method.solves_at_once:
        own = method.solution(record, candidates[0])
        return solution(method, record, candidates[0], known, first) if own is None else own
    if method.is_for_comparison:
        return method.finished(record, _reweighted(method, record, candidates[-1], known))
    best: Solution | None = None
    is_only = len(candidates) == 1
    for count, start in enumerate(_starts(method, record, candidates, prior, known)):
        fit = gauss_newton(method, record, start, prior, known, iterations, tolerance, begun)
        begun = None
        if np.isfinite(fit.cost) and (best is None or fit.cost < best.cost):
            best = fit
        is_enough = best is not None and (is_only or best.converged or count)
        if is_enough and explains(best.information):
            break
    if best is None:
        raise no_fit()
    if not (is_only or best.converged):
        begun = best.information
        best = gauss_newton(method, record, best.values, prior, known, _MORE, tolerance, begun)
    return method.finished(record, best) if finish else best


def no_fit() -> DivergenceError:
    """Return what is said where nothing can be predicted from any values."""
    return DivergenceError('no robot that can be is near the samples: no fit begins anywhere')


def gauss_newton(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
    iterations: int = 20,
    tolerance: float = 1e-3,
    begun: SquareRootInformation | None = None,
) -> Solution:
    """Fit the unknowns by Gauss-Newton with step control.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    record : Record
        Samples.
    start : ndarray, shape (u,)
        Unknowns to start from: least squares, a prior, an earlier estimate.
    prior : Prior, optional
        Prior information from the description; none by default.
    known : SquareRootInformation, optional
        Information from earlier samples that are no longer kept; none by default.
    iterations : int
        Most steps.
    tolerance : float
        Largest step, in standard deviations, that ends the fit.
    begun : SquareRootInformation, optional
        All information linear about the start, where it is there already.
    """
    fit = _Fit(method, record, prior, known)
    values = np.asarray(start, dtype=float)
    cost, damping = fit.cost(values), 0.0
    information = begun or fit.linearised(values)
    for iteration in range(iterations):
        size = information.deviations(information.values() - values)
        if size < tolerance:
            return Solution(values, information, iteration, True, cost)
        step = fit.step(values, information, cost, damping)
        if step is None:
            return fit.settled(
                Solution(values, information, iteration, size < _SMALL, cost), tolerance
            )
        values, cost, damping = step.values, step.cost, step.damping
        information = fit.linearised(values)
    return Solution(values, information, iterations, False, cost)


def explains(information: SquareRootInformation) -> bool:
    """Return whether the stated noise explains what the unknowns leave of the data."""
    freedom = information.rows - len(information.target)
    return information.residual <= freedom + _CHANCE * np.sqrt(2.0 * max(freedom, 1))


def known_information(
    values: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
) -> SquareRootInformation:
    """Return what is known without a record, linear about some values.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns to linearise about.
    prior, known
        As for ``gauss_newton``.
    """
    information = known or SquareRootInformation.nothing(len(values))
    if prior is not None:
        linear = prior.linearised(values)
        information = information.absorb(linear.factor, linear.target)
        information = replace(information, residual=information.residual + linear.residual)
    return information


def absorb_rows(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    information: SquareRootInformation,
    before: float | None = None,
    *,
    predicted: bool = False,
) -> SquareRootInformation:
    """Return information with a record's rows in it, linear about some values.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    record : Record
        Samples in the order of time.
    values : ndarray, shape (u,)
        Unknowns to linearise about.
    information : SquareRootInformation
        What is known.
    before : float, optional
        Time of the last sample already in it, s; unknowns that walk do so from then on.
    predicted : bool
        Whether the rows are those of the predicted readings, whatever the method absorbs.
    """
    walk, duration = method.unknowns.walk, method.unknowns.segment
    if not len(walk):
        return _absorb_all(method, record, values, information, predicted)
    segments = np.floor(record.times / duration)
    last = None if before is None else np.floor(before / duration)
    for segment in np.unique(segments):
        if last is not None and segment > last:
            information = information.walked(walk * np.sqrt((segment - last) * duration))
        part = record[segments == segment]
        information = _absorb_all(method, part, values, information, predicted)
        last = segment
    return information


def _absorb_all(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    information: SquareRootInformation,
    predicted: bool,
) -> SquareRootInformation:
    """Return information with rows in it; those of what walks are linear about zero."""
    about = values.copy()
    about[method.unknowns.constants :] = 0.0
    for chunk in chunks(record):
        rows = (
            method.predict(chunk, about).rows(about)
            if predicted
            else method.equations(chunk, about)
        )
        information = information.absorb(rows.matrix, rows.right, rows.count)
    return information


def _starts(
    method: Method,
    record: Record,
    candidates: Sequence[NDArray[np.float64]],
    prior: Prior | None,
    known: SquareRootInformation | None,
) -> Iterator[NDArray[np.float64]]:
    """Yield what to start from, those of the method only made when they are wanted."""
    yield candidates[0]
    about = candidates[-1]
    for start in method.starts(record, about, known_information(about, prior, known)):
        if np.isfinite(_Fit(method, record, prior, known).cost(start)):
            yield start
    yield from candidates[1:]


def _reweighted(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
) -> Solution:
    """Return the solution of linear equations, their weights recomputed at each."""
    values = start
    known = known or SquareRootInformation.nothing(len(start))
    for attempt in range(_REWEIGHTINGS if method.has_stated_noise else 1):
        rows = method.unweighted if method.has_stated_noise and not attempt else method.equations
        information = known
        for chunk in chunks(record):
            found = rows(chunk, values)
            information = information.absorb(found.matrix, found.right, found.count)
        values = information.values()
    return Solution(values, information)


@dataclass(frozen=True, eq=False)
class _Fit:
    """What is fitted: data, prior, and earlier knowledge."""

    method: Method
    record: Record
    prior: Prior | None
    known: SquareRootInformation | None

    def linearised(self, values: NDArray[np.float64]) -> SquareRootInformation:
        """Return all information, linear about some values."""
        known = known_information(values, self.prior, self.known)
        return absorb_rows(self.method, self.record, values, known)

    def step(
        self,
        values: NDArray[np.float64],
        information: SquareRootInformation,
        cost: float,
        damping: float,
    ) -> '_Step | None':
        """Return a step that makes the fit better, or None.

        Damping is in units of the information on every parameter (Levenberg-Marquardt). A step
        of a small part of the standard deviation is taken in any case, undamped.
        """
        scale = np.diag(np.linalg.norm(information.factor, axis=0))
        while damping <= _MOST_DAMPING:
            damper = np.sqrt(damping) * scale
            linear = information.absorb(damper, damper @ values).values()
            moved = self.method.stepped(values, linear)
            reached = self.cost(moved)
            small = information.deviations(moved - values) < _SMALL
            if reached < cost or (small and not damping and np.isfinite(reached)):
                return _Step(moved, reached, damping / 10.0 if damping > _LEAST_DAMPING else 0.0)
            damping = max(10.0 * damping, _LEAST_DAMPING)
        return None

    def settled(self, found: Solution, tolerance: float) -> Solution:
        """Return a fit whose cost no step lowers, at the root of its equations if steps shrink.

        Slopes at smoothed motion are no gradient of the cost (errors in variables): the root of
        these equations is the estimate, and lies some deviations from the least cost.
        """
        size = found.information.deviations(found.information.values() - found.values)
        for count in range(_MORE):
            moved = self.method.stepped(found.values, found.information.values())
            cost = self.cost(moved)
            if not np.isfinite(cost):
                break
            information = self.linearised(moved)
            before, size = size, information.deviations(information.values() - moved)
            worse = information.residual > found.information.residual + before**2
            if worse or size > _SHRINKING * before:
                break
            steps = found.iterations + count + 1
            found = Solution(moved, information, steps, size < _SMALL, cost)
            if size < tolerance:
                break
        return found

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return minus twice the logarithm of the posterior density, but for a constant.

        Infinite where nothing can be predicted.
        With unknowns that walk it is the least over their course, to first order.
        """
        if not self.method.is_possible(values):
            return np.inf
        total = 0.0 if self.prior is None else self.prior.cost(values)
        if self.known is not None:
            total += self.known.cost(values)
        if not np.isfinite(total):
            return np.inf
        try:
            if len(self.method.unknowns.walk):
                constants = values[: self.method.unknowns.constants]
                return self.linearised(values).least_cost(constants)
            total += sum(
                self.method.predict(chunk, values, with_slope=False).cost()
                for chunk in chunks(self.record)
            )
        except np.linalg.LinAlgError:  # a robot that does not resist motion predicts none
            return np.inf
        return total if np.isfinite(total) else np.inf


@dataclass(frozen=True, eq=False)
class _Step:
    """Values after a step, their cost, and the damping to try next."""

    values: NDArray[np.float64]
    cost: float
    damping: float
