"""Twists in inertial axes, which wait for the poses around them to be turned to base axes."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from spacerobot_id.measurement.readings import TwistReading
from spacerobot_id.measurement.stream import Stream


@dataclass(frozen=True, eq=False)
class TurnedTwists:
    """Linear velocities in base axes.

    Parameters
    ----------
    stamps : ndarray, shape (N,)
        Times, s.
    linear : ndarray, shape (N, 3)
        Velocities, m/s; of no meaning where no poses are near.
    near : ndarray of bool, shape (N,)
        Where there are poses around them.
    """

    stamps: NDArray[np.float64]
    linear: NDArray[np.float64]
    near: NDArray[np.bool_]


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
        self._waiting: deque[TwistReading] = deque()

    def push(self, reading: TwistReading) -> None:
        """Let a twist wait."""
        self._waiting.append(reading)

    def take(self, poses: Stream, *, is_last: bool) -> TurnedTwists | None:
        """Return those whose poses have come, or that have waited for too long; None if none.

        Parameters
        ----------
        poses : Stream
            Positions and attitudes of the base.
        is_last : bool
            Whether nothing more will come, so that none waits any longer.
        """
        ready = []
        while self._waiting:
            waited = abs(self._waiting[-1].stamp - self._waiting[0].stamp)
            if not (is_last or self._waiting[0].stamp <= poses.latest or waited > self._patience):
                break
            ready.append(self._waiting.popleft())
        if not ready:
            return None
        stamps = np.array([each.stamp for each in ready])
        linear = np.array([each.twist[:3] for each in ready])
        return self._in_base_axes(stamps, linear, poses)

    def clear(self) -> None:
        """Forget all."""
        self._waiting.clear()

    def _in_base_axes(
        self, times: NDArray[np.float64], linear: NDArray[np.float64], poses: Stream
    ) -> TurnedTwists:
        """Return velocities in inertial axes turned to base axes, and where poses are near."""
        stamps, attitudes = poses.stamps, poses.values[:, 3:]
        if not len(stamps):
            return TurnedTwists(times, linear, np.zeros(len(times), dtype=bool))
        if len(stamps) == 1:
            turned = Rotation.from_quat(attitudes[0]).apply(linear, inverse=True)
            return TurnedTwists(times, turned, times == stamps)
        after = np.clip(np.searchsorted(stamps, times), 1, len(stamps) - 1)
        inside = (times >= stamps[0]) & (times <= stamps[-1])
        near = inside & (stamps[after] - stamps[after - 1] <= self._longest_bracket)
        near |= stamps[after] == times
        turned = Slerp(stamps, Rotation.from_quat(attitudes))(np.clip(times, *stamps[[0, -1]]))
        return TurnedTwists(times, turned.apply(linear, inverse=True), near)
