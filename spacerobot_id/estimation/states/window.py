"""Local states live: a smoother with a fixed lag, whose past is a marginal prior.

The latest seconds are fitted at once. What leaves them is marginalised: its information on the
unknowns and on the state there is kept, linear about where it was then, so that the work does not
grow with the flight. Early on little is known to be linear about, so all is relinearised whenever
the flight has doubled, until it is long (Dong-Si and Mourikis, Motion tracking with fixed-lag
smoothing, 2011); a few steps at a time, so that the estimate does not wait for it.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from spacerobot_id.estimation.states.body_change import after_change, likeliest_change
from spacerobot_id.estimation.states.fit import Begun, StatesFit
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights
from spacerobot_id.estimation.states.iteration import Iteration
from spacerobot_id.estimation.states.marginal_prior import MarginalPrior
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.blocks import NoiseSizes, Stretch
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import are_explained
from spacerobot_id.methods.states_method import StatesMethod
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_LAG, _MOST_LAG = 300, 400
"""Segments that are fitted at once after some have left, and from which on they leave."""

_LONGEST = 160.0
"""Time of a flight up to which it is relinearised, s."""

_GROWTH = 1.3
"""Growth of a flight between two fits of all of it, where the last one came to no good end."""

_LONGER = 1.25
"""Growth of a flight after which unknowns that are far from linear are looked for again."""

_WORK = 1500
"""Segments about that steps of a fit of all samples go through beside each fit of the latest."""

_FURTHER, _HELD = 2, 10
"""Most steps of a fit that goes on from the last, and of one that holds the robot as it was."""

_USUAL, _DOUBTFUL, _MOST_DOUBT = 2.0, 4.0, 10.0
"""Surprise of a second (negative logarithm of its probability; 1 on average) that is usual still;
sum of what goes beyond it that asks whether the robot is another one, and its bound."""


@dataclass(frozen=True, eq=False)
class Search:
    """Unknowns that are far from linear, such as a clock, and the flight they were looked for in.

    At a wrong clock disturbances explain what wrenches do, so that no fit that goes on from there
    finds it: it is looked for from the description on, as the first seconds become more.

    Parameters
    ----------
    described : ndarray, shape (u,)
        Unknowns to begin with each time.
    needed : float
        How long a flight has to last for them to be found, s.
    length : float
        How long the flight was when they were looked for last, s.
    """

    described: NDArray[np.float64]
    needed: float
    length: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether they were looked for in a flight that is long enough."""
        return self.length >= self.needed

    def is_due(self, length: float) -> bool:
        """Return whether they are to be looked for again in a flight of some length, s."""
        return length >= (_LONGER * self.length if self.is_over else self.needed)

    def done(self, length: float) -> 'Search':
        """Return the search after it was made in a flight of some length, s."""
        return replace(self, length=max(length, self.length))


