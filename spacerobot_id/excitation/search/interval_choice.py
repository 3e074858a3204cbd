"""How long an interval should be, from the limits of joints and wheels, and how many there are."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.cycloids import peak_acceleration, peak_rate
from spacerobot_id.model import JointLimits

MOST_INTERVALS = 10_000
"""Most intervals of a motion."""

_ROUNDING = 1e-6
"""Share of an interval by which the last one may be too long."""

_SHORTEST = 1.0
"""Least duration that is chosen, s: that of the paper."""

_LONGEST = 20.0
"""Largest duration that is chosen, s."""

_SHARE_OF_RANGE = 0.5
"""Largest share of a joint's range that one interval should take it."""


def interval_from_limits(limits: Sequence[JointLimits], plateau: float = 0.0) -> float:
    """Return a duration in which most actuators reach the rates they may have.

    Below it, acceleration is what limits an actuator and its rate falls with the duration; above
    it, motions take longer and show no more at each moment. Joints reach theirs at different
    durations: the median counts, of joints that would not cross half their range by then.

    Parameters
    ----------
    limits : sequence of JointLimits
        Limits of joints, then wheels.
    plateau : float
        Share of an interval at constant rate: the rest of it takes no less than without.

    Returns
    -------
    float
        Duration, s; without a plateau 1 to 20.
    """
    shortest, longest = (each / (1.0 - plateau) for each in (_SHORTEST, _LONGEST))
    times = [_time_to_rate(limit, plateau, longest) for limit in limits]
    wanted = float(np.median(times)) if times else shortest
    return float(np.clip(wanted, shortest, longest))


def whole_intervals(duration: float, interval: float) -> int:
    """Return how many intervals fill a duration: as many as fit, which are then stretched.

    Parameters
    ----------
    duration : float
        Duration of the whole motion, s.
    interval : float
        Duration that an interval should have, and has at least if one fits; s.

    Raises
    ------
    PlanningError
        If there are too many to plan.
    """
    count = duration / interval + _ROUNDING
    if count > MOST_INTERVALS + 1.0:
        raise PlanningError(
            f'duration: {duration:g} s are more than {MOST_INTERVALS} intervals of {interval:g} s'
        )
    return max(1, int(count))


def _time_to_rate(limit: JointLimits, plateau: float, longest: float) -> float:
    """Return how long a cycloid must be to reach the largest rate, s; ``longest`` without one."""
    if not 0.0 < limit.velocity < np.inf or not limit.acceleration > 0.0:
        return longest
    rate = peak_rate(plateau)
    by_acceleration = peak_acceleration(plateau) / rate * limit.velocity / limit.acceleration
    by_range = rate * _SHARE_OF_RANGE * (limit.upper - limit.lower) / limit.velocity
    return min(by_acceleration, by_range)
