"""What a motion shows to each method: the source of information that a planner takes."""

from dataclasses import replace
from functools import cache, partial

from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.information.predicted import PredictedInformation
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import changed_keys

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

    Raises
    ------
    ConfigurationError
        If the method does not take what the identification is given, or the robot has no
        tolerances that are asked for; names it.
    """
    from spacerobot_id.methods.registry import method_that_takes, with_tolerances_of

    kind = method_that_takes(method, changed_keys(settings.given))
    given = with_tolerances_of(model, settings.given, kind.takes)
    settings = replace(settings, given=given)
    source = kind.information(model, settings)
    if source is None:
        given = replace(given, planar=settings.planar and 'planar' in kind.takes)
        method_of = cache(partial(kind.from_settings, settings=given))
        source = PredictedInformation([model], method_of, settings.planar)
    return replace(source, prior_settings=given.prior)
