"""Where the base is and how it moves, from ``base_pose`` and ``base_twist``, smoothed."""

import time

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import Stream, Verdict
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.readings import PoseReading, TwistReading
from spacerobot_id.spatial import normalise_quaternion

SILENCE = 2.0
"""Time without good poses or twists after which they are taken for silent, s."""


class BaseWatch:
    """The state of the base by a complementary filter: twists ahead, poses back.

    Parameters
    ----------
    base : str
        Name of the base link: frame of twists in its own axes.
    filter_time : float
        Time over which poses are smoothed, s; as they come if zero.
    logger : RcutilsLogger
        Logger of faults.
    """

    def __init__(self, base: str, filter_time: float, logger: RcutilsLogger) -> None:
        self._base, self._filter_time = base, filter_time
        self._monitors = {
            topic: TopicStatistics(topic, logger) for topic in ('base_pose', 'base_twist')
        }
        self._poses, self._twists = Stream(7, capacity=1), Stream(6, capacity=1)
        self._position: NDArray[np.float64] | None = None
        self._turned = Rotation.identity()
        self._stamp = -np.inf
        self._received = {'base_pose': -np.inf, 'base_twist': -np.inf}

    @property
    def stamp(self) -> float:
        """Stamp of the last good pose, s."""
        return self._stamp

    @property
    def state(self) -> NDArray[np.float64]:
        """Position, quaternion, twist in base axes: a state of a rigid body, shape (13,)."""
        return np.concatenate([self._position, self._turned.as_quat(), self._twist()])

    @property
    def silence(self) -> str | None:
        """A message on which topic is silent, and why; None if none is."""
        for topic, received in self._received.items():
            if time.monotonic() - received > SILENCE:
                ago = f'for {SILENCE:g} s' if np.isfinite(received) else 'yet'
                return f'{topic}: {self._monitors[topic].reason or f"no message received {ago}"}'
        return None

    def refuse(self, topic: str, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitors[topic].reject(reason)

    def take_pose(self, reading: PoseReading) -> bool:
        """Take a pose; return whether it is good and new."""
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
        if attitude is None:
            self._monitors['base_pose'].reject('quaternion is not of unit length')
            return False
        values = np.concatenate([reading.position, attitude])
        if not self._take('base_pose', self._poses, reading.stamp, values):
            return False
        self._filter(reading.stamp, reading.position, Rotation.from_quat(attitude))
        return True

    def take_twist(self, reading: TwistReading) -> None:
        """Take a twist in base axes, or in the inertial ones that the pose is given in."""
        twist = reading.twist
        if reading.frame_id != self._base:
            if self._position is None:
                self._monitors['base_twist'].reject('no pose to turn it to base axes with')
                return
            inverse = self._turned.inv()
            twist = np.concatenate([inverse.apply(twist[:3]), inverse.apply(twist[3:])])
        self._take('base_twist', self._twists, reading.stamp, twist)

    def _take(self, topic: str, stream: Stream, stamp: float, values: NDArray[np.float64]) -> bool:
        """Push a sample; return whether it is good."""
        try:
            verdict = stream.push(stamp, values)
        except MeasurementError as error:
            self._monitors[topic].reject(str(error))
            return False
        if not verdict.is_taken:
            self._monitors[topic].reject(verdict.value)
            return False
        if verdict is Verdict.CLOCK_JUMPED and topic == 'base_pose':
            self._position = None
        self._monitors[topic].accept()
        self._received[topic] = time.monotonic()
        return True

    def _twist(self) -> NDArray[np.float64]:
        """Return the last twist; zero before the first."""
        return np.zeros(6) if self._twists.last is None else self._twists.last

    def _filter(self, stamp: float, position: NDArray[np.float64], turned: Rotation) -> None:
        """Carry the state on by the twist, then part of the way to the measured pose."""
        if self._position is None:
            self._position, self._turned, self._stamp = position, turned, stamp
            return
        step, twist = stamp - self._stamp, self._twist()
        share = step / (self._filter_time + step)
        ahead = self._position + step * self._turned.apply(twist[:3])
        turned_ahead = self._turned * Rotation.from_rotvec(step * twist[3:])
        self._position = ahead + share * (position - ahead)
        error = (turned_ahead.inv() * turned).as_rotvec()
        self._turned = turned_ahead * Rotation.from_rotvec(share * error)
        self._stamp = stamp
