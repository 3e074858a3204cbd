"""Rates of wheels whose drivers give angles alone: slopes of the angles around each sample.

Wheels are heavy against what their encoders are off by, so that the noise of such rates is next
to nothing beside that of a gyro. Angles may come modulo a turn, as long as no wheel can turn by
half of one between two samples.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.readings import JointReading
from spacerobot_id.measurement.signal.central_slope import CentralSlope, REACH
from spacerobot_id.measurement.stream import Stream, Verdict
from spacerobot_id.model import ReactionWheel

_LONGEST = 0.15
"""Largest time between two samples of a slope, s."""

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

    def are_needed(self, reading: JointReading) -> bool:
        """Return whether a reading of all joints has angles of the wheels and no rates."""
        angles, rates = reading.positions[self._wheels], reading.velocities[self._wheels]
        return len(angles) > 0 and np.isfinite(angles).all() and np.isnan(rates).all()

    def take(self, reading: JointReading) -> tuple[Verdict, list[JointReading]]:
        """Take a reading; return what became of it, and readings that have become complete.

        Where samples are too far apart for rates these are left out: NaN.
        """
        table = np.stack([reading.positions, reading.velocities, reading.efforts])
        verdict = self._stream.push(reading.stamp, table.ravel())
        stamps = self._stream.stamps
        if not verdict.is_taken or len(stamps) < 2 * REACH + 1:
            return verdict, []
        tables = self._stream.values.reshape(-1, _PARTS, self._count)
        positions, velocities, efforts = tables[REACH]
        velocities = velocities.copy()
        velocities[self._wheels] = self._slopes(stamps, tables[:, 0, self._wheels])
        stamp = float(stamps[REACH])
        return verdict, [JointReading(stamp, reading.names, positions, velocities, efforts)]

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
