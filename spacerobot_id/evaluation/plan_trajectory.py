"""An exciting motion as the trajectory that a controller takes."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from spacerobot_id.excitation import ExcitationPlan, ExcitingMotion
from spacerobot_id.simulation import JointTrajectory


def trajectory_from_plan(
    plan: ExcitingMotion, names: Sequence[str], step: float = 0.1, since: float = 0.0
) -> JointTrajectory:
    """Return the part of a plan that some actuators have, as points of a trajectory.

    Parameters
    ----------
    plan : ExcitingMotion
        Motion of all actuators.
    names : sequence of str
        Actuators of one controller, in the order wanted.
    step : float
        Largest time between points, s; knots of cycloids are points, too.
    since : float
        Time of the plan to start at, s.

    Returns
    -------
    JointTrajectory
        Points after the start, with positions, velocities and accelerations; at rest at the last.
    """
    durations = plan.durations if isinstance(plan, ExcitationPlan) else [plan.duration]
    ends = np.concatenate([[0.0], np.cumsum(durations)])
    times = [
        np.linspace(begin, end, max(1, int(np.ceil((end - begin) / step))) + 1)[1:]
        for begin, end in pairwise(ends)
    ]
    times = np.concatenate(times)
    motion = plan.sample(times[times > since + 1e-9])
    columns = [plan.names.index(name) for name in names]
    return JointTrajectory(
        tuple(names),
        motion.times - since,
        motion.position[:, columns],
        motion.velocity[:, columns],
        motion.acceleration[:, columns],
    )
