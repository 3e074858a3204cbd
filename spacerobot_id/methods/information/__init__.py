"""What a motion shows to each method: the source of information that a planner takes."""

from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.registry import method_class
from spacerobot_id.model import RobotModel

__all__ = ['InformationSettings', 'InformationSource', 'information_source']


def information_source(
    method: str, model: RobotModel, settings: InformationSettings = InformationSettings()
) -> InformationSource:
    """Return what motions show to a method.

    Parameters
    ----------
    method : str
        Name of the method.
    model : RobotModel
        Robot to predict with.
    settings : InformationSettings
        How the method sees a motion.
    """
    kind = method_class(method)
    if kind.needs.thrust:
        from spacerobot_id.methods.information.thrusted import ThrustedInformation

        return ThrustedInformation.from_model(model, planar=settings.planar)
    return kind.information(model, settings)
