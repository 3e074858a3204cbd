"""How thrusters differ from what is stated of them: in simulation, all as stated by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Gt
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model.thruster import Thruster
from spacerobot_id.settings.kinds import Finite, NotNegative, Share, Vector


@dataclass(frozen=True)
class Valves:
    """What the valves and nozzles of thrusters do that ideal ones do not.

    Parameters
    ----------
    strength : mapping of str to float
        Relative error of the strength, by thruster; none for the others.
    direction : mapping of str to tuple of 3 floats
        Rotation vector in base axes from the stated direction to the true one, rad, by thruster.
    strength_loss : float
        Share of the strength that is lost for every further valve that is open.
    dead_time : float
        Time by which every pulse begins too late, s.
    delay : float
        Time by which all commands act late, s.
    scatter : float
        Relative standard deviation of the strength from pulse to pulse.
    """

    strength: Mapping[str, Annotated[Finite, Gt(-1.0)]] = field(default_factory=dict)
    direction: Mapping[str, Vector] = field(default_factory=dict)
    strength_loss: Share = 0.0
    dead_time: NotNegative = 0.0
    delay: NotNegative = 0.0
    scatter: NotNegative = 0.0

    def wrench(self, thruster: Thruster) -> NDArray[np.float64]:
        """Return what a thruster gives while it is open alone, N and N m, shape (6,)."""
        turned = Rotation.from_rotvec(self.direction.get(thruster.name, (0.0, 0.0, 0.0)))
        force = thruster.strength * turned.apply(thruster.direction)
        force = (1.0 + self.strength.get(thruster.name, 0.0)) * force
        return np.append(force, np.cross(thruster.position, force))
