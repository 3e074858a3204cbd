"""All limits of a motion together: what a search pays for breaking them, and what is reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.actuator_limits import ActuatorLimits
from spacerobot_id.excitation.base_motion_limits import BaseExcursionLimit, BaseRateLimit
from spacerobot_id.excitation.keep_in_box import KeepInBox, KeepInBoxLimit
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.motion import ExcitingMotion, PlannedMotion
from spacerobot_id.excitation.motion_limit import LimitUse, MotionLimit
from spacerobot_id.excitation.motion_sampler import SampleGradient
from spacerobot_id.excitation.self_collision import SelfCollisionLimit
from spacerobot_id.excitation.torque_limits import TorqueLimits
from spacerobot_id.excitation.turning_limits import TurningLimits
from spacerobot_id.model import JointLimits, RobotModel

ROUNDING = 1e-6
"""Share of a limit beyond it that counts as rounding."""

_MARGIN = 0.01
"""Share of every limit that a search stays away from it, for what lies between its samples."""


@dataclass(frozen=True)
class LimitSettings:
    """Limits of a motion that no description of a robot has.

    Parameters
    ----------
    base_rate : float
        Largest angular velocity of the base, rad/s.
    base_excursion : float
        Largest angle of the base from its attitude at the start, rad.
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
    """

    limits: Sequence[MotionLimit]

    def penalty(self, motion: PlannedMotion) -> float:
        """Return the sum of the squares of what is beyond the limits, less a margin."""
        return 0.5 * sum(float(np.sum(_excess(limit, motion) ** 2)) for limit in self.limits)

    def pull_back(self, motion: PlannedMotion) -> tuple[float, SampleGradient]:
        """Return the penalty and its derivatives by the samples."""
        total, gradients = 0.0, []
        for limit in self.limits:
            excess = _excess(limit, motion)
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
        uses = [
            LimitUse(name, float(share))
            for limit in self.limits
            for name, share in zip(limit.names, limit.usage(motion).max(axis=0), strict=True)
            if share != 0.0
        ]
        return tuple(sorted(uses, key=lambda use: -use.share))


def limit_set(
    model: RobotModel,
    settings: LimitSettings,
    actuators: Sequence[JointLimits],
    spacing: NDArray[np.float64],
    momentum: KnownMomentum | None = None,
) -> LimitSet:
    """Return all limits that there are for a robot.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    settings : LimitSettings
        Limits beside those of the description.
    actuators : sequence of JointLimits
        Position, rate and acceleration of joints, then wheels.
    spacing : ndarray, shape (N,)
        Time that each sample of a motion stands for, s.
    momentum : KnownMomentum, optional
        Angular momentum of a robot that does not start at rest: its set has no gradient.
    """
    limits: list[MotionLimit] = [ActuatorLimits(model.joint_names + model.wheel_names, actuators)]
    if momentum is None:
        limits += _limits_from_rest(model, settings, spacing)
    else:
        base = settings.base_rate, settings.base_excursion
        limits.append(TurningLimits(model, momentum, *base))
    limits += [KeepInBoxLimit(model, box) for box in settings.keep_in]
    collision = SelfCollisionLimit.of(model, settings.clearance)
    if collision is not None:
        limits.append(collision)
    return LimitSet(limits)


def _limits_from_rest(
    model: RobotModel, settings: LimitSettings, spacing: NDArray[np.float64]
) -> list[MotionLimit]:
    """Return those that depend on the base's motion, the robot being at rest at the start."""
    limits: list[MotionLimit] = []
    torques = TorqueLimits(model, settings.planar)
    if torques.is_needed:
        limits.append(torques)
    if np.isfinite(settings.base_rate):
        limits.append(BaseRateLimit(model, settings.base_rate, settings.planar))
    if np.isfinite(settings.base_excursion):
        limits.append(BaseExcursionLimit(model, settings.base_excursion, spacing, settings.planar))
    return limits


def limit_use(
    model: RobotModel,
    settings: LimitSettings,
    actuators: Sequence[JointLimits],
    motion: ExcitingMotion,
    step: float,
    momentum: KnownMomentum | None = None,
) -> tuple[LimitUse, ...]:
    """Return how close a motion comes to each limit, the closest first.

    Parameters
    ----------
    model, settings, actuators, momentum
        As for ``limit_set``.
    motion : ExcitingMotion
        Motion.
    step : float
        Largest time between the samples that are looked at, s.
    """
    count = int(np.ceil(motion.duration / step))
    spacing = np.full(count, motion.duration / count)
    times = np.cumsum(spacing) - 0.5 * spacing
    samples = motion.sample(times)
    uses = limit_set(model, settings, actuators, spacing, momentum).use(samples)
    extent = motion.extent()  # what lies between the samples
    reached = PlannedMotion(
        times[:2],
        np.stack([extent.lowest, extent.highest]),
        np.stack([extent.velocity, extent.velocity]),
        np.stack([extent.acceleration, extent.acceleration]),
    )
    proven = {
        use.name: use for use in LimitSet([ActuatorLimits(motion.names, actuators)]).use(reached)
    }
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


def _excess(limit: MotionLimit, motion: PlannedMotion) -> NDArray[np.float64]:
    """Return what is beyond a limit; families keep those of the actuators without a margin."""
    margin = 0.0 if isinstance(limit, ActuatorLimits) else _MARGIN
    return np.maximum(limit.usage(motion) - (1.0 - margin), 0.0)
