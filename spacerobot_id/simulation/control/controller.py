"""Settings of the control: the robot it believes in, its gains, and what it holds."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel


@dataclass(frozen=True)
class Gains:
    """Gains of a PD rule in units of acceleration ([Wilde 2018] Eq. 112).

    Parameters
    ----------
    stiffness : float
        ``K_P``, 1/s^2.
    damping : float
        ``K_D``, 1/s.
    """

    stiffness: float
    damping: float

    @classmethod
    def critically_damped(cls, stiffness: float) -> 'Gains':
        """Return the gains with ``K_D = 2 sqrt(K_P)`` ([Wilde 2018] Eq. 114)."""
        return cls(stiffness, 2.0 * float(np.sqrt(stiffness)))

    @classmethod
    def from_limits(cls, largest: float, largest_error: float) -> 'Gains':
        """Return the gains that ask for the most at the largest error ([Wilde 2018] Eq. 113).

        Parameters
        ----------
        largest : float
            Largest acceleration asked for, rad/s^2 or m/s^2.
        largest_error : float
            Error at which it is asked for, rad or m.
        """
        return cls.critically_damped(largest / largest_error)


@dataclass(frozen=True, eq=False)
class Controller:
    """What controls the robot.

    Parameters
    ----------
    model : RobotModel
        Robot as the control knows it; its masses and inertias need not be true.
    joints, wheels, base : Gains
        Gains of the joints, of the wheels' servo and of the base hold.
    holds_base : bool
        Whether what the mode drives of the base is held where it was.
    """

    model: RobotModel
    joints: Gains = field(default_factory=lambda: Gains.critically_damped(100.0))
    wheels: Gains = field(default_factory=lambda: Gains.critically_damped(100.0))
    base: Gains = field(default_factory=lambda: Gains.critically_damped(0.25))
    holds_base: bool = False

    def check_fits(self, robot: RobotModel) -> None:
        """Raise ConfigurationError if the model's joints or wheels are not those of a robot."""
        for kind in ('joint_names', 'wheel_names'):
            own, wanted = getattr(self.model, kind), getattr(robot, kind)
            if own != wanted:
                raise ConfigurationError(
                    f'controller: {kind.replace("_", " ")} {", ".join(own) or "none"} are not '
                    f'those of the robot, {", ".join(wanted) or "none"}'
                )

    def stiffness(self) -> NDArray[np.float64]:
        """Return ``K_P`` of joints, then wheels, shape (n + w,)."""
        return self._each(self.joints.stiffness, self.wheels.stiffness)

    def damping(self) -> NDArray[np.float64]:
        """Return ``K_D`` of joints, then wheels, shape (n + w,)."""
        return self._each(self.joints.damping, self.wheels.damping)

    def _each(self, joint: float, wheel: float) -> NDArray[np.float64]:
        return np.repeat([joint, wheel], [len(self.model.joints), len(self.model.wheels)])
