"""Topics whose value stays the same, bit for bit, while the robot's motion changes (F12).

Equal samples alone mean nothing: encoders of a joint at rest do not move, and a sensor with coarse
steps or without noise gives the same for as long as the robot stands still or coasts. A topic is
frozen only where another one, or the joint states themselves, show that it must have changed. A
few such samples may be one that is published again until the next is there; many are not.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import RobotModel

_BEYOND = 10.0
"""Standard deviations of the noise that a change has to be larger than."""

_LEAST = 1e-6
"""Least standard deviation of anything measured: rad, rad/s, m or m/s."""


_PERIOD = 0.005
"""Least time between two looks at whether a topic should have changed, s."""


class Change(Enum):
    """What a new sample is beside those before it.

    Other than they or the same at rest, the same although it must have changed, or that so often
    that its topic is frozen.
    """

    POSSIBLE = 0
    LACKING = 1
    FROZEN = 2


@dataclass(frozen=True, eq=False)
class _Same:
    """A value since it came, the values of joints and gyro then, and when it was last judged."""

    value: NDArray[np.float64]
    begin: float
    joints: NDArray[np.float64] | None
    gyro: NDArray[np.float64] | None
    last: float
    count: int = 1
    judged: float = -np.inf
    lacks_change: bool = False


def frozen_reason(most: int) -> str:
    """Return the reason why a sample is refused."""
    return f'value is frozen: the same in {most} samples, while the robot moves'


class FrozenMonitor(Protocol):
    """What finds frozen topics.

    Attributes
    ----------
    reason : str
        Reason why a frozen sample is refused.
    most : int
        Equal samples in a row after which a topic may be frozen.
    """

    reason: str
    most: int

    def change(self, topic: str, stamp: float, value: NDArray[np.float64]) -> Change:
        """Return how a topic has changed, its new sample among what is known."""

    def all_change(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether every sample, one per row, is other than the one before it."""

    def take_changed(self, topic: str, stamp: float, value: NDArray[np.float64]) -> None:
        """Take the last one of samples that all change."""


BaseTwist = Callable[..., NDArray[np.float64]]
"""Twists of the base that joint positions, joint rates and wheel rates make, one row each."""


def repeats(values: NDArray[np.float64], most: int) -> bool:
    """Return whether a row comes that many times in a row: without that nothing is frozen."""
    if not 0 < most <= len(values):
        return False
    changes = np.flatnonzero((values[1:] != values[:-1]).any(axis=1)) + 1
    return bool(np.diff(changes, prepend=0, append=len(values)).max() >= most)


