"""A robot whose motors give torques: forward dynamics in one of the five manoeuvring modes.

One of the two implementations of ``Simulation``, beside ``KinematicSimulation``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory, TrajectoryMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation.controller import Controller, ManoeuvringMode
from spacerobot_id.simulation.dynamic.firing import Commands, Firing
from spacerobot_id.simulation.dynamic.plant import (
    check_hold,
    check_thrusters,
    check_wrench,
    mode_of,
    Payload,
    with_body,
)
from spacerobot_id.simulation.dynamic.robot_state import finite, RobotState
from spacerobot_id.simulation.following import joints_following, wheels_following
from spacerobot_id.simulation.simulation import MotionSamples

STEP = 1e-3
"""Longest step of control and integration by default, s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DynamicSimulation(Commands):
    """A robot at one time, and what it is commanded to do: the fields of ``Commands``.

    Parameters
    ----------
    robot : RobotModel
        The true robot without payload, n joints and w wheels.
    state : RobotState
        Where it is and how it moves.
    payload : Payload, optional
        Body that is joined to the robot.
    step : float
        Longest step of control and integration, s.
    """

    robot: RobotModel
    state: RobotState
    payload: Payload | None = None
    step: float = STEP

    @classmethod
    def at_rest(
        cls,
        model: RobotModel,
        q: ArrayLike,
        time: float = 0.0,
        *,
        mode: ManoeuvringMode | str = ManoeuvringMode.ROTATION_FLOATING,
        controller: Controller | None = None,
        step: float = STEP,
        planar: bool = False,
        seed: int = 0,
    ) -> 'DynamicSimulation':
        """Return a robot at rest at the inertial frame's origin, wheels at angle zero.

        Parameters
        ----------
        model : RobotModel
            The true robot.
        q : array_like, shape (n,)
            Joint positions, rad or m.
        time : float
            Time, s.
        mode : ManoeuvringMode or str
            What drives the base.
        controller : Controller, optional
            Control; one that knows the true robot if None.
        step : float
            Longest step, s.
        planar : bool
            Whether a table holds the base in its plane.
        seed : int
            Seed of the scatter of thrusters' pulses.

        Raises
        ------
        SimulationError
            If positions or step make no sense, the mode is unknown, or what it should hold the
            base with is not there.
        ConfigurationError
            If the controller is one of another robot.
        """
        if not (np.isfinite(step) and step > 0.0):
            raise SimulationError(f'step: must be above zero, got {step}')
        controller = Controller(model) if controller is None else controller
        controller.check_fits(model)
        state = RobotState.at_rest(model, q, time)
        return cls(
            robot=model,
            state=state,
            joints=TrajectoryMotion.at_rest(state.q, time),
            wheels=TrajectoryMotion.at_rest(state.wheel_angles, time),
            controller=controller,
            mode=ManoeuvringMode.FLOATING,
            held=state,
            wrench=np.zeros(6),
            firing=Firing.closed(model, time, seed),
            step=float(step),
            planar=planar,
        ).with_mode(mode)

    @property
    def time(self) -> float:
        """Time, s."""
        return self.state.time

    @property
    def model(self) -> RobotModel:
        """The true robot as it is now, payload and all."""
        return self.robot if self.payload is None else with_body(self.robot, self.payload)

    @property
    def is_moving(self) -> bool:
        """Whether a joint or wheel has not reached the end of its trajectory yet."""
        return self.time < max(self.joints.end, self.wheels.end)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Description of the mode with what it conserves, table, thrusters and payload."""
        found = [f'{self.mode.value}: {self.mode.properties.conserved}']
        found += ['in the plane'] if self.planar else []
        found += [] if self.firing.is_idle else ['thrusters commanded']
        found += [] if self.payload is None else [f'payload on {self.payload.link}']
        return tuple(found)

    def with_state(self, state: RobotState) -> 'DynamicSimulation':
        """Return the same robot in another state, in which it is to stay.

        Joints and wheels are asked to stay where they are, the base is held there.

        Raises
        ------
        SimulationError
            If it is no state of this robot, a wheel is beyond its limit, or the base would leave
            the plane that it is held in.
        """
        state.check(self.robot)
        if self.planar:
            state.check_plane()
        return replace(
            self,
            state=state,
            held=state,
            joints=TrajectoryMotion.at_rest(state.q, state.time),
            wheels=TrajectoryMotion.at_rest(state.wheel_angles, state.time),
        )

    def with_mode(self, mode: ManoeuvringMode | str) -> 'DynamicSimulation':
        """Return the same robot in another mode, the base held from now on if it is held.

        Raises
        ------
        SimulationError
            If the mode is unknown, or needs three wheels to hold the base that are not there.
        """
        mode = mode_of(mode)
        if self.controller.holds_base:
            check_hold(self.robot, self.state.q, mode)
        firing = self.firing.commanded(self.time, np.zeros(len(self.robot.thrusters)))
        return replace(self, mode=mode, held=self.state, wrench=np.zeros(6), firing=firing)

    def with_joint_trajectory(self, trajectory: JointTrajectory) -> 'DynamicSimulation':
        """Return the same robot with its joints asked to follow a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the joints cannot follow it.
        """
        joints = joints_following(self.robot, self.joints, trajectory, self.time)
        return replace(self, joints=joints, joint_torque=None)

    def with_wheel_trajectory(self, trajectory: JointTrajectory) -> 'DynamicSimulation':
        """Return the same robot with its wheels asked to follow a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the wheels cannot follow it.
        SimulationError
            If the mode does not drive them, or they are what holds the base.
        """
        if not self.mode.properties.drives_wheels:
            raise SimulationError(f'mode {self.mode.value} does not drive the wheels')
        if self.controller.holds_base and self.mode is ManoeuvringMode.ROTATION_FLOATING:
            raise SimulationError('the wheels hold the base')
        wheels = wheels_following(self.robot, self.wheels, trajectory, self.time)
        return replace(self, wheels=wheels)

    def with_joint_torque(self, torque: ArrayLike) -> 'DynamicSimulation':
        """Return the same robot with given torques on its joints until the next trajectory.

        Parameters
        ----------
        torque : array_like, shape (n,)
            Torques (N m) or forces (N).

        Raises
        ------
        SimulationError
            If they are not as many as the joints, or not finite.
        """
        return replace(self, joint_torque=finite('joint torque', torque, len(self.robot.joints)))

    def with_base_wrench(self, wrench: ArrayLike) -> 'DynamicSimulation':
        """Return the same robot with a wrench asked of the base's drives from now on.

        Parameters
        ----------
        wrench : array_like, shape (6,)
            Force (N), then torque about the base's origin (N m), in base axes. In the mode
            translation-flying the force goes through the system's centre of mass.

        Raises
        ------
        SimulationError
            If it is not finite, or the mode drives no such thing; names both.
        """
        wrench = finite('base wrench', wrench, 6)
        check_wrench(self.mode, wrench)
        return replace(self, wrench=wrench)

    def with_thrust(
        self, shares: ArrayLike, since: float | None = None, until: float | None = None
    ) -> 'DynamicSimulation':
        """Return the same robot with its thrusters commanded; what they give is another matter.

        Parameters
        ----------
        shares : array_like, shape (T,)
            Commands of the thrusters: 0 closed, 1 open, between that share of the strength.
        since : float, optional
            Time from which they hold, s; commands of later times are forgotten. Now if None, or
            if it is over.
        until : float, optional
            Time at which all valves close if nothing is commanded by then, s; never if None.

        Raises
        ------
        SimulationError
            If the robot has no thrusters, they are not what moves it in this mode, or a command
            makes no sense.
        """
        check_thrusters(self.robot, self.mode)
        since = self.time if since is None else max(since, self.time)
        return replace(self, firing=self.firing.commanded(since, shares, until))

    def with_payload(self, payload: Payload) -> 'DynamicSimulation':
        """Return the same robot joined to a body that is at rest relative to the link.

        All velocities stay, and with them the momentum of robot and body together.

        Raises
        ------
        SimulationError
            If there is one already, or it cannot be.
        """
        if self.payload is not None:
            raise SimulationError(f'payload: one is joined to {self.payload.link} already')
        with_body(self.robot, payload)
        return replace(self, payload=payload)

    def without_payload(self) -> 'DynamicSimulation':
        """Return the same robot without its payload, which goes on as it moved.

        Raises
        ------
        SimulationError
            If there is none.
        """
        if self.payload is None:
            raise SimulationError('payload: there is none')
        return replace(self, payload=None)

    def advanced_to(self, times: Sequence[float]) -> tuple['DynamicSimulation', MotionSamples]:
        """Return the robot at the last of some times, and its motion at all of them.

        See ``Simulation.advanced_to``.
        """
        # Kernels take their time to import: only those who need them shall wait.
        from spacerobot_id.simulation.dynamic.stepping import advanced_state

        times = np.asarray(times, dtype=float)
        state, samples = advanced_state(self.model, self.state, self, times, self.step)
        return replace(self, state=state, firing=self.firing.since(state.time)), samples
