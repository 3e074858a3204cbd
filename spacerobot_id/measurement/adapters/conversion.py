"""Messages to readings: an adapter, also that of our own topics, is compiled once, then called."""

from collections.abc import Callable, Mapping
from dataclasses import replace
import math
from typing import Any

import numpy as np

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Delivery,
    OWN,
    Quantity,
    quaternion_matrix,
    Source,
)
from spacerobot_id.measurement.adapters.from_fields import (
    FIELDS,
    Given,
    path_getter,
    probed,
    Read,
    Stamp,
)
from spacerobot_id.measurement.streams.log_streams import LOG_STREAMS, LogStream, Reading, TOPICS
from spacerobot_id.model.description.description import Place

ODOMETRY = 'nav_msgs/msg/Odometry'
"""Type of messages that have a pose and a twist, each with a frame of its own."""

_COMMANDS = ('base_wrench',)
"""Quantities that are asked for, and not sensed: none is to be lost."""


def own_topics(topics: Mapping[str, str] = TOPICS) -> Adapter:
    """Return the adapter of messages of ROS.

    Parameters
    ----------
    topics : mapping of str to str
        Topics by the names of the streams of a log.
    """
    return Adapter(OWN, tuple(_source(LOG_STREAMS[name], topic) for name, topic in topics.items()))


def with_odometry(adapter: Adapter) -> Adapter:
    """Return the adapter of our own topics with poses and twists from one topic of odometry."""
    (topic,) = adapter.topics_of('base_pose')
    place = Place(OWN, topic)
    both = Source(
        topic,
        (ODOMETRY,),
        (Quantity('base_pose', place), Quantity('base_twist', place)),
        place,
    )
    kept = [
        each for each in adapter.sources if each.gives not in (('base_pose',), ('base_twist',))
    ]
    return replace(adapter, sources=(*kept, both))


def _source(stream: LogStream, topic: str) -> Source:
    """Return a topic of one quantity."""
    place, kind = Place(OWN, topic), stream.quantity
    delivery = Delivery('reliable' if kind in _COMMANDS else 'best_effort')
    return Source(topic, stream.kind.types, (Quantity(kind, place),), place, delivery=delivery)


STANDARD: Mapping[str, Mapping[str, Callable[[Any], Reading]]] = {
    each.quantity: dict.fromkeys(each.kind.types, each.kind.of_message)
    for each in LOG_STREAMS.values()
}
"""Messages of ROS that give each quantity, and what reads them."""


def turned(given: Given, read: Callable[[Any], Reading]) -> Callable[[Any], Reading]:
    """Return what reads a message of ROS, its names, frames and axes as the adapter has them."""
    quantity, axes, adapter = given.quantity, given.source.axes, given.adapter
    changes: list[Callable[[Any], dict[str, object]]] = []
    if quantity.renamed:
        renamed = quantity.renamed
        changes.append(lambda r: {'names': tuple(renamed.get(name, name) for name in r.names)})
    if quantity.kind == 'base_pose':
        matrix = quaternion_matrix(axes.world, axes.body)
        if not np.array_equal(matrix, np.eye(4)):
            changes.append(
                lambda r: {'positions': axes.world @ r.position, 'attitudes': matrix @ r.attitude}
            )
        for key, text in (('frame_id', quantity.frame_id), ('child_frame', quantity.child_frame)):
            if text is not None and text.constant is not None:
                changes.append(lambda _, key=key, text=text: {key: text.constant})
    if quantity.kind in _VECTORS:
        changes += _vector_changes(given, _VECTORS[quantity.kind])
    if quantity.frame is not None:
        names = {'body': adapter.base, 'world': adapter.world}
        name = names.get(quantity.frame.name, quantity.frame.name)
        changes.append(lambda _: {'frame_id': name})
    if not changes:
        return read

    def changed(message: object) -> Reading:
        reading = read(message)
        for change in changes:
            reading = replace(reading, **change(reading))
        return reading

    return changed


_VECTORS = {
    'imu': 'angular_velocity',
    'base_twist': 'twists',
    'base_wrench': 'wrenches',
    'applied_wrench': 'wrenches',
}
"""Vectors of readings that turn with their axes."""


