"""Where joints and wheels are, as ``joint_states`` says, and whether it still says so."""

from collections.abc import Sequence
import time

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from sensor_msgs.msg import JointState

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import Stream
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.nodes.messages.joints import joints_from_message

SILENCE = 2.0
"""Time without good joint states after which they are taken for silent, s."""


class JointWatch:
    """The last good joint state.

    Parameters
    ----------
    names : sequence of str
        Joints and wheels wanted.
    logger : RcutilsLogger
        Where faults are said.
    """

    def __init__(self, names: Sequence[str], logger: RcutilsLogger) -> None:
        self._names = names
        self._monitor = TopicStatistics('joint_states', logger)
        self._stream = Stream(2 * len(names), capacity=1)
        self._heard = -np.inf

    def take(self, message: JointState) -> None:
        """Take a message, or refuse it with its reason."""
        try:
            reading = joints_from_message(message, self._names)
        except MeasurementError as error:
            self._monitor.reject(str(error))
            return
        if np.isnan(reading.positions).any():
            self._monitor.reject('a position is not provided')
            return
        rates = np.nan_to_num(reading.velocities)
        verdict = self._stream.push(reading.stamp, [*reading.positions, *rates])
        if not verdict.is_taken:
            self._monitor.reject(verdict.value)
            return
        self._monitor.accept()
        self._heard = time.monotonic()

    @property
    def stamp(self) -> float:
        """Stamp of the last good joint state, s."""
        return self._stream.latest

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions in the order of the names, rad or m."""
        return self._stream.last[: len(self._names)]

    @property
    def rates(self) -> NDArray[np.float64]:
        """Rates in the order of the names, rad/s or m/s; zero where they are not provided."""
        return self._stream.last[len(self._names) :]

    @property
    def age(self) -> float:
        """Time since the last good joint state came, s of a steady clock."""
        return time.monotonic() - self._heard

    @property
    def silence(self) -> str | None:
        """Why nothing good comes, in words; None if it does."""
        if self.age <= SILENCE:
            return None
        ago = f'for {SILENCE:g} s' if np.isfinite(self.age) else 'yet'
        return f'joint_states: {self._monitor.reason or f"nothing heard {ago}"}'
