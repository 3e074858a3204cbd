"""The settings of a node as ROS parameters: their table for ``declare_parameters``."""

from collections.abc import Iterable
from dataclasses import Field
import sys
from typing import get_args

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.parameter import Parameter

from spacerobot_id.settings import choices_of, key_of, NodeSettings, own_parameters


def parameter_table(
    settings_type: type[NodeSettings],
) -> list[tuple[str, object, ParameterDescriptor]]:
    """Return names, defaults and descriptors of a settings class, for ``declare_parameters``."""
    return [
        (key_of(each), _ros_value(each.default), _descriptor(each))
        for each in own_parameters(settings_type).values()
    ]


def empty_arrays(
    settings_type: type[NodeSettings], parameters: Iterable[Parameter]
) -> dict[str, Parameter]:
    """Return the arrays without elements among parameters, with the type that none shows."""
    specs = own_parameters(settings_type)
    kinds = {str: Parameter.Type.STRING_ARRAY, float: Parameter.Type.DOUBLE_ARRAY}
    return {
        each.name: Parameter(each.name, kinds[get_args(specs[each.name].type)[0]], [])
        for each in parameters
        if isinstance(specs[each.name].default, tuple) and each.value in (None, 'null', [])
    }


def _descriptor(spec: Field) -> ParameterDescriptor:
    """Return the descriptor of one parameter."""
    descriptor = ParameterDescriptor(
        name=key_of(spec),
        description=spec.metadata['description'],
        additional_constraints=', '.join(choices_of(spec)),
        read_only=spec.metadata['read_only'],
        # An empty array has no type in rclpy: settings_from_values sees to arrays.
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
