"""The planner's settings by the names of the node's parameters, and from a file of them."""

from collections.abc import Mapping
from pathlib import Path

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.settings import own_parameters, settings_from_values, values_from_file

KEYS = tuple(own_parameters(SearchParameters))
"""Names of the settings in files and on the node."""


def settings_from_mapping(values: Mapping[str, object]) -> PlannerSettings:
    """Return settings from values by the names of the node's parameters.

    Parameters
    ----------
    values : mapping
        Values by name; other names are passed over.

    Raises
    ------
    ConfigurationError
        If a value is not of its kind or out of its range; names the key.
    """
    return settings_from_values(PlannerNodeSettings, values).search()


def load_planner_settings(path: str | Path) -> PlannerSettings:
    """Return settings from a YAML file.

    Parameters
    ----------
    path : str or Path
        File with settings of the planner as keys, or a parameter file of the nodes, of which the
        planner's part is taken.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or a key is unknown or has no value it can have.
    """
    values = values_from_file(path, 'planner', KEYS, own_parameters(PlannerNodeSettings))
    try:
        return settings_from_mapping(values)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error