@dataclass(frozen=True, eq=False)
class Window:
    """What a flight was found to be so far, for the next samples.

    Parameters
    ----------
    begin : float
        Where the flight, or what is kept of it, begins, s.
    lookback : float
        Time of samples before a segment that its readings need, s.
    known : SquareRootInformation, optional
        What is known of the unknowns without the flight; the description by default.
    first : MarginalPrior, optional
        What is known before the first sample that is kept.
    marginal : MarginalPrior, optional
        What is known before the latest seconds.
    between : tuple of MarginalPrior
        Those between, the oldest first: up to them samples may be forgotten.
    begun : Begun, optional
        States of the latest seconds, and weights.
    sizes : NoiseSizes, optional
        Noise that the data were found to have.
    linearised : float
        Time up to which all were relinearised, s.
    is_lost : bool
        Whether the last fit came to no good end: all that is kept is to be fitted from the start.
    until : float
        Where the last segment that was fitted ends, s.
    squares : float
        Sum of squares that the fit left of the latest seconds.
    doubt : float
        How far readings have lately been less likely than chance makes them, summed up.
    renewal : Renewal, optional
        Fit of all samples that is under way.
    values : ndarray, shape (u,), optional
        Unknowns that it found, until the next fit starts there.
    search : Search, optional
        That for unknowns that are far from linear.
    """

    begin: float
    lookback: float
    known: SquareRootInformation | None = None
    first: MarginalPrior | None = None
    marginal: MarginalPrior | None = None
    between: tuple[MarginalPrior, ...] = ()
    begun: Begun | None = None
    sizes: NoiseSizes | None = None
    linearised: float = -np.inf
    is_lost: bool = False
    until: float = np.inf
    squares: float = 0.0
    doubt: float = 0.0
    renewal: 'Renewal | None' = None
    values: NDArray[np.float64] | None = None
    search: Search | None = None

    @classmethod
    def of(
        cls,
        method: StatesMethod,
        flight: Stretch,
        start: NDArray[np.float64],
        known: SquareRootInformation | None,
    ) -> 'Window':
        """Return the window of a flight before its first sample."""
        needed = method.time_needed(flight)
        search = Search(start, needed) if needed else None
        return cls(float(flight.edges[0]), method.lookback, known, search=search)

    @property
    def kept_since(self) -> float:
        """Time from which on samples are needed to relinearise all, s."""
        return self.begin if self.first is None else self.first.time - self.lookback

    @property
    def since(self) -> float:
        """Time from which on samples are needed, s."""
        return self.begin if self.marginal is None else self.marginal.time - self.lookback

    def is_due(self, end: float) -> bool:
        """Return whether a flight up to some time is to be relinearised."""
        length, before = end - self.begin, self.linearised - self.begin
        if self.is_lost:
            return length >= _GROWTH * before
        is_ready = self.marginal is not None and self.renewal is None
        return is_ready and length >= 2.0 * before and length <= _LONGEST

    def relinearised(self) -> 'Window':
        """Return the window with all samples that are kept to be relinearised."""
        return Window(
            self.begin, self.lookback, self.known, self.first, self.first, search=self.search
        )

    def lost(self, end: float) -> 'Window':
        """Return the window after a fit of samples up to some time that came to no good end."""
        linearised = end if self.is_lost else min(self.linearised, end)
        return replace(self, is_lost=True, linearised=linearised, renewal=None)

    def forgotten(self, time: float) -> 'Window':
        """Return the window with samples before a time no longer kept, as far as can be."""
        between = () if self.marginal is None else (*self.between, self.marginal)
        old = [each for each in between if each.time <= time]
        if not old:
            return self
        later = tuple(each for each in self.between if each.time > old[-1].time)
        return replace(
            self,
            begin=old[-1].time,
            first=old[-1],
            between=later,
            linearised=np.inf,
            renewal=None,
        )

    def gone_on(self, fit: StatesFit) -> 'Window':
        """Return the window after a fit of the latest seconds, without those that leave them."""
        own, segments = fit.flights[0], len(fit.flights[0].blocks.seconds)
        end, is_all = float(own.flight.edges[-1]), self.marginal is self.first
        window = replace(
            self,
            sizes=fit.sizes,
            linearised=max(self.linearised, end if is_all else -np.inf),
            until=end,
            squares=fit.solved.squares,
            doubt=self._doubted(fit),
            values=None,
        )
        if segments < _MOST_LAG:
            return replace(window, begun=None if self.marginal is None else own.begun(0))
        leaving = segments - _LAG
        earlier = () if self.marginal in (None, self.first) else (self.marginal,)
        marginal = MarginalPrior.within(fit, leaving, self.marginal)
        return replace(
            window,
            marginal=marginal,
            between=(*self.between, *earlier),
            begun=own.begun(leaving),
            squares=window.squares - marginal.residual,
        )

    def searching(self, flight: Stretch) -> 'Window':
        """Return the window after a search in a flight from its begin on."""
        if self.search is None or self.first is not None:
            return self
        return replace(self, search=self.search.done(flight.length))

    def renewing(self, iteration: Iteration, flight: Stretch) -> 'Window':
        """Return the window with a fit of all samples that are kept, a flight, begun."""
        return replace(self, renewal=Renewal(self.relinearised().searching(flight), iteration))

    def renewed(self) -> 'Window':
        """Return the window after some steps of the fit under way: that of it if it is over.

        A fit that leads nowhere, or leaves readings unexplained, is given up.
        """
        renewal = self.renewal
        if self._is_to_search:
            values = self.search.described
            return replace(self, begun=None, sizes=None, until=np.inf, values=values)
        if renewal is None:
            return self
        try:
            steps = max(_WORK // len(renewal.iteration.blocks[0].seconds), 1)
            iteration = renewal.iteration.further(steps)
        except EstimationError:
            return self._given_up()
        if not iteration.is_over:
            return replace(self, renewal=replace(renewal, iteration=iteration))
        fit = iteration.fit()
        own = fit.flights[0]
        if not are_explained(own.whitened(fit.sizes)):
            return self._given_up()
        found = renewal.before.gone_on(fit)
        return replace(found, until=np.inf, doubt=self.doubt, values=own.values)

    @property
    def is_sure(self) -> bool:
        """Whether nothing is to be searched for, or was in enough of the flight."""
        return self.search is None or self.search.is_over

    @property
    def is_renewed(self) -> bool:
        """Whether all samples that are kept were relinearised since the last fit."""
        return self.values is not None

    @property
    def is_doubtful(self) -> bool:
        """Whether the latest readings may be of another robot."""
        return self.doubt > _DOUBTFUL

    @property
    def _is_to_search(self) -> bool:
        """Whether it is to be searched again before anything leaves the first seconds."""
        if self.search is None or self.marginal is not None or not np.isfinite(self.until):
            return False
        return self.search.is_due(self.until - self.begin)

    def _given_up(self) -> 'Window':
        """Return the window without the fit that is under way."""
        end = float(self.renewal.iteration.task.flights[0].edges[-1])
        return replace(self, renewal=None, linearised=end)

    def _doubted(self, fit: StatesFit) -> float:
        """Return the sum by which readings were less likely than by chance (Page, 1954)."""
        own = fit.flights[0]
        edges, blocks = own.flight.edges, own.blocks
        last = int(np.searchsorted(edges, self.until - 1e-6))
        new = len(blocks.kind) - int(blocks.row_edges[min(last, len(blocks.seconds))])
        if not new:
            return self.doubt
        surprise = -chi2.logsf(fit.begun_squares - self.squares, new)
        if surprise > _USUAL:  # linear about where the fit ended it may be less
            squares = fit.problem.solved(self.sizes).squares
            surprise = min(surprise, -chi2.logsf(squares - self.squares, new))
        return float(np.clip(self.doubt + surprise - _USUAL, 0.0, _MOST_DOUBT))


@dataclass(frozen=True, eq=False)
class Renewal:
    """A fit of all samples that are kept, under way beside those of the latest ones.

    Parameters
    ----------
    before : Window
        What was found before the first of them.
    iteration : Iteration
        The fit so far.
    """

    before: Window
    iteration: Iteration


def smoothed(
    method: StatesMethod,
    flights: Sequence[Stretch],
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
    window: Window | None,
) -> tuple[StatesFit, Window]:
    """Return the fit of the latest seconds, and the window for the next.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    flights : sequence of Stretch
        Flights since the window needs samples; all but the last are over.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known before the first flight; the description by default.
    window : Window, optional
        That before; None at the beginning.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that a fit leads to.
    """
    if window is None:
        window = Window.of(method, flights[0], start, known)
    start = window.values if window.is_renewed else start
    for flight, after in pairwise(flights):
        if window.is_sure or flight.length >= method.time_needed(flight):
            fit = _fitted(method, flight, start, window)
            known, sizes = _over(method, fit.information), fit.sizes
            start = np.where(method.is_of_flight, 0.0, known.values())
        else:
            known, sizes, start = window.known, window.sizes, window.search.described
        window = replace(Window.of(method, after, start, known), sizes=sizes)
    flight = flights[-1]
    if method.looks_for(start):
        window = window.searching(flight)
    fit = _fitted(method, flight, start, window)
    return fit, window.gone_on(fit)


def renewing(
    method: StatesMethod, flights: Sequence[Stretch], start: NDArray[np.float64], window: Window
) -> Window:
    """Return the window with a fit of all samples that are kept begun, if there can be one.

    Where a clock is only roughly known it is looked for again, from the description on: the first
    seconds are too few for it, and at a wrong one disturbances explain what wrenches do.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    flights : sequence of Stretch
        That of all samples that are kept.
    start : ndarray, shape (u,)
        Unknowns to start from.
    window : Window
        What was found so far.
    """
    tried = replace(window, linearised=float(flights[-1].edges[-1]))
    if len(flights) > 1:
        return tried
    first = window.first
    flight = flights[0].going_on(first and first.onward)
    if first is None and window.search is not None:
        start = window.search.described
    with suppress(EstimationError):
        iteration = begin_fit(method, [flight], start, window.known, marginal=first)
        return window.renewing(iteration, flight)
    return tried


@dataclass(frozen=True, eq=False)
class Changed:
    """A robot that has changed within the latest samples.

    Parameters
    ----------
    time : float
        When, s.
    before : SquareRootInformation
        What was known of the unknowns then.
    known : SquareRootInformation
        What still holds of them.
    window : Window
        The window for the samples since.
    """

    time: float
    before: SquareRootInformation
    known: SquareRootInformation
    window: Window


def changed(
    method: StatesMethod,
    flight: Stretch,
    values: NDArray[np.float64],
    window: Window,
    settings: ChangeSettings,
) -> Changed | None:
    """Return what is known if a body came or went within the latest seconds; None if not.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    flight : Stretch
        Flight since the window needs samples.
    values : ndarray, shape (u,)
        Unknowns of the robot as it was.
    window : Window
        That of the robot as it was.
    settings : ChangeSettings
        Which links can change, by how much, and how sure that has to be.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns.
    """
    if not window.is_sure:
        return None
    marginal = window.marginal
    fit = begin_fit(
        method,
        [flight.going_on(marginal and marginal.onward)],
        values,
        window.known,
        given=window.sizes if marginal is None else marginal.sizes(window.sizes),
        held=True,
        marginal=marginal,
        begun=window.begun,
    ).ended(_HELD)
    found = likeliest_change(fit, settings, window.begin + settings.settle)
    if found is None or not found.is_sure:
        return None
    before, after = after_change(fit, found.segment, marginal, settings)
    since = Window(
        before.time,
        window.lookback,
        None,
        after,
        after,
        sizes=window.sizes,
        search=window.search,
    )
    return Changed(before.time, before.information, after.information, since)


def _fitted(
    method: StatesMethod, flight: Stretch, start: NDArray[np.float64], window: Window
) -> StatesFit:
    """Return the fit of the latest seconds, from along the readings where no motion goes on."""
    marginal = window.marginal
    flights, sizes = [flight.going_on(marginal and marginal.onward)], window.sizes
    if window.begun is not None:
        with suppress(EstimationError):
            return begin_fit(
                method,
                flights,
                start,
                window.known,
                first=sizes,
                marginal=marginal,
                begun=window.begun,
            ).ended(_FURTHER)
    return fit_flights(method, flights, start, window.known, first=sizes, marginal=marginal)


def _over(method: StatesMethod, information: SquareRootInformation) -> SquareRootInformation:
    """Return what is known after a flight: what it had of its own is no longer."""
    own = np.flatnonzero(method.is_of_flight)
    others = np.flatnonzero(~method.is_of_flight)
    order = np.append(others, own)
    turned = SquareRootInformation(information.factor[:, order], information.target)
    left = turned.of_first(len(others))
    factor = np.zeros_like(information.factor)
    factor[np.ix_(range(len(others)), others)] = left.factor
    std = method.unknowns.std[own - method.unknowns.parameters]
    factor[range(len(others), len(order)), own] = 1.0 / std
    target = np.append(left.target, np.zeros(len(own)))
    return SquareRootInformation.nothing(len(order)).absorb(factor, target)
