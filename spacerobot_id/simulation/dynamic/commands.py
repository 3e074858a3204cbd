"""What a robot in dynamic simulation is commanded to do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import TrajectoryMotion
from spacerobot_id.simulation.controller import Controller, ManoeuvringMode
from spacerobot_id.simulation.dynamic.firing import Firing
from spacerobot_id.simulation.dynamic.robot_state import RobotState


@dataclass(frozen=True, eq=False, kw_only=True)
class Commands:
    """Commands to n joints, w wheels and the base, constant through a call of the kernel.

    Parameters
    ----------
    joints, wheels : TrajectoryMotion
        Motions asked of joints and wheels.
    controller : Controller
        What turns them into torques.
    mode : ManoeuvringMode
        What drives the base.
    held : RobotState
        State whose pose the base is held at, if the controller holds it.
    wrench : ndarray, shape (6,)
        Force (N) and torque (N m) asked of the base's drives, base axes.
    firing : Firing
        Thrusters of the robot, and what they have been commanded.
    joint_torque : ndarray, shape (n,), optional
        Torques of the joints in place of the control's, N m.
    planar : bool
        Whether a table holds the base in its plane: it moves along x and y and turns about z.
    """

    joints: TrajectoryMotion
    wheels: TrajectoryMotion
    controller: Controller
    mode: ManoeuvringMode
    held: RobotState
    wrench: NDArray[np.float64]
    firing: Firing
    joint_torque: NDArray[np.float64] | None = None
    planar: bool = False

    def references(
        self, starts: NDArray[np.float64], steps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return what is asked of joints and wheels in each of K steps, shape (K, 3, n + w).

        Positions and rates are those at the start of the step, where the control compares them;
        the accelerations those of its middle, because torques are held through it.

        Parameters
        ----------
        starts, steps : ndarray, shape (K,)
            Starts and durations of the steps, s.
        """
        parts = []
        for motion in (self.joints, self.wheels):
            if starts[0] >= motion.end:
                still = np.zeros((len(starts), len(motion.last)))
                parts.append((still + motion.last, still, still))
                continue
            now, middle = motion.at(starts), motion.at(starts + 0.5 * steps)
            parts.append((now.position, now.velocity, middle.acceleration))
        return np.stack([np.hstack(pair) for pair in zip(*parts, strict=True)], axis=1)
