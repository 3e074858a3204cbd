"""A planned motion of the base, and the control that makes it, as seen from where it starts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.excitation.trajectory.pose_reference import FreeFlyerReference
from spacerobot_id.kinematics.pose_coordinates import PoseMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import whole_robot
from spacerobot_id.simulation import PredictiveControl, SaturatedTracking
from spacerobot_id.simulation.free_flyer.flight import TrackingControl

SETTLED = 1.0
"""Time at rest at the end of a motion before the propellers are turned off, s."""


@dataclass(frozen=True, eq=False)
class PlannedFlight:
    """A motion of the base and the control that makes it.

    Parameters
    ----------
    planned : PlannedExcitation
        Motion of the six coordinates.
    reference : PoseMotion
        The same at the steps of the control; arrays begin with the shape (1, K).
    control : TrackingControl
        Control.
    step : float
        Step of the control, s.
    """

    planned: PlannedExcitation
    reference: PoseMotion
    control: TrackingControl
    step: float

    def step_at(self, elapsed: float) -> int:
        """Return the step of the control at some time of the motion, s."""
        last = self.reference.position.shape[1] - 1
        return int(np.clip(round(elapsed / self.step), 0, last))


def flight_of(model: RobotModel, planned: PlannedExcitation, tracking: str) -> PlannedFlight:
    """Return a motion of the base with its control.

    Parameters
    ----------
    model : RobotModel
        Robot as far as it is known; its joints stay at zero.
    planned : PlannedExcitation
        Motion.
    tracking : str
        Control: ``saturated`` or ``nmpc``.

    Raises
    ------
    ConfigurationError
        If predictive control lacks propellers, or CasADi.
    """
    step = 1.0 / model.noise.rate
    steps = int(np.ceil((planned.plan.duration + SETTLED) / step)) + 1
    sampled = FreeFlyerReference(planned.plan).sample(step * np.arange(steps))
    names = PoseMotion.__dataclass_fields__
    reference = PoseMotion(*(getattr(sampled, name)[None] for name in names))
    body, propellers = body_of(model), model.actuators.propellers
    if tracking != 'nmpc':
        return PlannedFlight(planned, reference, SaturatedTracking(body, reference), step)
    if propellers is None:
        raise ConfigurationError(f'{model.name}: nmpc needs actuators.propellers')
    control = PredictiveControl(body, propellers, reference, step)
    return PlannedFlight(planned, reference, control, step)


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
