"""Messages to readings: an adapter is compiled once, and then only called."""

from collections.abc import Callable
from dataclasses import replace
import math
from typing import Any

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.adapters.adapter import Adapter, Source
from spacerobot_id.measurement.adapters.fields import path_getter, probed
from spacerobot_id.measurement.adapters.from_fields import FIELDS
from spacerobot_id.measurement.adapters.from_standard import STANDARD, turned
from spacerobot_id.measurement.adapters.given import Given, Read, Stamp
from spacerobot_id.measurement.readings import Reading

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
        return lambda message, receipt: replace(read(message), stamp=stamp(message, receipt))
    for key in _NEEDED.get(quantity.kind, ()):
        if key not in quantity.numbers:
            raise quantity.place.error(f'{key} is missing')
    return FIELDS[quantity.kind](given, _stamp(given))


def _stamp(given: Given) -> Stamp:
    """Return what reads the time of messages."""
    source, sample = given.source.stamp, given.sample
    place, offset = source.place or given.source.place, source.offset
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
