"""Joint states of several drivers, each of some joints, brought to common stamps.

The slowest driver gives the stamps; the others are interpolated between their samples around each,
which leaves a sample of the same stamp as it is. So every message of the slowest counts once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.readings import JointReading
from spacerobot_id.measurement.stream import Stream, Verdict

_SLOWER = 1.5
"""Ratio of intervals from which on another driver is the slowest."""

_NEIGHBOURS = 2.5
"""Times the usual distance of a driver's samples within which two are neighbours."""

_MOST = 64
"""Drivers that are followed at once: joints that drop out at random look like ever new ones."""

_PARTS = 3
"""Positions, velocities, efforts."""


@dataclass(frozen=True, eq=False)
class _Driver:
    """Joints that one driver reports, and its samples."""

    joints: NDArray[np.intp]
    stream: Stream


class JointMerger:
    """Joins messages of a part of the joints into such of all.

    Parameters
    ----------
    names : tuple of str
        All m joints and wheels.
    longest_gap : float
        Time after which a driver that is silent counts for none, s.
    """

    def __init__(self, names: tuple[str, ...], longest_gap: float) -> None:
        self._names = names
        self._longest_gap = longest_gap
        self._drivers: dict[tuple[int, ...], _Driver] = {}
        self._slowest: _Driver | None = None
        self._until = -np.inf

    def take(self, reading: JointReading, given: NDArray[np.bool_]) -> tuple[Verdict, list] | None:
        """Take a message of a part of the joints.

        Parameters
        ----------
        reading : JointReading
            All joints in order, NaN where it does not give it.
        given : ndarray of bool, shape (m,)
            Which joints it gives something of.

        Returns
        -------
        verdict : Verdict
            What became of the message.
        whole : list of JointReading
            Readings of all joints that have become complete.
        None where no other messages give the remaining joints.
        """
        joints = np.flatnonzero(given)
        driver = self._drivers.get(tuple(joints.tolist()))
        if driver is None:
            if len(self._drivers) == _MOST:
                latest = {key: each.stream.latest for key, each in self._drivers.items()}
                del self._drivers[min(latest, key=latest.__getitem__)]
            count = _PARTS * len(joints)
            driver = _Driver(joints, Stream(count, 500, self._longest_gap, optional=count))
            self._drivers[tuple(joints.tolist())] = driver
        table = np.stack([reading.positions, reading.velocities, reading.efforts])
        verdict = driver.stream.push(reading.stamp, table[:, joints].ravel())
        if verdict is Verdict.CLOCK_JUMPED:
            self._until = -np.inf
        awake = [
            each
            for each in self._drivers.values()
            if abs(each.stream.latest - driver.stream.latest) <= self._longest_gap
        ]
        if len(set().union(*(each.joints.tolist() for each in awake))) < len(self._names):
            return None
        return verdict, self._complete(awake) if verdict.is_taken else []

    def clear(self) -> None:
        """Forget all samples."""
        self._drivers.clear()
        self._slowest, self._until = None, -np.inf

    def _complete(self, awake: list[_Driver]) -> list[JointReading]:
        """Return the readings at the stamps of the slowest that all others have come to."""
        intervals = [each.stream.interval for each in awake]
        if not np.isfinite(intervals).all():
            return []
        if self._slowest not in awake or max(intervals) > _SLOWER * self._slowest.stream.interval:
            self._slowest = awake[int(np.argmax(intervals))]
        stream = self._slowest.stream
        others = [each for each in awake if each is not self._slowest]
        until = min(each.stream.latest for each in others)
        stamps = stream.stamps
        ready = (stamps > self._until) & (stamps <= until)
        if not ready.any():
            return []
        tables = np.full((int(ready.sum()), _PARTS, len(self._names)), np.nan)
        good = np.ones(len(tables), dtype=bool)
        for each in others:
            values, near = _interpolated(each.stream, stamps[ready])
            tables[:, :, each.joints] = values.reshape(len(tables), _PARTS, -1)
            good &= near
        own = stream.values[ready].reshape(len(tables), _PARTS, -1)
        tables[:, :, self._slowest.joints] = own
        self._until = float(stamps[ready][-1])
        for each in awake:
            each.stream.drop_before(self._until)
        return [
            JointReading(stamp, self._names, *table)
            for stamp, table in zip(stamps[ready][good].tolist(), tables[good], strict=True)
        ]


def _interpolated(
    stream: Stream, times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a driver's samples at times, and where those around them are neighbours."""
    stamps, values = stream.stamps, stream.values
    after = np.clip(np.searchsorted(stamps, times), 1, max(len(stamps) - 1, 1))
    after = np.minimum(after, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    steps = stamps[after] - stamps[before]
    share = (times - stamps[before]) / np.where(steps > 0.0, steps, 1.0)
    near = (steps <= _NEIGHBOURS * stream.interval) & (share >= 0.0) & (share <= 1.0)
    for place in (before, after):
        share = np.where(stamps[place] == times, np.where(place == before, 0.0, 1.0), share)
        near |= stamps[place] == times
    found = values[before] + share[:, None] * (values[after] - values[before])
    same = stamps[after] == times
    found[same] = values[after][same]
    return found, near
