"""What a plan makes a robot do, and the condition number of the regressor along it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.methods.information.motion_information import gram_matrix
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.regressor import MinimalParameters, momentum_regressor


@dataclass(frozen=True, eq=False)
class PredictedMotion:
    """A plan's samples with the base motion that a model predicts for them.

    Parameters
    ----------
    q, qd : ndarray, shape (N, n)
        Joint positions and rates.
    wheel_rates : ndarray, shape (N, w)
        Wheel rates, rad/s.
    base_twist : ndarray, shape (N, 6)
        Base twist in base axes, m/s and rad/s.
    """

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    base_twist: NDArray[np.float64]


def predict_motion(model: RobotModel, plan: ExcitationPlan, per_interval: int) -> PredictedMotion:
    """Return what the robot does along a plan that starts at rest: one solve per sample.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, the prior when planning.
    plan : ExcitationPlan
        Motion of all joints, then all wheels.
    per_interval : int
        Samples per interval.
    """
    motion = plan.sample_intervals(per_interval)
    joints = len(model.joints)
    q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
    wheel_rates = motion.velocity[:, joints:]
    twist = base_twist_from_momentum(model, q, qd, wheel_rates)
    return PredictedMotion(q, qd, wheel_rates, twist)


def condition_number(
    model: RobotModel, minimal: MinimalParameters, motion: PredictedMotion
) -> float:
    """Return the condition number of the minimal regressor over all samples of a motion."""
    regressor = momentum_regressor(model, motion.q, motion.qd, motion.base_twist, minimal.columns)
    eigenvalues = np.linalg.eigvalsh(gram_matrix(regressor))
    smallest = max(eigenvalues[0], np.finfo(float).eps * eigenvalues[-1])
    return float(np.sqrt(eigenvalues[-1] / smallest))
