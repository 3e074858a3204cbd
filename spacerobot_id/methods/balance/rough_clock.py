"""Delays that are known too roughly for a fit to start from, and flights too short for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.balance_robot import BalanceRobot
from spacerobot_id.methods.balance.clock_search import time_to_search
from spacerobot_id.methods.balance.equations.moving_robot import POSE_DELAY
from spacerobot_id.methods.balance.flight import Flight

POSES, WRENCHES = POSE_DELAY, 'delay.wrench'
"""Delays against joints."""

_ROUGH = 0.05
"""Deviation of the delay of poses, or of wrenches, from which on it is looked for before the fit,
s: from further away than a segment is long, disturbances explain pulses at another time."""


def rough_delay(method: BalanceRobot, name: str) -> tuple[int, float] | None:
    """Return place and deviation (s) of a delay that a fit cannot start from; None if it can.

    Parameters
    ----------
    method : BalanceRobot
        Unknowns.
    name : str
        Name of the delay.
    """
    unknowns = method.unknowns
    if name not in unknowns.places:
        return None
    place = unknowns.places[name].start
    std = float(unknowns.std[place - unknowns.parameters])
    return (place, std) if std > _ROUGH else None


def looks_for_clock(method: BalanceRobot, start: NDArray[np.float64]) -> bool:
    """Return whether a fit looks for the clock of poses: it is rough, and nothing known of it.

    Parameters
    ----------
    method : BalanceRobot
        Unknowns.
    start : ndarray, shape (u,)
        Unknowns that the fit starts from.
    """
    rough = rough_delay(method, POSES)
    return rough is not None and bool(start[rough[0]] == 0.0)


def time_for_clock(method: BalanceRobot, flight: Flight) -> float:
    """Return how long a flight has to last for the clock of its poses to be found, s.

    Zero where that is known. The delay of wrenches does not count: the first seconds show it.

    Parameters
    ----------
    method : BalanceRobot
        Robot and unknowns.
    flight : Flight
        Commands as they were sent.
    """
    rough = rough_delay(method, POSES)
    return 0.0 if rough is None else time_to_search(flight, len(method.model.joints), rough[1])


def long_enough(method: BalanceRobot, flights: Sequence[Flight]) -> list[Flight]:
    """Return the flights that the clock of poses can be found in; all if there is none.

    Parameters
    ----------
    method : BalanceRobot
        Robot and unknowns.
    flights : sequence of Flight
        Flights, each with a clock of its own.
    """
    found = [each for each in flights if each.length >= time_for_clock(method, each)]
    return found or list(flights)


def clock_shortage(method: BalanceRobot, length: float, needed: float) -> tuple[str, ...]:
    """Return a message if a flight is too short for the clock of its poses; empty if not.

    Parameters
    ----------
    method : BalanceRobot
        Robot and unknowns.
    length, needed : float
        How long the flight lasts, and how long it has to, s.
    """
    if length >= needed:
        return ()
    std = rough_delay(method, POSES)[1]
    return (
        f'the clock of base_pose is known to {std:.2g} s only, and {length:.2g} s are too short '
        f'to look for it, which takes {needed:.2g} s: wait, or set a smaller {POSES}',
    )
