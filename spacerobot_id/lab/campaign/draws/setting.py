"""All of a run that can be drawn: the true robot, where it starts, what it grasps, what fails."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.flight.recording import Flight, FlightSettings, Grasp
from spacerobot_id.lab.faults import Occurrence
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import centre_of_mass, momentum, wheel_momentum
from spacerobot_id.simulation import RobotState

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Start:
    """How a robot starts: drifting and turning as a whole, its wheels at rest.

    Parameters
    ----------
    joints : tuple of float, length n
        Joint positions, rad or m.
    angular_momentum : tuple of 3 floats
        About the centre of mass in inertial axes, N m s.
    linear_momentum : tuple of 3 floats
        In inertial axes, N s.
    attitude : tuple of 3 floats
        Rotation vector from inertial axes to those of the base, rad.
    """

    joints: tuple[float, ...]
    angular_momentum: Vector = (0.0, 0.0, 0.0)
    linear_momentum: Vector = (0.0, 0.0, 0.0)
    attitude: Vector = (0.0, 0.0, 0.0)

    @classmethod
    def of_state(cls, robot: RobotModel, state: RobotState) -> 'Start':
        """Return the start that a state of the simulation is: momenta from its velocities."""
        centre = _momentum_about_centre(robot, state)
        linear, angular = state.rotation @ centre[:3], state.rotation @ centre[3:]
        turned = Rotation.from_matrix(state.rotation).as_rotvec()
        vectors = (tuple(each.tolist()) for each in (angular, linear, turned))
        return cls(tuple(state.q.tolist()), *vectors)

    @property
    def quaternion(self) -> tuple[float, ...]:
        """Attitude of the base, x y z w."""
        return tuple(Rotation.from_rotvec(self.attitude).as_quat().tolist())


@dataclass(frozen=True, eq=False)
class RunSetting:
    """What a run is flown with; nominal as it is in the campaign file, or as it was drawn.

    Parameters
    ----------
    robot : RobotModel
        True robot, with its sensors, drives and disturbances.
    start : Start
        Where it starts.
    grasp : Grasp, optional
        What joins it in flight.
    faults : mapping of str to Occurrence
        What happens to the messages.
    """

    robot: RobotModel
    start: Start
    grasp: Grasp | None = None
    faults: Mapping[str, Occurrence] = field(default_factory=dict)

    @classmethod
    def of_flight(cls, flight: Flight, faults: Mapping[str, Occurrence]) -> 'RunSetting':
        """Return what a flight was flown with, from the objects that flew it."""
        start = Start.of_state(flight.robot, flight.start)
        return cls(flight.robot, start, flight.grasp, faults)

    def flown_with(self, settings: FlightSettings, seed: int) -> FlightSettings:
        """Return the settings of a flight with this start and grasp, and a seed of its noise."""
        return replace(
            settings,
            seed=seed,
            angular_momentum=self.start.angular_momentum,
            linear_momentum=self.start.linear_momentum,
            attitude=self.start.quaternion,
            grasp=self.grasp,
        )


def _momentum_about_centre(robot: RobotModel, state: RobotState) -> NDArray[np.float64]:
    """Return linear and angular momentum about the centre of mass in base axes, shape (6,)."""
    q = state.q[None]
    total = momentum(robot, q, state.qd[None], state.base_twist[None])[0]
    total += wheel_momentum(robot, q, state.wheel_rates[None])[0]
    total[3:] -= np.cross(centre_of_mass(robot, q)[0], total[:3])
    return total
