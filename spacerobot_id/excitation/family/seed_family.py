"""The paper's family: start and range of every joint, in given directions ([Naveen 2024] 5.4).

It is the cycloid family where the ways of all intervals hang on one range per actuator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint

from spacerobot_id.excitation.family.cycloid_family import (
    CycloidFamily,
    direction_combinations,
    draw_direction_combinations,
)
from spacerobot_id.excitation.family.motion_family import MotionSampler
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits

_MOST_COMBINED = 12
"""Actuators beyond which direction combinations are drawn: 2^11 intervals are half an hour."""

LAYOUT = None
"""Its motions are cycloids, in files too."""

LEAST_RANGE = 0.02
"""Least range, as a share of the largest: at zero a joint would stand still."""


@dataclass(frozen=True, eq=False)
class SeedFamily:
    """All motions of given direction combinations, by start and range of each actuator.

    Parameters are the m starts, rad or m, then the m ranges as shares of the largest, 0 to 1.

    Parameters
    ----------
    cycloids : CycloidFamily
        Actuators, intervals and limits.
    directions : ndarray, shape (K, m)
        Direction combinations, +1 or -1.
    """

    cycloids: CycloidFamily
    directions: NDArray[np.int8]

    is_even: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the actuators."""
        return self.cycloids.names

    @property
    def bounds(self) -> Bounds:
        """Box of starts (Eq. 33) and ranges (Eqs. 36, 37)."""
        count, box = len(self.names), self.cycloids.bounds
        return Bounds(
            np.append(box.lb[:count], np.full(count, LEAST_RANGE)),
            np.append(box.ub[:count], np.ones(count)),
        )

    @property
    def constraints(self) -> tuple[LinearConstraint, ...]:
        """Limits of each actuator's highest and lowest position (Eq. 33), where there are any."""
        cycloids, travelled, eye = self.cycloids, self.travelled(), np.eye(len(self.names))
        highest = np.hstack([eye, np.diag(travelled.max(axis=0) * cycloids.largest)])
        lowest = np.hstack([eye, np.diag(travelled.min(axis=0) * cycloids.largest)])
        lower, upper = cycloids.position_box()
        above, below = np.isfinite(upper), np.isfinite(lower)
        if not (above.any() or below.any()):
            return ()
        return (
            LinearConstraint(
                np.vstack([highest[above], lowest[below]]),
                np.concatenate([np.full(above.sum(), -np.inf), lower[below]]),
                np.concatenate([upper[above], np.full(below.sum(), np.inf)]),
            ),
        )

    def motion(self, parameters: NDArray[np.float64]) -> ExcitationPlan:
        """Return the motion of seeds (Eqs. 30, 31)."""
        return self.cycloids.motion(self.spread(parameters))

    def spread(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the parameters of the cycloid family that seeds stand for."""
        start, ranges = np.split(parameters, 2)
        return np.concatenate([start, (self.directions * ranges).ravel()])

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the largest ranges that limits allow, with starts drawn at random."""
        count, box = len(self.names), self.bounds
        lower, upper = box.lb[:count], box.ub[:count]
        return self.keep(np.append(rng.uniform(lower, upper), np.ones(count)))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return seeds whose motion keeps the position limits: nearer starts, shorter ranges."""
        start, ranges = np.split(parameters, 2)
        travelled = self.travelled()
        lower, upper = self.cycloids.position_box()
        fixed, largest = ~np.isnan(self.cycloids.start), self.cycloids.largest
        room = np.where(
            fixed,
            np.minimum(
                _ratio(upper - start, travelled.max(axis=0)),
                _ratio(start - lower, -travelled.min(axis=0)),
            ),
            _ratio(upper - lower, np.ptp(travelled, axis=0)),
        )
        ranges = np.minimum(share * ranges, room / largest)
        low, high = travelled.min(axis=0) * ranges, travelled.max(axis=0) * ranges
        start = np.where(
            fixed, start, np.clip(start, lower - low * largest, upper - high * largest)
        )
        return np.append(start, ranges)

    def travelled(self) -> NDArray[np.float64]:
        """Return how many ranges each actuator has gone at each knot, shape (K + 1, m)."""
        first = np.zeros((1, len(self.names)))
        return np.vstack([first, np.cumsum(self.directions, axis=0)])

    def information_sampler(self) -> 'SeedSampler':
        """Return two samples per interval, as the cycloid family has them."""
        return SeedSampler(self, self.cycloids.information_sampler())

    def limit_sampler(self, density: int) -> 'SeedSampler':
        """Return samples where limits are looked at, as the cycloid family has them."""
        return SeedSampler(self, self.cycloids.limit_sampler(density))


class SeedSampler:
    """Samples of the cycloid family, and gradients carried on to the seeds.

    Parameters
    ----------
    family : SeedFamily
        Family.
    cycloids : MotionSampler
        Sampler of its cycloids.
    """

    def __init__(self, family: SeedFamily, cycloids: MotionSampler) -> None:
        self._family, self._cycloids = family, cycloids
        self.weights = cycloids.weights

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that seeds make."""
        return self._cycloids.sample(self._family.spread(parameters))

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the seeds from those by the samples."""
        spread, count = self._cycloids.pull_back(gradient), len(self._family.names)
        of_ways = spread[count:].reshape(-1, count)
        return np.append(spread[:count], np.sum(of_ways * self._family.directions, axis=0))


def _ratio(room: NDArray[np.float64], travel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest range for a room; without an end where nothing is travelled."""
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(travel > 0.0, room / np.maximum(travel, 0.0), np.inf)


def knots_from_seeds(
    start: ArrayLike, reach: ArrayLike, directions: ArrayLike
) -> NDArray[np.float64]:
    """Return positions at the ends of the intervals (Eqs. 30, 31).

    Parameters
    ----------
    start : array_like, shape (m,)
        Start parameters, rad or m.
    reach : array_like, shape (m,)
        Range parameters: distance moved in each interval, rad or m.
    directions : array_like, shape (K, m)
        Direction combinations, +1 or -1.

    Returns
    -------
    ndarray, shape (K + 1, m)
        Positions, rad or m.
    """
    steps = np.cumsum(directions, axis=0) * np.asarray(reach, dtype=float)
    return np.asarray(start, dtype=float) + np.vstack([np.zeros_like(steps[:1]), steps])


def seed_family(
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    directions: NDArray[np.int8] | None = None,
) -> SeedFamily:
    """Return the paper's family, of all direction combinations unless some are given.

    The first actuator always goes forward, the order is Gray's: that is the order whose counts of
    significant singular values are those of the paper. Beyond a dozen actuators as many
    combinations are drawn as a dozen have.

    Parameters
    ----------
    names, limits, interval, start
        As for ``make_family``.
    directions : ndarray, shape (K, m), optional
        Direction combinations.
    """
    count = len(names)
    if directions is None and count <= _MOST_COMBINED:
        directions = direction_combinations(count, first_fixed=True)
    elif directions is None:
        rng = np.random.default_rng(0)
        directions = draw_direction_combinations(count, 2 ** (_MOST_COMBINED - 1), rng)
    return SeedFamily(CycloidFamily(names, limits, len(directions), interval, start), directions)


def make(
    _settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    _cycles: int,
) -> SeedFamily:
    """Return the family of settings, see ``make_family``."""
    return seed_family(names, limits, interval, start)
