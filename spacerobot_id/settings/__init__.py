"""Settings that say themselves what they are, for files, commands and the parameters of nodes."""

from spacerobot_id.settings.declaration import (
    check_fields,
    check_value,
    NodeSettings,
    own_parameters,
    parameter,
    settings_from_values,
)
from spacerobot_id.settings.parameter_file import values_from_file

__all__ = [
    'NodeSettings',
    'check_fields',
    'check_value',
    'own_parameters',
    'parameter',
    'settings_from_values',
    'values_from_file',
]
