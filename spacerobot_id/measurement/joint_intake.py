"""Joint states on their way: parts joined, turns counted, glitches dropped, wheels completed.

The slowest driver gives the stamps; the others are interpolated between their samples around each,
which leaves a sample of the same stamp as it is. So every message of the slowest counts once.

Wheels are heavy against what their encoders are off by, so that the noise of such rates is next
to nothing beside that of a gyro. Angles may come modulo a turn, as long as no wheel can turn by
half of one between two samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.joint_glitches import JointGlitches, JointTurns
from spacerobot_id.measurement.signal.local_polynomial import CentralSlope, REACH
from spacerobot_id.measurement.stream import Stream, Verdict
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.model import JointType, ReactionWheel, RobotModel

_LONGEST = 0.15
"""Largest time between two samples of a slope, s."""

_SLOWER = 1.5
"""Ratio of intervals from which on another driver is the slowest."""

_NEIGHBOURS = 2.5
"""Times the usual distance of a driver's samples within which two are neighbours."""

_MOST = 64
"""Drivers that are followed at once: joints that drop out at random look like ever new ones."""

_PARTS = 3
"""Positions, velocities, efforts."""


class WheelRates:
    """Completes joint readings by the rates of the wheels.

    Parameters
    ----------
    joints : int
        Number n of joints; wheels come after them.
    wheels : sequence of ReactionWheel
        The w wheels, for the rates that they can have.
    longest_gap : float
        Largest step of stamps before a clock has jumped, s.
    """

    def __init__(self, joints: int, wheels: Sequence[ReactionWheel], longest_gap: float) -> None:
        self._count = joints + len(wheels)
        self._wheels = slice(joints, self._count)
        fastest = max((each.rate_limit for each in wheels), default=np.inf)
        self._longest = min(_LONGEST, np.pi / fastest)
        width = _PARTS * self._count
        self._stream = Stream(width, 2 * REACH + 1, longest_gap, optional=width)

    def are_needed(self, reading: JointStream) -> bool:
        """Return whether a reading of all joints has angles of the wheels and no rates."""
        angles, rates = reading.positions[self._wheels], reading.velocities[self._wheels]
        return len(angles) > 0 and np.isfinite(angles).all() and np.isnan(rates).all()

    def take(self, reading: JointStream) -> tuple[Verdict, list[JointStream]]:
        """Take a reading; return what became of it, and readings that have become complete.

        Where samples are too far apart for rates these are left out: NaN.
        """
        verdict = self._stream.push(reading.stamp, reading.table.ravel())
        stamps = self._stream.stamps
        if not verdict.is_taken or len(stamps) < 2 * REACH + 1:
            return verdict, []
        tables = self._stream.values.reshape(-1, _PARTS, self._count)
        positions, velocities, efforts = tables[REACH]
        velocities = velocities.copy()
        velocities[self._wheels] = self._slopes(stamps, tables[:, 0, self._wheels])
        stamp = float(stamps[REACH])
        return verdict, [JointStream(stamp, stamp, reading.names, positions, velocities, efforts)]

    def clear(self) -> None:
        """Forget all samples."""
        self._stream.clear()

    def _slopes(
        self, stamps: NDArray[np.float64], angles: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the rates in the middle of five samples, shape (w,)."""
        slope = CentralSlope.at(stamps, self._longest)
        if not slope.good[REACH]:
            return np.full(angles.shape[1], np.nan)
        return slope.of(np.unwrap(angles, axis=0))[REACH]


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

    def take(self, reading: JointStream, given: NDArray[np.bool_]) -> tuple[Verdict, list] | None:
        """Take a message of a part of the joints.

        Parameters
        ----------
        reading : JointStream
            All joints in order, NaN where it does not give it.
        given : ndarray of bool, shape (m,)
            Which joints it gives something of.

        Returns
        -------
        verdict : Verdict
            What became of the message.
        whole : list of JointStream
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
        verdict = driver.stream.push(reading.stamp, reading.table[:, joints].ravel())
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

    def _complete(self, awake: list[_Driver]) -> list[JointStream]:
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
            JointStream(stamp, stamp, self._names, *table)
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


class JointIntake:
    """The way of joint states until all joints and wheels of a time are known.

    Parameters
    ----------
    model : RobotModel
        Robot; names its n joints and w wheels.
    longest_gap : float
        Time after which nothing is expected of a reading, s.
    uses_rates : bool
        Whether rates are used; those of wheels are then made where angles come alone.
    push : callable
        Takes all joints and wheels of a time.
    withdraw : callable
        Counts a message as refused that had been accepted, for a reason.

    Attributes
    ----------
    names : tuple of str
        Names of joints and wheels, in order.
    merges : bool
        Whether messages of several drivers have been joined.
    turns : JointTurns
        Whole turns of the joints.
    glitches : JointGlitches
        Positions that jumped.
    rates_given : ndarray of bool, shape (n + w,), optional
        Which joints and wheels give their rates, as the first good message shows, or the whole
        log; None before.
    """

    def __init__(
        self,
        model: RobotModel,
        longest_gap: float,
        push: Callable[[JointStream], Verdict],
        withdraw: Callable[[str], None],
        *,
        uses_rates: bool,
    ) -> None:
        self.names = model.joint_names + model.wheel_names
        self.merges = False
        self.turns = JointTurns([each.type is JointType.REVOLUTE for each in model.joints])
        self.glitches = JointGlitches(model.noise.joint_position, longest_gap)
        self.rates_given: NDArray[np.bool_] | None = None
        self._count, self._uses_rates = len(model.joints), uses_rates
        self._merger = JointMerger(self.names, longest_gap)
        self._wheels = WheelRates(len(model.joints), model.wheels, longest_gap)
        self._push, self._withdraw = push, withdraw

    @property
    def lacks_rates(self) -> bool:
        """Whether there are joints without rates."""
        given = self.rates_given
        return given is not None and not given[: self._count].all()

    def take(self, reading: JointStream) -> Verdict:
        """Take joints and wheels, by name (F1-F4); parts of several drivers are joined.

        Raises
        ------
        MeasurementError
            If joints are missing, or a rate that is given otherwise; the message names them.
        """
        whole = self._turned(reading.partly(self.names))
        if np.isnan(whole.positions).any():
            given = ~np.isnan(whole.table).all(axis=0)
            merged = None if given.all() or not given.any() else self._merger.take(whole, given)
            if merged is not None:
                self.merges = True
                verdict, parts = merged
                for each in parts:
                    verdict = self._without_glitches(each)
                return verdict
            reading.of(self.names)  # raises where one is missing
        return self._without_glitches(whole)

    def clear(self) -> None:
        """Drop everything that waits, and not which rates are given."""
        self._merger.clear()
        self.turns.clear()
        self.glitches.clear()
        self._wheels.clear()

    def note_rates(self, rates: NDArray[np.float64]) -> None:
        """Note which rates a good message gives, if none came before."""
        if self.rates_given is None:
            self.rates_given = np.isfinite(rates)

    def require_rates(self, rates: NDArray[np.float64]) -> None:
        """Raise if a joint lacks its rate that has one otherwise: then it is lost."""
        if self.rates_given is not None:
            self.require(np.where(self.rates_given, rates, 0.0), 'velocity')

    def require(self, values: NDArray[np.float64], what: str) -> None:
        """Raise if a joint lacks what is needed; NaN means that it is not provided."""
        unknown = np.isnan(values)
        if unknown.any():
            names = (self.names[row] for row in np.flatnonzero(unknown))
            raise MeasurementError(f'{what} of {", ".join(names)} is not provided')

    def _turned(self, reading: JointStream) -> JointStream:
        """Return all joints and wheels, joints with the whole turns by which they jumped."""
        q = self.turns.take(reading.positions[: self._count])
        return replace(reading, positions=np.append(q, reading.positions[self._count :]))

    def _without_glitches(self, reading: JointStream) -> Verdict:
        """Take all joints and wheels of a time; where a joint has jumped, when the next came."""
        verdict, glitches = Verdict.ACCEPTED, self.glitches
        for each in glitches.take(reading, reading.positions[: self._count]):
            verdict = self._whole(each)
        for joints in glitches.removed:
            names = ', '.join(self.names[row] for row in joints)
            self._withdraw(f'encoder glitch of {names}')
        return verdict

    def _whole(self, reading: JointStream) -> Verdict:
        """Take all joints and wheels of a time; wheels without rates wait for the next."""
        if not self._uses_rates or not self._wheels.are_needed(reading):
            return self._push(reading)
        self.require_rates(reading.velocities)
        verdict, whole = self._wheels.take(reading)
        if verdict.is_taken:
            self.note_rates(reading.velocities)
        for each in whole:
            verdict = self._push(each)
        return verdict
