"""The torques of the joints as a robot's inverse dynamics predict them, beside those measured."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import inverse_dynamics

_SMOOTHED = 0.3
"""Time over which rates are fitted by polynomials for their slopes, s."""

_FEWEST = 8
"""Least samples with all readings."""


@dataclass(frozen=True, eq=False)
class TorquePrediction:
    """Torques of n joints at N samples, N m or N.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    measured : ndarray, shape (N, n)
        Measured torques.
    predicted : dict of str to ndarray, shape (N, n)
        Those predicted with each robot, by its name.
    """

    times: NDArray[np.float64]
    measured: NDArray[np.float64]
    predicted: dict[str, NDArray[np.float64]]


def predicted_torques(record: Record, robots: dict[str, RobotModel]) -> TorquePrediction | None:
    """Return measured and predicted torques of a free-flying robot.

    The base's origin accelerates as the wrench on it, if any, makes it; accelerations of the
    joints, the wheels and the base's rates are slopes of local polynomials.

    Parameters
    ----------
    record : Record
        Samples in the order of time.
    robots : dict of str to RobotModel
        Robots to predict with, by name.

    Returns
    -------
    TorquePrediction
        None where torques, rates or the wrenches of thrusters are not known.
    """
    columns = (record.joint_torque, record.qd, record.base_twist, record.wheel_rates)
    if any(each is None for each in columns) or record.thrust is not None:
        return None
    complete = np.isfinite(np.hstack([columns[0], columns[1], columns[2][:, 3:], columns[3]]))
    samples = record[complete.all(axis=1)]
    samples = samples[np.diff(samples.times, prepend=-np.inf) > 0.0]  # streams may share stamps
    if len(samples) < _FEWEST or not samples.joint_torque.shape[1]:
        return None
    step = float(np.median(np.diff(samples.times)))
    window = 2 * max(round(0.5 * _SMOOTHED / step), 3) + 1
    if window >= len(samples):
        return None
    samples = with_accelerations(samples, window)
    found = {name: _torques(model, samples) for name, model in robots.items()}
    return TorquePrediction(samples.times, samples.joint_torque, found)


def _torques(model: RobotModel, samples: Record) -> NDArray[np.float64]:
    """Return the torques that the measured motion takes, shape (N, n)."""
    twist = np.where(np.isfinite(samples.base_twist), samples.base_twist, 0.0)
    acceleration = np.hstack([np.zeros((len(samples), 3)), samples.angular_acceleration])
    motion = (samples.q, samples.qd, samples.qdd, twist)
    wheels = samples.wheel_rates, samples.wheel_acceleration
    held = inverse_dynamics(model, *motion, acceleration, *wheels).base_wrench[:, :3]
    mass = sum(link.inertial.mass for link in model.links)
    acceleration[:, :3] = (_force(samples) - held) / mass
    return inverse_dynamics(model, *motion, acceleration, *wheels).joint_torques


def _force(samples: Record) -> NDArray[np.float64]:
    """Return the force on the base from outside in base axes, N, shape (N, 3)."""
    if samples.wrench is None or samples.wrench.in_world:
        return np.zeros((len(samples), 3))
    return samples.wrench.at(samples.times)[:, :3]
