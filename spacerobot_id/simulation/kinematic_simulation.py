"""A free-floating robot whose joints and wheels follow trajectories exactly.

The base moves as momentum conservation demands, from rest. With q(t) and the wheel rates given,
its twist needs no integration; the attitude is integrated by the fourth-order Magnus method on
SO(3), the position by Simpson's rule. All substeps of a call are worked on at once.

One of the two implementations of ``Simulation``, beside ``DynamicSimulation``, whose motors give
torques.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.trajectory_motion import JointTrajectory, TrajectoryMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.multibody.free_floating.planned_base import base_attitude
from spacerobot_id.simulation.following import joints_following, wheels_following
from spacerobot_id.simulation.simulation import MotionSamples
from spacerobot_id.spatial import exp_so3, rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class StepTwists:
    """Twists of the base in base axes at three instants of every step.

    Parameters
    ----------
    start, middle, end : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity; the end of a step may differ from the start
        of the next where the velocity jumps.
    """

    start: NDArray[np.float64]
    middle: NDArray[np.float64]
    end: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BasePath:
    """Poses of the base at the ends of the steps.

    Parameters
    ----------
    positions : ndarray, shape (N, 3)
        Positions in the inertial frame, m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w from base to inertial axes, without jumps of sign.
    """

    positions: NDArray[np.float64]
    attitudes: NDArray[np.float64]


def integrate_base(
    position: ArrayLike, attitude: ArrayLike, steps: ArrayLike, twists: StepTwists
) -> BasePath:
    """Return where twists carry the base; errors are of fourth order in the steps.

    Parameters
    ----------
    position : array_like, shape (3,)
        Position at the start, m.
    attitude : array_like, shape (4,)
        Quaternion x y z w at the start.
    steps : array_like, shape (N,)
        Durations of the steps, s.
    twists : StepTwists
        Twists within the steps.
    """
    steps = np.asarray(steps, dtype=float)[:, None]
    start = Rotation.from_quat(attitude)
    turned = start * base_attitude(magnus_rotation_vector(steps, twists), np.ones(len(steps)))
    attitudes = np.vstack([start.as_quat(), turned.as_quat()])
    moved = _displacements(rotation_from_quaternion(attitudes), steps, twists)
    return BasePath(np.asarray(position, dtype=float) + np.cumsum(moved, axis=0), attitudes[1:])


def magnus_rotation_vector(steps: NDArray[np.float64], twists: StepTwists) -> NDArray[np.float64]:
    """Return the rotation of each step, by its rotation vector in base axes, shape (N, 3).

    With ``R' = R [w]`` the commutator has the sign opposite to that of ``Y' = A Y``.
    """
    start, middle, end = (each[:, 3:] for each in (twists.start, twists.middle, twists.end))
    mean = steps / 6.0 * (start + 4.0 * middle + end)
    return mean + steps**2 / 12.0 * np.cross(start, end)


def _displacements(
    rotations: NDArray[np.float64], steps: NDArray[np.float64], twists: StepTwists
) -> NDArray[np.float64]:
    """Return the displacement in each step, in inertial axes, shape (N, 3)."""
    start, middle, end = (each[:, 3:] for each in (twists.start, twists.middle, twists.end))
    # Half of the step: the integral of the parabola through the three rates, and its commutator.
    to_middle = steps / 24.0 * (5.0 * start + 8.0 * middle - end)
    to_middle += steps**2 / 48.0 * np.cross(start, middle)
    halfway = rotations[:-1] @ exp_so3(to_middle)
    velocities = (
        (rotations[:-1], twists.start, 1.0),
        (halfway, twists.middle, 4.0),
        (rotations[1:], twists.end, 1.0),
    )
    weighted = (
        weight * np.einsum('nij,nj->ni', turned, twist[:, :3])
        for turned, twist, weight in velocities
    )
    return steps / 6.0 * sum(weighted)


MAX_STEP = 0.01
"""Longest substep of the integration, s."""


@dataclass(frozen=True, eq=False)
class BaseState:
    """Where the base is.

    Parameters
    ----------
    time : float
        Time, s.
    position : ndarray, shape (3,)
        Position of the base in the inertial frame, m.
    attitude : ndarray, shape (4,)
        Attitude quaternion x y z w of the base.
    """

    time: float = 0.0
    position: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    attitude: NDArray[np.float64] = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))


@dataclass(frozen=True, eq=False)
class KinematicSimulation:
    """A robot at one time, and what its joints and wheels are going to do.

    Parameters
    ----------
    model : RobotModel
        The true robot, n joints and w wheels.
    state : BaseState
        Time and where the base is.
    joints, wheels : TrajectoryMotion
        Motions of joints and wheels.
    """

    model: RobotModel
    state: BaseState
    joints: TrajectoryMotion
    wheels: TrajectoryMotion

    @classmethod
    def at_rest(cls, model: RobotModel, q: ArrayLike, time: float = 0.0) -> 'KinematicSimulation':
        """Return a robot at rest at the inertial frame's origin, wheels at angle zero.

        Parameters
        ----------
        model : RobotModel
            The true robot.
        q : array_like, shape (n,)
            Joint positions, rad or m.
        time : float
            Time, s.
        """
        joints = TrajectoryMotion.at_rest(q, time)
        wheels = TrajectoryMotion.at_rest(np.zeros(len(model.wheels)), time)
        return cls(model, BaseState(time), joints, wheels)

    @property
    def time(self) -> float:
        """Time, s."""
        return self.state.time

    @property
    def is_moving(self) -> bool:
        """Whether a joint or wheel has not reached the end of its trajectory yet."""
        return self.time < max(self.joints.end, self.wheels.end)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Nothing beside the trajectories."""
        return ()

    def with_joint_trajectory(self, trajectory: JointTrajectory) -> 'KinematicSimulation':
        """Return the same robot with its joints on a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the joints cannot follow it.
        """
        joints = joints_following(self.model, self.joints, trajectory, self.time)
        return replace(self, joints=joints)

    def with_wheel_trajectory(self, trajectory: JointTrajectory) -> 'KinematicSimulation':
        """Return the same robot with its wheels on a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the wheels cannot follow it.
        """
        wheels = wheels_following(self.model, self.wheels, trajectory, self.time)
        return replace(self, wheels=wheels)

    def advanced_to(self, times: Sequence[float]) -> tuple['KinematicSimulation', MotionSamples]:
        """Return the robot at the last of some times, and its motion at all of them.

        Parameters
        ----------
        times : sequence of float, length N
            Times, s, strictly increasing and after the present one; at least one.
        """
        times = np.asarray(times, dtype=float)
        grid = self._grid(times)
        steps = np.diff(grid)
        twists = self._base_twists(grid[:-1], grid[:-1] + 0.5 * steps, grid[1:])
        path = integrate_base(self.state.position, self.state.attitude, steps, twists)
        rows = np.searchsorted(grid, times) - 1
        samples = self._samples(
            times, twists.end[rows], path.positions[rows], path.attitudes[rows]
        )
        state = BaseState(float(times[-1]), path.positions[-1], path.attitudes[-1])
        return replace(self, state=state), samples

    def _grid(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the ends of the substeps, the present first: all times, all knots, and between.

        No substep goes over a knot, where the motion is not smooth.
        """
        knots = np.concatenate([self.joints.knots, self.wheels.knots])
        within = knots[(knots > self.time) & (knots < times[-1])]
        ends = np.union1d(np.concatenate([[self.time], times]), within)
        pieces = np.ceil(np.diff(ends) / MAX_STEP - 1e-9).astype(int)
        if pieces.max() <= 1:
            return ends
        split = [
            np.linspace(begin, end, count, endpoint=False)
            for begin, end, count in zip(ends[:-1], ends[1:], pieces, strict=True)
        ]
        return np.concatenate([*split, ends[-1:]])

    def _base_twists(
        self,
        start: NDArray[np.float64],
        middle: NDArray[np.float64],
        end: NDArray[np.float64],
    ) -> StepTwists:
        """Return the twists that keep the momentum zero, at three instants of each step."""
        inside = np.concatenate([start, middle])
        joints = self.joints.at(inside), self.joints.at(end, 'left')
        wheels = self.wheels.at(inside), self.wheels.at(end, 'left')
        twists = base_twist_from_momentum(
            self.model,
            np.concatenate([each.position for each in joints]),
            np.concatenate([each.velocity for each in joints]),
            np.concatenate([each.velocity for each in wheels]),
        )
        return StepTwists(*np.split(twists, 3))

    def _samples(
        self,
        times: NDArray[np.float64],
        base_twist: NDArray[np.float64],
        position: NDArray[np.float64],
        attitude: NDArray[np.float64],
    ) -> MotionSamples:
        """Return samples of the whole robot, given those of the base."""
        joints, wheels = self.joints.at(times, 'left'), self.wheels.at(times, 'left')
        return MotionSamples(
            times,
            joints.position,
            joints.velocity,
            joints.acceleration,
            wheels.position,
            wheels.velocity,
            base_twist,
            position,
            attitude,
        )
