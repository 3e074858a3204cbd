"""What the planner says of itself on its status topic."""

from enum import Enum
import json

import numpy as np

from spacerobot_id.excitation import PlannedExcitation
from spacerobot_id.nodes.planning_worker import PlanningWorker

_LIMITS_SAID = 10
"""Limits that are said, the closest first."""


class PlannerState(Enum):
    """What the planner is doing."""

    IDLE = 'idle'
    PLANNING = 'planning'
    READY = 'ready'
    RUNNING = 'running'
    STOPPING = 'stopping'
    DONE = 'done'
    STOPPED = 'stopped'
    FAILED = 'failed'


def status_text(
    state: PlannerState,
    message: str,
    elapsed: float,
    planned: PlannedExcitation | None,
    plan_seconds: float,
    worker: PlanningWorker | None,
) -> str:
    """Return one JSON object.

    Parameters
    ----------
    state : PlannerState
        State.
    message : str
        A word on it.
    elapsed : float
        Time since the motion began, s.
    planned : PlannedExcitation, optional
        The plan that there is.
    plan_seconds : float
        Time that planning it took, s.
    worker : PlanningWorker, optional
        The planning under way.
    """
    limits = planned.limits[:_LIMITS_SAID] if planned is not None else ()
    cost = planned.cost if planned is not None else np.nan
    return json.dumps(
        {
            'state': state.value,
            'message': message,
            'elapsed': elapsed,
            'duration': planned.plan.duration if planned is not None else 0.0,
            'evaluations': worker.evaluations if worker is not None else 0,
            'cost': cost if np.isfinite(cost) else None,
            'plan_seconds': plan_seconds,
            'limits': {use.name: round(use.share, 4) for use in limits},
        }
    )
