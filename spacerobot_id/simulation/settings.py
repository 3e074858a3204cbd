"""Parameters of the node ``simulator``, and what of the core they stand for."""

from dataclasses import dataclass

import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import inertia_from_elements, InertialParameters, RobotModel
from spacerobot_id.settings import DescriptionSettings, NodeSettings, parameter
from spacerobot_id.simulation import (
    Controller,
    DynamicSimulation,
    KinematicSimulation,
    ManoeuvringMode,
    Payload,
    RobotState,
    Simulation,
)

MOTIONS = ('dynamic', 'kinematic', 'prescribed')
"""Kinds of simulation; the last is the old name of the one before."""

MODES = tuple(mode.value for mode in ManoeuvringMode)
"""Names of the modes."""


@dataclass(frozen=True)
class SimulatorSettings(NodeSettings):
    """Parameters of the simulator; each has its own description."""

    robot: str = parameter(
        '',
        'Path of the URDF of the true robot, or robot_description for that of the topic; no unit.',
        read_only=True,
    )
    description: DescriptionSettings = DescriptionSettings()
    real_time_factor: float = parameter(
        1.0,
        'Seconds of simulated time per second of wall time; no unit.',
        minimum=0.01,
        maximum=100.0,
    )
    publish_clock: bool = parameter(
        True,
        'Whether to publish simulated time on clock; stamps begin at the wall time if not.',
        read_only=True,
    )
    publish_base_twist: bool = parameter(
        True, 'Whether there is a sensor of the base velocity, on base_twist.', read_only=True
    )
    noise: bool = parameter(True, 'Whether the sensors have the noise of the YAML file.')
    seed: int = parameter(0, 'Seed of the noise; no unit.', minimum=0, read_only=True)
    initial_joint_positions: tuple[float, ...] = parameter(
        (),
        'Joint positions at the start and after a reset, in the order of the URDF; rad or m; '
        'all zero if empty.',
        read_only=True,
    )
    initial_angular_momentum: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0),
        'Angular momentum about the centre of mass in inertial axes at the start and after a '
        'reset, N m s; dynamic motion only.',
        read_only=True,
    )
    initial_attitude: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0, 1.0),
        'Attitude quaternion x y z w of the base at the start and after a reset; dynamic motion '
        'only.',
        read_only=True,
    )
    world_frame: str = parameter(
        'world', 'Name of the inertial frame that base_pose is given in.', read_only=True
    )
    motion: str = parameter(
        'dynamic',
        'Whether motors give torques (dynamic) or joints follow trajectories exactly (kinematic; '
        'prescribed is its old name).',
        choices=MOTIONS,
        read_only=True,
    )
    mode: str = parameter(
        'rotation-floating',
        'What drives the base, in the words of Wilde et al.; dynamic motion only.',
        choices=MODES,
    )
    controller_robot: str = parameter(
        '',
        'Path of the URDF of the robot as the control knows it; the true robot if empty.',
        read_only=True,
    )
    planar: bool = parameter(
        False,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table; dynamic motion only.',
        read_only=True,
    )
    thruster_timeout: float = parameter(
        2.0,
        'Time without thruster_commands after which all valves close, s of simulated time.',
        minimum=0.01,
        read_only=True,
    )
    base_wrench_timeout: float = parameter(
        2.0,
        'Time without base_wrench after which the drives of the base give nothing, s of simulated '
        'time.',
        minimum=0.01,
        read_only=True,
    )
    base_hold: bool = parameter(
        False, 'Whether what the mode drives of the base is held where it was.', read_only=True
    )
    joint_gains: tuple[float, ...] = parameter(
        (100.0, 20.0),
        "Gains of the joints' computed torque: of positions (K_P, 1/s^2) and of rates (K_D, 1/s); "
        'dynamic motion only.',
        read_only=True,
    )
    feed_forward: bool = parameter(
        True,
        'Whether computed torque adds the accelerations that trajectories ask for; dynamic motion '
        'only.',
        read_only=True,
    )
    step: float = parameter(
        0.001,
        'Longest step of control and integration, s.',
        minimum=1e-5,
        maximum=0.01,
        read_only=True,
    )
    payload_link: str = parameter(
        '', 'Link that ~/attach_payload joins a body to; the last link of the robot if empty.'
    )
    payload_mass: float = parameter(10.0, 'Mass of that body, kg.', minimum=0.0)
    payload_com: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), 'Centre of mass of that body in the frame of the link, m.'
    )
    payload_inertia: tuple[float, ...] = parameter(
        (0.1, 0.1, 0.1, 0.0, 0.0, 0.0),
        'Inertia of that body about its centre of mass, in the axes of the link: Ixx, Iyy, Izz, '
        'Ixy, Iyz, Izx; kg m^2.',
    )

    def check(self) -> None:
        """Raise ConfigurationError if values do not go together."""
        for name, size in (
            ('joint_gains', 2),
            ('payload_com', 3),
            ('payload_inertia', 6),
            ('initial_angular_momentum', 3),
            ('initial_attitude', 4),
        ):
            given = getattr(self, name)
            if len(given) != size:
                raise ConfigurationError(f'{name}: must be {size} numbers, got {len(given)}')
        if not self.is_dynamic and (self.base_hold or self.mode != 'rotation-floating'):
            raise ConfigurationError(f'mode, base_hold: {self.motion} motion has neither')
        if not any(self.initial_attitude):
            raise ConfigurationError('initial_attitude: a quaternion of zeros is no rotation')
        if self.turns and not self.is_dynamic:
            raise ConfigurationError(
                f'initial_angular_momentum, initial_attitude: {self.motion} motion has neither'
            )
        if self.planar and not self.is_dynamic:
            raise ConfigurationError(f'planar: {self.motion} motion knows no table')
        if self.planar and (any(self.initial_angular_momentum) or any(self.initial_attitude[:2])):
            raise ConfigurationError(
                'initial_angular_momentum, initial_attitude: on a table the robot starts upright '
                'and at rest'
            )

    @property
    def is_dynamic(self) -> bool:
        """Whether motors give torques."""
        return self.motion == 'dynamic'

    @property
    def turns(self) -> bool:
        """Whether the robot does not start at rest with its axes along the inertial ones."""
        return any(self.initial_angular_momentum) or any(self.initial_attitude[:3])

    def simulation(self, robot: RobotModel, controller: Controller, start: float) -> Simulation:
        """Return the robot where it begins.

        Parameters
        ----------
        robot : RobotModel
            The true robot.
        controller : Controller
            Control of dynamic simulation.
        start : float
            Time, s.

        Raises
        ------
        SimulationError
            If the mode has nothing to hold the base with.
        """
        positions = self.initial_joint_positions or np.zeros(len(robot.joints))
        if not self.is_dynamic:
            return KinematicSimulation.at_rest(robot, positions, start)
        at_rest = DynamicSimulation.at_rest(
            robot,
            positions,
            start,
            mode=self.mode,
            controller=controller,
            step=self.step,
            planar=self.planar,
            seed=self.seed,
        )
        if not self.turns:
            return at_rest
        momentum, attitude = self.initial_angular_momentum, self.initial_attitude
        return at_rest.with_state(
            RobotState.with_angular_momentum(robot, positions, momentum, attitude, start)
        )

    def payload(self, robot: RobotModel) -> Payload:
        """Return the body that can be attached."""
        tensor = inertia_from_elements(self.payload_inertia)
        body = InertialParameters.from_com(self.payload_mass, self.payload_com, tensor)
        return Payload(self.payload_link or robot.link_names[-1], body)
