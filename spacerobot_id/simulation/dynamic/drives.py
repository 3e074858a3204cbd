"""What real motors and thrusters do with a command: limits, friction, pulses; compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import Propellers, RobotModel
from spacerobot_id.multibody.kernels.compiled import compiled_part

COULOMB_RATE = 1e-3
"""Rate at which Coulomb friction has reached three quarters of itself, rad/s or m/s."""


class ActuatorArrays(NamedTuple):
    """Limits of all drives; infinite, friction and impulses zero, where they are ideal.

    Parameters
    ----------
    efforts, rates : ndarray, shape (n + w,)
        Largest torques, and rates beyond which no motor pushes, of joints, then wheels.
    viscous, coulomb : ndarray, shape (n,)
        Friction of the joints: N m s/rad and N m.
    thrust : ndarray, shape (6,)
        Largest force (N) and torque (N m) along each base axis.
    impulse : ndarray, shape (6,)
        Smallest impulse (N s) and angular impulse (N m s) that a pulse has.
    mixing, allocation : ndarray, shapes (6, M) and (M, 6)
        From the thrusts of M propellers to the wrench, and back; M is zero without propellers.
    thrust_limits : ndarray, shape (M,)
        Largest thrusts, N.
    """

    efforts: NDArray[np.float64]
    rates: NDArray[np.float64]
    viscous: NDArray[np.float64]
    coulomb: NDArray[np.float64]
    thrust: NDArray[np.float64]
    impulse: NDArray[np.float64]
    mixing: NDArray[np.float64]
    allocation: NDArray[np.float64]
    thrust_limits: NDArray[np.float64]


def actuator_arrays(model: RobotModel) -> ActuatorArrays:
    """Return the drives of a robot as its description wants them."""
    given, thrusters = model.actuators, model.actuators.thrusters
    joints = [joint.limits for joint in model.joints]
    efforts = [each.effort if given.joint_limits else np.inf for each in joints]
    rates = [each.velocity if given.joint_limits else np.inf for each in joints]
    efforts += [each.max_torque if given.wheel_limits else np.inf for each in model.wheels]
    rates += [each.rate_limit if given.wheel_limits else np.inf for each in model.wheels]
    friction = [given.friction_of(name) for name in model.joint_names]
    return ActuatorArrays(
        np.array(efforts, dtype=float),
        np.array(rates, dtype=float),
        np.array([each.viscous for each in friction], dtype=float),
        np.array([each.coulomb for each in friction], dtype=float),
        np.repeat([thrusters.max_force, thrusters.max_torque], 3).astype(float),
        np.repeat([thrusters.min_impulse, thrusters.min_angular_impulse], 3).astype(float),
        *_propeller_arrays(given.propellers),
    )


def _propeller_arrays(
    propellers: Propellers | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mixing, allocation and limits of propellers; empty where there are none."""
    if propellers is None:
        return np.zeros((6, 0)), np.zeros((0, 6)), np.zeros(0)
    allocation = np.ascontiguousarray(propellers.allocation)
    return propellers.matrix, allocation, np.full(len(allocation), propellers.max_thrust)


@compiled_part
def limit_motors(
    drives: ActuatorArrays, velocity: NDArray[np.float64], force: NDArray[np.float64]
) -> None:
    """Cut the torques of joints and wheels down to what their motors give, in place."""
    for each in range(len(drives.efforts)):
        most, rate = drives.efforts[each], velocity[6 + each]
        force[6 + each] = min(max(force[6 + each], -most), most)
        if abs(rate) >= drives.rates[each] and force[6 + each] * rate > 0.0:
            force[6 + each] = 0.0


@compiled_part
def fire_thrusters(
    drives: ActuatorArrays,
    step: float,
    memory: NDArray[np.float64],
    force: NDArray[np.float64],
) -> None:
    """Turn the wrench asked of the base's drives into what thrusters give, in place.

    What is asked for adds up until a pulse is worth firing; a pulse may last longer than a step.

    Parameters
    ----------
    drives : ActuatorArrays
        Limits.
    step : float
        Time that the force is held, s.
    memory : ndarray, shape (12,)
        Impulse asked for and not fired yet, then what is left of the pulse that is on.
    force : ndarray, shape (>= 6,)
        Wrench asked for in, wrench given out.
    """
    for axis in range(6):
        most, least = drives.thrust[axis], drives.impulse[axis]
        owed = memory[axis] + min(max(force[axis], -most), most) * step
        pulse = memory[6 + axis]
        if pulse == 0.0 and abs(owed) >= least:
            pulse, owed = owed, 0.0
        force[axis] = min(max(pulse / step, -most), most)
        left = pulse - force[axis] * step
        memory[axis] = owed
        memory[6 + axis] = left if abs(left) > 1e-12 * abs(pulse) else 0.0


@compiled_part
def saturate_propellers(drives: ActuatorArrays, force: NDArray[np.float64]) -> None:
    """Turn the wrench asked of propellers into the one that their limits leave, in place.

    Parameters
    ----------
    drives : ActuatorArrays
        Propellers.
    force : ndarray, shape (>= 6,)
        Wrench asked for in, wrench given out.
    """
    count = len(drives.thrust_limits)
    if count == 0:
        return
    asked = np.empty(6)
    for row in range(6):
        asked[row], force[row] = force[row], 0.0
    for each in range(count):
        thrust, most = 0.0, drives.thrust_limits[each]
        for row in range(6):
            thrust += drives.allocation[each, row] * asked[row]
        thrust = min(max(thrust, -most), most)
        for row in range(6):
            force[row] += drives.mixing[row, each] * thrust


@compiled_part
def joint_friction(drives: ActuatorArrays, joint: int, rate: float) -> float:
    """Return the torque of viscous and Coulomb friction on a joint, against its rate."""
    dry = drives.coulomb[joint] * np.tanh(rate / COULOMB_RATE)
    return -drives.viscous[joint] * rate - dry
