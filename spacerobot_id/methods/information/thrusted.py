"""What joints show of a robot whose thrusters fire: as from rest, the scale left to thrusters."""

from dataclasses import dataclass, fields
from typing import ClassVar, TYPE_CHECKING

from spacerobot_id.methods.balance.actuators.actuator_settings import (
    actuator_groups,
    ActuatorSettings,
    ThrusterErrorSettings,
)
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import free_axes

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class ThrustedInformation(MomentumInformation):
    """Joints and wheels of a robot that is pushed about; what pushes show is left to their choice.

    Parameters
    ----------
    models, is_weighted, minimal, planar, others
        As for ``MomentumInformation``.
    thrusters : tuple of UnknownGroup
        What is unknown of the thrusters.
    """

    thrusters: tuple[UnknownGroup, ...] = ()

    fires_thrusters: ClassVar[bool] = True

    @classmethod
    def from_model(
        cls,
        model: RobotModel,
        *,
        planar: bool = False,
        given: MethodSettings = MethodSettings(),
    ) -> 'Self':
        """Return the source of one robot; parameters as for ``MomentumInformation``."""
        of = MomentumInformation.from_model(model, planar=planar, given=given)
        counted = [each.name for each in fields(ThrusterErrorSettings)]
        actuators = ActuatorSettings(**{key: getattr(given.actuators, key) for key in counted})
        thrusters = actuator_groups(actuators, model, free_axes(planar))
        return cls([model], of.minimal, planar, of.others, tuple(thrusters))

    @property
    def hides_mass(self) -> bool:
        """Thrusters show it, where there are some."""
        return not self.models[0].thrusters and super().hides_mass

    @property
    def needs_prior(self) -> bool:
        """Joints alone do not show the scale, and a table hides some parameters."""
        return True