def have_gone_on(
    model: RobotModel, rates: NDArray[np.float64], seconds: float | NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return whether rates carry a joint on by more than noise and steps of its encoder.

    Parameters
    ----------
    model : RobotModel
        Robot, for the noise of its joints.
    rates : ndarray, shape (..., n)
        Joint rates, rad/s or m/s.
    seconds : float or ndarray, shape (...)
        For how long, s.
    """
    noise = model.noise
    position_std = max(noise.joint_position, model.sensors.encoder_resolution, _LEAST)
    fastest = np.max(np.abs(rates), axis=-1, initial=0.0) - _BEYOND * noise.joint_rate
    return fastest * seconds > _BEYOND * position_std


class FrozenByJoints:
    """Finds the frozen ones among ``joint_states``, ``imu/data``, ``base_pose``, ``base_twist``.

    Parameters
    ----------
    model : RobotModel
        Prior model of n joints and w wheels.
    base_twist : callable
        Twists of the base that joints and wheels make, the total momentum being zero.
    most : int
        Equal samples in a row after which a topic may be frozen; never if 0.
    turns_by_itself : bool
        Whether the robot may tumble with its joints at rest, as its angular momentum is not zero.
    """

    def __init__(
        self,
        model: RobotModel,
        base_twist: BaseTwist,
        most: int,
        *,
        turns_by_itself: bool = False,
    ) -> None:
        self.reason, self.most = frozen_reason(most), most
        self._model, self._turns_by_itself = model, turns_by_itself
        self._base_twist = base_twist
        noise = model.noise
        self._std = {
            'imu/data': max(noise.base_angular_velocity, _LEAST),
            'base_twist': max(noise.base_linear_velocity, _LEAST),
        }
        self._pose_std = np.repeat([noise.base_position, noise.base_attitude], 3).clip(_LEAST)
        self._same: dict[str, _Same] = {}

    def change(self, topic: str, stamp: float, value: NDArray[np.float64]) -> Change:
        """Return how a topic has changed, its new sample among what is known.

        Parameters
        ----------
        topic : str
            Topic.
        stamp : float
            Time of the sample, s.
        value : ndarray
            All numbers of the sample; of joint states n positions, n rates, w wheel rates.
        """
        if not self.most or not np.isfinite(value).all():
            return Change.POSSIBLE
        before = self._same.get(topic)
        if before is None or stamp < before.begin or value.tobytes() != before.value.tobytes():
            self.take_changed(topic, stamp, value)
            return Change.POSSIBLE
        if stamp > before.last:
            before = self._counted(before, stamp)
            self._same[topic] = before
        if stamp - before.judged >= _PERIOD:  # twists take a third of a millisecond
            moved = self._has_moved(topic, before)
            before = replace(before, judged=stamp, lacks_change=moved)
            self._same[topic] = before
        if not before.lacks_change:
            return Change.POSSIBLE
        return Change.FROZEN if before.count >= self.most else Change.LACKING

    def all_change(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether every sample, one per row, is other than the one before it."""
        if not self.most or not np.isfinite(values).all():
            return True
        before = self._latest(topic)
        rows = values if before is None else np.vstack([before, values])
        return bool((rows[1:] != rows[:-1]).any(axis=1).all())

    def take_changed(self, topic: str, stamp: float, value: NDArray[np.float64]) -> None:
        """Take the last one of samples that all change."""
        if self.most and np.isfinite(value).all():
            joints, gyro = self._latest('joint_states'), self._latest('imu/data')
            self._same[topic] = _Same(value, stamp, joints, gyro, stamp)

    def _counted(self, same: _Same, stamp: float) -> _Same:
        """Return a value that came again; the first values of others hold for all time before."""
        return replace(
            same,
            joints=self._latest('joint_states') if same.joints is None else same.joints,
            gyro=self._latest('imu/data') if same.gyro is None else same.gyro,
            last=stamp,
            count=same.count + 1,
        )

    def _latest(self, topic: str) -> NDArray[np.float64] | None:
        return self._same[topic].value if topic in self._same else None

    def _has_moved(self, topic: str, same: _Same) -> bool:
        """Return whether a topic's value should have changed since it came."""
        if topic == 'joint_states':
            return self._joints_have_moved(same) or self._base_has_turned(same)
        joints = self._latest('joint_states')
        if joints is None or same.joints is None:
            return False
        before, now = self._twist(same.joints), self._twist(joints)
        if topic == 'base_pose':
            way = 0.5 * (before + now) * (same.last - same.begin)
            return bool(np.any(np.abs(way) > _BEYOND * self._pose_std))
        part = slice(3, 6) if topic == 'imu/data' else slice(0, 3)
        return bool(np.any(np.abs(now - before)[part] > _BEYOND * self._std[topic]))

    def _joints_have_moved(self, same: _Same) -> bool:
        """Return whether the rates show that a joint has gone on, while its position stays."""
        n = len(self._model.joints)
        return bool(have_gone_on(self._model, same.value[n : 2 * n], same.last - same.begin))

    def _base_has_turned(self, same: _Same) -> bool:
        """Return whether the base turns otherwise than when the joints came to rest."""
        gyro = self._latest('imu/data')
        if self._turns_by_itself or gyro is None or same.gyro is None:
            return False
        return bool(np.any(np.abs(gyro - same.gyro) > _BEYOND * self._std['imu/data']))

    def _twist(self, joints: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the base's twist that joint states make, the total momentum being zero."""
        n = len(self._model.joints)
        return self._base_twist(joints[None, :n], joints[None, n : 2 * n], joints[None, 2 * n :])[
            0
        ]


class FrozenByWrenches:
    """Finds a frozen ``base_pose`` of a robot that is moved by wrenches alone.

    Parameters
    ----------
    mobility : ndarray, shape (6, 6)
        Acceleration of the whole robot, its joints at rest, by the wrench on it.
    acting : callable
        Returns the wrench that acts now: force and torque, N and N m, shape (6,).
    pose_std : tuple of float
        Standard deviations of position (m) and attitude (rad).
    most : int
        Equal poses in a row after which the topic may be frozen; never if 0.
    """

    def __init__(
        self,
        mobility: NDArray[np.float64],
        acting: Callable[[], NDArray[np.float64]],
        pose_std: tuple[float, float],
        most: int,
    ) -> None:
        self.reason, self.most = frozen_reason(most), most
        self._mobility, self._acting = mobility, acting
        self._std = np.repeat(pose_std, 3).clip(_LEAST)
        self._pose, self._stamp, self._count = np.zeros(0), 0.0, 0
        self._gained, self._way = np.zeros(6), np.zeros(6)

    def change(self, topic: str, stamp: float, value: NDArray[np.float64]) -> Change:
        """Return whether the pose stays, although wrenches must have moved the robot on.

        Parameters
        ----------
        topic : str
            Topic; any but ``base_pose`` is not judged.
        stamp : float
            Time of the pose, s.
        value : ndarray, shape (7,)
            Position and quaternion.
        """
        if topic != 'base_pose' or not self.most:
            return Change.POSSIBLE
        pose, wrench = value, self._acting()
        if pose.tobytes() != self._pose.tobytes() or stamp < self._stamp:
            self.take_changed(topic, stamp, value)
            return Change.POSSIBLE
        step = stamp - self._stamp
        self._count += step > 0.0
        self._gained = self._gained + step * (self._mobility @ wrench)
        self._way = self._way + step * self._gained
        self._stamp = stamp
        if not np.any(np.abs(self._way) > _BEYOND * self._std):
            return Change.POSSIBLE
        return Change.FROZEN if self._count >= self.most else Change.LACKING

    def all_change(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether every pose, one per row, is other than the one before it."""
        if topic != 'base_pose' or not self.most:
            return True
        rows = np.vstack([self._pose, values]) if len(self._pose) else values
        return bool((rows[1:] != rows[:-1]).any(axis=1).all())

    def take_changed(self, topic: str, stamp: float, value: NDArray[np.float64]) -> None:
        """Take the last one of poses that all change."""
        if topic == 'base_pose' and self.most:
            self._pose, self._stamp, self._count = value, stamp, 1
            self._gained, self._way = np.zeros(6), np.zeros(6)
