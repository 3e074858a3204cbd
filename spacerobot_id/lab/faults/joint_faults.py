"""Faults of joint states: F1 to F5, and the wrap of angles of F8."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.faults.fault import Case
from spacerobot_id.measurement.readings import Arrived, JointReading
from spacerobot_id.model import JointType

_BESIDE = 1e-3
"""Time after a message at which that of another publisher comes, s."""


def with_rows(reading: JointReading, rows: Sequence[int] | NDArray[np.intp]) -> JointReading:
    """Return some joints of a message, in a given order."""
    kept = list(rows)
    columns = {
        field: values[kept] if len(values := getattr(reading, field)) else values
        for field in ('positions', 'velocities', 'efforts')
    }
    return replace(reading, names=tuple(reading.names[row] for row in kept), **columns)


def shuffled(reading: JointReading, case: Case) -> JointReading:
    """Return joints in another order (F1)."""
    return with_rows(reading, case.rng.permutation(len(reading.names)))


def without_last(reading: JointReading, _case: Case) -> JointReading:
    """Return a message in which the last joint is missing (F2)."""
    return with_rows(reading, range(len(reading.names) - 1))


def with_others(reading: JointReading, case: Case) -> JointReading:
    """Return a message with joints that the robot does not have (F2)."""
    count = round(case.size)
    values = case.rng.normal(size=(3, count))
    fields = ('positions', 'velocities', 'efforts')
    columns = {
        field: np.append(getattr(reading, field), more) if len(getattr(reading, field)) else more
        for field, more in zip(fields, values, strict=True)
    }
    names = tuple(f'other_{number}' for number in range(count))
    return replace(reading, names=reading.names + names, **columns)


def short_velocities(reading: JointReading, case: Case) -> JointReading:
    """Return a message with no velocities, or with one too few (F3)."""
    count = 0 if case.rng.random() < 0.5 else len(reading.velocities) - 1
    return replace(reading, velocities=reading.velocities[:count])


def nan_velocity(reading: JointReading, case: Case) -> JointReading:
    """Return a message in which a velocity is NaN, which means that it is not provided (F4)."""
    velocities = reading.velocities.copy()
    velocities[case.rng.integers(len(velocities))] = np.nan
    return replace(reading, velocities=velocities)


def second_publisher(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, and beside some those of a driver that reports all joints at rest (F5)."""
    resting: JointReading | None = None
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield message
        reading = message.reading
        if isinstance(reading, JointReading) and resting is None:
            resting = replace(reading, velocities=np.zeros_like(reading.velocities))
        if is_hit:
            yield Arrived(
                message.arrival + _BESIDE, replace(resting, stamp=reading.stamp + _BESIDE)
            )


def wrapped(reading: JointReading, case: Case) -> JointReading:
    """Return revolute joints, as many as the size, between 0 and a whole turn (F8)."""
    turning = [each.name for each in case.model.joints if each.type is JointType.REVOLUTE][
        : round(case.size)
    ]
    positions = reading.positions.copy()
    for row, name in enumerate(reading.names):
        if name in turning:
            positions[row] %= 2.0 * np.pi
    return replace(reading, positions=positions)
