"""What the estimator's own work costs, messaging aside, as shares of one core."""

from dataclasses import dataclass
import time

import numpy as np

from spacerobot_id.data import Alignment, Measurement
from spacerobot_id.estimation import (
    absorb,
    begin_identification,
    MomentumProblem,
    refine,
)

_BUSY = 10.0
"""Time over which the busiest part is averaged, s."""


@dataclass(frozen=True)
class EstimatorLoad:
    """Processor time over the time of the motion.

    Parameters
    ----------
    intake : float
        Share of a core that taking samples in and aligning them costs.
    whole : float
        Share of a core that all of it costs.
    busiest : float
        The same in the busiest ten seconds.
    refining : float
        Time of the last fit of all samples, s.
    """

    intake: float
    whole: float
    busiest: float
    refining: float


def estimator_load(
    problem: MomentumProblem, measurement: Measurement, update_period: float = 0.2
) -> EstimatorLoad:
    """Return what it costs to estimate along a motion, as the node does it.

    Parameters
    ----------
    problem : MomentumProblem
        Robot, noise and unknowns.
    measurement : Measurement
        Samples at a constant rate; they are taken in one by one.
    update_period : float
        Time between two updates of the estimate, s.
    """
    times = measurement.times
    rate = (len(times) - 1) / (times[-1] - times[0])
    alignment = Alignment(len(problem.model.joints), len(problem.model.wheels))
    state, taking, spent = begin_identification(problem), 0.0, []
    block = max(1, round(update_period * rate))
    for begin in range(0, len(times), block):
        start = time.process_time()
        for k in range(begin, min(begin + block, len(times))):
            _take_in(alignment, measurement, k)
        aligned = alignment.take()
        taking += time.process_time() - start
        state = absorb(state, aligned)
        spent.append(time.process_time() - start)
    window = min(len(spent), round(_BUSY / update_period))
    busiest = np.convolve(spent, np.ones(window), 'valid').max() / (window * update_period)
    start = time.process_time()
    refine(state)
    refining = time.process_time() - start
    duration = len(times) / rate
    return EstimatorLoad(taking / duration, sum(spent) / duration, float(busiest), refining)


def _take_in(alignment: Alignment, measurement: Measurement, k: int) -> None:
    """Give one sample of every stream to the alignment."""
    stamp, twist = measurement.times[k], measurement.base_twist[k]
    alignment.push_joints(stamp, measurement.q[k], measurement.qd[k], measurement.wheel_rates[k])
    alignment.push_gyro(stamp, twist[3:])
    alignment.push_linear_velocity(stamp, twist[:3])
