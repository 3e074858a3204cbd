"""In which states a controller may take up a command: what was measured, and what may be by then.

A joint state is some time old when a command is computed from it, and the command takes some time
to its controller: both are known to a bound. Values that repeat exactly are no news of a moving
robot: they are as old as their last change.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent
from spacerobot_id.kinematics.trajectory_motion import JointMotion

LATEST = 0.1
"""Longest time from a joint state to its controller's reaction that is always reckoned with, s."""

_LONGEST_WAY = 0.3
"""Most of that time that is reckoned with where a motion began late, s."""

_JITTER = 0.05
"""Time by which a command may take longer than the one before it, s."""

_LOOKS = 7
"""States between the earliest and the latest, at least."""

_FINE = 0.03
"""Distance between them, s, as long as there are not too many."""

_MOST_LOOKS = 150
"""Most of them, as each is a check of limits."""

_QUINTIC = Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
_CUBIC = Polynomial([0.0, 0.0, 3.0, -2.0])
"""Ways from rest to rest, from 0 to 1, of the splines of controllers."""

_JERK = 10.0
"""Change of an unknown acceleration in a second, in units of its limit: that of a fast quintic."""

_TREND = 0.1
"""Time within which an error of the rate may have come to be, s."""

_SAMPLES = 1000
"""Times of a motion at which it is compared with where actuators are."""

_BEGUN = 0.03
"""Time within which who was seen to move slowly may have begun, s."""

_TRACKING = 0.02
"""Time at its largest rate by which a controlled actuator is off its motion, s."""

_CLOSE = 0.01
"""Distance by which it may be off in any case, rad or m."""

_LAGGING = 0.1
"""Share of its largest rate by which its rate is."""

_WORSE = 1.5
"""How much worse than the best a time of the motion may fit, where none fits within noise."""


@dataclass(frozen=True, eq=False)
class MeasuredState:
    """The newest state of m actuators.

    Parameters
    ----------
    stamp : float
        Time that it holds for, s.
    age : float
        Time since it came, s.
    position, rate, acceleration : ndarray, shape (m,)
        rad, rad/s, rad/s^2; m for prismatic joints.
    position_noise, rate_noise : ndarray, shape (m,)
        Errors that position and rate may have.
    changed : ndarray, shape (m,)
        Stamps of the last states that were others, s.
    """

    stamp: float
    age: float
    position: NDArray[np.float64]
    rate: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    position_noise: NDArray[np.float64]
    rate_noise: NDArray[np.float64]
    changed: NDArray[np.float64]

    @property
    def news(self) -> float:
        """Stamp of the last state that was another, s; none is later than the state's."""
        return float(self.changed.min(initial=self.stamp))

    def of(self, columns: list[int]) -> 'MeasuredState':
        """Return the state of some actuators."""
        arrays = {name: each for name, each in vars(self).items() if name not in ('stamp', 'age')}
        return replace(self, **{name: each[columns] for name, each in arrays.items()})


def tracking_error(limits: MotionExtent) -> NDArray[np.float64]:
    """Return how far controlled actuators may be off where they should be, rad or m, shape (m,).

    Beyond that they do not follow: they are blocked, or somebody else commands them.
    """
    return np.maximum(_TRACKING * limits.velocity, _CLOSE)


def drifting(state: MeasuredState, limits: MotionExtent) -> JointMotion:
    """Return where actuators may be that move for reasons that are not known, shape (S, m)."""
    finite = np.where(np.isfinite(limits.acceleration), limits.acceleration, 0.0)
    times = np.linspace(0.0, state.age + LATEST, 3)[:, None, None]
    jerk = _JERK * finite * np.array([0.0, -1.0, 1.0])[:, None]
    states = (
        state.position
        + times * state.rate
        + times**2 / 2.0 * state.acceleration
        + times**3 / 6.0 * jerk,
        state.rate + times * state.acceleration + times**2 / 2.0 * jerk,
        state.acceleration + times * jerk,
    )
    return JointMotion(*(each.reshape(-1, len(state.position)) for each in states))


def resting(state: MeasuredState) -> JointMotion:
    """Return where actuators may be that were seen at rest, or nearly, shape (4, m).

    They come to rest by then, or keep their rates.
    """
    way = (state.age + LATEST) * state.rate
    moving = JointMotion.at_rest(state.position + np.outer([0.0, 1.0], way))
    moving = replace(moving, velocity=np.tile(state.rate, (2, 1)))
    return joined(moving, JointMotion.at_rest(state.position + np.outer([0.0, 0.5], way)))


