"""Commands to messages: the commands of a bed in its adapter, written instead of read."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Frame,
    Numbers,
    Quantity,
    Source,
    StampSource,
    Text,
)
from spacerobot_id.measurement.adapters.from_fields import read_numbers
from spacerobot_id.measurement.adapters.proposal import assign

COMMANDS = ('thruster_commands', 'base_wrench')
"""Quantities that are commands."""

Write = Callable[[Any, float, NDArray[np.float64]], None]
"""Fills a message with the stamp from which a command holds, s, and the command."""

_OF_ROS = {
    'thruster_commands': {'shares': 'effort'},
    'base_wrench': {'force': 'wrench.force', 'torque': 'wrench.torque'},
}
"""Fields of the messages of ROS that have a command."""

_PARTS = {3: [0, 1, 2], 2: [0, 1]}
"""Components of a vector that has so many numbers; a single one is about z."""


def command_writer(
    adapter: Adapter, source: Source, kind: str, thrusters: Sequence[str], sample: object
) -> Write:
    """Return what fills the messages of a topic with a command.

    Parameters
    ----------
    adapter : Adapter
        Adapter, of its robot.
    source : Source
        One of its topics.
    kind : str
        ``thruster_commands``: shares of the thrusters, 0 to 1; or ``base_wrench``: force (N) and
        torque (N m) in axes of the base, shape (6,).
    thrusters : sequence of str
        Thrusters in the order of the shares.
    sample : object
        Some message of the topic, in which the fields are tried.

    Raises
    ------
    DescriptionError
        If the messages have no such fields, a thruster has no place in them, or a wrench is to be
        in axes that are not the base's; names file and key.
    """
    quantity = source.quantities[source.gives.index(kind)]
    if kind == 'base_wrench':
        fill = _wrench(adapter, source, quantity, sample)
        count = 6
    else:
        fill, count = _thrust(quantity, thrusters), len(thrusters)

    def write(message: object, stamp: float, values: NDArray[np.float64]) -> None:
        _stamp(message, source.stamp, stamp, source)
        fill(message, values)
        for path, constant in quantity.constants.items():
            assign(message, path, constant, quantity.place)

    write(sample, 1.0, np.zeros(count))
    return write


def _stamp(message: object, wanted: StampSource, stamp: float, source: Source) -> None:
    """Write the stamp, unless a message is stamped by its receipt."""
    if wanted.path:
        value = (stamp - wanted.offset) / (wanted.scale or 1.0)
        assign(message, wanted.path, value, source.stamp_place)


def _numbers(quantity: Quantity, key: str) -> Numbers:
    """Return where numbers are written."""
    if quantity.numbers and key not in quantity.numbers:
        raise quantity.place.error(f'{key} is missing')
    return quantity.numbers.get(key, Numbers(_OF_ROS[quantity.kind][key], 1.0))


def _put(message: object, quantity: Quantity, key: str, values: NDArray[np.float64]) -> None:
    """Write numbers in their unit."""
    numbers = _numbers(quantity, key)
    place = quantity.place.at(key) if quantity.numbers else quantity.place
    scaled = values / np.array(numbers.scale)
    if isinstance(numbers.fields, str):
        is_one = scaled.shape == (1,)
        assign(message, numbers.fields, float(scaled[0]) if is_one else scaled, place)
        return
    for path, value in zip(numbers.fields, scaled, strict=True):
        if isinstance(path, str):
            assign(message, path, float(value), place)


def _thrust(
    quantity: Quantity, thrusters: Sequence[str]
) -> Callable[[Any, NDArray[np.float64]], None]:
    """Return what writes shares of thrusters."""
    names = quantity.names
    _numbers(quantity, 'shares')
    if not isinstance(names, tuple):
        theirs = {ours: name for name, ours in quantity.renamed.items()}
        called = [theirs.get(name, name) for name in thrusters]
        path = names.path if isinstance(names, Text) else 'name'

        def named(message: object, values: NDArray[np.float64]) -> None:
            assign(message, path, called, quantity.place)
            _put(message, quantity, 'shares', values)

        return named
    without = [name for name in thrusters if name not in names]
    if without:
        raise quantity.place.error(f'no place for commands of {", ".join(without)}')
    columns = [names.index(name) for name in thrusters]

    def placed(message: object, values: NDArray[np.float64]) -> None:
        whole = np.zeros(len(names))
        whole[columns] = values
        _put(message, quantity, 'shares', whole)

    return placed


def _wrench(
    adapter: Adapter, source: Source, quantity: Quantity, sample: object
) -> Callable[[Any, NDArray[np.float64]], None]:
    """Return what writes force and torque in axes of the base."""
    frame = quantity.frame or Frame()
    if frame.path or frame.name not in ('body', adapter.base):
        raise quantity.place.at('in').error('commands are in axes of the base: in: body')
    parts = []
    for first, key in enumerate(('force', 'torque')):
        read = read_numbers(_numbers(quantity, key), sample, quantity.place.at(key))
        parts.append((key, 3 * first + np.array(_PARTS.get(len(read(sample)), [2]))))
    turn = np.kron(np.eye(2), source.axes.body.T)

    def fill(message: object, values: NDArray[np.float64]) -> None:
        turned = turn @ values
        for key, rows in parts:
            _put(message, quantity, key, turned[rows])
        if not quantity.numbers:
            assign(message, 'header.frame_id', adapter.base, quantity.place)

    return fill
