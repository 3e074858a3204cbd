"""Computed torque for joints, rate servo for wheels, hold of the base; compiled, one state."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.simulation.control.base_hold import solve_base
from spacerobot_id.simulation.control.control_arrays import ControlArrays


@compiled_part
def control(
    settings: ControlArrays,
    state: NDArray[np.float64],
    reference: NDArray[np.float64],
    work: NDArray[np.float64],
    matrix: NDArray[np.float64],
    bias: NDArray[np.float64],
    acceleration: NDArray[np.float64],
    force: NDArray[np.float64],
) -> None:
    """Fill in the forces of all motors ([Wilde 2018] Eqs. 112, 115).

    ``tau = H~ u + C~`` with ``u = qdd_D + K_D (qd_D - qd) + K_P (q_D - q)``: the acceleration of
    the base that goes with ``u`` in the model the control has is solved for, then the torques.

    Parameters
    ----------
    settings : ControlArrays
        What is controlled, and how.
    state : ndarray
        State of the robot.
    reference : ndarray, shape (3, n + w)
        Positions, rates and accelerations wanted.
    work, matrix, bias : ndarray
        Equations of motion of the control's model, filled.
    acceleration : ndarray, shape (6 + n + w,)
        Filled with the accelerations that the control wants and expects.
    force : ndarray, shape (6 + n + w,)
        Filled with the wrench of the base's drives, joint torques, wheel torques.
    """
    size, joints = len(force), len(settings.tree.leading)
    for each in range(size - 6):
        rate_error = reference[1, each] - state[6 + each]
        error = reference[0, each] - state[size + each]
        wanted = settings.damping[each] * rate_error + settings.stiffness[each] * error
        acceleration[6 + each] = reference[2, each] + wanted
    for row in range(6):
        force[row] = settings.wrench[row]
    solve_base(settings, state, work, matrix, bias, acceleration, force)
    for row in range(6, size):
        force[row] = bias[row]
        for column in range(size):
            force[row] += matrix[row, column] * acceleration[column]
    if settings.is_open:
        for joint in range(joints):
            force[6 + joint] = settings.joint_torque[joint]
