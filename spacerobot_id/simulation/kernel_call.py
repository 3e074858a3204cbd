"""From the simulation's values to the kernel's plain arrays, and back to samples."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.dynamics.articulated_body import GOOD, Tree
from spacerobot_id.dynamics.tree_arrays import tree_arrays
from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation.actuators import actuator_arrays
from spacerobot_id.simulation.control_arrays import ControlArrays
from spacerobot_id.simulation.control_workspace import workspace
from spacerobot_id.simulation.kernel_arrays import RecordArrays, StateArrays, WORKS
from spacerobot_id.simulation.manoeuvring_mode import ManoeuvringMode, MODE_NUMBERS
from spacerobot_id.simulation.plant import Plant
from spacerobot_id.simulation.robot_state import DynamicSamples, RobotState
from spacerobot_id.simulation.time_step import advance

if TYPE_CHECKING:
    from spacerobot_id.simulation.free_flying import FreeFlyingSimulation

_LEAST_PIECE = 1e-9
"""Share of a step that is not worth a step of its own."""


def tree_of(model: RobotModel) -> Tree:
    """Return the arrays of a robot as the kernels take them."""
    return Tree(*tree_arrays(model).arrays)


def advanced_state(
    simulation: 'FreeFlyingSimulation', times: NDArray[np.float64]
) -> tuple[RobotState, DynamicSamples]:
    """Return the state of a simulation at the last of some times, and samples of all.

    Parameters
    ----------
    simulation : FreeFlyingSimulation
        Robot and commands.
    times : ndarray, shape (N,)
        Times of the samples, s.

    Raises
    ------
    SimulationError
        If the motion does not stay finite.
    """
    begins = np.concatenate([[simulation.time], times[:-1]])
    pieces = np.ceil((times - begins) / simulation.step - _LEAST_PIECE).astype(int)
    pieces = np.maximum(pieces, 1)
    steps = np.repeat((times - begins) / pieces, pieces)
    ends = np.cumsum(pieces)
    within = np.arange(len(steps)) - np.repeat(ends - pieces, pieces)
    starts = np.repeat(begins, pieces) + within * steps
    sampled = np.zeros(len(steps), dtype=np.bool_)
    sampled[ends - 1] = True
    state = simulation.state.arrays()
    record = _advance(simulation, state, steps, starts, sampled)
    _check_finite(times, record)
    samples = _samples(simulation, times, record)
    joints = len(simulation.robot.joints)
    end = RobotState.from_arrays(float(times[-1]), samples.attitude[-1], state, joints)
    return end, samples


def _advance(
    simulation: 'FreeFlyingSimulation',
    state: StateArrays,
    steps: NDArray[np.float64],
    starts: NDArray[np.float64],
    sampled: NDArray[np.bool_],
) -> RecordArrays:
    """Run the kernel; the state's arrays are advanced in place."""
    model, mode = simulation.model, simulation.mode
    tree, size = tree_of(model), len(state.velocity)
    plant = Plant(tree, actuator_arrays(model), mode is ManoeuvringMode.TRANSLATION_FLYING)
    settings = _control_arrays(simulation)
    record = _empty_record(int(sampled.sum()), size)
    references = _references(simulation, starts, steps)
    done, outcome = advance(
        plant, settings, state, steps, references, sampled, record, workspace(settings.tree)
    )
    if outcome != GOOD:
        name = model.links[outcome].name
        raise SimulationError(
            f'link {name!r} feels no positive inertia at {starts[done]:g} s: no such robot moves'
        )
    return record


def _control_arrays(simulation: 'FreeFlyingSimulation') -> ControlArrays:
    controller, held = simulation.controller, simulation.held
    torque, joints = simulation.joint_torque, len(simulation.robot.joints)
    return ControlArrays(
        tree_of(_believed(simulation)),
        MODE_NUMBERS[simulation.mode],
        controller.holds_base,
        torque is not None,
        controller.stiffness(),
        controller.damping(),
        controller.base.stiffness,
        controller.base.damping,
        np.zeros(joints) if torque is None else torque,
        simulation.wrench,
        held.position,
        held.rotation,
    )


def _believed(simulation: 'FreeFlyingSimulation') -> RobotModel:
    """Return the robot as the control knows it: nobody tells it of a payload."""
    return simulation.controller.model


def _references(
    simulation: 'FreeFlyingSimulation', starts: NDArray[np.float64], steps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what is asked for in each step, shape (K, 3, n + w).

    Positions and rates are those at the start of the step, where the control compares them; the
    accelerations those of its middle, because torques are held through it.
    """
    parts = []
    for motion in (simulation.joints, simulation.wheels):
        if starts[0] >= motion.end:
            still = np.zeros((len(starts), len(motion.last)))
            parts.append((still + motion.last, still, still))
            continue
        now, middle = motion.at(starts), motion.at(starts + 0.5 * steps)
        parts.append((now.position, now.velocity, middle.acceleration))
    return np.stack([np.hstack(pair) for pair in zip(*parts, strict=True)], axis=1)


def _empty_record(samples: int, size: int) -> RecordArrays:
    shapes = ((3,), (3, 3), (size - 6,), (size,), (WORKS,), (size,), (size,))
    return RecordArrays(*(np.empty((samples, *shape)) for shape in shapes))


def _check_finite(times: NDArray[np.float64], record: RecordArrays) -> None:
    """Raise an error if the motion got lost: a step too long, or a robot that cannot be."""
    good = np.isfinite(record.velocity).all(axis=1) & np.isfinite(record.place).all(axis=1)
    if not good.all():
        raise SimulationError(f'the motion is not finite any more at {times[np.argmin(good)]:g} s')


def _samples(
    simulation: 'FreeFlyingSimulation', times: NDArray[np.float64], record: RecordArrays
) -> DynamicSamples:
    """Return what was recorded."""
    joints = len(simulation.robot.joints)
    twist, qd, wheel_rates = np.split(record.velocity, [6, 6 + joints], axis=1)
    changes, qdd, _ = np.split(record.acceleration, [6, 6 + joints], axis=1)
    wrench, joint_torque, wheel_torque = np.split(record.force, [6, 6 + joints], axis=1)
    q, wheel_angles = np.split(record.place, [joints], axis=1)
    swept = np.cross(twist[:, 3:], twist[:, :3])
    base_acceleration = changes + np.hstack([swept, np.zeros_like(swept)])
    attitude = _continuous(simulation.state.attitude, record.rotation)
    moving = (q, qd, qdd, wheel_angles, wheel_rates, twist, record.position, attitude)
    forces = (base_acceleration, wrench, joint_torque, wheel_torque, record.work)
    return DynamicSamples(times, *moving, *forces)


def _continuous(
    before: NDArray[np.float64], rotations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quaternions of rotations, each on the side of the one before (F8)."""
    attitudes = Rotation.from_matrix(rotations).as_quat()
    path = np.vstack([before, attitudes])
    signs = np.where(np.einsum('ni,ni->n', path[1:], path[:-1]) < 0.0, -1.0, 1.0)
    return attitudes * np.cumprod(signs)[:, None]
