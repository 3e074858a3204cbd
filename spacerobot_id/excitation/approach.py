"""Intervals before a plan that lead from where joints and wheels are to where it starts."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.plan import ExcitationPlan
from spacerobot_id.excitation.seed_parameters import largest_range
from spacerobot_id.model import RobotModel


def with_approach(
    model: RobotModel, present: NDArray[np.float64], plan: ExcitationPlan
) -> ExcitationPlan:
    """Return a plan with intervals before it that lead from the present to its start.

    The joints go straight. Wheels have no place where they must be: the plan goes on from where
    they are, and until then they turn to and fro, each half as often as the one before, so that
    the scale of the parameters shows from the first second on.

    Parameters
    ----------
    model : RobotModel
        Robot.
    present : ndarray, shape (n + w,)
        Positions of joints, then wheels, rad or m, at rest.
    plan : ExcitationPlan
        Motion; its first interval gives the duration of those before it.
    """
    joints, interval = len(model.joints), float(plan.durations[0])
    way = plan.knots[0, :joints] - present[:joints]
    ranges = [largest_range(limit, interval) for limit in actuator_limits(model)]
    count = int(np.ceil(np.max(np.abs(way) / ranges[:joints]) - 1e-9))
    share = np.arange(count + 1)[:, None] / max(count, 1)
    phase = np.arange(count)[:, None] >> np.arange(len(model.wheels))
    turned = np.cumsum((1 - 2 * (phase & 1)) * ranges[joints:], axis=0)
    turned = np.vstack([np.zeros(len(model.wheels)), turned])
    approach = np.hstack([present[:joints] + share * way, present[joints:] + turned])
    wheels = plan.knots[:, joints:] - plan.knots[0, joints:] + approach[-1, joints:]
    return ExcitationPlan(
        names=plan.names,
        knots=np.vstack([approach[:-1], np.hstack([plan.knots[:, :joints], wheels])]),
        durations=np.concatenate([np.full(count, interval), plan.durations]),
    )
