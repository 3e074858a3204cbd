"""Where joints and wheels are by ``joint_states``, and whether it still comes."""

from collections.abc import Sequence
import time

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import Stream
from spacerobot_id.measurement.joints.turns import JointTurns
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.readings import JointReading

SILENCE = 2.0
"""Time without good joint states after which they are taken for silent, s."""


class JointWatch:
    """The last good joint state; several drivers may each give some of the joints.

    Parameters
    ----------
    names : sequence of str
        Joints and wheels wanted.
    wrap : sequence of bool
        Which of them may wrap: positions go on beyond a whole turn where these jump.
    logger : RcutilsLogger
        Logger of faults.
    """

    def __init__(self, names: Sequence[str], wrap: Sequence[bool], logger: RcutilsLogger) -> None:
        self._names = names
        self._turns = JointTurns(wrap)
        self._monitor = TopicStatistics('joint_states', logger)
        self._stream = Stream(2 * len(names), capacity=1)
        self._received = -np.inf
        self._positions, self._rates = np.zeros((2, len(names)))
        self._last_named = np.full(len(names), -np.inf)

    def refuse(self, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitor.reject(reason)

    def take(self, reading: JointReading) -> None:
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
        now = time.monotonic()
        self._turns.take(own.positions)
        self._positions[named] = own.positions[named]
        self._rates[named] = np.nan_to_num(own.velocities[named])
        self._last_named[named] = now
        missing = np.array(self._names)[now - self._last_named > SILENCE]
        if len(missing):
            self.refuse(f'joint {", ".join(missing)} is missing')
            return
        verdict = self._stream.push(reading.stamp, [*self._positions, *self._rates])
        if not verdict.is_taken:
            self._monitor.reject(verdict.value)
            return
        self._monitor.accept()
        self._received = time.monotonic()

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

    @property
    def rates(self) -> NDArray[np.float64]:
        """Rates in the order of the names, rad/s or m/s; zero where they are not provided."""
        return self._stream.last[len(self._names) :]

    @property
    def age(self) -> float:
        """Time since the last good joint state came, s of a steady clock."""
        return time.monotonic() - self._received

    @property
    def silence(self) -> str | None:
        """Reason why nothing good comes; None if it does."""
        if self.age <= SILENCE:
            return None
        ago = f'for {SILENCE:g} s' if np.isfinite(self.age) else 'yet'
        return f'joint_states: {self._monitor.reason or f"no message received {ago}"}'
