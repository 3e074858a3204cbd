"""Validation of [Naveen 2024] section 6.4: base twist and joint torques on a Fourier motion."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.inverse_dynamics import (
    free_floating_inverse_dynamics,
    FreeFloatingDynamics,
)
from spacerobot_id.regressor import MinimalParameters

TABLE_7 = ('base_linear_velocity', 'base_angular_velocity', 'joint_torques')
"""What is predicted, by the entries of Table 7: m/s and rad/s in base axes, N m."""

_FREQUENCY, _HARMONICS = np.pi / 20.0, 2
"""Angular frequency of the motion, rad/s, and number of its harmonics, as in the paper."""

PredictionErrors = Mapping[str, NDArray[np.float64]]
"""Root mean square errors (Eq. 42) of each component, by the entries of Table 7."""


def validation_motion(model: RobotModel, peak: float) -> PlannedMotion:
    """Return one period of a Fourier motion (Eqs. 40, 41).

    The paper prints neither its coefficients nor what its wheels do. Here both are drawn, and
    each series is scaled: those of joints to a peak rate, those of wheels to their limits.

    Parameters
    ----------
    model : RobotModel
        Robot, with limits of the rates of all its wheels.
    peak : float
        Peak rate of the joints, rad/s.

    Returns
    -------
    PlannedMotion
        Samples of joints, then wheels.
    """
    limit = np.array([peak] * len(model.joints) + [each.rate_limit for each in model.wheels])
    order = _FREQUENCY * np.arange(1, _HARMONICS + 1)
    times = np.arange(0.0, 2.0 * np.pi / _FREQUENCY, 0.1)
    sines, cosines = np.sin(np.outer(times, order)), np.cos(np.outer(times, order))
    drawn = np.random.default_rng(0).normal(size=(2, _HARMONICS, len(limit)))
    rates = cosines @ drawn[0] + sines @ drawn[1]
    scale = limit / np.abs(rates).max(axis=0)
    position = (
        sines @ (drawn[0] / order[:, None]) - cosines @ (drawn[1] / order[:, None])
    ) * scale
    change = (cosines @ (drawn[1] * order[:, None]) - sines @ (drawn[0] * order[:, None])) * scale
    return PlannedMotion(times, position, rates * scale, change)


def predicted(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    motion: PlannedMotion,
) -> FreeFloatingDynamics:
    """Return base motion and torques that minimal parameters predict along a motion.

    No mass, centre of mass or inertia of any link plays a part: its geometry and its wheels do.
    """
    robot, n = model.with_parameters(minimal.expand(values)), len(model.joints)
    samples = motion.position, motion.velocity, motion.acceleration
    joints = (each[:, :n] for each in samples)
    wheels = (each[:, n:] for each in samples[1:])
    return free_floating_inverse_dynamics(robot, *joints, *wheels)


def prediction_errors(want: FreeFloatingDynamics, got: FreeFloatingDynamics) -> PredictionErrors:
    """Return how far a prediction is from the truth."""
    twist, torques = (
        np.sqrt(np.mean((getattr(got, name) - getattr(want, name)) ** 2, axis=0))
        for name in ('base_twist', 'joint_torques')
    )
    return dict(zip(TABLE_7, (twist[:3], twist[3:], torques), strict=True))


@dataclass(frozen=True, eq=False)
class Validation:
    """Predictions of several estimates along the Fourier motion, and their errors by name.

    Parameters
    ----------
    motion : PlannedMotion
        The motion.
    true : FreeFloatingDynamics
        What the true parameters predict.
    predictions : mapping of str to FreeFloatingDynamics
        What the first of each kind of estimates predicts.
    errors : mapping of str to PredictionErrors
        Mean errors of each kind of estimates.
    """

    motion: PlannedMotion
    true: FreeFloatingDynamics
    predictions: Mapping[str, FreeFloatingDynamics]
    errors: Mapping[str, PredictionErrors]


def validate(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    estimates: Mapping[str, NDArray[np.float64]],
    peak: float,
) -> Validation:
    """Predict with several estimates along a motion that none of them was made from.

    Parameters
    ----------
    model : RobotModel
        Robot.
    minimal : MinimalParameters
        Its p minimal parameters.
    values : ndarray, shape (p,)
        Their true values.
    estimates : mapping of str to ndarray, shape (seeds, p)
        Estimates by what gave them.
    peak : float
        Peak rate of the joints, rad/s.
    """
    motion = validation_motion(model, peak)
    true = predicted(model, minimal, values, motion)
    first, errors = {}, {}
    for name, several in estimates.items():
        found = [predicted(model, minimal, each, motion) for each in several]
        off = [prediction_errors(true, each) for each in found]
        first[name] = found[0]
        errors[name] = {key: np.mean([each[key] for each in off], axis=0) for key in TABLE_7}
    return Validation(motion, true, first, errors)


def noise_shares(paper: Paper, errors: PredictionErrors) -> dict[str, NDArray[np.float64]]:
    """Return errors of the twist over its noise, and noise of the torques over their errors."""
    linear, angular, torques = (errors[key] for key in TABLE_7)
    return {
        'velocity_share': linear / paper.number('velocity_noise'),
        'rate_share': angular / paper.number('rate_noise'),
        'torque_share': paper.number('torque_noise') / torques,
    }
