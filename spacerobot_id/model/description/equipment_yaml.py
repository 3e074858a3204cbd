"""Reading actuators, sensors and disturbances from a robot's YAML file, and writing them."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from spacerobot_id.model.actuators import (
    Actuators,
    JointFriction,
    propeller_ring,
    Propellers,
    Thrusters,
)
from spacerobot_id.model.description.yaml_node import YamlNode
from spacerobot_id.model.disturbances import Disturbances, MONOMIALS
from spacerobot_id.model.sensors import NOTHING, Sensors, STREAMS, StreamSettings
from spacerobot_id.model.valves import Valves

_VECTORS = {each.name for each in fields(Sensors) if each.default == NOTHING}
"""Keys of sensors with three numbers."""

_MOST_PROPELLERS = 1000
"""Propellers of a ring, at most."""


def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def read_actuators(node: YamlNode) -> Actuators:
    """Return the drives that the key ``actuators`` gives."""
    entries = node.mapping(_names(Actuators))
    given: dict[str, Any] = {
        key: entries[key].boolean() for key in ('joint_limits', 'wheel_limits') if key in entries
    }
    if 'friction' in entries:
        given['friction'] = {
            joint: JointFriction(**_not_negative(entry, _names(JointFriction)))
            for joint, entry in entries['friction'].mapping().items()
        }
    if 'thrusters' in entries:
        given['thrusters'] = _read_thrusters(entries['thrusters'])
    if 'propellers' in entries:
        given['propellers'] = _read_propellers(entries['propellers'])
    if 'valves' in entries:
        given['valves'] = _read_valves(entries['valves'])
    return Actuators(**given)


def read_sensors(node: YamlNode, rate: float) -> Sensors:
    """Return the sensors that the key ``sensors`` gives.

    Parameters
    ----------
    node : YamlNode
        Value of the key.
    rate : float
        Largest rate that a stream can have, Hz.
    """
    entries = node.mapping(_names(Sensors))
    numbers = ('encoder_resolution', 'gyro_bias_walk', 'accelerometer')
    given: dict[str, Any] = {key: _share(entries[key], 0.0) for key in numbers if key in entries}
    if 'gyro_bias' in entries:
        given['gyro_bias'] = entries['gyro_bias'].finite()
    if 'imu_frame' in entries:
        given['imu_frame'] = entries['imu_frame'].string()
    if 'encoder_offset' in entries:
        offsets = entries['encoder_offset'].mapping()
        given['encoder_offset'] = {joint: entry.finite() for joint, entry in offsets.items()}
    for key in _VECTORS & entries.keys():
        given[key] = tuple(entries[key].vector().tolist())
    if 'streams' in entries:
        streams = entries['streams'].mapping(STREAMS)
        given['streams'] = {name: _read_stream(entry, rate) for name, entry in streams.items()}
    return Sensors(**given)


def read_disturbances(node: YamlNode) -> Disturbances:
    """Return the disturbances of the robot from the key ``disturbances``."""
    entries = node.mapping(_names(Disturbances))
    given: dict[str, Any] = {
        key: tuple(entries[key].vector().tolist()) for key in ('force', 'torque') if key in entries
    }
    if 'drag' in entries:
        given['drag'] = _share(entries['drag'], 0.0)
    if 'table' in entries:
        table = entries['table'].mapping(MONOMIALS)
        given['table'] = {name: entry.finite() for name, entry in table.items()}
    return Disturbances(**given)


def actuators_content(actuators: Actuators) -> Mapping[str, object]:
    """Return the value of the key ``actuators``; empty if all is as by default."""
    friction = {joint: asdict(each) for joint, each in actuators.friction.items()}
    flags = {key: getattr(actuators, key) for key in ('joint_limits', 'wheel_limits')}
    content = {key: value for key, value in flags.items() if value}
    content |= {'friction': friction} if friction else {}
    thrusters = _changed(actuators.thrusters)
    content |= {'thrusters': thrusters} if thrusters else {}
    valves = _changed(actuators.valves)
    if 'direction' in valves:
        turned = {name: list(vector) for name, vector in actuators.valves.direction.items()}
        valves['direction'] = turned
    content |= {'valves': valves} if valves else {}
    propellers = actuators.propellers
    return content | ({'propellers': _propellers_content(propellers)} if propellers else {})


def sensors_content(sensors: Sensors) -> Mapping[str, object]:
    """Return the value of the key ``sensors``; empty if all is as by default."""
    streams = {name: _changed(each) for name, each in sensors.streams.items()}
    streams = {name: changed for name, changed in streams.items() if changed}
    content = {
        key: list(value) if key in _VECTORS else value
        for key, value in _changed(sensors).items()
        if key != 'streams'
    }
    return content | ({'streams': streams} if streams else {})


def disturbances_content(disturbances: Disturbances) -> Mapping[str, object]:
    """Return the value of the key ``disturbances``; empty if nothing acts."""
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in _changed(disturbances).items()
    }


def _changed(
    settings: Thrusters | Valves | Sensors | StreamSettings | Disturbances,
) -> dict[str, object]:
    """Return the fields that are not as by default."""
    default = type(settings)()
    names = _names(type(settings))
    return {
        name: getattr(settings, name)
        for name in names
        if getattr(settings, name) != getattr(default, name)
    }


def _read_thrusters(node: YamlNode) -> Thrusters:
    entries = node.mapping(_names(Thrusters))
    most = {key: entries[key].positive() for key in ('max_force', 'max_torque') if key in entries}
    least = ('min_impulse', 'min_angular_impulse')
    return Thrusters(**most, **{key: _share(entries[key], 0.0) for key in least if key in entries})


def _read_propellers(node: YamlNode) -> Propellers:
    """Return propellers from a mixing matrix, or from the geometry of a ring."""
    entries = node.mapping(('ring', 'mixing_matrix', 'max_thrust'))
    limit = {'max_thrust': entries['max_thrust'].positive()} if 'max_thrust' in entries else {}
    if ('ring' in entries) == ('mixing_matrix' in entries):
        raise node.place.error('needs either a ring or a mixing_matrix')
    kind = 'ring' if 'ring' in entries else 'mixing_matrix'
    matrix = _ring(entries[kind]) if kind == 'ring' else _matrix(entries[kind])
    try:
        return Propellers(matrix, **limit)
    except ValueError as error:
        raise entries[kind].place.error(str(error)) from None


def _read_valves(node: YamlNode) -> Valves:
    entries = node.mapping(_names(Valves))
    given: dict[str, Any] = {}
    if 'strength' in entries:
        given['strength'] = {
            name: _more_than(entry, -1.0) for name, entry in entries['strength'].mapping().items()
        }
    if 'direction' in entries:
        given['direction'] = {
            name: tuple(entry.vector().tolist())
            for name, entry in entries['direction'].mapping().items()
        }
    if 'strength_loss' in entries:
        given['strength_loss'] = _share(entries['strength_loss'], 0.0, 1.0)
    times = ('dead_time', 'delay', 'scatter')
    return Valves(**given, **{key: _share(entries[key], 0.0) for key in times if key in entries})


def _more_than(node: YamlNode, bound: float) -> float:
    value = node.finite()
    if value <= bound:
        raise node.place.error(f'must be above {bound:g}, got {value:g}')
    return value


def _ring(node: YamlNode) -> tuple[tuple[float, ...], ...]:
    """Return the mixing matrix of a ring of propellers."""
    entries = node.mapping(('count', 'radius', 'tilt', 'torque_per_thrust'))
    count = node.require('count').whole(1, _MOST_PROPELLERS)
    if count % 2:
        raise entries['count'].place.error(f'must be an even number, got {count}')
    radius, tilt = node.require('radius').positive(), node.require('tilt').finite()
    drag = _share(entries['torque_per_thrust'], 0.0) if 'torque_per_thrust' in entries else 0.0
    return propeller_ring(count, radius, tilt, drag)


def _matrix(node: YamlNode) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(each.finite() for each in row.sequence()) for row in node.sequence())


def _propellers_content(propellers: Propellers) -> dict[str, object]:
    """Return the value of the key ``propellers``: the matrix, whatever it came from."""
    content: dict[str, object] = {'mixing_matrix': [list(row) for row in propellers.mixing]}
    limit = propellers.max_thrust
    return content | ({'max_thrust': limit} if limit != np.inf else {})


def _read_stream(node: YamlNode, rate: float) -> StreamSettings:
    entries = node.mapping(_names(StreamSettings))
    given: dict[str, Any] = {}
    if 'rate' in entries:
        given['rate'] = entries['rate'].positive()
        if given['rate'] > rate:
            raise entries['rate'].place.error(f'must not be above the rate of noise, {rate:g} Hz')
    if 'latency' in entries:
        given['latency'] = _share(entries['latency'], 0.0)
    for key in ('dropout', 'outliers'):
        if key in entries:
            given[key] = _share(entries[key], 0.0, 1.0)
    if 'delay' in entries:
        given['delay'] = entries['delay'].finite()
    for key in ('outlier_size', 'stamp_step'):
        if key in entries:
            given[key] = _share(entries[key], 0.0)
    return StreamSettings(**given)


def _not_negative(node: YamlNode, names: tuple[str, ...]) -> dict[str, float]:
    return {key: _share(entry, 0.0) for key, entry in node.mapping(names).items()}


def _share(node: YamlNode, lowest: float, highest: float | None = None) -> float:
    """Return a finite number within bounds."""
    value = node.finite()
    if value < lowest:
        raise node.place.error(f'must not be negative, got {value:g}')
    if highest is not None and value > highest:
        raise node.place.error(f'must not be above {highest:g}, got {value:g}')
    return value
