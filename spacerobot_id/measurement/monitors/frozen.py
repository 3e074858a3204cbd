"""Topics whose value stays the same, bit for bit, while the robot's motion changes (F12).

Equal samples alone mean nothing: encoders of a joint at rest do not move, and a sensor with coarse
steps or without noise gives the same for as long as the robot stands still or coasts. A topic is
frozen only where another one, or the joint states themselves, show that it must have changed. A
few such samples may be one that is published again until the next is there; many are not.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import Enum

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
    """A value since it came, what was known of others then, and when it was last judged."""

    value: NDArray[np.float64]
    begin: float
    known: tuple
    last: float
    count: int = 1
    judged: float = -np.inf
    lacks_change: bool = False


class FrozenMonitor(ABC):
    """What finds frozen topics.

    Parameters
    ----------
    most : int
        Equal samples in a row after which a topic may be frozen; never if 0.

    Attributes
    ----------
    reason : str
        Reason why a frozen sample is refused.
    most : int
        As given.
    """

    topics: Collection[str]
    """Topics that are judged."""

    def __init__(self, most: int) -> None:
        self.reason = f'value is frozen: the same in {most} samples, while the robot moves'
        self.most = most
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
        if not self._is_judged(topic, value):
            return Change.POSSIBLE
        same = self._same.get(topic)
        if same is None or stamp < same.begin or value.tobytes() != same.value.tobytes():
            self.take_changed(topic, stamp, value)
            return Change.POSSIBLE
        if stamp > same.last:
            known = self._known_again(same, stamp)
            same = replace(same, known=known, last=stamp, count=same.count + 1)
        if stamp - same.judged >= _PERIOD:  # twists take a third of a millisecond
            same = replace(same, judged=stamp, lacks_change=self._has_moved(topic, same))
        self._same[topic] = same
        if not same.lacks_change:
            return Change.POSSIBLE
        return Change.FROZEN if same.count >= self.most else Change.LACKING

    def all_change(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether every sample, one per row, is other than the one before it."""
        if not self._is_judged(topic, values):
            return True
        before = self._latest(topic)
        rows = values if before is None else np.vstack([before, values])
        return bool((rows[1:] != rows[:-1]).any(axis=1).all())

    def take_changed(self, topic: str, stamp: float, value: NDArray[np.float64]) -> None:
        """Take the last one of samples that all change."""
        if self._is_judged(topic, value):
            self._same[topic] = _Same(value, stamp, self._known(), stamp)

    def _is_judged(self, topic: str, value: NDArray[np.float64]) -> bool:
        return bool(self.most) and topic in self.topics and bool(np.isfinite(value).all())

    def _latest(self, topic: str) -> NDArray[np.float64] | None:
        return self._same[topic].value if topic in self._same else None

    @abstractmethod
    def _known(self) -> tuple:
        """Return what is known of others when a value comes for the first time."""

    @abstractmethod
    def _known_again(self, same: _Same, stamp: float) -> tuple:
        """Return the same where the value has come again."""

    @abstractmethod
    def _has_moved(self, topic: str, same: _Same) -> bool:
        """Return whether a topic's value should have changed since it came."""


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


class FrozenByJoints(FrozenMonitor):
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

    topics = ('joint_states', 'imu/data', 'base_pose', 'base_twist')

    def __init__(
        self,
        model: RobotModel,
        base_twist: BaseTwist,
        most: int,
        *,
        turns_by_itself: bool = False,
    ) -> None:
        super().__init__(most)
        self._model, self._turns_by_itself = model, turns_by_itself
        self._base_twist = base_twist
        noise = model.noise
        self._std = {
            'imu/data': max(noise.base_angular_velocity, _LEAST),
            'base_twist': max(noise.base_linear_velocity, _LEAST),
        }
        self._pose_std = np.repeat([noise.base_position, noise.base_attitude], 3).clip(_LEAST)

    def _known(self) -> tuple:
        """Return the values of joints and gyro."""
        return self._latest('joint_states'), self._latest('imu/data')

    def _known_again(self, same: _Same, stamp: float) -> tuple:
        """Return them; the first values of others hold for all time before."""
        pairs = zip(same.known, self._known(), strict=True)
        return tuple(now if before is None else before for before, now in pairs)

    def _has_moved(self, topic: str, same: _Same) -> bool:
        """Return whether a topic's value should have changed since it came."""
        if topic == 'joint_states':
            return self._joints_have_moved(same) or self._base_has_turned(same)
        joints, (first, _) = self._latest('joint_states'), same.known
        if joints is None or first is None:
            return False
        before, now = self._twist(first), self._twist(joints)
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
        gyro, (_, first) = self._latest('imu/data'), same.known
        if self._turns_by_itself or gyro is None or first is None:
            return False
        return bool(np.any(np.abs(gyro - first) > _BEYOND * self._std['imu/data']))

    def _twist(self, joints: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the base's twist that joint states make, the total momentum being zero."""
        n = len(self._model.joints)
        return self._base_twist(joints[None, :n], joints[None, n : 2 * n], joints[None, 2 * n :])[
            0
        ]


class FrozenByWrenches(FrozenMonitor):
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

    topics = ('base_pose',)

    def __init__(
        self,
        mobility: NDArray[np.float64],
        acting: Callable[[], NDArray[np.float64]],
        pose_std: tuple[float, float],
        most: int,
    ) -> None:
        super().__init__(most)
        self._mobility, self._acting = mobility, acting
        self._std = np.repeat(pose_std, 3).clip(_LEAST)

    def _known(self) -> tuple:
        """Return the velocity gained, and the way since the pose came."""
        return np.zeros(6), np.zeros(6)

    def _known_again(self, same: _Same, stamp: float) -> tuple:
        """Return them after a step."""
        (gained, way), step = same.known, stamp - same.last
        gained = gained + step * (self._mobility @ self._acting())
        return gained, way + step * gained

    def _has_moved(self, topic: str, same: _Same) -> bool:
        """Return whether wrenches must have moved the robot on."""
        return bool(np.any(np.abs(same.known[1]) > _BEYOND * self._std))