def anywhere(state: MeasuredState, limits: MotionExtent, reach: float) -> JointMotion:
    """Return the ends of the ranges in which actuators may rest that nothing is known of.

    Up to a reach (rad or m) away, or what their limits leave of that; shape (3, m).
    """
    lowest = np.maximum(limits.lowest, state.position - reach).clip(max=state.position)
    highest = np.minimum(limits.highest, state.position + reach).clip(min=state.position)
    return JointMotion.at_rest(np.stack([state.position, lowest, highest]))


def setting_out(state: MeasuredState) -> JointMotion:
    """Return where actuators may be that were to rest and do not: they may just have begun.

    Shape (4, m) or, if any moves beyond noise, (5, m).
    """
    rate = np.where(np.abs(state.rate) > state.rate_noise, state.rate, 0.0)
    time, bend = state.age + LATEST, rate / _BEGUN
    if not rate.any():
        return resting(state)
    by_then = state.position + time * rate + 0.5 * time**2 * bend, rate + time * bend, bend
    return joined(resting(state), JointMotion(*(each[None] for each in by_then)))


def coming(
    state: MeasuredState, begin: JointMotion, duration: float, elapsed: float
) -> JointMotion:
    """Return where actuators may be that come from places at rest to where they seem to be.

    Parameters
    ----------
    state : MeasuredState
        Where they seem to be.
    begin : JointMotion
        Where they were at rest, shape (S, m).
    duration : float
        Time that they were given, s.
    elapsed : float
        Longest time since they may have begun, s.
    """
    phases = np.linspace(0.0, min(elapsed / duration, 1.0), _LOOKS)[:, None, None]
    way, found = state.position - begin.position, JointMotion.at_rest(begin.position)
    for shape in (_QUINTIC, _CUBIC):
        parts = (
            shape.deriv(order)(phases) * way / duration**order if order else shape(phases) * way
            for order in range(3)
        )
        position, rate, acceleration = (each.reshape(-1, way.shape[1]) for each in parts)
        start = np.tile(begin.position, (_LOOKS, 1))
        found = joined(found, JointMotion(start + position, rate, acceleration))
    return found


def following(
    motion: ExcitingMotion,
    state: MeasuredState,
    elapsed: tuple[float, float],
    limits: MotionExtent,
    sent: float,
) -> JointMotion | None:
    """Return where actuators may be that follow a motion; None if they do not follow it.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion of the m actuators.
    state : MeasuredState
        Their state.
    elapsed : tuple of 2 floats
        Earliest and latest time of the motion at which they may have been in that state, s.
    limits : MotionExtent
        Their limits.
    sent : float
        Stamp of the joint states when the motion was sent, s: what was late is late again.
    """
    times = np.linspace(*np.clip(elapsed, 0.0, motion.duration), _SAMPLES)
    planned = motion.sample(times)
    off = np.abs(planned.position - state.position)
    slow = np.abs(planned.velocity - state.rate)
    noise = np.maximum(off / state.position_noise, slow / state.rate_noise).max(axis=1)
    error = np.maximum(
        off / (tracking_error(limits) + state.position_noise),
        slow / (_LAGGING * limits.velocity + state.rate_noise),
    ).max(axis=1)
    best = int(np.argmin(error))
    if error[best] > 1.0:
        return None
    fits = times[(noise <= 1.0) | (error <= _WORSE * error[best])]
    news = max(state.news, sent)
    way = min(news - sent - times[best], _LONGEST_WAY) + _JITTER
    latest = state.stamp - news + state.age + max(LATEST, way)
    last = min(fits[-1] + latest, motion.duration)
    looks = int(np.clip((last - fits[0]) / _FINE, _LOOKS, _MOST_LOOKS))
    spread = np.linspace(fits[0], max(last, fits[0]), looks)
    shift = state.position - planned.position[best]
    drift = state.rate - planned.velocity[best]
    drift = np.where(np.abs(drift) > state.rate_noise, drift, 0.0)
    by_then = motion.sample(spread)
    since = (spread - fits[0])[:, None]
    states = JointMotion(by_then.position + shift, by_then.velocity, by_then.acceleration)
    follows = states
    for bend in (-1.0, 1.0) if drift.any() else ():  # it may become more, or less
        extra = bend * drift / _TREND
        other = JointMotion(
            follows.position + since * drift + since**2 / 2.0 * extra,
            follows.velocity + drift + since * extra,
            follows.acceleration + extra,
        )
        states = joined(states, other)
    return states


def joined(first: JointMotion, second: JointMotion) -> JointMotion:
    """Return the states of both, shapes (S, m) and (R, m) to (S + R, m)."""
    return JointMotion(
        *(np.vstack([each, vars(second)[key]]) for key, each in vars(first).items())
    )
