"""Encoder glitches: joint positions that jump and come back within a few readings.

A position that is farther from where its joint was going than any motion explains waits for the
readings after it. If they come back, those between were glitches; if they do not, the joint did
go there (a new zero, a turn that wraps), and nothing is removed.

Encoders of continuous joints often give angles between -pi and pi. Interpolation and smoothing
across such a jump would make a motion that there was not.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spacerobot_id.measurement.streams.joint_stream import JointStream

TURN = 2.0 * np.pi
"""A whole turn, rad."""

_NEAR = 0.25 * TURN
"""Distance from a whole turn below which a jump is one, rad."""


class JointTurns:
    """Adds to positions the whole turns by which they jumped so far.

    Parameters
    ----------
    turn : sequence of bool
        Which of the n joints are revolute: others do not wrap.

    Attributes
    ----------
    added : ndarray, shape (n,)
        What is added to positions now, rad.
    """

    def __init__(self, turn: Sequence[bool]) -> None:
        self._turn = np.array(turn, dtype=bool)
        self.clear()

    def clear(self) -> None:
        """Forget all positions and turns."""
        self.added = np.zeros(len(self._turn))
        self._last = np.full(len(self._turn), np.nan)

    def take(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return positions, shape (n,), that go on from those before; NaN and infinity stay."""
        moved = positions + self.added - self._last
        wraps = self._turn & (np.abs(np.abs(moved) - TURN) < _NEAR)
        self.added = self.added - np.where(wraps, np.copysign(TURN, moved), 0.0)
        positions = positions + self.added
        self._last = np.where(np.isfinite(positions), positions, self._last)
        return positions

    def pass_all(self, positions: NDArray[np.float64]) -> None:
        """Go on from positions, shape (N, n), that have their turns and none that jumps."""
        self._last = positions[-1]


_LONGEST = 3
"""Most readings in a row that are glitches; positions that stay away for more are motion."""

_LEAST = 0.02
"""Distance from where a joint was going that may be steps of its encoder, rad or m."""

_ACCELERATION = 10.0
"""Acceleration beyond which no joint goes, rad/s^2 or m/s^2."""

_BEYOND = 16.0
"""Times the usual distance from where a joint was going that is no noise."""

_AHEAD = 4.0
"""Most times its last step that a joint is expected to go on by: stamps may come in bursts."""

_NOISE = 10.0
"""Standard deviations of the encoder that are no noise."""

_AGREEING = 3
"""Readings in a row, each where the two before it go, that are no glitches."""

_LATELY = 50
"""Readings that the usual distance is the middle one of."""


