"""Settings as the fields of one frozen dataclass: field = ROS parameter = YAML key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, Field, field, fields
import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from spacerobot_id.exceptions import ConfigurationError


def parameter(
    default: bool | int | float | str | Sequence,
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    lengths: tuple[int, ...] = (),
    odd: bool = False,
    read_only: bool = False,
) -> Any:  # noqa: ANN401 - stands for a value of the field's type, as dataclasses.field does
    """Return a field of a settings class that is a key of files and a ROS parameter.

    Parameters
    ----------
    default : bool, int, float, str or tuple of numbers or str
        Default; its type is the parameter's. A tuple makes an array, which may be empty.
    description : str
        Full sentence with the unit.
    minimum, maximum : float, optional
        Range of a number.
    choices : tuple of str
        The only texts allowed; any if empty.
    lengths : tuple of int
        How many elements an array may have; any number if empty.
    odd : bool
        Whether a whole number must be odd.
    read_only : bool
        Whether it can be set at start only.
    """
    hints = {
        'minimum': minimum,
        'maximum': maximum,
        'choices': choices,
        'lengths': lengths,
        'odd': odd,
        'read_only': read_only,
    }
    return field(default=default, metadata={'description': description, **hints})


@dataclass(frozen=True)
class NodeSettings:
    """What every node of this package can be told.

    Parameters
    ----------
    autostart : bool
        Whether the node configures and activates itself.
    """

    autostart: bool = parameter(
        True,
        'Configure and activate the node at start, without a lifecycle manager.',
        read_only=True,
    )


def own_parameters(settings_type: type[NodeSettings]) -> dict[str, Field]:
    """Return the fields of a settings class that are parameters, by their names."""
    return {each.name: each for each in fields(settings_type) if 'description' in each.metadata}


def settings_from_values(
    settings_type: type[NodeSettings], values: Mapping[str, object]
) -> NodeSettings:
    """Return settings with these values of parameters; arrays become tuples.

    Parameters
    ----------
    settings_type : type of NodeSettings
        Settings class.
    values : mapping
        Values by name; names of other things are passed over.

    Raises
    ------
    ConfigurationError
        If a value has the wrong type or is not allowed; names the parameter.
    """
    known = own_parameters(settings_type)
    # An empty array in a parameter file has no type and arrives as a value that is not set.
    given = {
        name: () if value is None and isinstance(known[name].default, tuple) else value
        for name, value in values.items()
        if name in known
    }
    for name, value in given.items():
        check_value(known[name], value)
    return settings_type(**{name: _plain(known[name], value) for name, value in given.items()})


def check_fields(settings: object, settings_type: type[NodeSettings]) -> None:
    """Raise ConfigurationError if a field of a dataclass has a value that its parameter cannot.

    Parameters
    ----------
    settings : dataclass
        Fields that are no parameters are passed over, and texts, which types stand for there.
    settings_type : type of NodeSettings
        Settings class that has parameters of the same names.
    """
    known = own_parameters(settings_type)
    for each in fields(settings):
        if each.name in known and not isinstance(known[each.name].default, str):
            check_value(known[each.name], getattr(settings, each.name))


def check_value(spec: Field, value: object) -> None:
    """Raise ConfigurationError if a parameter cannot have a value; names both."""
    hints = spec.metadata
    if hints['choices'] and value not in hints['choices']:
        raise ConfigurationError(
            f'{spec.name}: {value!r} is none of {", ".join(hints["choices"])}'
        )
    if isinstance(spec.default, tuple):
        _check_array(spec, value)
    elif isinstance(spec.default, bool):
        if not isinstance(value, (bool, np.bool_)):
            raise ConfigurationError(f'{spec.name}: must be true or false, got {value!r}')
    elif isinstance(spec.default, str):
        if not isinstance(value, str):
            raise ConfigurationError(f'{spec.name}: must be a text, got {value!r}')
    else:
        _check_number(spec, value)


def _check_number(spec: Field, value: object) -> None:
    """Raise ConfigurationError if a value is no number of the kind and range that are wanted."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigurationError(f'{spec.name}: {value!r} is no number')
    if not math.isfinite(value):
        raise ConfigurationError(f'{spec.name}: must be finite, got {value}')
    hints = spec.metadata
    if isinstance(spec.default, int) and not isinstance(value, Integral):
        raise ConfigurationError(f'{spec.name}: must be a whole number, got {value}')
    if hints['minimum'] is not None and value < hints['minimum']:
        raise ConfigurationError(
            f'{spec.name}: must be at least {hints["minimum"]:g}, got {value}'
        )
    if hints['maximum'] is not None and value > hints['maximum']:
        raise ConfigurationError(f'{spec.name}: must be at most {hints["maximum"]:g}, got {value}')
    if hints['odd'] and value % 2 == 0:
        raise ConfigurationError(f'{spec.name}: must be odd, got {value}')


def _check_array(spec: Field, value: object) -> None:
    """Raise ConfigurationError if a value is no array of the elements that are wanted."""
    texts = 'str' in str(spec.type)
    kind = str if texts else Real
    wanted = 'texts' if texts else 'finite numbers'
    if isinstance(value, (str, Mapping)) or not hasattr(value, '__len__'):
        raise ConfigurationError(f'{spec.name}: must be an array of {wanted}, got {value!r}')
    for element in value:
        fits = isinstance(element, kind) and not isinstance(element, bool)
        if not fits or (not texts and not math.isfinite(element)):
            raise ConfigurationError(f'{spec.name}: must be an array of {wanted}, got {element!r}')
    lengths = spec.metadata['lengths']
    if lengths and len(value) not in lengths:
        counts = ' or '.join(map(str, lengths))
        raise ConfigurationError(f'{spec.name}: must have {counts} {wanted}, got {len(value)}')


def _plain(spec: Field, value: object) -> object:
    """Return a value as the field has it: numbers of arrays and of real parameters are floats."""
    if isinstance(spec.default, tuple):
        return tuple(value) if 'str' in str(spec.type) else tuple(map(float, value))
    return float(value) if isinstance(spec.default, float) else value
