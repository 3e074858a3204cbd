"""What minimal parameters alone predict: base motion and joint torques ([Naveen 2024] 6.4).

Both are linear in the minimal parameters, through the regressors of momentum and of wrench and
torques. No mass, centre of mass or inertia of any link is needed, and none of the model's plays
a part: its geometry and its wheels, which are known, do.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import inverse_dynamics, wheel_momentum
from spacerobot_id.multibody.free_floating.inverse_dynamics import FreeFloatingDynamics
from spacerobot_id.multibody.inverse_dynamics import InverseDynamics
from spacerobot_id.regressor import MinimalParameters, momentum_regressor, wrench_regressor


def minimal_inverse_dynamics(
    model: RobotModel,
    minimal: MinimalParameters,
    values: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    wheel_accelerations: ArrayLike | None = None,
    total_momentum: ArrayLike = 0.0,
) -> FreeFloatingDynamics:
    """Return the base's motion and the torques that minimal parameters predict.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels; its inertial parameters play no part.
    minimal : MinimalParameters
        The minimal parameters of the robot.
    values : array_like, shape (p,)
        Their values.
    q, qd, qdd : array_like, shape (N, n)
        Joint positions, rates and accelerations: rad or m, per s, per s^2.
    wheel_rates, wheel_accelerations : array_like, shape (N, w), optional
        Rates (rad/s) and accelerations (rad/s^2) of the wheels; zero if not given.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system (kg m/s, kg m^2/s) in base axes about the base's origin, at
        each sample; zero at rest.

    Returns
    -------
    FreeFloatingDynamics
        Twist of the base from the conservation of momentum, its acceleration from the derivative
        of that, without numerical differentiation, and the torques that go with them.
    """
    q, qd, qdd = (np.asarray(array, dtype=float) for array in (q, qd, qdd))
    values = np.asarray(values, dtype=float)
    rates = np.zeros((len(q), len(model.wheels))) if wheel_rates is None else wheel_rates
    base_matrix = _base_matrix(model, minimal, values, q)
    moving = momentum_regressor(model, q, qd, np.zeros(6), minimal.columns) @ values
    remaining = total_momentum - moving - wheel_momentum(model, q, rates)
    base_twist = _solve(base_matrix, remaining)

    def forces(base_acceleration: NDArray[np.float64]) -> InverseDynamics:
        motion = q, qd, qdd, base_twist, base_acceleration
        of_wheels = inverse_dynamics(_without_inertia(model), *motion, rates, wheel_accelerations)
        return _with_links(of_wheels, model, minimal, values, motion)

    held = forces(np.zeros_like(base_twist))
    base_acceleration = -_solve(base_matrix, held.base_wrench)
    free = forces(base_acceleration)
    return FreeFloatingDynamics(
        base_twist, base_acceleration, free.joint_torques, free.wheel_torques
    )


def _without_inertia(model: RobotModel) -> RobotModel:
    """Return the robot with nothing but the spin of its wheels."""
    return model.with_parameters(np.zeros_like(model.parameters))


def _with_links(
    of_wheels: InverseDynamics,
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    motion: tuple[NDArray[np.float64], ...],
) -> InverseDynamics:
    """Add to what the wheels take in a motion what the links do."""
    of_links = wrench_regressor(model, *motion)[:, :, minimal.columns] @ values
    return replace(
        of_wheels,
        base_wrench=of_wheels.base_wrench + of_links[:, :6],
        joint_torques=of_wheels.joint_torques + of_links[:, 6:],
    )


def _base_matrix(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    q: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the momentum per unit of base twist, column by column, shape (N, 6, 6)."""
    still = np.zeros(q.shape[1])
    rows = momentum_regressor(model, q[:, None], still, np.eye(6), minimal.columns) @ values
    return np.swapaxes(rows, -1, -2)


def _solve(matrices: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solutions of many systems of equations, shape (N, 6)."""
    return np.linalg.solve(matrices, vectors[..., None])[..., 0]
