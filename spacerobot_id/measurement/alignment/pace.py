"""How far apart samples are: rates of the streams, found from their stamps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.alignment.buffers import Buffers, VelocitySource
from spacerobot_id.measurement.signal.resampling import AVERAGED
from spacerobot_id.measurement.stream import Need

_PACED = 8
"""Stamps of a stream from which on its rate is known well."""

_SURELY = 3.0
"""Ratio of the intervals of two streams that no few stamps have by chance."""

_NEIGHBOURS = 2.5
"""Times the usual distance of a stream's samples within which two are neighbours."""

_FURTHEST = 0.15
"""Largest distance of neighbours, s: motions cannot be interpolated across more."""

_SLOWEST, _FEW = 0.11, 4.0
"""Longest distance that a few others are averaged for, s, and how many are more than a few: their
windows are 3.5 times as long."""


@dataclass(frozen=True, eq=False)
class Pace:
    """Distances of samples that streams allow.

    Parameters
    ----------
    buffers : Buffers
        Streams, as they have come until now.
    """

    buffers: Buffers

    @property
    def spacing(self) -> float:
        """Usual distance of samples: of the slowest stream but poses, s.

        A stream that is slow, and others hardly faster, as where its messages are lost, counts
        where it is read: to average a few of these over as long would cost more than it gains.
        """
        intervals = [self.buffers.streams[name].interval for name in self._pacing()]
        known = [each for each in intervals if np.isfinite(each)]
        least = min(known, default=0.0)
        known = [each for each in known if each <= max(_SLOWEST, least) or each > _FEW * least]
        return max([*known, 1.0 / self.buffers.settings.most_rate])

    @property
    def apart(self) -> float:
        """Usual distance of poses that count at their own stamps, s; 0 if they do not."""
        if not (self.buffers.needs.joints and self.buffers.needs.pose):
            return 0.0
        interval = self.buffers.streams['base_pose'].interval
        slower_by = self._slower_by('base_pose', *self._pacing())
        return interval if interval > slower_by * self.spacing else 0.0

    def averaged_over(self, spacing: float) -> float:
        """Return the distance of samples if some stream is averaged around them, else 0."""
        fastest = [self.buffers.streams[name].interval for name in self.buffers.awaited()]
        return spacing if any(spacing > AVERAGED * each for each in fastest) else 0.0

    def thinned(self, stamps: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
        """Return the stamps of joint states that samples are made at."""
        stamps = stamps[stamps > self.buffers.until]
        interval = self.buffers.streams['joint_states'].interval
        if not spacing > self._slower_by(*self._pacing()) * interval:
            return stamps
        chosen, last = [], self.buffers.until
        for stamp in stamps.tolist():
            if stamp - last > spacing - 0.5 * interval:
                chosen.append(stamp)
                last = stamp
        return np.array(chosen)

    def bracket(self, name: str) -> float:
        """Return how far apart two samples of a stream may be that are interpolated between, s."""
        interval = self.buffers.streams[name].interval
        near = min(_NEIGHBOURS * interval, _FURTHEST) if np.isfinite(interval) else 0.0
        return max(self.buffers.settings.longest_bracket, near)

    def _pacing(self) -> list[str]:
        """Return the streams whose rates bound that of the samples."""
        needs = self.buffers.needs
        pacing = ['joint_states'] * bool(needs.joints)
        pacing += ['imu'] * (needs.gyro is Need.NEEDED)
        is_measured = bool(needs.velocity) and self.buffers.source is VelocitySource.TWIST
        return pacing + ['base_twist'] * is_measured

    def _slower_by(self, *names: str) -> float:
        """Return by how much a stream's interval must be longer than another's to be slower.

        The more, the fewer stamps they are known from.
        """
        known = all(self.buffers.streams[name].latest_count > _PACED for name in names)
        return AVERAGED if known else _SURELY


def is_steady(count: int, interval: float) -> bool:
    """Return whether so many messages, so far apart (s), are a stream that can be followed."""
    return count > _PACED and interval <= _FURTHEST
