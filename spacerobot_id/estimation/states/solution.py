"""Samples fitted by a method with local states, as what is common to all methods.

Deviations of a fit hold as long as its noise is modelled rightly. Flights that differ by more, as
those of a table that was levelled again, or of thrusters that depend on the pressure left, show
it by the scatter of their scores (a sandwich clustered by flight: Liang and Zeger, 1986), each
score enlarged by what the fit has taken of it (Bell and McCaffrey, 2002: CR2).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.states.body_change import likeliest_change
from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.estimation.states.window import smoothed, Window
from spacerobot_id.exceptions import EstimationError, InsufficientDataError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import Residuals, Solution
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_FEWEST = 3
"""Flights from which on scatter is reported."""

_TAKEN = 0.9
"""Share of what is known of a direction from which on it is known from one flight alone."""

_FALSE_ALARM = 1e-3
"""Probability that flights as modelled are reported to scatter more."""


@dataclass(frozen=True, eq=False)
class FlightScatter:
    """How far flights scatter.

    Parameters
    ----------
    std : ndarray, shape (u,)
        Standard deviations of the unknowns by the scatter of flights.
    ratio : ndarray, shape (u,)
        The same over those of the fit.
    freedom : ndarray, shape (u,)
        Degrees of freedom of their squares, Satterthwaite's.
    """

    std: NDArray[np.float64]
    ratio: NDArray[np.float64]
    freedom: NDArray[np.float64]

    @property
    def is_larger(self) -> NDArray[np.bool_]:
        """Which standard deviations are larger than those of the fit beyond chance, (u,)."""
        chance = chdtri(self.freedom, _FALSE_ALARM / len(self.ratio)) / self.freedom
        return self.ratio**2 > chance

    def sentences(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return notes on it, by the names of the unknowns."""
        larger = np.flatnonzero(self.is_larger)
        worst = larger[np.argsort(-self.ratio[larger])]
        found = [f'{names[row]} {self.ratio[row]:.1f}' for row in worst]
        if not found:
            return ()
        return (
            'flights scatter more than their noise explains: standard deviations by flights are '
            f'those stated times {", ".join(found)}; intervals of these are too narrow',
        )


def flight_scatter(fit: StatesFit) -> FlightScatter | None:
    """Return how far the flights of a fit scatter; None of too few, or of a fit that goes on.

    Parameters
    ----------
    fit : StatesFit
        A fit of several flights, converged.
    """
    if len(fit.flights) < _FEWEST or fit.problem.marginal is not None:
        return None
    equations = [fit.problem.equations_of(index, fit.sizes) for index in range(len(fit.flights))]
    return scatter_of(fit.solved.information, equations)


def scatter_of(
    information: SquareRootInformation, equations: Sequence[NDArray[np.float64]]
) -> FlightScatter:
    """Return how far flights scatter about their joint estimate.

    With ``L L^T`` the information of prior and flights, each flight's score ``g`` in units of
    ``L`` has the covariance ``S - S^2`` where ``S`` is its share of the information, so that
    ``(I - S)^-1/2 g`` has ``S``. Directions known from one flight alone count as modelled,
    and so does the prior.

    Parameters
    ----------
    information : SquareRootInformation
        Information of prior and flights on the u unknowns.
    equations : sequence of ndarray, shape (K, u + 1)
        Rows and right-hand sides of each flight, of unit noise.
    """
    values = information.values()
    middle, shares = np.eye(len(values)), []
    for each in equations:
        rows = information.whitened(each[:, :-1])
        share, score = rows.T @ rows, rows.T @ (each[:, -1] - each[:, :-1] @ values)
        taken, axes = np.linalg.eigh(share)
        left = np.maximum(1.0 - taken, 1.0 - _TAKEN)
        score = axes.T @ score / np.sqrt(left)
        as_modelled = taken * np.maximum(1.0 - (1.0 - taken) / left, 0.0)
        middle += axes @ (np.outer(score, score) + np.diag(as_modelled)) @ axes.T - share
        shares.append(share)
    root = information.covariance_root()
    std = np.sqrt(np.einsum('ij,jk,ik->i', root, middle, root))
    of_fit = np.sqrt(np.einsum('ij,ij->i', root, root))
    weights = [np.einsum('ij,jk,ik->i', root, share, root) / of_fit**2 for share in shares]
    freedom = 1.0 / np.maximum(np.sum(np.square(weights), axis=0), 1e-12)
    return FlightScatter(std, std / of_fit, freedom)


_COARSE = 0.2
"""Length of segments that a change is looked for with in a whole flight, s."""


