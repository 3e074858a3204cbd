"""All limits of a motion together: what a search pays for breaking them, and what is reported.

They hold for a robot that starts at rest and for one that turns with a known momentum. In the
latter case each sample depends on all before it: there is no gradient by the samples, and a
search takes differences of whole motions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox, KeepInBoxLimit
from spacerobot_id.excitation.constraint.motion_limit import LimitUse, MotionLimit, usage_gradient
from spacerobot_id.excitation.constraint.self_collision import SelfCollisionLimit
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import base_attitude, PlannedBase


@dataclass(frozen=True, eq=False)
class TorqueLimits:
    """Torques of all actuators that have a limit of it.

    Parameters
    ----------
    base : PlannedBase
        Robot, and how its base is predicted to move.
    """

    base: PlannedBase

    @property
    def names(self) -> list[str]:
        """What is limited: as many texts as there are actuators."""
        model = self.base.model
        return [f'{name}: torque' for name in model.joint_names + model.wheel_names]

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    @property
    def is_needed(self) -> bool:
        """Whether any actuator has a limit."""
        return bool(np.isfinite(self._limits()).any())

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares of the torques, shape (N, m)."""
        return np.abs(self.base.torques(motion)) / self._limits()

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        parts = ('position', 'velocity', 'acceleration')
        return usage_gradient(self.usage, motion, by, parts, motion.position.shape[1])

    def _limits(self) -> NDArray[np.float64]:
        joints = [joint.limits.effort for joint in self.base.model.joints]
        return np.array(joints + [wheel.max_torque for wheel in self.base.model.wheels])


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Position, rate and acceleration of every actuator, in this order.

    Parameters
    ----------
    actuators : sequence of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits, infinite where there is none.
    """

    actuators: Sequence[str]
    limits: Sequence[JointLimits]

    has_gradient: ClassVar[bool] = True

    @property
    def names(self) -> list[str]:
        """What is limited, 3 m texts."""
        return [
            f'{name}: {what}'
            for what in ('position', 'rate', 'acceleration')
            for name in self.actuators
        ]

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares that are used, shape (N, 3 m).

        That of a position is its distance from the middle over half of what is allowed; where
        there is a limit on one side alone, zero is half a turn before it.
        """
        below, above, _ = self._positions(motion)
        return np.hstack(
            [
                np.maximum(below, above),
                np.abs(motion.velocity) / self._values('velocity'),
                np.abs(motion.acceleration) / self._values('acceleration'),
            ]
        )

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        below, above, half = self._positions(motion)
        position, velocity, acceleration = np.split(by, 3, axis=1)
        return SampleGradient(
            position * np.sign(above - below) / half,
            velocity * np.sign(motion.velocity) / self._values('velocity'),
            acceleration * np.sign(motion.acceleration) / self._values('acceleration'),
        )

    def _positions(
        self, motion: PlannedMotion
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return shares of lower and upper limits, and what one share is, rad or m."""
        lower, upper = self._values('lower'), self._values('upper')
        half = 0.5 * (upper - lower)
        half = np.where(np.isfinite(half), np.maximum(half, np.finfo(float).tiny), np.pi)
        below = np.maximum(1.0 + (lower - motion.position) / half, 0.0)
        above = np.maximum(1.0 + (motion.position - upper) / half, 0.0)
        return below, above, half

    def _values(self, name: str) -> NDArray[np.float64]:
        """Return one kind of limit of all actuators."""
        return np.array([getattr(limit, name) for limit in self.limits])


def actuator_limits(model: RobotModel) -> list[JointLimits]:
    """Return what joints, then wheels may do.

    A wheel's rate keeps its rate and its momentum limit; its acceleration is what its motor gives
    it on a base that does not turn.
    """
    wheels = [
        JointLimits(velocity=wheel.rate_limit, acceleration=wheel.max_torque / wheel.spin_inertia)
        for wheel in model.wheels
    ]
    return [joint.limits for joint in model.joints] + wheels


ROUNDING = 1e-6
"""Share of a limit beyond it that counts as rounding."""


@dataclass(frozen=True, eq=False)
class BaseRateLimit:
    """Magnitude of the base's angular velocity.

    Parameters
    ----------
    base : PlannedBase
        Base to predict.
    largest : float
        Limit, rad/s.
    """

    base: PlannedBase
    largest: float

    names: ClassVar[tuple[str]] = ('base: rate',)

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        omega = self.base.twist(motion)[:, 3:]
        return np.linalg.norm(omega, axis=1, keepdims=True) / self.largest

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        parts = ('position', 'velocity')
        return usage_gradient(self.usage, motion, by, parts, motion.position.shape[1])


@dataclass(frozen=True, eq=False)
class BaseExcursionLimit:
    """Angle by which the base is turned from its attitude at the start.

    Parameters
    ----------
    base : PlannedBase
        Base to predict.
    largest : float
        Limit, rad.
    spacing : ndarray, shape (N,)
        Time that each sample stands for, s.
    """

    base: PlannedBase
    largest: float
    spacing: NDArray[np.float64]

    names: ClassVar[tuple[str]] = ('base: excursion',)

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        return self.base.turned(motion, self.spacing).magnitude()[:, None] / self.largest

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares.

        Turning a little more at one sample turns all later attitudes about the same axis of the
        inertial frame, and an angle grows by what lies along its own axis.
        """
        omega = self.base.twist(motion)[:, 3:]
        turned = base_attitude(omega, self.spacing)
        vectors = turned.as_rotvec()
        angles = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(float).tiny)
        along = vectors / angles * by / self.largest
        later = np.cumsum(along[::-1], axis=0)[::-1]
        by_rotation = turned.inv().apply(later) * self.spacing[:, None]
        # The turn of one sample is along an axis that the turn itself carries half way.
        by_rotation += 0.5 * self.spacing[:, None] * np.cross(omega, by_rotation)
        parts = ('position', 'velocity')
        return usage_gradient(
            lambda some: self.base.twist(some)[:, 3:],
            motion,
            by_rotation,
            parts,
            motion.position.shape[1],
        )


