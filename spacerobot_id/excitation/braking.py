"""Ending a cycloid early: to rest by one quintic that asks little more than the cycloid does.

A controller gets the command a little later than the motion was seen, nobody knows how much; so
the quintic is taken that is gentlest in the worst of several delays. Where it stops is free
between the present position and the end of the cycloid: to be at rest earlier than there, or
exactly there, can ask too much.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.cycloid import PEAK_ACCELERATION, PEAK_RATE, unit_cycloid

LONGEST_DELAY = 0.1
"""Longest delay of the command that is reckoned with, in units of the cycloid's duration."""

_DELAYS = np.linspace(0.0, 1.0, 9)
_DURATIONS = np.linspace(0.05, 1.0, 39)
_ENDS = np.linspace(0.0, 1.0, 41)
_PHASES = np.linspace(0.0, 1.0, 41)

_BEYOND = 200.0
"""Weight of what goes beyond the ends of the cycloid, where position limits may be."""


@dataclass(frozen=True)
class Brake:
    """A way to rest, in units of a cycloid's duration and way.

    Parameters
    ----------
    duration : float
        Time that it takes.
    position : float
        Where it ends: 0 is the start of the cycloid, 1 its end.
    load : float
        Largest rate or acceleration, relative to those of the cycloid.
    """

    duration: float
    position: float
    load: float


def brake(phase: float, delay: float) -> Brake:
    """Return the gentlest way to end a cycloid before its time.

    Parameters
    ----------
    phase : float
        Phase of the cycloid at which the motion was seen last, 0 to 1.
    delay : float
        Longest time until the controller starts to brake, in units of the cycloid's duration;
        no more than ``LONGEST_DELAY`` is reckoned with.

    Returns
    -------
    Brake
        At rest within the duration of one cycloid.
    """
    here = float(unit_cycloid(phase).position)
    duration, end = np.meshgrid(_DURATIONS, here + (1.0 - here) * _ENDS, indexing='ij')
    starts = _starts(phase + min(delay, LONGEST_DELAY) * _DELAYS)
    load = np.max([_load(start, duration, end) for start in starts], axis=0)
    best = np.unravel_index(np.argmin(load), load.shape)
    return Brake(float(duration[best]), float(end[best]), float(load[best]))


def _starts(phases: NDArray[np.float64]) -> list[tuple[float, float, float]]:
    """Return position, rate and acceleration at phases, beyond the end for either way on."""
    starts = []
    for phase in phases:
        done, rest = (1.0, phase - 1.0) if phase > 1.0 else (0.0, phase)
        motion = unit_cycloid(rest)
        for sign in (1.0, -1.0) if done else (1.0,):
            starts.append(
                (
                    done + sign * float(motion.position),
                    sign * float(motion.rate),
                    sign * float(motion.acceleration),
                )
            )
    return starts


def _load(
    start: tuple[float, float, float], duration: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the loads of quintics from a state to rest, of the shape of durations and ends."""
    position, rate, acceleration = start
    way, first, second = end - position, rate * duration, 0.5 * acceleration * duration**2
    third = 10.0 * way - 6.0 * first - 3.0 * second
    fourth = -15.0 * way + 8.0 * first + 3.0 * second
    fifth = 6.0 * way - 3.0 * first - second
    powers = _PHASES ** np.arange(6)[:, None]
    coefficients = np.array([np.full_like(way, position), first, second, third, fourth, fifth])
    degree = np.arange(1, 6)[:, None, None]
    rates = degree * coefficients[1:]
    accelerations = degree[:-1] * rates[1:]
    top = 1.0 if position <= 1.0 else 2.0  # the next cycloid goes on to there
    path = np.tensordot(coefficients, powers, axes=(0, 0))
    beyond = np.maximum(path - top, -path).max(axis=-1).clip(min=0.0)
    speed = np.abs(np.tensordot(rates, powers[:5], axes=(0, 0))).max(axis=-1) / duration
    push = np.abs(np.tensordot(accelerations, powers[:4], axes=(0, 0))).max(axis=-1)
    load = np.maximum(speed / PEAK_RATE, push / duration**2 / PEAK_ACCELERATION)
    return load + _BEYOND * beyond
