"""What the planner plans for method free_flyer: a motion of the base, and the control of it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.dynamics import whole_robot
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import FreeFlyerReference, plan_free_flyer, PlannedPose, pose_family
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation import PredictiveControl, SaturatedTracking, TrackingControl

SETTLED = 1.0
"""Time at rest at the end of a motion before the propellers are turned off, s."""


@dataclass(frozen=True, eq=False)
class PlannedFlight:
    """A motion of the base and the control that makes it, both as seen from where it starts.

    Parameters
    ----------
    pose : PlannedPose
        Motion.
    reference : PoseMotion
        The same at the steps of the control; arrays begin with the shape (1, K).
    control : TrackingControl
        Control.
    step : float
        Step of the control, s.
    """

    pose: PlannedPose
    reference: PoseMotion
    control: TrackingControl
    step: float


def plan_flight(
    model: RobotModel,
    settings: PlannerNodeSettings,
    progress: Callable[[int, float], bool] | None = None,
) -> PlannedFlight:
    """Return a motion of the base and its control.

    Parameters
    ----------
    model : RobotModel
        Robot as far as it is known; its joints stay at zero.
    settings : PlannerNodeSettings
        Parameters of the planner.
    progress : callable, optional
        As ``plan_free_flyer`` takes it.

    Raises
    ------
    ConfigurationError
        If predictive control lacks propellers, or CasADi.
    PlanningError
        If limits leave no motion.
    """
    family = pose_family(
        settings.limits_of_base(),
        settings.base_period,
        settings.base_harmonics,
        settings.base_cycles,
    )
    pose = plan_free_flyer(
        family, settings.criterion_of_base(), seed=settings.seed, progress=progress
    )
    step = 1.0 / model.noise.rate
    steps = int(np.ceil((pose.motion.duration + SETTLED) / step)) + 1
    sampled = FreeFlyerReference(pose.motion).sample(step * np.arange(steps))
    names = PoseMotion.__dataclass_fields__
    reference = PoseMotion(*(getattr(sampled, name)[None] for name in names))
    body, propellers = body_of(model), model.actuators.propellers
    if settings.tracking != 'nmpc':
        return PlannedFlight(pose, reference, SaturatedTracking(body, reference), step)
    if propellers is None:
        raise ConfigurationError(f'{model.name}: nmpc needs actuators.propellers')
    control = PredictiveControl(body, propellers, reference, step)
    return PlannedFlight(pose, reference, control, step)


def body_of(model: RobotModel) -> NDArray[np.float64]:
    """Return the ten parameters of the whole robot, its joints at zero."""
    return whole_robot(model, np.zeros(len(model.joints))).vector


def seen_from(origin: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a state with its pose seen from another's; twists are in base axes anyway."""
    turned = Rotation.from_quat(origin[3:7]).inv()
    position = turned.apply(state[:3] - origin[:3])
    attitude = (turned * Rotation.from_quat(state[3:7])).as_quat()
    return np.concatenate([position, attitude, state[7:]])


def still() -> PoseMotion:
    """Return the reference of a base that stays where it is."""
    nothing = np.zeros((1, 1, 3))
    return PoseMotion(nothing, np.eye(3)[None, None], nothing, nothing, nothing, nothing)