@dataclass(frozen=True)
class LimitSettings:
    """Limits of a motion that no description of a robot has.

    Parameters
    ----------
    base_rate : float
        Largest angular velocity of the base, rad/s, of every robot that is planned for.
    base_excursion : float
        Largest angle of the base from its attitude at the start, rad, of every such robot.
    keep_in : sequence of KeepInBox
        Boxes that frames of the robot do not leave.
    clearance : float
        Least distance between links that are no neighbours, as far as the description gives
        collision shapes, m; collisions do not count if it is negative.
    planar : bool
        Whether a table holds the base in its plane, free along x and y and about z.
    """

    base_rate: float = np.inf
    base_excursion: float = np.inf
    keep_in: Sequence[KeepInBox] = ()
    clearance: float = 0.0
    planar: bool = False


@dataclass(frozen=True, eq=False)
class LimitSet:
    """Limits of one robot, looked at along samples that are evenly spaced.

    Parameters
    ----------
    limits : sequence of MotionLimit
        Limits.
    margin : float
        Share of every limit but the actuators' that a search stays away from it, for what lies
        between its samples; families keep those of the actuators by themselves.
    """

    limits: Sequence[MotionLimit]
    margin: float = 0.01

    @property
    def has_gradient(self) -> bool:
        """Whether ``pull_back`` can be asked."""
        return all(limit.has_gradient for limit in self.limits)

    def penalty(self, motion: PlannedMotion) -> float:
        """Return the sum of the squares of what is beyond the limits, less a margin."""
        return 0.5 * sum(float(np.sum(self._excess(limit, motion) ** 2)) for limit in self.limits)

    def pull_back(self, motion: PlannedMotion) -> tuple[float, SampleGradient]:
        """Return the penalty and its derivatives by the samples."""
        total, gradients = 0.0, []
        for limit in self.limits:
            excess = self._excess(limit, motion)
            if excess.any():
                total += 0.5 * float(np.sum(excess**2))
                gradients.append(limit.pull_back(motion, excess))
        nothing = np.zeros_like(motion.position)
        return total, SampleGradient(
            *(
                sum((getattr(each, part) for each in gradients), start=nothing)
                for part in ('position', 'velocity', 'acceleration')
            )
        )

    def use(self, motion: PlannedMotion) -> tuple[LimitUse, ...]:
        """Return how close a motion comes to each limit that there is, the closest first."""
        largest: dict[str, float] = {}
        for limit in self.limits:
            for name, share in zip(limit.names, limit.usage(motion).max(axis=0), strict=True):
                if share != 0.0:
                    largest[name] = max(float(share), largest.get(name, -np.inf))
        uses = (LimitUse(name, share) for name, share in largest.items())
        return tuple(sorted(uses, key=lambda use: -use.share))

    def _excess(self, limit: MotionLimit, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return what is beyond a limit less its margin."""
        margin = 0.0 if isinstance(limit, ActuatorLimits) else self.margin
        return np.maximum(limit.usage(motion) - (1.0 - margin), 0.0)


def limit_set(
    base: PlannedBase,
    settings: LimitSettings,
    actuators: Sequence[JointLimits],
    spacing: NDArray[np.float64],
    drawn: Sequence[PlannedBase] = (),
) -> LimitSet:
    """Return all limits that there are for a robot.

    Parameters
    ----------
    base : PlannedBase
        Robot to predict with, and how it starts: at rest, or turning.
    settings : LimitSettings
        Limits beside those of the description.
    actuators : sequence of JointLimits
        Position, rate and acceleration of joints, then wheels.
    spacing : ndarray, shape (N,)
        Time that each sample of a motion stands for, s.
    drawn : sequence of PlannedBase
        Robots that the prior may stand for: limits of the base hold for all of them.
    """
    model = base.model
    limits: list[MotionLimit] = [ActuatorLimits(model.joint_names + model.wheel_names, actuators)]
    torques = TorqueLimits(base)
    if torques.is_needed:
        limits.append(torques)
    for each in (base, *drawn):
        if np.isfinite(settings.base_rate):
            limits.append(BaseRateLimit(each, settings.base_rate))
        if np.isfinite(settings.base_excursion):
            limits.append(BaseExcursionLimit(each, settings.base_excursion, spacing))
    limits += [KeepInBoxLimit(model, box) for box in settings.keep_in]
    collision = SelfCollisionLimit.of(model, settings.clearance)
    if collision is not None:
        limits.append(collision)
    return LimitSet(limits)


def limit_use(
    limits: Callable[[NDArray[np.float64]], LimitSet], motion: ExcitingMotion, step: float
) -> tuple[LimitUse, ...]:
    """Return how close a motion comes to each limit, the closest first.

    Parameters
    ----------
    limits : callable
        From the time that each sample stands for, shape (N,), to the limits.
    motion : ExcitingMotion
        Motion.
    step : float
        Largest time between the samples that are looked at, s.
    """
    count = int(np.ceil(motion.duration / step))
    spacing = np.full(count, motion.duration / count)
    times = np.cumsum(spacing) - 0.5 * spacing
    looked_at = limits(spacing)
    uses = looked_at.use(motion.sample(times))
    extent = motion.extent()  # what lies between the samples
    reached = PlannedMotion(
        times[:2],
        np.stack([extent.lowest, extent.highest]),
        np.stack([extent.velocity, extent.velocity]),
        np.stack([extent.acceleration, extent.acceleration]),
    )
    of_actuators = [each for each in looked_at.limits if isinstance(each, ActuatorLimits)]
    proven = {use.name: use for use in LimitSet(of_actuators).use(reached)}
    return tuple(sorted((proven.get(use.name, use) for use in uses), key=lambda use: -use.share))


def with_start_allowed(
    limits: Sequence[JointLimits], start: NDArray[np.float64]
) -> list[JointLimits]:
    """Return limits wide enough for where actuators are; NaN where that is not known."""
    return [
        limit
        if np.isnan(place)
        else replace(limit, lower=min(limit.lower, place), upper=max(limit.upper, place))
        for limit, place in zip(limits, start.tolist(), strict=True)
    ]
