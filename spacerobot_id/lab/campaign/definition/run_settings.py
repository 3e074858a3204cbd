"""How the runs of a campaign are planned, flown and identified, from the keys of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.thrust_parameters import check_thrust, ThrustParameters
from spacerobot_id.flight.recording import FlightSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.model.description.yaml_node import YamlNode
from spacerobot_id.settings import own_parameters, settings_from_values
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
    """

    settings: PlannerSettings
    each_run: bool = False


def flight_settings(entries: Mapping[str, YamlNode], prior: RobotModel) -> FlightSettings:
    """Return how runs are flown."""
    planar = 'planar' in entries and entries['planar'].boolean()
    thrust = None
    if 'thrust' in entries:
        if not prior.thrusters:
            raise entries['thrust'].place.error(f'{prior.name} has no thrusters')
        thrust = _settings(entries['thrust'], ThrustParameters, _thrust)
    mode = ManoeuvringMode.ROTATION_FLOATING
    if 'mode' in entries:
        mode = chosen(entries, 'mode', ManoeuvringMode)
    elif thrust is not None:
        mode = ManoeuvringMode.FLYING
    if prior.wheels and not mode.properties.drives_wheels:
        where = entries['mode' if 'mode' in entries else 'thrust']
        raise where.place.error(f'{mode.value} does not drive the wheels, which the plan moves')
    return FlightSettings(
        noise='noise' not in entries or entries['noise'].boolean(),
        mode=mode,
        planar=planar,
        thrust=thrust,
    )


def _thrust(values: Mapping[str, object]) -> ThrustParameters:
    parameters = settings_from_values(ThrustParameters, values)
    check_thrust(parameters)
    return parameters


def plan_source(entries: Mapping[str, YamlNode]) -> PlanSource:
    """Return where the motion comes from."""
    if 'plan' not in entries:
        return PlanSource(PlannerSettings())
    given = entries['plan'].mapping()
    each_run = 'each_run' in given and given['each_run'].boolean()
    if 'file' in given:
        if len(given) > 1:
            raise entries['plan'].place.error('file stands alone: nothing is planned')
        return PlanSource(PlannerSettings())
    settings = _settings(entries['plan'], SearchParameters, _search, ('each_run',))
    return PlanSource(settings, each_run)


def _search(values: Mapping[str, object]) -> PlannerSettings:
    return settings_from_values(SearchParameters, values).search()


def estimator_settings(entries: Mapping[str, YamlNode]) -> IdentifySettings:
    """Return the method and its settings."""
    if 'identify' not in entries:
        return IdentifySettings()
    settings = _settings(entries['identify'], IdentifySettings, settings_from_mapping)
    try:
        settings.method_type()
    except ConfigurationError as error:
        raise entries['identify'].place.error(str(error)) from None
    return settings


def _settings(
    node: YamlNode,
    kind: type,
    read: Callable[[Mapping[str, object]], Any],
    others: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401
    """Return settings by their keys; unknown ones and wrong values are errors at their place."""
    entries = node.mapping((*own_parameters(kind), *others))
    values = {key: each.value for key, each in entries.items() if key not in others}
    floats = {
        key: float(value)
        for key, value in values.items()
        if isinstance(value, int)
        and not isinstance(value, bool)
        and isinstance(own_parameters(kind)[key].default, float)
    }
    try:
        return read(values | floats)
    except ConfigurationError as error:
        raise node.place.error(str(error)) from None


def chosen(entries: Mapping[str, YamlNode], key: str, kind: type) -> Any:  # noqa: ANN401
    """Return the member of an enumeration that a key names; the first if it is missing."""
    names = [each.value for each in kind]
    if key not in entries:
        return kind(names[0])
    value = entries[key].string()
    if value not in names:
        raise entries[key].place.error(f'must be one of {", ".join(names)}, got {value!r}')
    return kind(value)
