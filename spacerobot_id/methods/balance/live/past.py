"""What a flight was found to be so far, for the next samples."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.balance.flight_fit import BalanceFit, Begun
from spacerobot_id.methods.balance.iteration import Iteration
from spacerobot_id.methods.balance.live.border import Border
from spacerobot_id.methods.balance.live.sought_clock import SoughtClock
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.methods.solution import are_explained
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_LAG, _MOST_LAG = 300, 400
"""Segments that are fitted at once after some have left, and from which on they leave."""

_LONGEST = 160.0
"""Time of a flight up to which it is relinearised, s."""

_CONTEXT = 3.0
"""Time before the border of which samples are needed: for curves, late commands, clocks, s."""

_GROWTH = 1.3
"""Growth of a flight between two fits of all of it, where the last one came to no good end."""

_WORK = 1500
"""Segments about that steps of a fit of all samples go through beside each fit of the latest."""

_USUAL, _DOUBTFUL, _MOST_DOUBT = 2.0, 4.0, 10.0
"""Surprise of a second (negative logarithm of its probability; 1 on average) that is usual still;
sum of what goes beyond it that asks whether the robot is another one, and its bound."""


@dataclass(frozen=True, eq=False)
class Past:
    """What a flight was found to be so far, for the next samples.

    Parameters
    ----------
    begin : float
        Where the flight, or what is kept of it, begins, s.
    known : SquareRootInformation, optional
        What is known of the unknowns without the flight; the description by default.
    first : Border, optional
        What is known before the first sample that is kept.
    border : Border, optional
        What is known before the latest seconds.
    borders : tuple of Border
        Those between, the oldest first: up to them samples may be forgotten.
    begun : Begun, optional
        States from the border on, and weights.
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
    clock : SoughtClock, optional
        That of the poses where it is only roughly known.
    """

    begin: float
    known: SquareRootInformation | None = None
    first: Border | None = None
    border: Border | None = None
    borders: tuple[Border, ...] = ()
    begun: Begun | None = None
    sizes: NoiseSizes | None = None
    linearised: float = -np.inf
    is_lost: bool = False
    until: float = np.inf
    squares: float = 0.0
    doubt: float = 0.0
    renewal: 'Renewal | None' = None
    values: NDArray[np.float64] | None = None
    clock: SoughtClock | None = None

    @property
    def kept_since(self) -> float:
        """Time from which on samples are needed to relinearise all, s."""
        return self.begin if self.first is None else self.first.time - _CONTEXT

    @property
    def since(self) -> float:
        """Time from which on samples are needed, s."""
        return self.begin if self.border is None else self.border.time - _CONTEXT

    def is_due(self, end: float) -> bool:
        """Return whether a flight up to some time is to be relinearised."""
        length, before = end - self.begin, self.linearised - self.begin
        if self.is_lost:
            return length >= _GROWTH * before
        is_ready = self.border is not None and self.renewal is None
        return is_ready and length >= 2.0 * before and length <= _LONGEST

    def relinearised(self) -> 'Past':
        """Return the past with all samples that are kept to be relinearised."""
        return Past(self.begin, self.known, self.first, self.first, clock=self.clock)

    def lost(self, end: float) -> 'Past':
        """Return the past after a fit of samples up to some time that came to no good end."""
        linearised = end if self.is_lost else min(self.linearised, end)
        return replace(self, is_lost=True, linearised=linearised, renewal=None)

    def forgotten(self, time: float) -> 'Past':
        """Return the past with samples before a time no longer kept, as far as can be."""
        between = () if self.border is None else (*self.borders, self.border)
        old = [each for each in between if each.time <= time]
        if not old:
            return self
        later = tuple(each for each in self.borders if each.time > old[-1].time)
        return replace(
            self,
            begin=old[-1].time,
            first=old[-1],
            borders=later,
            linearised=np.inf,
            renewal=None,
        )

    def gone_on(self, fit: BalanceFit) -> 'Past':
        """Return the past after a fit of the latest seconds, without those that leave them."""
        own, segments = fit.flights[0], len(fit.flights[0].linear.seconds)
        linearised = max(
            self.linearised, float(own.flight.edges[-1]) if self._is_relinearised else -np.inf
        )
        past = replace(
            self,
            sizes=fit.sizes,
            linearised=linearised,
            until=float(own.flight.edges[-1]),
            squares=fit.solved.squares,
            doubt=self._doubted(fit),
            values=None,
        )
        if segments < _MOST_LAG:
            return replace(past, begun=None if self.border is None else own.begun(0))
        leaving = segments - _LAG
        earlier = () if self.border in (None, self.first) else (self.border,)
        border = Border.within(fit, leaving, self.border)
        return replace(
            past,
            border=border,
            borders=(*self.borders, *earlier),
            begun=own.begun(leaving),
            squares=past.squares - border.residual,
        )

    def seeking(self, flight: Flight) -> 'Past':
        """Return the past after the clock was looked for in a flight from its begin on."""
        if self.clock is None or self.first is not None:
            return self
        return replace(self, clock=self.clock.sought(flight.length))

    def renewing(self, iteration: Iteration, flight: Flight) -> 'Past':
        """Return the past with a fit of all samples that are kept, a flight, begun."""
        return replace(self, renewal=Renewal(self.relinearised().seeking(flight), iteration))

    def renewed(self) -> 'Past':
        """Return the past after some steps of the fit under way: that of this fit if it is over.

        A fit that leads nowhere, or leaves readings unexplained, is given up.
        """
        renewal = self.renewal
        if self._seeks_clock:
            return replace(
                self,
                begun=None,
                sizes=None,
                until=np.inf,
                values=self.clock.described,
            )
        if renewal is None:
            return self
        try:
            steps = max(_WORK // len(renewal.iteration.linear[0].seconds), 1)
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
    def is_sure_of_clock(self) -> bool:
        """Whether the clock of the poses is known, or was looked for in enough of the flight."""
        return self.clock is None or self.clock.is_found

    @property
    def is_renewed(self) -> bool:
        """Whether all samples that are kept were relinearised since the last fit."""
        return self.values is not None

    @property
    def _seeks_clock(self) -> bool:
        """Whether the clock is to be looked for again before anything leaves the first seconds."""
        if self.clock is None or self.border is not None or not np.isfinite(self.until):
            return False
        return self.clock.is_due(self.until - self.begin)

    def _given_up(self) -> 'Past':
        """Return the past without the fit that is under way."""
        end = float(self.renewal.iteration.task.flights[0].edges[-1])
        return replace(self, renewal=None, linearised=end)

    @property
    def is_doubtful(self) -> bool:
        """Whether the latest readings may be of another robot."""
        return self.doubt > _DOUBTFUL

    def _doubted(self, fit: BalanceFit) -> float:
        """Return the sum by which readings were less likely than by chance (Page, 1954)."""
        own = fit.flights[0]
        last = int(np.searchsorted(own.flight.edges, self.until - 1e-6))
        new = len(own.linear.kind) - int(own.linear.row_edges[min(last, len(own.linear.seconds))])
        if not new:
            return self.doubt
        surprise = -chi2.logsf(fit.begun_squares - self.squares, new)
        if surprise > _USUAL:  # linear about where the fit ended it may be less
            squares = fit.problem.solved(self.sizes).squares
            surprise = min(surprise, -chi2.logsf(squares - self.squares, new))
        return float(np.clip(self.doubt + surprise - _USUAL, 0.0, _MOST_DOUBT))

    @property
    def _is_relinearised(self) -> bool:
        """Whether all samples that are kept are fitted at once."""
        return self.border is self.first


@dataclass(frozen=True, eq=False)
class Renewal:
    """A fit of all samples that are kept, under way beside those of the latest ones.

    Parameters
    ----------
    before : Past
        What was found before the first of them.
    iteration : Iteration
        The fit so far.
    """

    before: Past
    iteration: Iteration
