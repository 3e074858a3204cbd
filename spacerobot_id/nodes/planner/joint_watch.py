"""Where joints and wheels are by ``joint_states``, whether it still comes, and from one source."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
import time

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.excitation.trajectory.possible_states import MeasuredState
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.measurement import Stream, Verdict
from spacerobot_id.measurement.joint_glitches import JointTurns
from spacerobot_id.measurement.monitors.statistics import Logger, TopicStatistics
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.model import SensorNoise

SILENCE = 2.0
"""Time without good messages after which a topic is taken for silent, s."""

_NO_NOISE = SensorNoise()

_OLD = 0.5
"""Age from which on a joint state is no base for a command, s, if its stream is no slower."""

_SETTLING = 0.3
"""Time after a jump in which joint states are no base for a command, s."""

_MANY = 4
"""Returns within ``SILENCE`` that no single source makes."""

_TREND = 0.1
"""Time over which accelerations are found, and rates that are not provided, s."""

_HELD = 4.0
"""Messages for which a source may hold a value."""

_MOST = 1e6
"""Acceleration that no actuator has, rad/s^2 or m/s^2, where none is limited."""

_SIGMAS = 5.0
"""Standard deviations of the noise that a measured value may be off."""

_RECENT = 6
"""Messages with which a new one is compared: two drivers, or sources, take turns."""

_SHARE = 1e-3
"""What a value may be off beside noise: the way at the largest rate in so many seconds."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """The newest values of all joints, their stamps and last ways; each has shape (m,)."""

    stamps: NDArray[np.float64]
    positions: NDArray[np.float64]
    rates: NDArray[np.float64]
    way: NDArray[np.float64]

    def followed(
        self,
        named: NDArray[np.bool_],
        stamp: float,
        positions: NDArray[np.float64],
        rates: NDArray[np.float64],
        way: NDArray[np.float64],
    ) -> '_Seen':
        """Return the same with new values of joints that a message names; none is no way."""
        way = np.where((way == 0.0) | ~np.isfinite(way), self.way, way)
        new = (np.full(len(named), stamp), positions, rates, way)
        return _Seen(
            *(np.where(named, *pair) for pair in zip(new, vars(self).values(), strict=True))
        )


def silence_of(monitor: TopicStatistics, age: float) -> str:
    """Return why nothing good comes on a topic since its last good message, an age (s) ago."""
    ago = f'for {SILENCE:g} s' if np.isfinite(age) else 'yet'
    return f'{monitor.topic}: {monitor.reason or f"no message received {ago}"}'


class JointWatch:
    """The last good joint state; several drivers may each give some of the joints.

    A joint that jumps farther than it can move has been put elsewhere, or has two sources: no
    command is to be computed from the mix.

    Parameters
    ----------
    names : sequence of str
        Joints and wheels wanted.
    wrap : sequence of bool
        Which of them may wrap: positions go on beyond a whole turn where these jump.
    logger : Logger
        Logger of faults.
    limits : MotionExtent, optional
        How fast they may move; without limits nothing is taken for a jump.
    noise : SensorNoise
        Noise of their encoders.
    clock : callable
        Steady time, s.
    """

    def __init__(
        self,
        names: Sequence[str],
        wrap: Sequence[bool],
        logger: Logger,
        limits: MotionExtent | None = None,
        noise: SensorNoise = _NO_NOISE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        free = np.full(len(names), np.inf)
        self._names, self._clock, self._logger = names, clock, logger
        self._limits = limits or MotionExtent(-free, free, free, free)
        self._turns = JointTurns(wrap)
        self._monitor = TopicStatistics('joint_states', logger)
        self._stream = Stream(2 * len(names), capacity=1)
        self._received = -np.inf
        self._positions, self._rates = np.zeros((2, len(names)))
        self._last_named = np.full(len(names), -np.inf)
        self._trend: deque[tuple[float, NDArray[np.float64], NDArray[np.float64]]] = deque()
        self._gives_rates = np.zeros(len(names), dtype=bool)
        self._jumped: tuple[float, str] | None = None
        self._returns: deque[float] = deque(maxlen=_MANY)
        self._recent: deque[bytes] = deque(maxlen=_RECENT)
        rate = np.nan_to_num(self._limits.velocity, posinf=1.0)
        self._resolution = _SIGMAS * noise.joint_position + 0.1 * _SHARE * rate
        self._position_noise = _SIGMAS * noise.joint_position + _SHARE * rate
        self._rate_noise = _SIGMAS * (
            noise.joint_rate + 2.0 * noise.joint_position / _TREND + _SHARE * rate
        )
        self._begin()

    def refuse(self, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitor.reject(reason)

    def take(self, reading: JointStream) -> None:
        """Take a reading, or refuse it with its reason."""
        try:
            own = reading.partly(self._names)
        except MeasurementError as error:
            self.refuse(str(error))
            return
        named = np.isin(self._names, reading.names)
        if np.isnan(own.positions[named]).any():
            self.refuse('a position is not provided')
            return
        now = self._clock()
        self._last_named[named] = now
        missing = np.array(self._names)[now - self._last_named > SILENCE]
        if len(missing):
            self._keep(reading.stamp, named, own)
            self.refuse(f'joint {", ".join(missing)} is missing')
            return
        positions = np.where(named, own.positions, self._positions)
        rates = np.where(named, np.nan_to_num(own.velocities), self._rates)
        verdict = self._stream.push(reading.stamp, [*positions, *rates])
        if not verdict.is_taken:
            self._monitor.reject(verdict.value)
            return
        if verdict is Verdict.CLOCK_JUMPED:
            self._begin()
        self._keep(reading.stamp, named, own)
        self._monitor.accept()
        self._received = now
        self._trend.append((reading.stamp, self.positions, self._rates.copy()))
        while len(self._trend) > 2 and self._trend[1][0] <= reading.stamp - _TREND:
            self._trend.popleft()

    def _begin(self) -> None:
        """Know nothing yet of how the joints move: the clock is another one."""
        nothing = np.full(len(self._names), -np.inf)
        self._changed = nothing.copy()
        self._seen = _Seen(nothing, nothing, nothing, np.zeros(len(self._names)))
        self._trend.clear()
        self._recent.clear()

    def _keep(self, stamp: float, named: NDArray[np.bool_], own: JointStream) -> None:
        """Keep the values of the joints that a message names."""
        self._turns.take(own.positions)
        rates = np.nan_to_num(own.velocities)
        values = own.positions.tobytes() + rates.tobytes()
        if values not in self._recent:
            self._changed[named] = stamp
        self._recent.append(values)
        self._positions[named], self._rates[named] = own.positions[named], rates[named]
        self._see_jump(named, stamp)

    def _see_jump(self, named: NDArray[np.bool_], stamp: float) -> None:
        """See whether a joint goes elsewhere than it can, and whether it comes back at once.

        A source may hold its values for some messages, and jump once where its robot is put
        elsewhere; two of them make joints go to and fro.
        """
        here, rates, before = self._positions + self._turns.added, self._rates, self._seen
        self._gives_rates |= rates != 0.0
        with np.errstate(invalid='ignore'):  # nothing is known before the first messages
            step = _HELD * np.abs(stamp - before.stamps)
            way = here - before.positions
            fastest = np.maximum(np.abs(rates), np.abs(before.rates))
            fastest += 0.5 * np.minimum(self._limits.acceleration, _MOST) * step
            fastest = np.where(
                self._gives_rates,
                np.minimum(fastest, self._limits.velocity),
                self._limits.velocity,
            )
            is_far = np.abs(way) > fastest * step + 4.0 * self._resolution
            is_far |= np.abs(rates - before.rates) > (
                self._limits.acceleration * step + 0.2 * self._limits.velocity + self._rate_noise
            )
            turning = 0.5 * np.minimum(self._limits.acceleration, _MOST) * (step / _HELD) ** 2
            returns = (way * before.way < 0.0) & (
                np.minimum(np.abs(way), np.abs(before.way)) > turning + 2.0 * self._position_noise
            )
        is_known = named & np.isfinite(before.stamps)
        self._seen = before.followed(named, stamp, here, rates, way)
        off = (is_far | returns) & is_known
        if not off.any():
            return
        place = int(np.argmax(off))
        text = (
            f'{self._names[place]} jumps from {before.positions[place]:.4g} to {here[place]:.4g}'
        )
        if not self._jumped or self._clock() - self._jumped[0] > SILENCE:
            self._logger.warning(
                f'joint_states: {text}: put there at once, or there is a second source'
            )
        self._jumped = self._clock(), text
        if (returns & is_known).any():
            self._returns.append(self._clock())

    @property
    def stamp(self) -> float:
        """Stamp of the last good joint state, s."""
        return self._stream.latest

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions in the order of the names, rad or m, with the turns since ``forget_turns``."""
        return self._stream.last[: len(self._names)] + self._turns.added

    def forget_turns(self) -> None:
        """Take positions as encoders give them from now on: a motion begins from there."""
        self._turns.clear()
        self._trend.clear()

    @property
    def rates(self) -> NDArray[np.float64]:
        """Rates in the order of the names, rad/s or m/s; by positions where not provided."""
        given, trend = self._stream.last[len(self._names) :], self._trend_of(1)
        is_lacking = (given == 0.0) & (np.abs(trend) > self._rate_noise)
        return np.where(is_lacking, trend, given)

    @property
    def state(self) -> MeasuredState:
        """The newest state of all joints and wheels."""
        return MeasuredState(
            self.stamp,
            self.age,
            self.positions,
            self.rates,
            self._trend_of(2),
            self._position_noise,
            self._rate_noise,
            self._changed.copy(),
        )

    @property
    def age(self) -> float:
        """Time since the last good joint state came, s of a steady clock."""
        return self._clock() - self._received

    @property
    def silence(self) -> str | None:
        """Reason why nothing good comes; None if it does."""
        return silence_of(self._monitor, self.age) if self.age > SILENCE else None

    @property
    def fault(self) -> str | None:
        """Reason why a motion cannot be followed; None if it can."""
        if len(self._returns) == _MANY and self._clock() - self._returns[0] <= SILENCE:
            return f'joint_states: {self._jumped[1]}, again and again: there are two sources'
        return self.silence or self._frozen(_SETTLING)

    def _frozen(self, least: float) -> str | None:
        """Return a message on a joint that is said to move, and stays for a time, s, if any is."""
        since = np.minimum(self._stream.latest - self._changed, SILENCE)
        stays = np.abs(self._rates) * since > 2.0 * self._position_noise + self._rate_noise
        stays &= since > max(least, _HELD * np.nan_to_num(self._stream.interval))
        if not stays.any():
            return None
        place = int(np.argmax(stays))
        return (
            f'joint_states: frozen: {self._names[place]} moves at {self._rates[place]:.3g} per s '
            f'and stays at {self._positions[place]:.4g}'
        )

    @property
    def doubt(self) -> str | None:
        """Reason why no command can be computed now; None if one can."""
        fault = self.fault or self._frozen(_TREND)
        if fault:
            return fault
        if self._jumped and self._clock() - self._jumped[0] <= _SETTLING:
            return f'joint_states: {self._jumped[1]}'
        interval = np.nan_to_num(self._stream.interval)
        if self.age > max(_OLD, 3.0 * interval):
            return f'joint_states: the last message came {self.age:.1f} s ago'
        return None

    def _trend_of(self, place: int) -> NDArray[np.float64]:
        """Return by how much positions or rates have changed lately, per second."""
        if len(self._trend) < 2:
            return np.zeros(len(self._names))
        first, last = self._trend[0], self._trend[-1]
        return (last[place] - first[place]) / (last[0] - first[0])
