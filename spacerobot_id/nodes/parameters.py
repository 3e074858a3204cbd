"""A node's parameters as the fields of one frozen dataclass: field = ROS parameter = YAML key."""

from collections.abc import Sequence
from dataclasses import dataclass, Field, field, fields
import math
import sys
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from spacerobot_id.exceptions import ConfigurationError


def parameter(
    default: bool | int | float | str | Sequence,
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    read_only: bool = False,
) -> Any:  # noqa: ANN401 - stands for a value of the field's type, as dataclasses.field does
    """Return a field of a settings class that is a ROS parameter.

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
    read_only : bool
        Whether it can be set at start only.
    """
    hints = {'minimum': minimum, 'maximum': maximum, 'choices': choices}
    return field(
        default=default,
        metadata={'description': description, 'read_only': read_only, **hints},
    )


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


def parameter_table(
    settings_type: type[NodeSettings],
) -> list[tuple[str, object, ParameterDescriptor]]:
    """Return names, defaults and descriptors of a settings class, for ``declare_parameters``."""
    return [
        (each.name, _ros_value(each.default), _descriptor(each)) for each in _own(settings_type)
    ]


def settings_from_values(
    settings_type: type[NodeSettings], values: dict[str, object]
) -> NodeSettings:
    """Return settings with these values of parameters; arrays become tuples.

    Raises
    ------
    ConfigurationError
        If a value has the wrong type or is not allowed; names the parameter.
    """
    known = {each.name: each for each in _own(settings_type)}
    # An empty array in a parameter file has no type and arrives as a value that is not set.
    values = {
        name: () if value is None and isinstance(known[name].default, tuple) else value
        for name, value in values.items()
        if name in known
    }
    for name in values:
        check_value(known[name], values[name])
    return settings_type(**{name: _plain(value) for name, value in values.items()})


def check_value(spec: Field, value: object) -> None:
    """Raise ConfigurationError if a parameter cannot have a value.

    rclpy checks types of single values and ranges; this also checks arrays, choices and NaN.
    """
    choices = spec.metadata['choices']
    if choices and value not in choices:
        raise ConfigurationError(f'{spec.name}: {value!r} is none of {", ".join(choices)}')
    if isinstance(spec.default, tuple):
        _check_array(spec, value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigurationError(f'{spec.name}: must be finite, got {value}')


def _check_array(spec: Field, value: object) -> None:
    """Raise ConfigurationError if a value is no array of the elements that are wanted."""
    texts = 'str' in str(spec.type)
    kind = str if texts else (int, float)
    wanted = 'texts' if texts else 'finite numbers'
    if isinstance(value, str) or not hasattr(value, '__len__'):
        raise ConfigurationError(f'{spec.name}: must be an array of {wanted}, got {value!r}')
    for element in value:
        fits = isinstance(element, kind) and not isinstance(element, bool)
        if not fits or (not texts and not math.isfinite(element)):
            raise ConfigurationError(f'{spec.name}: must be an array of {wanted}, got {element!r}')


def _own(settings_type: type[NodeSettings]) -> list[Field]:
    """Return the fields that are parameters."""
    return [each for each in fields(settings_type) if 'description' in each.metadata]


def _descriptor(spec: Field) -> ParameterDescriptor:
    """Return the descriptor of one parameter."""
    descriptor = ParameterDescriptor(
        name=spec.name,
        description=spec.metadata['description'],
        additional_constraints=', '.join(spec.metadata['choices']),
        read_only=spec.metadata['read_only'],
        # An empty array has no type in rclpy: check_value sees to arrays.
        dynamic_typing=isinstance(spec.default, tuple),
    )
    low, high = spec.metadata['minimum'], spec.metadata['maximum']
    if low is None and high is None:
        return descriptor
    if isinstance(spec.default, float):
        low, high = _bounds(low, high, -sys.float_info.max, sys.float_info.max)
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))
        ]
    else:
        low, high = _bounds(low, high, -(2**63), 2**63 - 1)
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
    return descriptor


def _bounds(
    low: float | None, high: float | None, lowest: float, highest: float
) -> tuple[float, float]:
    """Return a range with the open ends closed."""
    return lowest if low is None else low, highest if high is None else high


def _ros_value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _plain(value: object) -> object:
    return tuple(value) if not isinstance(value, str) and hasattr(value, '__len__') else value
