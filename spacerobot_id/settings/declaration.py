"""Settings as the fields of one frozen dataclass: field = ROS parameter = YAML key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, Field, field, fields, is_dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Annotated, Any

from annotated_types import Interval
from pydantic import AfterValidator, Strict

from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.settings.kinds import Finite, Flag
from spacerobot_id.settings.yaml_file import checked


def parameter(
    default: bool | int | float | str | Sequence,
    description: str,
    *,
    key: str = '',
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
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
    key : str
        Key of files and ROS parameter, where that is not the name of the field.
    minimum, maximum : float, optional
        Range of a number.
    choices : tuple of str or callable
        The only texts allowed, or what returns them; any if empty.
    lengths : tuple of int
        How many elements an array may have; any number if empty.
    odd : bool
        Whether a whole number must be odd.
    read_only : bool
        Whether it can be set at start only.
    """
    hints = {
        'key': key,
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
    """Parameters of every node of this package.

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


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of the nodes that work with a prior model; each has its own description."""

    yaml: str = parameter(
        '',
        'Path of the YAML file of the robot; that beside the URDF if empty.',
        key='robot_yaml',
        read_only=True,
    )
    free_base: str = parameter(
        '',
        'Link that is the base, where the URDF holds it to a world; as in URDF and YAML file if '
        'empty.',
        read_only=True,
    )
    timeout: float = parameter(
        10.0,
        'Longest time to wait for a URDF on the topic robot_description, s.',
        key='description_timeout',
        minimum=0.1,
        maximum=600.0,
        read_only=True,
    )


def key_of(spec: Field) -> str:
    """Return the name of a parameter: that of its field, or its own."""
    return spec.metadata['key'] or spec.name


def choices_of(spec: Field) -> tuple[str, ...]:
    """Return the only texts that a parameter may have; any if empty."""
    choices = spec.metadata['choices']
    return choices() if callable(choices) else choices


@cache
def own_parameters(settings_type: type) -> Mapping[str, Field]:
    """Return the fields of a settings class that are parameters, by their keys.

    Those of nested settings are among them, in the order of declaration.
    """
    found: dict[str, Field] = {}
    for each in fields(settings_type):
        if 'description' in each.metadata:
            found[key_of(each)] = each
        elif is_dataclass(each.default):
            found |= own_parameters(type(each.default))
    return MappingProxyType(found)


def settings_from_values(settings_type: type, values: Mapping[str, object]) -> Any:  # noqa: ANN401
    """Return settings with these values of parameters; arrays become tuples.

    Parameters
    ----------
    settings_type : type
        Settings class, a frozen dataclass.
    values : mapping
        Values by key; keys of other things are passed over.

    Raises
    ------
    ConfigurationError
        If a value has the wrong type or is not allowed; names the parameter.
    """
    made: dict[str, object] = {}
    for each in fields(settings_type):
        if 'description' in each.metadata:
            key = key_of(each)
            if key in values:
                made[each.name] = _checked(each, values[key])
        elif is_dataclass(each.default):
            made[each.name] = settings_from_values(type(each.default), values)
    return settings_type(**made)


def values_from_settings(settings: object) -> dict[str, object]:
    """Return the values of all parameters of settings, by their keys."""
    values: dict[str, object] = {}
    for each in fields(settings):
        value = getattr(settings, each.name)
        if 'description' in each.metadata:
            values[key_of(each)] = value
        elif is_dataclass(value):
            values |= values_from_settings(value)
    return values


def changed_keys(settings: object) -> tuple[str, ...]:
    """Return the keys of parameters that do not have their default."""
    known = own_parameters(type(settings))
    return tuple(
        key for key, value in values_from_settings(settings).items() if value != known[key].default
    )


def _checked(spec: Field, value: object) -> object:
    """Return a value as its field has it, once it is known to be allowed."""
    # An empty array in a parameter file has no type and arrives as a value that is not set, which
    # ros2 param dump writes as null, which a parameter file has as a text.
    is_empty = value is None or (isinstance(value, str) and value == 'null')
    return check_value(spec, () if is_empty and isinstance(spec.default, tuple) else value)


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


def check_value(spec: Field, value: object) -> object:
    """Return a value as its field has it; raise ConfigurationError if a parameter cannot have it.

    Parameters
    ----------
    spec : Field
        Field of the parameter.
    value : object
        Value; arrays of numpy or of ROS are as good as others.
    """
    name, choices = key_of(spec), choices_of(spec)
    if choices and value not in choices:
        raise ConfigurationError(f'{name}: must be one of {", ".join(choices)}, got {value!r}')
    plain = value.tolist() if hasattr(value, 'tolist') else value  # arrays of ROS and numpy
    try:
        return checked(_kind(spec), plain, '', (name,))
    except DescriptionError as error:
        raise ConfigurationError(f'{error.element}: {error.reason}') from None


@cache
def _kind(spec: Field) -> Any:  # noqa: ANN401
    """Return the kind of value that a parameter has."""
    hints, default = spec.metadata, spec.default
    if isinstance(default, tuple):
        elements = tuple[str if 'str' in str(spec.type) else Finite, ...]
        lengths = hints['lengths']
        of_length = AfterValidator(partial(_of_length, lengths))
        return Annotated[elements, of_length] if lengths else elements
    if isinstance(default, bool | str):
        return Flag if isinstance(default, bool) else str
    kind = Annotated[int, Strict()] if isinstance(default, int) else Finite
    kind = Annotated[kind, Interval(ge=hints['minimum'], le=hints['maximum'])]
    return Annotated[kind, AfterValidator(_odd)] if hints['odd'] else kind


def _of_length(lengths: tuple[int, ...], values: tuple) -> tuple:
    if len(values) not in lengths:
        counts = ' or '.join(map(str, lengths))
        raise ValueError(f'must have {counts} entries, got {len(values)}')
    return values


def _odd(value: int) -> int:
    if value % 2 == 0:
        raise ValueError(f'must be odd, got {value}')
    return value
