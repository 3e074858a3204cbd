"""The true robot under the forces of its drives: forward dynamics of one state, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import (
    accelerate as accelerate_tree,
)
from spacerobot_id.multibody.kernels.articulated_body import (
    expand_joints,
    put_torques,
    wheel_acceleration,
)
from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import axes_of, move, State, Work
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    dot,
    put,
    scale,
    take,
)
from spacerobot_id.multibody.kernels.tree_arrays import Tree
from spacerobot_id.simulation.dynamic.drives import ActuatorArrays, joint_friction
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
        Whether the force on the base acts through the system's centre of mass.
    """

    tree: Tree
    drives: ActuatorArrays
    thrust_through_centre: bool


@compiled_part
def accelerate(
    plant: Plant,
    place: NDArray[np.float64],
    velocity: NDArray[np.float64],
    force: NDArray[np.float64],
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
    arrays : Stages
        Arrays to use.
    acceleration : ndarray, shape (6 + n + w,)
        Filled; that of the base as derivatives of the components of its twist.
    power : ndarray, shape (4,)
        Filled, W; see ``WORKS``.

    Returns
    -------
    int
        ``GOOD``, or the link that feels no positive inertia.
    """
    tree, work = plant.tree, arrays.work
    wheels, moment = 6 + len(tree.leading), (0.0, 0.0, 0.0)
    _load_forces(plant, velocity, force, arrays, power)
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
    if plant.thrust_through_centre:
        move(tree, state, work)
        moment = cross(_centre_of_mass(plant, arrays), (force[0], force[1], force[2]))
        power[0] += dot(moment, (velocity[3], velocity[4], velocity[5]))
    outcome = accelerate_tree(tree, state, moment, work)
    _read_accelerations(tree, state, work, acceleration)
    return outcome


@compiled_part
def _load_forces(
    plant: Plant,
    velocity: NDArray[np.float64],
    force: NDArray[np.float64],
    arrays: Stages,
    power: NDArray[np.float64],
) -> None:
    """Fill in wrench and torques, friction among them, and the power of each kind."""
    joints = len(plant.tree.leading)
    power[:] = 0.0
    for row in range(len(velocity)):
        power[0 if row < 6 else 1 if row < 6 + joints else 2] += force[row] * velocity[row]
    for row in range(6):
        arrays.wrench[0, row] = force[row]
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


@compiled_part
def _centre_of_mass(plant: Plant, arrays: Stages) -> tuple[float, float, float]:
    """Return the centre of mass of all links in base axes, once they are where they are, m."""
    tree, work = plant.tree, arrays.work
    total, moment = 0.0, (0.0, 0.0, 0.0)
    for link in range(len(tree.parents)):
        origin = (0.0, 0.0, 0.0)
        if link:
            origin = add(take(arrays.origins, tree.parents[link], 0), take(work.offset, link, 0))
        put(arrays.origins, link, 0, origin)
        mass = tree.parameters[link, 6]
        own = combine(axes_of(work, link), take(tree.parameters, link, 7))
        moment = add(moment, add(own, scale(mass, origin)))
        total += mass
    return scale(1.0 / total, moment)
