"""The latest attitude of the base, from its pose."""

import numpy as np

from spacerobot_id.measurement.readings import PoseReading
from spacerobot_id.spatial import normalise_quaternion


class AttitudeWatch:
    """Remembers the last attitude that is one; that of the inertial frame before the first."""

    def __init__(self) -> None:
        self.attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)

    def refuse(self, reason: str) -> None:
        """Pass a message over that was not readable."""

    def take(self, reading: PoseReading) -> None:
        """Take a pose; one without a rotation is passed over."""
        attitude = normalise_quaternion(reading.attitude)
        if attitude is not None and np.isfinite(attitude).all():
            self.attitude = tuple(attitude.tolist())
