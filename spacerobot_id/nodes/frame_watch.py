"""Whether the sensors of the base agree: gyro and twist against the way of the pose (F11).

A gyro in other axes than the pose is given in, a quaternion from the inertial frame to the body, a
twist of the centre of mass or in the wrong axes: each looks like good data, of another robot.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from scipy.spatial.transform import Rotation

from spacerobot_id.data import Measurement

_SPAN = 1.0
"""Time over which ways are compared, s."""

_SPANS = 3
"""Spans in a row that have to disagree."""

_SHARE = 0.5
"""Difference of two ways, as a share of the longer one, that is no noise and no delay."""

_BEYOND = 20.0
"""Standard deviations of the noise that a way has to be longer than, to be compared at all."""

_LEAST = 1e-4
"""Least standard deviation of a pose, m and rad."""


class FrameWatch:
    """Compares ways of the base, span by span, while it moves on.

    A linear velocity that is made from the poses agrees with them, of course.

    Parameters
    ----------
    pose_std : tuple of float
        Standard deviations of position (m) and attitude (rad).
    gyro_bias : float
        Standard deviation of the gyro's bias, rad/s.
    longest_step : float
        Longest time between two samples of a span, s.
    """

    def __init__(
        self, pose_std: tuple[float, float], gyro_bias: float, longest_step: float
    ) -> None:
        position, attitude = (max(each, _LEAST) for each in pose_std)
        self._least = {
            'base_twist': _BEYOND * position,
            'imu/data': _BEYOND * (attitude + gyro_bias * _SPAN),
        }
        self._longest_step = longest_step
        self._span: Measurement | None = None
        self._differ = {topic: deque[bool](maxlen=_SPANS) for topic in self._least}

    def take(self, block: Measurement) -> None:
        """Take aligned samples, in the order of time."""
        block = block[np.isfinite(block.attitude).all(axis=1)]
        if not len(block):
            return
        span = block if self._span is None else Measurement.concatenate([self._span, block])
        breaks = np.flatnonzero(
            (np.diff(span.times) > self._longest_step) | (np.diff(span.times) <= 0.0)
        )
        span = span[breaks[-1] + 1 :] if len(breaks) else span
        while span.times[-1] - span.times[0] >= _SPAN:
            end = int(np.searchsorted(span.times, span.times[0] + _SPAN)) + 1
            self._compare(span[:end])
            span = span[end - 1 :]
        self._span = span

    def disagreements(self) -> tuple[str, ...]:
        """Return which topics go other ways than the pose, in words."""
        return tuple(
            f'{topic} and base_pose disagree about the motion of the base: wrong frame, axes, '
            'unit or point'
            for topic, differ in self._differ.items()
            if len(differ) == _SPANS and all(differ)
        )

    def _compare(self, span: Measurement) -> None:
        """Compare the ways over one span."""
        turned = Rotation.from_quat(span.attitude)
        turn = (turned[0].inv() * turned[-1]).as_rotvec()
        self._note('imu/data', span.times, span.base_twist[:, 3:], turn)
        way = span.position[-1] - span.position[0]
        self._note('base_twist', span.times, turned.apply(span.base_twist[:, :3]), way)

    def _note(
        self,
        topic: str,
        times: NDArray[np.float64],
        rates: NDArray[np.float64],
        way: NDArray[np.float64],
    ) -> None:
        """Note whether rates go another way than the pose; ways back and forth say little."""
        integral = trapezoid(rates, times, axis=0)
        path = trapezoid(np.linalg.norm(rates, axis=1), times)
        longer = max(np.linalg.norm(way), np.linalg.norm(integral))
        if longer > max(self._least[topic], _SHARE * path):
            self._differ[topic].append(np.linalg.norm(way - integral) > _SHARE * longer)
