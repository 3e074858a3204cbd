"""Spin momenta of reaction wheels, link by link; components first, samples last."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import LinkPoses
from spacerobot_id.model import RobotModel


def wheel_values(model: RobotModel, values: ArrayLike | None, samples: int) -> NDArray[np.float64]:
    """Return rates or accelerations of the wheels, zero if they are not given.

    Parameters
    ----------
    model : RobotModel
        Robot with w wheels.
    values : array_like, shape (N, w), or None
        Rates (rad/s) or accelerations (rad/s^2).
    samples : int
        The number N of samples.

    Raises
    ------
    ValueError
        If the shape does not fit.
    """
    shape = (samples, len(model.wheels))
    if values is None:
        return np.zeros(shape)
    values = np.asarray(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f'expected {shape} values of wheels, got {values.shape}')
    return values


def wheel_axes(model: RobotModel, poses: LinkPoses) -> NDArray[np.float64]:
    """Return the spin axes of the wheels in base axes, shape (w, 3, N)."""
    axes = np.empty((len(model.wheels), 3, poses.origins.shape[-1]))
    for place, wheel in enumerate(model.wheels):
        axes[place] = np.tensordot(wheel.axis, poses.axes[wheel.link], axes=1)
    return axes


def link_spins(
    model: RobotModel, poses: LinkPoses, wheel_rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the spin momentum that each link carries, in base axes, shape (n + 1, 3, N).

    With the wheels' accelerations (rad/s^2) in place of their rates (rad/s), the torque that
    speeds them up (N m) in place of the momentum (N m s).
    """
    spins = np.zeros_like(poses.origins)
    axes = wheel_axes(model, poses)
    for wheel, axis, rate in zip(model.wheels, axes, wheel_rates.T, strict=True):
        spins[wheel.link] += wheel.spin_inertia * axis * rate
    return spins
