"""Settings with descriptions of their own, for files, commands and the parameters of nodes."""

from spacerobot_id.settings.declaration import (
    changed_keys,
    check_fields,
    check_value,
    choices_of,
    DescriptionSettings,
    key_of,
    NodeSettings,
    own_parameters,
    parameter,
    settings_from_values,
    values_from_settings,
)

__all__ = [
    'DescriptionSettings',
    'NodeSettings',
    'changed_keys',
    'check_fields',
    'check_value',
    'choices_of',
    'key_of',
    'own_parameters',
    'parameter',
    'settings_from_values',
    'values_from_settings',
]
