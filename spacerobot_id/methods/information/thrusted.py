"""What joints show of a robot whose thrusters fire: as from rest, the scale left to thrusters."""

from typing import ClassVar

from spacerobot_id.methods.information.momentum import MomentumInformation


class ThrustedInformation(MomentumInformation):
    """Joints and wheels of a robot that is pushed about; what pushes show besides is left out."""

    fires_thrusters: ClassVar[bool] = True

    @property
    def needs_prior(self) -> bool:
        """Joints alone do not show the scale, and a table hides some parameters."""
        return True

    @property
    def blind_spot(self) -> str:
        """Thrusters give the scale, or wheels do."""
        model = self.models[0]
        if model.thrusters or model.wheels:
            return ''
        return f'{model.name}: has neither thrusters nor reaction wheels that show its scale'
