"""The validation of papers/000 section 6.4: base twist and joint torques on a Fourier motion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics import FreeFloatingDynamics
from spacerobot_id.estimation import minimal_inverse_dynamics
from spacerobot_id.model import RobotModel
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
    """Return base motion and torques that minimal parameters predict along a motion."""
    joints = motion.q, motion.qd, motion.qdd
    wheels = motion.wheel_rates, motion.wheel_accelerations
    return minimal_inverse_dynamics(model, minimal, values, *joints, *wheels)


def prediction_errors(want: FreeFloatingDynamics, got: FreeFloatingDynamics) -> PredictionErrors:
    """Return how far a prediction is from the truth."""
    return PredictionErrors(
        _rms(got.base_twist - want.base_twist), _rms(got.joint_torques - want.joint_torques)
    )


def _rms(error: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the root mean square of each column."""
    return np.sqrt(np.mean(error**2, axis=0))
