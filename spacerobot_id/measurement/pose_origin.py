"""Poses whose origin moves, and twists in inertial axes that wait for the poses around them.

Motion capture may lose its origin and find another.

A pose that is farther from where the base was going than any motion explains waits for those
after it. If they come back it was a stray; if they go on from there the origin has moved, and is
put back to where it was, by the step that a parabola through the poses before and after leaves
over.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from spacerobot_id.measurement.stream import Stream
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream


class WaitingTwists:
    """Twists in inertial axes that no later pose has come for.

    Parameters
    ----------
    patience : float
        Time that they wait by the stamps of others, s.
    longest_bracket : float
        Largest distance of two poses that may be interpolated between, s.
    """

    def __init__(self, patience: float, longest_bracket: float) -> None:
        self._patience, self._longest_bracket = patience, longest_bracket
        self._waiting: deque[TwistStream] = deque()

    def push(self, reading: TwistStream) -> None:
        """Let a twist wait."""
        self._waiting.append(reading)

    def take(
        self, poses: Stream, *, is_last: bool
    ) -> tuple[TwistStream, NDArray[np.bool_]] | None:
        """Return those whose poses have come, or that have waited for too long; None if none.

        Parameters
        ----------
        poses : Stream
            Positions and attitudes of the base.
        is_last : bool
            Whether nothing more will come, so that none waits any longer.

        Returns
        -------
        twists : TwistStream
            N of them, linear velocities in base axes; of no meaning where no poses are near.
        near : ndarray of bool, shape (N,)
            Where there are poses around them.
        """
        ready = []
        while self._waiting:
            waited = abs(self._waiting[-1].stamp - self._waiting[0].stamp)
            if not (is_last or self._waiting[0].stamp <= poses.latest or waited > self._patience):
                break
            ready.append(self._waiting.popleft())
        if not ready:
            return None
        stamps, twists = (np.array([getattr(each, name) for each in ready])
                          for name in ('stamps', 'twists'))  # fmt: skip
        turn, near = self._turn_at(stamps, poses)
        if turn is not None:
            twists[:, :3] = turn.apply(twists[:, :3], inverse=True)
        return TwistStream(stamps, stamps, '', twists), near

    def clear(self) -> None:
        """Forget all."""
        self._waiting.clear()

    def _turn_at(
        self, times: NDArray[np.float64], poses: Stream
    ) -> tuple[Rotation | None, NDArray[np.bool_]]:
        """Return attitudes at times, None if there is no pose, and where poses are near."""
        stamps, attitudes = poses.stamps, poses.values[:, 3:]
        if len(stamps) < 2:
            known = Rotation.from_quat(attitudes[0]) if len(stamps) else None
            return known, np.isin(times, stamps)
        after = np.clip(np.searchsorted(stamps, times), 1, len(stamps) - 1)
        inside = (times >= stamps[0]) & (times <= stamps[-1])
        near = inside & (stamps[after] - stamps[after - 1] <= self._longest_bracket)
        near |= stamps[after] == times
        turned = Slerp(stamps, Rotation.from_quat(attitudes))(np.clip(times, *stamps[[0, -1]]))
        return turned, near


_BEFORE, _AFTER = 8, 5
"""Poses before and after a jump that show its size; so many after show that it stays."""

_LEAST_JUMP = 0.1
"""Distance from where the base was going that no motion explains at once, m."""

_ACCELERATION = 1.0
"""Acceleration beyond which no base goes, m/s^2."""

_BEYOND = 8.0
"""Times the usual distance from where the base was going that is no noise."""

_KNOWN, _LATELY = 4, 16
"""Poses from which that distance is known, and that it is the middle one of."""


_Place = tuple[float, NDArray[np.float64]]
"""Time and position of a pose."""


class PoseOrigin:
    """Keeps the origin of poses where it was.

    Parameters
    ----------
    longest_gap : float
        Time after which nothing is expected of a pose, s.

    Attributes
    ----------
    moved : str
        What the origin did when the last pose was taken; empty if nothing.
    strays : int
        Poses, at the last one taken, that had been far from those around them.
    offset : ndarray, shape (3,)
        What is added to positions now, m.
    """

    def __init__(self, longest_gap: float) -> None:
        self.moved = ''
        self.strays = 0
        self._longest_gap = longest_gap
        self.offset = np.zeros(3)
        self._good: deque[_Place] = deque(maxlen=_BEFORE)
        self._usual: deque[float] = deque(maxlen=_LATELY)
        self._apart: list[PoseStream] = []

    def take(self, reading: PoseStream) -> list[PoseStream]:
        """Return the poses that may be used now, about the first origin."""
        self.moved, self.strays = '', 0
        if not (np.isfinite(reading.stamp) and np.isfinite(reading.position).all()):
            return [reading]
        if self.offset.any():
            reading = replace(reading, positions=reading.position + self.offset)
        if self._goes_on(self._good, reading):
            self.strays, self._apart = len(self._apart), []
            self._good.append(_place(reading))
            return [reading]
        if self._apart and not self._goes_on([*map(_place, self._apart)], reading):
            self.strays, self._apart = len(self._apart), []
        self._apart.append(reading)
        if len(self._apart) < _AFTER:
            return []
        return self._put_back()

    def would_pass(
        self, stamps: NDArray[np.float64], positions: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return what ``pass_all`` needs of poses that go on from those before; None if not.

        Parameters
        ----------
        stamps : ndarray, shape (N,)
            Times, s.
        positions : ndarray, shape (N, 3)
            Positions as they came, m.

        Returns
        -------
        ndarray, shape (N,), or None
            Distances from where the base was going, m.
        """
        if self._apart or not self._good or not np.isfinite(positions).all():
            return None
        steps = np.diff(stamps, prepend=self._good[-1][0])
        if not ((steps > 0.0) & (steps <= self._longest_gap)).all():
            return None
        off, by_motion = _off_course(self._good, stamps, positions + self.offset)
        so_far = np.concatenate([np.full(_LATELY, np.nan), self._usual, off])
        usual = np.nanmedian(sliding_window_view(so_far, _LATELY)[-len(off) :], axis=1)
        is_known = len(self._usual) + np.arange(1, len(off) + 1) > _KNOWN
        return None if (off > by_motion + _BEYOND * usual)[is_known].any() else off

    def pass_all(
        self, stamps: NDArray[np.float64], positions: NDArray[np.float64], off: NDArray[np.float64]
    ) -> None:
        """Take poses that ``would_pass``, about the first origin, as ``take`` does one by one."""
        self.moved, self.strays = '', 0
        self._usual.extend(off[-_LATELY:].tolist())
        self._good.extend(zip(stamps[-_BEFORE:].tolist(), positions[-_BEFORE:], strict=True))

    def clear(self) -> None:
        """Forget the poses, and not where the origin is."""
        self._good.clear()
        self._apart.clear()
        self._usual.clear()

    def _goes_on(self, before: Sequence[_Place], new: PoseStream) -> bool:
        """Return whether a pose is where the base may have come to; it may where none is known."""
        if not before:
            return True
        if not 0.0 < new.stamp - before[-1][0] <= self._longest_gap:
            if before is self._good:
                self._good.clear()
            return True
        (off,), (by_motion,) = _off_course(before, np.array([new.stamp]), new.position[None])
        if before is self._good:
            self._usual.append(off)
        return len(self._usual) <= _KNOWN or off <= by_motion + _BEYOND * median(self._usual)

    def _put_back(self) -> list[PoseStream]:
        """Return the poses that wait, put back by the step that a parabola leaves over."""
        poses = [*self._good, *map(_place, self._apart)]
        times = np.array([stamp for stamp, _ in poses])
        after = np.arange(len(poses)) >= len(self._good)
        powers = min(2, len(self._good) - 1)
        design = np.vander(times - self._apart[0].stamp, powers + 1, increasing=True)
        design = np.column_stack([design, after])
        positions = np.array([position for _, position in poses])
        step = np.linalg.lstsq(design, positions, rcond=None)[0][-1]
        x, y, z = (f'{each:.3f}' for each in step + 0.0)
        self.moved = (
            f'new origin at {self._apart[0].stamp:.2f} s: positions jumped by ({x}, {y}, {z}) m'
        )
        self.offset = self.offset - step
        put_back = [replace(each, positions=each.position - step) for each in self._apart]
        self._apart = []
        self._good.extend(map(_place, put_back))
        return put_back


def _place(pose: PoseStream) -> _Place:
    return pose.stamp, pose.position


def _off_course(
    before: Sequence[_Place], stamps: NDArray[np.float64], positions: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far positions are from where those before go, and what motion explains, (N,)."""
    times = np.array([*(stamp for stamp, _ in before), *stamps])
    path = np.vstack([*(position for _, position in before), positions])
    last = np.arange(len(before) - 1, len(times) - 1)
    first = np.maximum(last - _BEFORE + 1, 0)
    step, spread = times[last + 1] - times[last], np.maximum(times[last] - times[first], 0.0)
    rate = (path[last] - path[first]) / np.where(spread > 0.0, spread, np.inf)[:, None]
    off = np.linalg.norm(path[last + 1] - path[last] - rate * step[:, None], axis=1)
    by_motion = _LEAST_JUMP + 0.5 * np.linalg.norm(rate, axis=1) * step
    return off, by_motion + 0.5 * _ACCELERATION * step * (step + spread)
