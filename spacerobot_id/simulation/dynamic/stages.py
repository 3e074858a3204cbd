"""Room for one time step: its four stages, and its end."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import new_work, Work
from spacerobot_id.simulation.dynamic.state_arrays import WORKS


class Stages(NamedTuple):
    """Arrays of the four stages of a step, and of its end.

    Parameters
    ----------
    work : Work
        Room for forward dynamics.
    position, rate, torque : ndarray, shape (t,)
        Of all joints of the tree: positions, rates, torques, friction among them.
    wrench : ndarray, shape (1, 6)
        Wrench on the base.
    rooms : ndarray, shape (t + 1, 6)
        Origins of the links, and velocities of these.
    base_position, turned : ndarray, shapes (3,) and (3, 3)
        Pose of the base at the stage, from base to inertial axes; where something acts on it.
    place : ndarray, shape (n + w,)
        Positions of the stage.
    velocity, acceleration : ndarray, shape (5, 6 + n + w)
        Velocities and accelerations of the stages, and at the end.
    power : ndarray, shape (5, 4)
        Power of each kind there.
    twist : ndarray, shape (6,)
        Magnus expansion of the step.
    rotation : ndarray, shape (3, 3)
        Rotation of the step.
    translation : ndarray, shape (3,)
        Displacement of the step.
    """

    work: Work
    position: NDArray[np.float64]
    rate: NDArray[np.float64]
    torque: NDArray[np.float64]
    wrench: NDArray[np.float64]
    rooms: NDArray[np.float64]
    base_position: NDArray[np.float64]
    turned: NDArray[np.float64]
    place: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    power: NDArray[np.float64]
    twist: NDArray[np.float64]
    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]


@compiled_part
def stages(joints: int, size: int) -> Stages:
    """Return arrays for steps of a robot with some joints and this many velocities."""
    return Stages(
        new_work(joints + 1),
        np.empty(joints),
        np.empty(joints),
        np.empty(joints),
        np.empty((1, 6)),
        np.empty((joints + 1, 6)),
        np.empty(3),
        np.empty((3, 3)),
        np.empty(size - 6),
        np.empty((5, size)),
        np.empty((5, size)),
        np.empty((5, WORKS)),
        np.empty(6),
        np.empty((3, 3)),
        np.empty(3),
    )
