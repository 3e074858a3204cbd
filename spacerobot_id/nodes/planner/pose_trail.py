"""The latest poses of the base, and how it moves by them."""

import time

import numpy as np
from rclpy.impl.rcutils_logger import RcutilsLogger

from spacerobot_id.excitation.thrust.thruster_firing import base_state, BaseState
from spacerobot_id.measurement import Stream
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.readings import PoseReading
from spacerobot_id.nodes.planner.joint_watch import SILENCE
from spacerobot_id.spatial import normalise_quaternion

_FITTED = 0.5
"""Time over which velocities are found from poses, s."""

_KEPT = 200
"""Poses kept."""


class PoseTrail:
    """The good poses of the last while.

    Parameters
    ----------
    logger : RcutilsLogger
        Logger of faults.
    """

    def __init__(self, logger: RcutilsLogger) -> None:
        self._monitor = TopicStatistics('base_pose', logger)
        self._stream = Stream(7, _KEPT)
        self._received = -np.inf

    def refuse(self, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitor.reject(reason)

    def take(self, reading: PoseReading) -> None:
        """Take a pose, or refuse it with its reason."""
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
        if attitude is None:
            self._monitor.reject('quaternion is not of unit length')
            return
        verdict = self._stream.push(reading.stamp, [*reading.position, *attitude])
        if not verdict.is_taken:
            self._monitor.reject(verdict.value)
            return
        self._monitor.accept()
        self._received = time.monotonic()

    @property
    def silence(self) -> str | None:
        """Reason why nothing good comes; None if it does."""
        age = time.monotonic() - self._received
        if age <= SILENCE and len(self._stream) > 1:
            return None
        ago = f'for {SILENCE:g} s' if np.isfinite(age) else 'yet'
        return f'base_pose: {self._monitor.reason or f"no message received {ago}"}'

    @property
    def position(self) -> np.ndarray:
        """Position that was received last, m, shape (3,)."""
        return self._stream.last[:3]

    def state(self) -> BaseState:
        """Return where the base is and how it moves, at the stamp of the last pose."""
        stamps, values = self._stream.stamps, self._stream.values
        lately = stamps >= stamps[-1] - _FITTED
        lately[-2:] = True
        return base_state(stamps[lately], values[lately, :3], values[lately, 3:])
