"""How the runs of a campaign are planned, flown and identified, from the keys of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.thrust_parameters import check_thrust, ThrustParameters
from spacerobot_id.flight.recording import FlightSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import own_parameters, settings_from_values
from spacerobot_id.settings.kinds import Flag, KeyedError, keys, ReadFrom
from spacerobot_id.simulation import ManoeuvringMode


@dataclass(frozen=True)
class PlanSource:
    """Where the motion comes from.

    Parameters
    ----------
    settings : PlannerSettings
        Settings of the planner.
    each_run : bool
        Whether each run is planned for alone.
    file : str
        File of a plan instead; none if empty.
    """

    settings: PlannerSettings
    each_run: bool = False
    file: str = ''


def flight_settings(given: Mapping[str, Any], prior: RobotModel) -> FlightSettings:
    """Return how runs are flown."""
    thrust = given.get('thrust')
    if thrust is not None and not prior.thrusters:
        raise KeyedError(('thrust',), f'{prior.name} has no thrusters')
    usual = ManoeuvringMode.ROTATION_FLOATING if thrust is None else ManoeuvringMode.FLYING
    mode = given.get('mode', usual)
    if prior.wheels and not mode.properties.drives_wheels:
        reason = f'{mode.value} does not drive the wheels, which the plan moves'
        raise KeyedError(('mode' if 'mode' in given else 'thrust',), reason)
    return FlightSettings(
        noise=given.get('noise', True),
        mode=mode,
        planar=given.get('planar', False),
        thrust=thrust,
    )


def _thrust(values: Mapping[str, object]) -> ThrustParameters:
    parameters = settings_from_values(ThrustParameters, values)
    check_thrust(parameters)
    return parameters


def _plan(values: Mapping[str, Any]) -> PlanSource:
    if 'file' in values:
        if len(values) > 1:
            raise ConfigurationError('file stands alone: nothing is planned')
        return PlanSource(PlannerSettings(), file=values['file'])
    settings = settings_from_values(SearchParameters, values).search()
    return PlanSource(settings, values.get('each_run', False))


def _identify(values: Mapping[str, object]) -> IdentifySettings:
    settings = settings_from_mapping(values)
    settings.method_type()
    return settings


def _made(
    kind: type, make: Callable[[Mapping[str, object]], object], values: Mapping[str, object]
) -> object:
    """Return settings from values; whole numbers may stand for real ones."""
    known = own_parameters(kind)
    floats = {
        key: float(value)
        for key, value in values.items()
        if type(value) is int and key in known and isinstance(known[key].default, float)
    }
    try:
        return make({**values, **floats})
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


def _settings(kind: type, make: Callable[[Any], object], **others: object) -> Any:  # noqa: ANN401
    """Return settings by their keys, which are those of a settings class and others."""
    known = dict.fromkeys(own_parameters(kind), (Any, ''))
    of_others = {key: (each, '') for key, each in others.items()}
    return Annotated[Any, ReadFrom(keys('', known | of_others), partial(_made, kind, make))]


PLAN = _settings(SearchParameters, _plan, each_run=Flag, file=str)
"""Where the motion comes from."""

THRUST = _settings(ThrustParameters, _thrust)
"""How thrusters fire."""

IDENTIFY = _settings(IdentifySettings, _identify)
"""The method and its settings."""
