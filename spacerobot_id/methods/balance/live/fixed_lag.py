"""Momentum balance live: a smoother with a fixed lag, whose past goes into the recursion.

The latest seconds are fitted at once. What leaves them is marginalised: its information on the
unknowns and on the state at the border is kept, linear about where it was then, so that the work
does not grow with the flight. Early on little is known to be linear about, so all is relinearised
whenever the flight has doubled, until it is long (Dong-Si and Mourikis, Motion tracking with
fixed-lag smoothing, 2011); a few steps at a time, so that the estimate does not wait for it.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.balance_fit import begin_fit, fit_from_poses
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.balance.flight_fit import BalanceFit
from spacerobot_id.methods.balance.live.body_change import changed_border, likeliest_change
from spacerobot_id.methods.balance.live.past import Past
from spacerobot_id.methods.balance.live.sought_clock import SoughtClock
from spacerobot_id.methods.balance.rough_clock import looks_for_clock, time_for_clock
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import Changed
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_FURTHER, _HELD = 2, 10
"""Most steps of a fit that goes on from the last, and of one that holds the robot as it was."""


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
    if past is None:
        past = _from(method, flights[0], start, known)
    start = past.values if past.is_renewed else start
    for flight, after in pairwise(flights):
        if past.is_sure_of_clock or flight.length >= time_for_clock(method, flight):
            fit = _fitted(method, flight, start, past)
            known, sizes = _over(method, fit.information), fit.sizes
            start = np.where(method.is_of_flight, 0.0, known.values())
        else:
            known, sizes, start = past.known, past.sizes, past.clock.described
        past = replace(_from(method, after, start, known), sizes=sizes)
    flight = flights[-1]
    if looks_for_clock(method, start):
        past = past.seeking(flight)
    fit = _fitted(method, flight, start, past)
    return fit, past.gone_on(fit)


def _from(
    method: 'MomentumBalance',
    flight: Flight,
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
) -> Past:
    """Return the past of a flight before its first sample."""
    needed = time_for_clock(method, flight)
    clock = SoughtClock(start, needed) if needed else None
    return Past(float(flight.edges[0]), known, clock=clock)


def renewing(
    method: 'MomentumBalance', flights: Sequence[Flight], start: NDArray[np.float64], past: Past
) -> Past:
    """Return the past with a fit of all samples that are kept begun, if there can be one.

    Where a clock is only roughly known it is looked for again, from the description on: the first
    seconds are too few for it, and at a wrong one pushes explain what wrenches do.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flights : sequence of Flight
        That of all samples that are kept.
    start : ndarray, shape (u,)
        Unknowns to start from.
    past : Past
        What was found so far.
    """
    tried = replace(past, linearised=float(flights[-1].edges[-1]))
    if len(flights) > 1:
        return tried
    flight = flights[0].going_on(past.first)
    if past.first is None and past.clock is not None:
        start = past.clock.described
    with suppress(EstimationError):
        iteration = begin_fit(method, [flight], start, past.known, border=past.first)
        return past.renewing(iteration, flight)
    return tried


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
    if not past.is_sure_of_clock:
        return None
    fit = begin_fit(
        method,
        [flight.going_on(past.border)],
        values,
        past.known,
        given=[past.sizes if past.border is None else past.border.sizes(past.sizes)],
        held=True,
        border=past.border,
        begun=past.begun,
    ).ended(_HELD)
    found = likeliest_change(method, fit, settings, past.begin + settings.settle)
    if found is None or not found.is_sure:
        return None
    before, after = changed_border(method, fit, found.segment, past.border, settings)
    since = Past(before.time, None, after, after, sizes=past.sizes, clock=past.clock)
    return Changed(before.time, before.information, after.information, since)


def _fitted(
    method: 'MomentumBalance', flight: Flight, start: NDArray[np.float64], past: Past
) -> BalanceFit:
    """Return the fit of the latest seconds, from along the poses where no motion goes on."""
    flights, sizes, border = [flight.going_on(past.border)], past.sizes, past.border
    if past.begun is not None:
        with suppress(EstimationError):
            return begin_fit(
                method,
                flights,
                start,
                past.known,
                first=sizes,
                border=border,
                begun=past.begun,
            ).ended(_FURTHER)
    return fit_from_poses(method, flights, start, past.known, first=sizes, border=border)


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