class JointGlitches:
    """Keeps back readings with a joint that jumps, and drops them if it comes back.

    Parameters
    ----------
    position_std : float
        Standard deviation of joint positions, rad or m.
    longest_gap : float
        Time after which nothing is expected of a reading, s.
    usual : ndarray, shape (n,), optional
        Noise that joints usually have (see ``_off_course``), rad or m; by default what the
        latest readings show, and nothing is a glitch before there are enough.

    Attributes
    ----------
    removed : list of ndarray of int
        Joints that had jumped in each of the readings dropped when the last one was taken.
    """

    def __init__(
        self,
        position_std: float,
        longest_gap: float,
        usual: NDArray[np.float64] | None = None,
    ) -> None:
        self.removed: list[NDArray[np.intp]] = []
        self._least = _least(position_std)
        self._longest_gap = longest_gap
        self._known = usual
        self._good: deque[tuple[float, NDArray[np.float64]]] = deque(maxlen=2)
        self._usual: deque[NDArray[np.float64]] = deque(maxlen=_LATELY)
        self._waiting: list[tuple[JointStream, NDArray[np.intp]]] = []

    def take(self, reading: JointStream, positions: NDArray[np.float64]) -> Sequence[JointStream]:
        """Return the readings that may be used now.

        Parameters
        ----------
        reading : JointStream
            Joints and wheels of a time.
        positions : ndarray, shape (n,)
            Positions of its joints, rad or m.
        """
        self.removed = []
        last = self._good[-1][0] if self._good else np.nan
        step = reading.stamp - last
        if -self._longest_gap < step <= 0.0 or not np.isfinite(positions).all():
            return [reading]  # refused by who takes it
        if not 0.0 < step <= self._longest_gap:  # as of the first one, or of another clock
            return self._restarted(reading, positions)
        noise, is_far = self._judged(np.array([reading.stamp]), positions[None])
        jumped = np.flatnonzero(is_far)
        if not len(jumped):
            self.removed = [joints for _, joints in self._waiting]
            self._waiting = []
            self._good.append((reading.stamp, positions))
            self._usual.append(noise[0])
            return [reading]
        if len(self._waiting) == _LONGEST:
            return self._restarted(reading, positions)
        self._waiting.append((reading, jumped))
        return []

    def would_pass(
        self, stamps: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return what ``pass_all`` needs of readings that motion explains; None if it does not.

        Parameters
        ----------
        stamps : ndarray, shape (N,)
            Times, s.
        positions : ndarray, shape (N, n)
            Positions, rad or m.

        Returns
        -------
        ndarray, shape (N, n), or None
            Noise of the joints, rad or m; None, too, while readings wait, or two before them are
            not known.
        """
        if self._waiting or len(self._good) < 2 or not np.isfinite(positions).all():
            return None
        steps = np.diff(stamps, prepend=self._good[-1][0])
        if not ((steps > 0.0) & (steps <= self._longest_gap)).all():
            return None
        noise, is_far = self._judged(stamps, positions)
        return None if is_far.any() else noise

    def pass_all(
        self,
        stamps: NDArray[np.float64],
        positions: NDArray[np.float64],
        noise: NDArray[np.float64],
    ) -> None:
        """Take readings that ``would_pass``, as ``take`` does one by one."""
        self.removed = []
        self._good.extend(zip(stamps[-2:].tolist(), positions[-2:], strict=True))
        self._usual.extend(noise[-_LATELY:])

    def clear(self) -> None:
        """Forget all readings."""
        self._good.clear()
        self._usual.clear()
        self._waiting = []

    def _restarted(
        self, reading: JointStream, positions: NDArray[np.float64]
    ) -> list[JointStream]:
        """Return all that waits and a reading that nothing before it predicts."""
        waiting = [each for each, _ in self._waiting]
        self.clear()
        self._good.append((reading.stamp, positions))
        return [*waiting, reading]

    def _judged(
        self, stamps: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the noise of joints that go on from those before, and which are too far off.

        Both are of shape (N, n). Readings before are two, or one, from where a joint rests.
        """
        times = np.array([self._good[0][0], self._good[-1][0], *stamps])
        steps = np.diff(times)
        off, gain = _off_course(steps, np.vstack([self._good[0][1], self._good[-1][1], positions]))
        noise, bound = off / gain, self._least + _by_motion(steps[1:], steps[:-1])[:, None]
        is_far = off > bound
        rows = np.flatnonzero(is_far.any(axis=1))
        if len(rows):
            by_noise = _BEYOND * gain[rows] * self._usual_noise(noise, rows)
            is_far[rows] &= off[rows] > self._least + by_noise
        return noise, is_far

    def _usual_noise(
        self, noise: NDArray[np.float64], rows: NDArray[np.intp]
    ) -> NDArray[np.float64] | float:
        """Return the noise that joints usually have before some rows; infinite if not known."""
        if self._known is not None:
            return self._known if len(self._good) == 2 else np.inf
        unknown = np.full((_LATELY - len(self._usual), noise.shape[1]), np.inf)
        lately = np.vstack([unknown, *self._usual, noise])
        before = sliding_window_view(lately, _LATELY, axis=0)[rows]
        return np.where(np.isfinite(before).all(axis=-1), np.median(before, axis=-1), np.inf)


def glitches(
    times: NDArray[np.float64], positions: NDArray[np.float64], position_std: float
) -> NDArray[np.bool_]:
    """Return which readings of a whole motion are glitches, shape (N,).

    From where several in a row agree on, forth and back: among the first ones, too.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, strictly increasing, s.
    positions : ndarray, shape (N, n)
        Positions, rad or m.
    position_std : float
        Standard deviation of their noise, rad or m.
    """
    found = np.zeros(len(times), dtype=bool)
    steps = np.diff(times)
    if len(times) < _AGREEING + 2:
        return found
    off, gain = _off_course(steps, positions)
    bound = (_least(position_std) + _by_motion(steps[1:], steps[:-1]))[:, None]
    usual = np.median(off / gain, axis=0)
    agree = (off <= np.maximum(bound, _BEYOND * gain * usual)).all(axis=1)
    begins = np.flatnonzero(sliding_window_view(agree, _AGREEING).all(axis=1))
    if agree.all() or not len(begins):
        return found
    first = int(begins[0])
    for rows, way in ((np.arange(first, len(times)), 1.0), (np.arange(first + 1, -1, -1), -1.0)):
        judge = JointGlitches(position_std, np.inf, usual)
        kept = [
            each.stamp
            for row in rows
            for each in judge.take(_positions(way * times[row], positions[row]), positions[row])
        ]
        found[rows] = ~np.isin(way * times[rows], kept)
    return found


def _positions(stamp: float, positions: NDArray[np.float64]) -> JointStream:
    """Return a reading of positions alone."""
    return JointStream(stamp, stamp, (), positions, np.zeros(0), np.zeros(0))


def _off_course(
    steps: NDArray[np.float64], positions: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far joints are from where the two readings before had them go, (N - 2, n).

    And, (N - 2, 1), times the noise of one reading that this has: their ratio is that noise.
    """
    ahead = np.minimum(steps[1:] / np.where(steps[:-1] > 0.0, steps[:-1], np.inf), _AHEAD)
    ahead, moved = ahead[:, None], np.diff(positions, axis=0)
    gain = np.sqrt(1.0 + (1.0 + ahead) ** 2 + ahead**2)
    return np.abs(moved[1:] - ahead * moved[:-1]), gain


def _least(position_std: float) -> float:
    """Return the distance that steps and noise of an encoder explain, rad or m."""
    return _LEAST + _NOISE * position_std


def _by_motion(step: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far motion takes a joint from where it was going in a step, rad or m."""
    return 0.5 * _ACCELERATION * step * (step + spread)
