"""The true robot under all forces: forward dynamics of one state, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import (
    accelerate as accelerate_tree,
)
from spacerobot_id.multibody.kernels.articulated_body import (
    expand_joints,
    Load,
    put_torques,
    wheel_acceleration,
)
from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import move, State, Work
from spacerobot_id.multibody.kernels.small_vectors import cross
from spacerobot_id.multibody.kernels.tree_arrays import Tree
from spacerobot_id.simulation.dynamic.drives import ActuatorArrays, joint_friction
from spacerobot_id.simulation.dynamic.outside_forces import outside_forces_on, OutsideForces
from spacerobot_id.simulation.dynamic.stages import Stages


class Plant(NamedTuple):
    """The true robot and its drives.

    Parameters
    ----------
    tree : Tree
        Robot.
    drives : ActuatorArrays
        Limits, friction, thrusters.
    thrust_through_centre : bool
        Whether the force asked of the base's drives acts through the system's centre of mass.
    outside : OutsideForces
        What acts from outside.
    is_planar : bool
        Whether a table holds the base in its plane.
    """

    tree: Tree
    drives: ActuatorArrays
    thrust_through_centre: bool
    outside: OutsideForces
    is_planar: bool


@compiled_part
def accelerate(
    plant: Plant,
    place: NDArray[np.float64],
    velocity: NDArray[np.float64],
    force: NDArray[np.float64],
    thrust: NDArray[np.float64],
    arrays: Stages,
    acceleration: NDArray[np.float64],
    power: NDArray[np.float64],
) -> int:
    """Fill in accelerations and the power of all forces: forward dynamics of one state.

    Parameters
    ----------
    plant : Plant
        Robot.
    place : ndarray, shape (n + w,)
        Joint positions and wheel angles.
    velocity, force : ndarray, shape (6 + n + w,)
        Velocities, and the forces of the drives on them.
    thrust : ndarray, shape (6,)
        Wrench of thrusters on the base.
    arrays : Stages
        Arrays to use; the pose of the base is in them.
    acceleration : ndarray, shape (6 + n + w,)
        Filled; that of the base as derivatives of the components of its twist.
    power : ndarray, shape (4,)
        Filled, W; see ``WORKS``.

    Returns
    -------
    int
        ``GOOD``, or the link without positive inertia.
    """
    tree, work = plant.tree, arrays.work
    wheels = 6 + len(tree.leading)
    _load_forces(plant, velocity, force, thrust, arrays, power)
    expand_joints(tree, place, 1.0, arrays.position)
    expand_joints(tree, velocity[6:wheels], 0.0, arrays.rate)
    state = State(
        arrays.position,
        arrays.rate,
        velocity[:6],
        arrays.torque,
        velocity[wheels:],
        force[wheels:],
        arrays.wrench,
    )
    moment = field = (0.0, 0.0, 0.0)
    if plant.thrust_through_centre or plant.outside.act:
        move(tree, state, work)
        share = 1.0 if plant.thrust_through_centre else 0.0
        centred = share * force[0], share * force[1], share * force[2]
        moment, field = outside_forces_on(
            plant.outside,
            tree,
            arrays.base_position,
            arrays.turned,
            velocity[:6],
            arrays.rate,
            centred,
            work,
            arrays.rooms,
            power,
        )
    outcome = accelerate_tree(tree, state, Load(moment, field, plant.is_planar), work)
    _read_accelerations(tree, state, work, acceleration)
    return outcome


@compiled_part
def _load_forces(
    plant: Plant,
    velocity: NDArray[np.float64],
    force: NDArray[np.float64],
    thrust: NDArray[np.float64],
    arrays: Stages,
    power: NDArray[np.float64],
) -> None:
    """Fill in wrench and torques, friction among them, and the power of each kind."""
    joints = len(plant.tree.leading)
    power[:] = 0.0
    for row in range(len(velocity)):
        power[0 if row < 6 else 1 if row < 6 + joints else 2] += force[row] * velocity[row]
    for row in range(6):
        arrays.wrench[0, row] = force[row] + thrust[row]
        power[0] += thrust[row] * velocity[row]
    put_torques(plant.tree, force[6 : 6 + joints], arrays.torque)
    for joint in range(joints):
        friction = joint_friction(plant.drives, joint, velocity[6 + joint])
        arrays.torque[plant.tree.leading[joint]] += friction
        power[3] += friction * velocity[6 + joint]


@compiled_part
def _read_accelerations(
    tree: Tree, state: State, work: Work, acceleration: NDArray[np.float64]
) -> None:
    """Fill in generalized accelerations from what forward dynamics has left in its arrays."""
    joints, twist = len(tree.leading), state.base_twist
    linear, turning = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    swept = cross(turning, linear)
    for axis in range(3):
        acceleration[axis] = work.acceleration[0, axis] - swept[axis]
        acceleration[3 + axis] = work.acceleration[0, 3 + axis]
    for joint in range(joints):
        acceleration[6 + joint] = work.effort[tree.leading[joint] + 1, 2]
    for wheel in range(len(acceleration) - 6 - joints):
        acceleration[6 + joints + wheel] = wheel_acceleration(tree, state, work, wheel)
