"""Momentum balance live: a smoother with a fixed lag, whose past goes into the recursion.

The latest seconds are fitted at once. What leaves them is marginalised: what it says of the
unknowns and of the state at the border is kept, linear about where it was then, so that the work
does not grow with the flight. Early on little is known to be linear about, so all is linearised
anew whenever the flight has doubled, until it is long (Dong-Si and Mourikis, Motion tracking with
fixed-lag smoothing, 2011).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.balance_fit import fit_balance
from spacerobot_id.methods.balance.body_change import changed_border, likeliest_change
from spacerobot_id.methods.balance.border import Border
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.balance.flight_fit import BalanceFit, Begun
from spacerobot_id.methods.balance.noise_sizes import NoiseSizes
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import Changed
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_LAG, _MOST_LAG = 300, 400
"""Segments that are fitted at once after some have left, and from which on they leave."""

_LONGEST = 160.0
"""Time of a flight up to which it is linearised anew, s."""

_CONTEXT = 3.0
"""Time before the border of which samples are needed: for curves, late commands, clocks, s."""

_GROWTH = 1.3
"""Growth of a flight between two fits of all of it, where the last one came to no good end."""

_ITERATIONS, _FURTHER, _HELD = 40, 3, 10
"""Most steps of a fit of all samples, of one that goes on from the last, and of one that holds the
robot as it was."""

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
        Time up to which all were linearised anew, s.
    is_lost : bool
        Whether the last fit came to no good end: all that is kept is to be fitted from the start.
    until : float
        Where the last segment that was fitted ends, s.
    squares : float
        Sum of squares that the fit left of the latest seconds.
    doubt : float
        How far readings have lately been less likely than chance makes them, summed up.
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

    @property
    def kept_since(self) -> float:
        """Time from which on samples are needed to linearise all anew, s."""
        return self.begin if self.first is None else self.first.time - _CONTEXT

    @property
    def since(self) -> float:
        """Time from which on samples are needed, s."""
        return self.begin if self.border is None else self.border.time - _CONTEXT

    def is_due(self, end: float) -> bool:
        """Return whether a flight up to some time is to be linearised anew."""
        length, before = end - self.begin, self.linearised - self.begin
        if self.is_lost:
            return length >= _GROWTH * before
        return self.border is not None and length >= 2.0 * before and length <= _LONGEST

    def anew(self) -> 'Past':
        """Return the past with all samples that are kept to be linearised anew."""
        return Past(self.begin, self.known, self.first, self.first)

    def lost(self, end: float) -> 'Past':
        """Return the past after a fit of samples up to some time that came to no good end."""
        linearised = end if self.is_lost else min(self.linearised, end)
        return replace(self, is_lost=True, linearised=linearised)

    def forgotten(self, time: float) -> 'Past':
        """Return the past with samples before a time no longer kept, as far as can be."""
        between = () if self.border is None else (*self.borders, self.border)
        old = [each for each in between if each.time <= time]
        if not old:
            return self
        later = tuple(each for each in self.borders if each.time > old[-1].time)
        return replace(self, begin=old[-1].time, first=old[-1], borders=later, linearised=np.inf)

    def gone_on(self, fit: BalanceFit) -> 'Past':
        """Return the past after a fit of the latest seconds, without those that leave them."""
        own, segments = fit.flights[0], len(fit.flights[0].linear.seconds)
        linearised = max(
            self.linearised, float(own.flight.edges[-1]) if self._is_anew else -np.inf
        )
        past = replace(
            self,
            sizes=fit.sizes,
            linearised=linearised,
            until=float(own.flight.edges[-1]),
            squares=fit.solved.squares,
            doubt=self._doubted(fit),
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
    def _is_anew(self) -> bool:
        """Whether all samples that are kept are fitted at once."""
        return self.border is self.first


def smoothed(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
    past: Past | None,
) -> tuple[BalanceFit, Past]:
    """Return the fit of the latest seconds, and the past for the next.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flights : sequence of Flight
        Flights since the past needs samples; all but the last are over.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known before the first flight; the description by default.
    past : Past, optional
        That before; None at the beginning.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that a fit leads to.
    """
    past = past or Past(float(flights[0].edges[0]), known)
    for flight, after in pairwise(flights):
        fit = _fitted(method, flight, start, past)
        begin, over = float(after.edges[0]), _over(method, fit.information)
        past, start = Past(begin, over, sizes=fit.sizes), over.values()
    fit = _fitted(method, flights[-1], start, past)
    return fit, past.gone_on(fit)


def changed(
    method: 'MomentumBalance',
    flight: Flight,
    values: NDArray[np.float64],
    past: Past,
    settings: ChangeSettings,
) -> Changed | None:
    """Return what is known if a body came or went within the latest seconds; None if not.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flight : Flight
        Flight since the past needs samples.
    values : ndarray, shape (u,)
        Unknowns of the robot as it was.
    past : Past
        That of the robot as it was.
    settings : ChangeSettings
        Which links can change, by how much, and how sure that has to be.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns.
    """
    flight = flight if past.border is None else flight.going_on(past.border)
    fit = fit_balance(
        method,
        [flight],
        values,
        past.known,
        given=[past.sizes if past.border is None else past.border.sizes(past.sizes)],
        held=True,
        border=past.border,
        begun=past.begun,
        iterations=_HELD,
    )
    found = likeliest_change(method, fit, settings, past.begin + settings.settle)
    if found is None or not found.is_sure:
        return None
    before, after = changed_border(method, fit, found.segment, past.border, settings)
    since = Past(before.time, None, after, after, sizes=past.sizes)
    return Changed(before.time, before.information, after.information, since)


def _fitted(
    method: 'MomentumBalance', flight: Flight, start: NDArray[np.float64], past: Past
) -> BalanceFit:
    """Return the fit of the latest seconds, from along the poses where no motion goes on."""
    if past.begun is not None:
        with suppress(EstimationError):
            return _fitted_from(method, flight, start, past)
    return _fitted_from(method, flight, start, replace(past, begun=None))


def _fitted_from(
    method: 'MomentumBalance', flight: Flight, start: NDArray[np.float64], past: Past
) -> BalanceFit:
    """Return the fit of the latest seconds of a flight from where the past ends."""
    if past.border is not None:
        flight = flight.going_on(past.border)
    return fit_balance(
        method,
        [flight],
        start,
        past.known,
        first=past.sizes,
        border=past.border,
        begun=past.begun,
        iterations=_ITERATIONS if past.begun is None else _FURTHER,
    )


def _over(method: 'MomentumBalance', information: SquareRootInformation) -> SquareRootInformation:
    """Return what is known after a flight: what it had of its own is no longer."""
    own = np.flatnonzero(method.is_of_flight)
    others = np.flatnonzero(~method.is_of_flight)
    order = np.append(others, own)
    turned = SquareRootInformation(information.factor[:, order], information.target)
    left = turned.of_first(len(others))
    factor = np.zeros_like(information.factor)
    factor[np.ix_(range(len(others)), others)] = left.factor
    std = method.unknowns.std[own - len(method.minimal)]
    factor[range(len(others), len(order)), own] = 1.0 / std
    target = np.append(left.target, np.zeros(len(own)))
    return SquareRootInformation.nothing(len(order)).absorb(factor, target)
