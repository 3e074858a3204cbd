"""The base's six equations of motion, solved for what its mode leaves open; compiled, one state.

``M_bb a + r = W``: columns of the unknowns go to the left, everything known to the right. What is
held has a wanted acceleration and an unknown force, what floats an unknown acceleration; where
wheels turn the base, their accelerations take the place of its torque. What a table holds has no
acceleration, and a force that no drive gives.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import BASE, BODY, MASS, MOMENT
from spacerobot_id.multibody.kernels.small_vectors import (
    cross,
    quaternion_from_rotation,
    rotation_vector,
    scale,
    solve_general,
    take,
)
from spacerobot_id.simulation.controller import (
    ControlArrays,
    FLYING,
    ROTATION_FLOATING,
    ROTATION_FLYING,
    TRANSLATION_FLYING,
)


@compiled_part
def solve_base(
    settings: ControlArrays,
    state: NDArray[np.float64],
    work: NDArray[np.float64],
    matrix: NDArray[np.float64],
    bias: NDArray[np.float64],
    acceleration: NDArray[np.float64],
    force: NDArray[np.float64],
) -> None:
    """Fill in what the mode of the base leaves open, accelerations of the joints known.

    Parameters
    ----------
    settings : ControlArrays
        What is controlled, and how.
    state : ndarray
        State of the robot.
    work, matrix, bias : ndarray
        Equations of motion, filled.
    acceleration : ndarray, shape (6 + n + w,)
        Those of the base are filled in, and those of wheels that turn it.
    force : ndarray, shape (6 + n + w,)
        Forces and torques that hold the base are added.
    """
    mode = settings.mode if settings.holds else 0
    first_wheel, size = 6 + len(settings.tree.leading), len(acceleration)
    left, right = np.zeros((6, 6)), np.empty(6)
    centre = scale(1.0 / work[BASE, BODY + MASS], take(work, BASE, BODY + MOMENT))
    _wanted_base_acceleration(settings, state, acceleration)
    holds_translation = mode in (TRANSLATION_FLYING, FLYING)
    holds_rotation = mode in (ROTATION_FLOATING, ROTATION_FLYING, FLYING)
    driven_by_wheels = mode == ROTATION_FLOATING
    known = first_wheel if driven_by_wheels else size
    _collect_known(settings, centre, matrix, bias, acceleration[:known], right)
    for axis in range(6):
        is_held = holds_translation if axis < 3 else holds_rotation
        if settings.is_planar and 2 <= axis <= 4:
            is_held, acceleration[axis] = True, 0.0
        _sort_column(matrix, axis, is_held, acceleration[axis], left, right)
    if mode == TRANSLATION_FLYING:
        _turn_thrust(centre, left)
    if driven_by_wheels:
        _let_wheels_turn(matrix, first_wheel, left)
    solve_general(left, right)
    for axis in range(3 if driven_by_wheels else 6):
        if settings.is_planar and 2 <= axis <= 4:
            continue
        if holds_translation if axis < 3 else holds_rotation:
            force[axis] += right[axis]
        else:
            acceleration[axis] = right[axis]
    if driven_by_wheels:
        for wheel in range(first_wheel, size):
            acceleration[wheel] = 0.0
            for axis in range(3):
                acceleration[wheel] += matrix[3 + axis, wheel] * right[3 + axis]


@compiled_part
def _collect_known(settings, centre, matrix, bias, acceleration, right):  # noqa: ANN001, ANN202
    """Fill in the wrench asked for, less what bias and known accelerations of actuators take."""
    wrench, moment = settings.wrench, (0.0, 0.0, 0.0)
    if settings.mode == TRANSLATION_FLYING:
        moment = cross(centre, (wrench[0], wrench[1], wrench[2]))
    for row in range(6):
        right[row] = wrench[row] - bias[row]
        if row >= 3:
            right[row] += moment[row - 3]
        for column in range(6, len(acceleration)):
            right[row] -= matrix[row, column] * acceleration[column]


@compiled_part
def _sort_column(
    matrix: NDArray[np.float64],
    axis: int,
    is_held: bool,
    wanted: float,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
) -> None:
    """Put a column to the left if its acceleration is unknown, else its force in its place."""
    for row in range(6):
        if is_held:
            right[row] -= matrix[row, axis] * wanted
            left[row, axis] = -1.0 if row == axis else 0.0
        else:
            left[row, axis] = matrix[row, axis]


@compiled_part
def _turn_thrust(centre, left):  # noqa: ANN001, ANN202  numba infers the types of tuples
    """Write the moment of an unknown thrust through the centre of mass."""
    x, y, z = centre
    left[3, 1], left[3, 2] = z, -y
    left[4, 0], left[4, 2] = -z, x
    left[5, 0], left[5, 1] = y, -x


@compiled_part
def _let_wheels_turn(
    matrix: NDArray[np.float64], first_wheel: int, left: NDArray[np.float64]
) -> None:
    """Replace unknown torques by multipliers of the wheels: least accelerations in all."""
    for row in range(3):
        for column in range(3):
            left[3 + row, 3 + column] = 0.0
            for wheel in range(first_wheel, len(matrix)):
                shared = matrix[3 + row, wheel] * matrix[3 + column, wheel]
                left[3 + row, 3 + column] += shared


@compiled_part
def _wanted_base_acceleration(
    settings: ControlArrays, state: NDArray[np.float64], acceleration: NDArray[np.float64]
) -> None:
    """Fill in what brings the base back to where it is held, by the same PD rule."""
    position = 2 * len(acceleration) - 2
    between, away = np.empty((3, 3)), np.empty(3)
    for row in range(3):
        away[row] = 0.0
        for column in range(3):
            between[row, column] = 0.0
        for other in range(3):
            element = state[position + 3 + 3 * other + row]
            away[row] += element * (settings.position[other] - state[position + other])
            for column in range(3):
                between[row, column] += element * settings.rotation[other, column]
    error = rotation_vector(quaternion_from_rotation(between))
    swept = cross((state[3], state[4], state[5]), (state[0], state[1], state[2]))
    for axis in range(3):
        acceleration[axis] = settings.base_stiffness * away[axis] - swept[axis]
        acceleration[axis] -= settings.base_damping * state[axis]
        acceleration[3 + axis] = settings.base_stiffness * error[axis]
        acceleration[3 + axis] -= settings.base_damping * state[3 + axis]


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

    ``tau = H~ u + C~`` with ``u = K_D (qd_D - qd) + K_P (q_D - q)``, and ``qdd_D`` where it is fed
    forward: the acceleration of the base that goes with ``u`` in the model the control has is
    solved for, then the torques.

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
        acceleration[6 + each] = settings.feed_forward * reference[2, each] + wanted
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
