"""How long an interval should be, from the limits of joints and wheels."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.excitation.cycloid import PEAK_RATE
from spacerobot_id.model import JointLimits

_SHORTEST = 1.0
"""Least duration that is chosen, s: that of the paper."""

_LONGEST = 20.0
"""Largest duration that is chosen, s."""

_SHARE_OF_RANGE = 0.5
"""Largest share of a joint's range that one interval should take it."""


def interval_from_limits(limits: Sequence[JointLimits]) -> float:
    """Return a duration in which most actuators reach the rates they may have.

    Below it, acceleration is what limits an actuator and its rate falls with the duration; above
    it, motions take longer and show no more at each moment. Joints reach theirs at different
    durations: the median counts, of joints that would not cross half their range by then.

    Parameters
    ----------
    limits : sequence of JointLimits
        Limits of joints, then wheels.

    Returns
    -------
    float
        Duration, s, 1 to 20.
    """
    times = [_time_to_rate(limit) for limit in limits]
    wanted = float(np.median(times)) if times else _SHORTEST
    return float(np.clip(wanted, _SHORTEST, _LONGEST))


def _time_to_rate(limit: JointLimits) -> float:
    """Return how long a cycloid must be to reach the largest rate, s."""
    if not np.isfinite(limit.velocity):
        return _LONGEST
    by_acceleration = np.pi * limit.velocity / limit.acceleration
    by_range = PEAK_RATE * _SHARE_OF_RANGE * (limit.upper - limit.lower) / limit.velocity
    return min(by_acceleration, by_range)