def _vector_changes(given: Given, name: str) -> list[Callable[[Any], dict[str, object]]]:
    """Return what turns the vectors of a message of ROS, if its axes are not ours."""
    axes, frame = given.source.axes, given.quantity.frame
    turned = {way: not np.array_equal(getattr(axes, way), np.eye(3)) for way in ('world', 'body')}
    if frame is None and given.quantity.kind != 'imu':
        if any(turned.values()):
            raise given.quantity.place.error('in: body or world is needed where axes are given')
        return []
    way = 'world' if frame is not None and frame.name == 'world' else 'body'
    if not turned[way]:
        return []
    matrix = getattr(axes, way)
    return [lambda r: {name: (getattr(r, name).reshape(-1, 3) @ matrix.T).ravel()}]


UNREADABLE = (MeasurementError, AttributeError, TypeError, ValueError)
"""What may be raised where a message does not have the fields of its adapter."""

_NEEDED = {
    'imu': ('angular_velocity',),
    'base_pose': ('position',),
    'base_twist': ('linear',),
    'base_wrench': ('force', 'torque'),
    'applied_wrench': ('force', 'torque'),
    'thruster_commands': ('shares',),
}
"""Numbers that a quantity has to have where it is read from fields."""


def conversion(
    adapter: Adapter, source: Source, sample: object, kind: str
) -> Callable[[Any, float], tuple[Reading, ...]]:
    """Return what makes readings of the messages of a topic.

    Parameters
    ----------
    adapter : Adapter
        Adapter, of its robot.
    source : Source
        One of its topics.
    sample : object
        Some message: the fields are looked up in it, and never again.
    kind : str
        Type of the messages, such as ``sensor_msgs/msg/Imu``.

    Returns
    -------
    callable
        Takes a message and the time of its receipt, s; raises MeasurementError where a message
        has not what the others have.

    Raises
    ------
    DescriptionError
        If the messages have no such fields; names file and key.
    """
    reads = [_reader(Given(adapter, source, each, sample, kind)) for each in source.quantities]
    if len(reads) == 1:
        (read,) = reads
        return lambda message, receipt: (read(message, receipt),)
    return lambda message, receipt: tuple(read(message, receipt) for read in reads)


def is_as_sent(adapter: Adapter, source: Source, kind: str) -> bool:
    """Return whether an adapter takes messages of ROS as they are, to our own names and axes.

    Parameters
    ----------
    adapter, source, kind
        As for ``conversion``.
    """
    for quantity in source.quantities:
        read = STANDARD[quantity.kind].get(kind)
        given = Given(adapter, source, quantity, None, kind)
        if read is None or not given.is_standard or turned(given, read) is not read:
            return False
    return _is_stamped(source)


def _is_stamped(source: Source) -> bool:
    """Return whether the header's stamp is the time."""
    return (source.stamp.path, source.stamp.offset) == ('header.stamp', 0.0)


def _reader(given: Given) -> Read:
    """Return what reads one quantity."""
    quantity, source = given.quantity, given.source
    if given.is_standard:
        known = STANDARD[quantity.kind]
        if given.kind not in known:
            raise quantity.place.error(
                f'gives no fields, as {" or ".join(known)} needs none; {given.kind} does'
            )
        read = turned(given, known[given.kind])
        if _is_stamped(source):
            return lambda message, _receipt: read(message)
        stamp = _stamp(given)
        return lambda message, receipt: replace(read(message), stamps=stamp(message, receipt))
    for key in _NEEDED.get(quantity.kind, ()):
        if key not in quantity.numbers:
            raise quantity.place.error(f'{key} is missing')
    return FIELDS[quantity.kind](given, _stamp(given))


def _stamp(given: Given) -> Stamp:
    """Return what reads the time of messages."""
    source, sample = given.source.stamp, given.sample
    place, offset = given.source.stamp_place, source.offset
    if not source.path:
        return lambda _message, receipt: receipt + offset
    get = path_getter(source.path, sample, place)
    value = probed(get, sample)
    if value is not None and hasattr(value, 'nanosec') != (source.scale == 0.0):
        reason = 'is a time and has no unit' if source.scale else 'needs a unit: it is a number'
        raise place.error(f'{source.path} {reason}')
    if source.scale == 0.0:
        return lambda message, _receipt: codecs.seconds_from_stamp(get(message)) + offset
    per_second = round(1.0 / source.scale)
    if math.isclose(per_second * source.scale, 1.0):  # divided by, it is rounded once
        return lambda message, _receipt: get(message) / per_second + offset
    return lambda message, _receipt: get(message) * source.scale + offset
