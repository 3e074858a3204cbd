"""From the simulation's values to the kernel's plain arrays, and back to samples."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.simulation.controller import (
    ControlArrays,
    ManoeuvringMode,
    MODE_NUMBERS,
)
from spacerobot_id.simulation.dynamic.commands import Commands
from spacerobot_id.simulation.dynamic.drives import actuator_arrays
from spacerobot_id.simulation.dynamic.outside_forces import outside_forces
from spacerobot_id.simulation.dynamic.plant import Plant
from spacerobot_id.simulation.dynamic.robot_state import RobotState, state_edges
from spacerobot_id.simulation.dynamic.runge_kutta_step import advance
from spacerobot_id.simulation.simulation import MotionSamples

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
