"""The status of the planner, as on its topic."""

from enum import Enum
import json

import numpy as np

from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.nodes.planner.worker import PlanningWorker

_MOST_LIMITS = 10
"""Limits that are published, the closest first."""


class PlannerState(Enum):
    """What the planner is doing."""

    INACTIVE = 'inactive'
    IDLE = 'idle'
    PLANNING = 'planning'
    READY = 'ready'
    RUNNING = 'running'
    STOPPING = 'stopping'
    DONE = 'done'
    STOPPED = 'stopped'
    FAILED = 'failed'


def status_text(
    method: str,
    state: PlannerState,
    message: str,
    elapsed: float,
    planned: PlannedExcitation | None,
    plan_seconds: float,
    worker: PlanningWorker | None,
) -> str:
    """Return one JSON object, of the same keys whatever the method.

    Parameters
    ----------
    method : str
        Method that is planned for.
    state : PlannerState
        State.
    message : str
        A message on it.
    elapsed : float
        Time since the motion began, s.
    planned : PlannedExcitation, optional
        The plan that there is.
    plan_seconds : float
        Time that planning it took, s.
    worker : PlanningWorker, optional
        The planning under way.
    """
    limits = planned.limits[:_MOST_LIMITS] if planned is not None else ()
    return json.dumps(
        {
            'method': method,
            'state': state.value,
            'message': message,
            'elapsed': elapsed,
            'duration': planned.plan.duration if planned is not None else 0.0,
            'evaluations': worker.evaluations if worker is not None else 0,
            'cost': _finite(None if planned is None else planned.cost),
            'condition_number': _finite(None if planned is None else planned.condition),
            'plan_seconds': plan_seconds,
            'limits': {use.name: round(use.share, 4) for use in limits},
        }
    )


def _finite(number: float | None) -> float | None:
    """Return a number that JSON knows."""
    return None if number is None or not np.isfinite(number) else float(number)
