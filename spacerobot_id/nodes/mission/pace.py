"""Whether a machine keeps the pace of simulated time, and which one it may keep instead."""

from dataclasses import dataclass, replace

WINDOW = 5.0
"""Wall time over which the pace is judged, s."""

SLOWEST = 0.25
"""Slowest pace that is proposed, simulated seconds per second."""

_KEPT = 0.8
"""Share of the time asked for, and of the samples, below which a machine does not keep up."""


@dataclass(frozen=True)
class Progress:
    """How far a mission is, at some wall time.

    Parameters
    ----------
    wall : float
        Wall time, s.
    simulated : float
        Simulated time, s.
    stamp : float
        Stamp of the last sample that the estimator has used, s.
    samples : int
        Number of samples that it has used.
    """

    wall: float
    simulated: float
    stamp: float
    samples: int


@dataclass(frozen=True)
class Pace:
    """A pace that is asked for, and since when it is judged.

    Parameters
    ----------
    factor : float
        Simulated seconds per second that are asked for.
    rate : float
        Samples per simulated second, Hz.
    since : Progress, optional
        Where judging began.
    """

    factor: float
    rate: float
    since: Progress | None = None

    def judged(self, now: Progress) -> tuple['Pace', str]:
        """Return the pace from now on, and why it is slower than before; empty if it is not."""
        since = self.since
        if since is None or now.simulated < since.simulated:
            return replace(self, since=now), ''
        wall = now.wall - since.wall
        if wall < WINDOW:
            return self, ''
        kept = (now.simulated - since.simulated) / wall
        due = (now.stamp - since.stamp) * self.rate
        used = (now.samples - since.samples) / due if due >= self.rate else 1.0
        onwards = replace(self, since=now)
        if min(kept / self.factor, used) >= _KEPT or self.factor <= SLOWEST:
            return onwards, ''
        reason = (
            f'{100.0 * max(used, 0.0):.0f} % of the samples are used'
            if used < kept / self.factor
            else f'{kept:.2g} is what it keeps'
        )
        return replace(onwards, factor=max(0.5 * self.factor, SLOWEST)), reason
