"""Validation of [Naveen 2024] section 6.4: base twist and joint torques on a Fourier motion."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.inverse_dynamics import (
    free_floating_inverse_dynamics,
    FreeFloatingDynamics,
)
from spacerobot_id.regressor import MinimalParameters


@dataclass(frozen=True, eq=False)
class FourierMotion:
    """Joints and wheels along Fourier series (Eqs. 40, 41).

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    q, qd, qdd : ndarray, shape (N, n)
        Joint positions (rad), rates and accelerations.
    wheel_rates, wheel_accelerations : ndarray, shape (N, w)
        Rates (rad/s) and accelerations (rad/s^2) of the wheels.
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    wheel_accelerations: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PredictionErrors:
    """Root mean square errors (Eq. 42).

    Parameters
    ----------
    base_twist : ndarray, shape (6,)
        Of the base twist in base axes, m/s and rad/s.
    joint_torques : ndarray, shape (n,)
        Of the joint torques, N m.
    """

    base_twist: NDArray[np.float64]
    joint_torques: NDArray[np.float64]


def validation_motion(
    model: RobotModel, frequency: float = np.pi / 20.0, harmonics: int = 2, seed: int = 0
) -> FourierMotion:
    """Return one period of a Fourier motion whose largest rates are those that the robot allows.

    The paper prints neither its coefficients nor what its wheels do. Here both are drawn, and
    each series is scaled to the limit of its joint or wheel.

    Parameters
    ----------
    model : RobotModel
        Robot, with limits of the rates of all its joints and wheels.
    frequency : float
        Angular frequency, rad/s.
    harmonics : int
        Number of harmonics.
    seed : int
        Seed of the coefficients.
    """
    n = len(model.joints)
    limit = np.array(
        [joint.limits.velocity for joint in model.joints]
        + [wheel.rate_limit for wheel in model.wheels]
    )
    order = frequency * np.arange(1, harmonics + 1)
    times = np.arange(0.0, 2.0 * np.pi / frequency, 0.1)
    sines, cosines = np.sin(np.outer(times, order)), np.cos(np.outer(times, order))
    drawn = np.random.default_rng(seed).normal(size=(2, harmonics, len(limit)))
    rates = cosines @ drawn[0] + sines @ drawn[1]
    scale = limit / np.abs(rates).max(axis=0)
    position = (
        sines @ (drawn[0] / order[:, None]) - cosines @ (drawn[1] / order[:, None])
    ) * scale
    change = (cosines @ (drawn[1] * order[:, None]) - sines @ (drawn[0] * order[:, None])) * scale
    rates = rates * scale
    joints = (array[:, :n] for array in (position, rates, change))
    return FourierMotion(times, *joints, rates[:, n:], change[:, n:])


def predicted(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    motion: FourierMotion,
) -> FreeFloatingDynamics:
    """Return base motion and torques that minimal parameters predict along a motion.

    No mass, centre of mass or inertia of any link plays a part: its geometry and its wheels do.
    """
    robot = model.with_parameters(minimal.expand(values))
    joints = motion.q, motion.qd, motion.qdd
    wheels = motion.wheel_rates, motion.wheel_accelerations
    return free_floating_inverse_dynamics(robot, *joints, *wheels)


def prediction_errors(want: FreeFloatingDynamics, got: FreeFloatingDynamics) -> PredictionErrors:
    """Return how far a prediction is from the truth."""
    return PredictionErrors(
        _rms(got.base_twist - want.base_twist), _rms(got.joint_torques - want.joint_torques)
    )


def _rms(error: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the root mean square of each column."""
    return np.sqrt(np.mean(error**2, axis=0))


@dataclass(frozen=True, eq=False)
class Validation:
    """Predictions of several estimates along the Fourier motion, and their errors by name.

    Parameters
    ----------
    motion : FourierMotion
        The motion.
    true : FreeFloatingDynamics
        What the true parameters predict.
    predictions : mapping of str to FreeFloatingDynamics
        What the first of each kind of estimates predicts.
    errors : mapping of str to PredictionErrors
        Mean errors of each kind of estimates.
    """

    motion: FourierMotion
    true: FreeFloatingDynamics
    predictions: Mapping[str, FreeFloatingDynamics]
    errors: Mapping[str, PredictionErrors]


def validate(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    estimates: Mapping[str, NDArray[np.float64]],
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
    """
    motion = validation_motion(model)
    true = predicted(model, minimal, values, motion)
    found = {
        name: [predicted(model, minimal, each, motion) for each in several]
        for name, several in estimates.items()
    }
    errors = {
        name: _mean([prediction_errors(true, each) for each in several])
        for name, several in found.items()
    }
    return Validation(motion, true, {name: each[0] for name, each in found.items()}, errors)


def _mean(errors: list[PredictionErrors]) -> PredictionErrors:
    """Return the mean of errors over seeds."""
    return PredictionErrors(
        np.mean([each.base_twist for each in errors], axis=0),
        np.mean([each.joint_torques for each in errors], axis=0),
    )


def prediction_parts(errors: PredictionErrors) -> dict[str, NDArray[np.float64]]:
    """Return errors of prediction by the entries of Table 7."""
    return {
        'base_linear_velocity': errors.base_twist[:3],
        'base_angular_velocity': errors.base_twist[3:],
        'joint_torques': errors.joint_torques,
    }


def noise_shares(paper: Paper, errors: PredictionErrors) -> dict[str, NDArray[np.float64]]:
    """Return errors of the twist over its noise, and noise of the torques over their errors."""
    return {
        'velocity_share': errors.base_twist[:3] / paper.number('velocity_noise'),
        'rate_share': errors.base_twist[3:] / paper.number('rate_noise'),
        'torque_share': paper.number('torque_noise') / errors.joint_torques,
    }
