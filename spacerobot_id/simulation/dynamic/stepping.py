"""From the simulation's values to the kernel's plain arrays, and back to samples.

Velocities, joint positions and work are integrated by the classical method of fourth order, the
pose of the base by the exponential of the fourth-order Magnus expansion on SE(3) of the same
stages' twists. Where forces depend on the pose, that of a stage is the exponential of the twist of
the stage before.

Control and thrusters are sampled at the start of a step and held through it, as a computer on
board does. Within the step everything is smooth.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.equations_of_motion import equations_of_motion
from spacerobot_id.multibody.kernels.outward_sweep import COLUMNS
from spacerobot_id.multibody.kernels.rigid_body_step import mean_slope, stage_share, STAGES
from spacerobot_id.multibody.kernels.small_vectors import add, cross, dot, scale
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.simulation.base_hold import control
from spacerobot_id.simulation.controller import (
    ControlArrays,
    ManoeuvringMode,
    MODE_NUMBERS,
)
from spacerobot_id.simulation.dynamic.drives import (
    actuator_arrays,
    fire_thrusters,
    limit_motors,
    saturate_propellers,
)
from spacerobot_id.simulation.dynamic.firing import Commands
from spacerobot_id.simulation.dynamic.outside_forces import outside_forces
from spacerobot_id.simulation.dynamic.plant import fill_slope, Plant
from spacerobot_id.simulation.dynamic.robot_state import POSE, RobotState, state_edges
from spacerobot_id.simulation.simulation import MotionSamples

_SMALL = 1e-6
"""Squared angle below which series replace quotients, rad^2."""


@compiled_part
def begin_stage(
    state: NDArray[np.float64],
    step: float,
    stage: int,
    turns: bool,
    stages: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> None:
    """Fill in the state of a stage; the fifth is the end of the step, which is gone to.

    Parameters
    ----------
    state : ndarray
        State at the start; at the end where the stage is the fifth.
    step : float
        Step, s.
    stage : int
        Number of the stage, from zero.
    turns : bool
        Whether the pose of the stage is to be filled in, too.
    stages, slopes : ndarray, five rows
        States of the stages and their derivatives; those of the stages before are filled.
    """
    pose = slopes.shape[1]
    if stage == STAGES:
        finish_step(state, step, stages, slopes)
    ahead = 0.0 if stage == STAGES else step * stage_share(stage)
    before, at = min(max(stage - 1, 0), 2), stages[stage]
    for each in range(pose):
        at[each] = state[each] + (ahead * slopes[before, each] if ahead else 0.0)
    if turns:
        for each in range(pose, pose + POSE):
            at[each] = state[each]
        if ahead:
            linear, angular = _scaled_twist(ahead, stages[before])
            _move_pose(at, pose, linear, angular)


@compiled_part
def finish_step(
    state: NDArray[np.float64],
    step: float,
    stages: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> None:
    """Go from the start of a step to its end, all four stages known."""
    pose, share = slopes.shape[1], step * step / 12.0
    # The pose goes along the exponential of the step's Magnus expansion (right-trivialised).
    linear, omega = _scaled_twist(1.0, stages[0])
    last_linear, last_omega = _scaled_twist(1.0, stages[3])
    swept = add(cross(omega, last_linear), cross(linear, last_omega))
    linear, angular = scale(share, swept), scale(share, cross(omega, last_omega))
    a, b, c = mean_slope(stages, 0), mean_slope(stages, 1), mean_slope(stages, 2)
    d, e, f = mean_slope(stages, 3), mean_slope(stages, 4), mean_slope(stages, 5)
    linear, angular = add(scale(step, (a, b, c)), linear), add(scale(step, (d, e, f)), angular)
    _move_pose(state, pose, linear, angular)
    for each in range(pose):
        state[each] += step * mean_slope(slopes, each)


@compiled_part
def _scaled_twist(factor, state):  # noqa: ANN001, ANN202  numba infers the types of tuples
    """Return linear and angular velocity of a state, both times a factor."""
    linear, angular = (state[0], state[1], state[2]), (state[3], state[4], state[5])
    return scale(factor, linear), scale(factor, angular)


@compiled_part
def _move_pose(state, pose, linear, angular):  # noqa: ANN001, ANN202  likewise
    """Move the base by the exponential of a twist: both sums of nested vector products."""
    square = dot(angular, angular)
    if square < _SMALL:
        sine = 1.0 - square / 6.0 + square * square / 120.0
        versine = 0.5 - square / 24.0 + square * square / 720.0
        rest = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
    else:
        angle = np.sqrt(square)
        sine = np.sin(angle) / angle
        versine = (1.0 - np.cos(angle)) / square
        rest = (1.0 - sine) / square
    swept = cross(angular, linear)
    way = add(linear, add(scale(versine, swept), scale(rest, cross(angular, swept))))
    for axis in range(3):
        k = pose + 3 + 3 * axis
        row = state[k], state[k + 1], state[k + 2]
        state[pose + axis] += dot(row, way)
        swept = cross(row, angular)
        row = add(row, add(scale(sine, swept), scale(versine, cross(swept, angular))))
        state[k], state[k + 1], state[k + 2] = row


@compiled_part
def orthogonalise(state: NDArray[np.float64], first: int) -> None:
    """Take rounding out of a rotation in place: one Newton step of its polar factor.

    Parameters
    ----------
    state : ndarray
        Array.
    first : int
        Where in it the rows of the rotation begin.
    """
    before = state[first : first + 9].copy()
    for row in range(0, 9, 3):
        for column in range(3):
            state[first + row + column] *= 1.5
        for other in range(0, 9, 3):
            product = 0.0
            for column in range(3):
                product += before[row + column] * before[other + column]
            for column in range(3):
                state[first + row + column] -= 0.5 * product * before[other + column]


@compiled
def advance(
    plant: Plant,
    settings: ControlArrays,
    state: NDArray[np.float64],
    steps: NDArray[np.float64],
    references: NDArray[np.float64],
    thrusts: NDArray[np.float64],
    sampled: NDArray[np.bool_],
    record: NDArray[np.float64],
) -> tuple[int, int]:
    """Advance a state by many steps, in place, and record some of the states on the way.

    Parameters
    ----------
    plant : Plant
        True robot.
    settings : ControlArrays
        Control, with the robot as it knows it.
    state : ndarray
        State (see ``state_arrays``) at the start in, at the end out.
    steps : ndarray, shape (K,)
        Steps, s.
    references : ndarray, shape (K, 3, n + w)
        Positions, rates and accelerations wanted in each step.
    thrusts : ndarray, shape (K, 6)
        Mean wrench of thrusters on the base in each step.
    sampled : ndarray of bool, shape (K,)
        Whether the state after a step is recorded.
    record : ndarray
        Filled, one row per state recorded: just before it derivatives of the velocities, then
        wrench on the base, joint torques, wheel torques; the state.

    Returns
    -------
    tuple of int
        Number of steps done, and -1 or the velocity whose articulated inertia is not positive.
    """
    size, row = 6 + references.shape[2], 0
    pose = 2 * size - 2
    stages, slopes = np.empty((STAGES + 1, pose + POSE)), np.empty((STAGES + 1, pose))
    work, matrix = np.empty((len(plant.tree.parents), COLUMNS)), np.empty((size, size))
    force, bias, wanted = np.empty(size), np.empty(size), np.empty(size)
    for index in range(len(steps)):
        step, thrust = steps[index], thrusts[index]
        equations_of_motion(settings.tree, state[size:], state[:size], work, matrix, bias)
        control(settings, state, references[index], work, matrix, bias, wanted, force)
        limit_motors(plant.drives, state, force)
        fire_thrusters(plant.drives, step, state[pose + POSE :], force)
        saturate_propellers(plant.drives, force)
        for stage in range(STAGES + 1 if sampled[index] else STAGES):
            begin_stage(state, step, stage, plant.outside.act, stages, slopes)
            at, slope = stages[stage], slopes[stage]
            equations_of_motion(plant.tree, at[size:], at[:size], work, matrix, slope[:size])
            failing = fill_slope(plant, at, force, thrust, work, matrix, slope)
            if failing >= 0:
                return index, failing
        if not sampled[index]:
            finish_step(state, step, stages, slopes)
        if sampled[index]:
            orthogonalise(state, pose + 3)
            for each in range(size):
                record[row, each] = slopes[4, each]
                record[row, size + each] = force[each] + (thrust[each] if each < 6 else 0.0)
            for each in range(len(state)):
                record[row, 2 * size + each] = state[each]
            row += 1
    return len(steps), -1


_LEAST_PIECE = 1e-9
"""Share of a step that is not worth a step of its own."""


def advanced_state(
    model: RobotModel,
    state: RobotState,
    commands: Commands,
    times: NDArray[np.float64],
    longest_step: float,
) -> tuple[RobotState, MotionSamples]:
    """Return the state of a robot at the last of some times, and samples of all.

    Parameters
    ----------
    model : RobotModel
        The true robot, payload and all.
    state : RobotState
        State at the start.
    commands : Commands
        What it is commanded to do.
    times : ndarray, shape (N,)
        Times of the samples, s.
    longest_step : float
        Longest step of control and integration, s.

    Raises
    ------
    SimulationError
        If the motion does not stay finite.
    """
    begins = np.concatenate([[state.time], times[:-1]])
    pieces = np.ceil((times - begins) / longest_step - _LEAST_PIECE).astype(int)
    pieces = np.maximum(pieces, 1)
    steps = np.repeat((times - begins) / pieces, pieces)
    ends = np.cumsum(pieces)
    within = np.arange(len(steps)) - np.repeat(ends - pieces, pieces)
    starts = np.repeat(begins, pieces) + within * steps
    vector, size = state.vector(), 6 + len(model.joints) + len(model.wheels)
    record = np.empty((len(times), 2 * size + len(vector)))
    done, outcome = advance(
        _plant(model, commands),
        _control_arrays(commands),
        vector,
        steps,
        commands.references(starts, steps),
        commands.firing.wrench(np.append(starts, times[-1])),
        np.isin(np.arange(len(steps)), ends - 1),
        record,
    )
    if outcome >= 0:
        name = _link(model, outcome)
        raise SimulationError(
            f'link {name!r} has no positive inertia at {starts[done]:g} s: no such robot moves'
        )
    edges = np.add(2 * size, [-size, 0, *state_edges(size)])
    parts = np.split(record, edges, axis=1)[:7]
    _check_finite(times, record[:, 2 * size : 4 * size - 6])
    samples = _samples(state, times, parts)
    end = RobotState.from_vector(float(times[-1]), samples.attitude[-1], vector, len(state.q))
    return end, samples


def _plant(model: RobotModel, commands: Commands) -> Plant:
    return Plant(
        tree_arrays(model),
        actuator_arrays(model),
        commands.mode is ManoeuvringMode.TRANSLATION_FLYING,
        outside_forces(model.disturbances),
        commands.planar,
    )


def _control_arrays(commands: Commands) -> ControlArrays:
    """Return the control with the robot as it knows it: without a payload."""
    controller, torque = commands.controller, commands.joint_torque
    return ControlArrays(
        tree_arrays(controller.model),
        MODE_NUMBERS[commands.mode],
        controller.holds_base,
        commands.planar,
        torque is not None,
        controller.stiffness(),
        controller.damping(),
        controller.base.stiffness,
        controller.base.damping,
        float(controller.feeds_forward),
        np.zeros(len(controller.model.joints)) if torque is None else torque,
        commands.wrench,
        commands.held.position,
        commands.held.rotation,
    )


def _link(model: RobotModel, row: int) -> str:
    """Return the name of the link that a velocity belongs to."""
    if not 6 <= row < 6 + len(model.joints):
        return model.links[0].name
    return model.links[1 + tree_arrays(model).leading[row - 6]].name


def _check_finite(times: NDArray[np.float64], moving: NDArray[np.float64]) -> None:
    """Raise an error if the motion diverged: a step too long, or a robot that cannot be."""
    good = np.isfinite(moving).all(axis=1)
    if not good.all():
        raise SimulationError(f'the motion is not finite any more at {times[np.argmin(good)]:g} s')


def _samples(
    start: RobotState, times: NDArray[np.float64], record: list[NDArray[np.float64]]
) -> MotionSamples:
    """Return what was recorded."""
    acceleration, force, velocity, place, work, position, rotation = record
    joints = len(start.q)
    twist, qd, wheel_rates = np.split(velocity, [6, 6 + joints], axis=1)
    changes, qdd, _ = np.split(acceleration, [6, 6 + joints], axis=1)
    wrench, joint_torque, wheel_torque = np.split(force, [6, 6 + joints], axis=1)
    q, wheel_angles = np.split(place, [joints], axis=1)
    swept = np.cross(twist[:, 3:], twist[:, :3])
    base_acceleration = changes + np.hstack([swept, np.zeros_like(swept)])
    attitude = _continuous(start.attitude, rotation.reshape(-1, 3, 3))
    moving = (q, qd, qdd, wheel_angles, wheel_rates, twist, position, attitude)
    forces = (base_acceleration, wrench, joint_torque, wheel_torque, work)
    return MotionSamples(times, *moving, *forces)


def _continuous(
    before: NDArray[np.float64], rotations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quaternions of rotations, each on the side of the one before (F8)."""
    attitudes = Rotation.from_matrix(rotations).as_quat()
    path = np.vstack([before, attitudes])
    signs = np.where(np.einsum('ni,ni->n', path[1:], path[:-1]) < 0.0, -1.0, 1.0)
    return attitudes * np.cumprod(signs)[:, None]