def solution(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    first: NoiseSizes | None = None,
) -> Solution:
    """Return the fit of all samples of a method with local states.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known without them, the prior included; the prior alone if None.
    first : NoiseSizes, optional
        Sizes of noise to start from.

    Raises
    ------
    EstimationError
        If the samples show too little, or the fit diverges.
    """
    if known is not None:
        known = replace(known, residual=0.0)  # that of other samples
    states = method.states
    flights = states.flights(record)
    found = fit_flights(states, flights, start, known, first=first)
    longest = max(flights, key=lambda each: each.length)
    short = states.shortage(longest.length, states.time_needed(longest))
    return _solution_of(method, record, found, short)


def furthest_solution(method: Method, record: Record, start: NDArray[np.float64]) -> Solution:
    """Return how far a fit of all samples that diverges has come, for what may be wrong.

    Parameters
    ----------
    method, record, start
        As for ``solution``.

    Raises
    ------
    DivergenceError
        If it does not even begin.
    """
    iteration = begin_fit(method.states, method.states.flights(record), start).furthest()
    return _solution_of(method, record, iteration.fit(), ())


def smoothed_solution(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
    window: Window | None,
) -> tuple[Solution, Window]:
    """Return the fit of the latest samples, what came before being known, and what comes next.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples since the window needs them.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known before the first sample; the prior by default.
    window : Window, optional
        What was found so far; None at the beginning.

    Raises
    ------
    InsufficientDataError
        If nothing is fitted yet, whatever the samples show.
    EstimationError
        If the samples show too little.
    """
    states = method.states
    flights = states.flights(record, live=True)
    short = states.shortage(flights[-1].length, states.time_needed(flights[-1]))
    if window is None and short:
        raise InsufficientDataError(*short)
    found, window = smoothed(states, flights, start, known, window)
    search = window.search
    short = () if search is None else states.shortage(search.length, search.needed)
    return _solution_of(method, record, found, short), window


def residuals(method: Method, record: Record, values: NDArray[np.float64]) -> Residuals:
    """Return measured less predicted readings, states fitted to them where there are some.

    Parameters
    ----------
    method : Method
        Any method.
    record : Record
        N samples.
    values : ndarray, shape (u,)
        Unknowns.
    """
    if method.states is None:
        return method.residuals(record, values)
    flights = method.states.flights(record)
    return _left(method, record, fit_flights(method.states, flights, values, held=True))


def seems_changed(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    sizes: NoiseSizes | None,
    change: ChangeSettings,
) -> bool:
    """Return whether a body may have come or gone within samples that were fitted at once.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples.
    values : ndarray, shape (u,)
        Unknowns that they gave.
    sizes : NoiseSizes, optional
        Sizes of noise that they gave.
    change : ChangeSettings
        Which links can change, and by how much.
    """
    flights = method.states.flights(record)
    if len(flights) != 1 or sizes is None:
        return False
    flight = flights[0].coarser(_COARSE)
    try:
        fit = begin_fit(method.states, [flight], values, given=sizes, held=True).ended()
    except EstimationError:  # values of a fit that diverged
        return False
    found = likeliest_change(fit, change, float(flight.edges[0]) + change.settle)
    return found is not None and found.is_sure


def compile_kernels(method: Method) -> None:
    """Compile what fits call, so that the first need not wait; kept on disk if it can be."""
    states = method.states
    record = None if states is None else states.record_at_rest()
    if record is not None:
        with suppress(EstimationError, np.linalg.LinAlgError):
            begin_fit(states, states.flights(record), states.prior().mean).further(1).fit()


def _solution_of(
    method: Method, record: Record, found: StatesFit, short: tuple[str, ...]
) -> Solution:
    """Return a fit of samples with notes on them."""
    states, scatter = method.states, flight_scatter(found)
    notes = states.notes(found)
    return Solution(
        found.values,
        found.information,
        found.iterations,
        found.converged,
        cost=found.information.residual,
        condition=states.condition(found.values, found.information),
        noise=states.found_noise(found),
        notes=notes if scatter is None else notes + scatter.sentences(method.unknowns.names),
        shortages=short,
        residuals=_left(method, record, found),
        fit=found,
        std_by_flights=None if scatter is None else scatter.std,
    )


def _left(method: Method, record: Record, found: StatesFit) -> Residuals:
    """Return what a fit leaves over of the readings that a method predicts."""
    left, count = method.states.left(record, found), method.outputs
    return replace(left, values=left.values[:, :count], misfit=left.misfit[:, :count])
