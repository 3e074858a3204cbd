"""Cycloids whose every way is free: start, and how far each actuator goes in each interval.

The paper's seeds ([Naveen 2024] section 5.4) tie all intervals of a joint together; here they are
free, and directions come out of the ways' signs. Positions, rates and accelerations at any phase
are affine in start and ways; rates and accelerations of an interval are bounded by its way alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar

from annotated_types import Interval, Len
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.cycloids import (
    ExcitationPlan,
    LARGEST_PLATEAU,
    largest_range,
    PEAK_RATE,
    unit_cycloid,
)
from spacerobot_id.excitation.trajectory.plan_file import PlanLayout, ROWS
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits
from spacerobot_id.settings.kinds import Finite, FinitePositive, ReadFrom

_MOST_LISTED = 20
"""Actuators beyond which the combinations are drawn one by one and no longer listed."""


class CombinationOrder(Enum):
    """In which order the combinations follow one another.

    GRAY
        From one interval to the next a single actuator changes its direction.
    BINARY
        As binary numbers count, the highest digit first.
    """

    GRAY = 'gray'
    BINARY = 'binary'


def direction_combinations(
    actuators: int, order: CombinationOrder = CombinationOrder.GRAY, *, first_fixed: bool = False
) -> NDArray[np.int8]:
    """Return all combinations of directions with one actuator's fixed.

    Parameters
    ----------
    actuators : int
        Number of joints and wheels.
    order : CombinationOrder
        How they follow one another; in both orders the first of the others turns once, half-way,
        and the last turns most often.
    first_fixed : bool
        Whether the first actuator always goes forward, and not the last.

    Returns
    -------
    ndarray of int8, shape (2^(actuators - 1), actuators)
        +1 or -1.

    Raises
    ------
    ValueError
        If there is no actuator, or so many that the list would not fit a computer.
    """
    if not 1 <= actuators <= _MOST_LISTED:
        raise ValueError(f'direction combinations of {actuators} actuators cannot be listed')
    count = np.arange(2 ** (actuators - 1))
    codes = count ^ (count >> 1) if order is CombinationOrder.GRAY else count
    directions = _directions(codes, actuators)
    return np.roll(directions, 1, axis=1) if first_fixed else directions


def draw_direction_combinations(
    actuators: int, count: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Return distinct combinations, drawn at random, in Gray order of shuffled actuators.

    Parameters
    ----------
    actuators : int
        Number of joints and wheels.
    count : int
        Number of intervals wanted.
    rng : numpy.random.Generator
        Source of the draw.

    Returns
    -------
    ndarray of int8, shape (min(count, 2^(actuators - 1)), actuators)
        +1 or -1; the last actuator always +1.
    """
    if actuators <= _MOST_LISTED:
        drawn = rng.permutation(2 ** (actuators - 1))[:count]
    else:
        distinct = np.unique(rng.integers(0, 2 ** min(actuators - 1, 62), 2 * count))
        drawn = rng.permutation(distinct)[:count]
    drawn = np.sort(drawn)
    directions = _directions(drawn ^ (drawn >> 1), actuators)
    order = np.append(rng.permutation(actuators - 1), actuators - 1)
    return directions[:, order]


def _directions(codes: NDArray[np.int64], actuators: int) -> NDArray[np.int8]:
    """Return the signs that the bits of codes stand for, the highest bit first."""
    bits = codes[:, None] >> np.arange(actuators - 2, -1, -1)
    signs = 1 - 2 * (bits & 1)
    return np.hstack([signs, np.ones((len(signs), 1), dtype=int)]).astype(np.int8)


MEAN_SQUARE_RATE = 1.5
"""Mean square of the unit cycloid's rate, without a plateau."""

RATE_SPREAD = np.sqrt(1.0 / 12.0 - 35.0 / (144.0 * np.pi**2))
"""Standard deviation of the unit cycloid's position, each moment counted by its squared rate."""

_HALF_MOMENT = 3.0 / 16.0 - 1.0 / (3.0 * np.pi**2)
"""Integral over the second half of its position from the middle, by its squared rate."""

_PER_INTERVAL = 4
"""Samples of an interval where limits are looked at in a search: at the ends of the quarters of
its cycloid, where acceleration, rate, acceleration and position are largest."""


@dataclass(frozen=True, eq=False)
class CycloidFamily:
    """All motions of K cycloids of one duration within the limits of each actuator.

    Parameters are the m start positions, then K rows of m ways in units of the largest that rate
    and acceleration allow, -1 to 1.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators: joints, then wheels.
    limits : sequence of JointLimits
        Their limits; each needs one of rate or acceleration.
    intervals : int
        Number K of intervals.
    interval : float
        Duration of each, s.
    start : ndarray, shape (m,)
        Where the motion starts; NaN where a search may choose.
    plateau : float
        Share of each interval at constant rate, from 0 to below 1.
    """

    names: tuple[str, ...]
    limits: Sequence[JointLimits]
    intervals: int
    interval: float
    start: NDArray[np.float64]
    plateau: float = 0.0

    is_even: ClassVar[bool] = False

    @property
    def largest(self) -> NDArray[np.float64]:
        """Largest ways of an interval, shape (m,), rad or m."""
        return np.array(
            [
                min(largest_range(each, self.interval, self.plateau), each.upper - each.lower)
                for each in self.limits
            ]
        )

    @property
    def bounds(self) -> Bounds:
        """Box of the parameters."""
        lower, upper = self._start_box()
        ones = np.ones(self.intervals * len(self.names))
        return Bounds(np.concatenate([lower, -ones]), np.concatenate([upper, ones]))

    @property
    def constraints(self) -> tuple[()]:
        """None: positions cost a penalty, and are cut at their limits at the end."""
        return ()

    def motion(self, parameters: NDArray[np.float64]) -> ExcitationPlan:
        """Return the motion that parameters make."""
        start, ways = self._split(parameters)
        knots = start + np.vstack([np.zeros_like(start), np.cumsum(ways, axis=0)])
        durations = np.full(self.intervals, self.interval)
        return ExcitationPlan(self.names, knots, durations, self.plateau)

    def parameters(self, knots: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the parameters of knots, shape (K + 1, m)."""
        return np.concatenate([knots[0], (np.diff(knots, axis=0) / self.largest).ravel()])

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the largest ways in directions drawn at random, turned round at limits."""
        count = len(self.names)
        drawn = [draw_direction_combinations(count, self.intervals, rng)]
        while sum(map(len, drawn)) < self.intervals:  # few actuators: again, in another order
            drawn.append(draw_direction_combinations(count, self.intervals, rng))
        directions = np.concatenate(drawn)[: self.intervals]
        lower, upper = self._start_box()
        walk = np.vstack([np.zeros(count), np.cumsum(directions * self.largest, axis=0)])
        middle = 0.5 * (walk.min(axis=0) + walk.max(axis=0))
        start = rng.uniform(lower, upper)
        free = np.isnan(self.start)
        start[free] = np.clip(start - middle, lower, upper)[free]
        knots = _reflected(start + walk, *self.position_box())
        knots[0] = start
        return self.parameters(knots)

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return parameters whose knots keep the position limits: no way grows by clipping."""
        knots = self.motion(parameters).knots
        knots = knots[0] + share * (knots - knots[0])
        lower, upper = self.position_box()
        first = knots[0].copy()
        knots = np.clip(knots, np.minimum(lower, first), np.maximum(upper, first))
        kept = self.parameters(knots)
        box = self.bounds
        return np.clip(kept, box.lb, box.ub)

    def information_sampler(self) -> 'CycloidSampler':
        """Return two samples per interval that stand for all of it.

        Information goes with the squared rate and all actuators share its course, so the rule is
        Gauss's of two nodes in the way done, weighted by the squared rate: exact wherever the
        information of a configuration is cubic along the way.
        """
        way = 0.5 + rate_spread(self.plateau) * np.array([-1.0, 1.0])
        rate = np.full(2, np.sqrt(mean_square_rate(self.plateau)))
        return CycloidSampler(self, way, rate, np.zeros(2))

    def limit_sampler(self, density: int) -> 'CycloidSampler':
        """Return samples at the ends of equal parts of every cycloid, its plateau left out."""
        parts = _PER_INTERVAL * density
        turned = np.arange(1, parts + 1) / parts
        on_plateau = self.plateau * np.heaviside(turned - 0.5, 0.5)
        shape = unit_cycloid((1.0 - self.plateau) * turned + on_plateau, self.plateau)
        return CycloidSampler(self, shape.position, shape.velocity, shape.acceleration)

    def _split(
        self, parameters: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return start and ways, rad or m."""
        count = len(self.names)
        return parameters[:count], parameters[count:].reshape(-1, count) * self.largest

    def position_box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lowest and the highest positions."""
        lower = np.array([limit.lower for limit in self.limits])
        return lower, np.array([limit.upper for limit in self.limits])

    def _start_box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where the motion may start: within a turn where there is no limit."""
        lower, upper = self.position_box()
        middle = np.clip(0.0, lower, upper)
        lower, upper = np.maximum(lower, middle - np.pi), np.minimum(upper, middle + np.pi)
        fixed = ~np.isnan(self.start)
        return np.where(fixed, self.start, lower), np.where(fixed, self.start, upper)


class CycloidSampler:
    """Samples at the same phases of every interval.

    Parameters
    ----------
    family : CycloidFamily
        Family.
    way, rate, acceleration : ndarray, shape (s,)
        Unit cycloid at the phases.
    """

    def __init__(
        self,
        family: CycloidFamily,
        way: NDArray[np.float64],
        rate: NDArray[np.float64],
        acceleration: NDArray[np.float64],
    ) -> None:
        self._family = family
        self._shapes = (way, rate / family.interval, acceleration / family.interval**2)
        count = family.intervals * len(way)
        self.weights = np.full(count, family.intervals * family.interval / count)

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that parameters make."""
        start, ways = self._family._split(parameters)
        begin = start + np.cumsum(ways, axis=0) - ways
        values = [shape[:, None] * ways[:, None] for shape in self._shapes]
        values[0] += begin[:, None]
        times = np.cumsum(self.weights)
        return PlannedMotion(times, *(value.reshape(len(times), -1) for value in values))

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the parameters from those by the samples."""
        count, parts = len(self._family.names), len(self._shapes[0])
        by = [
            part.reshape(-1, parts, count)
            for part in (gradient.position, gradient.velocity, gradient.acceleration)
        ]
        of_way = sum(
            np.einsum('s,ksm->km', shape, part)
            for shape, part in zip(self._shapes, by, strict=True)
        )
        of_begin = by[0].sum(axis=1)
        after = np.cumsum(of_begin[::-1], axis=0)[::-1]
        of_way += after - of_begin
        return np.concatenate([after[0], (of_way * self._family.largest).ravel()])


def mean_square_rate(plateau: float = 0.0) -> float:
    """Return the mean square of the rate of the unit cycloid with a plateau."""
    ramps = (1.0 - plateau) * MEAN_SQUARE_RATE
    return float((ramps + plateau * PEAK_RATE**2) / (1.0 + plateau) ** 2)


def rate_spread(plateau: float = 0.0) -> float:
    """Return the standard deviation of its position, each moment counted by its squared rate."""
    ramps, whole = 1.0 - plateau, 1.0 + plateau
    own = 0.5 * MEAN_SQUARE_RATE * (plateau**2 + (ramps * RATE_SPREAD) ** 2)
    on_ramps = 2.0 * ramps * (own + 2.0 * plateau * ramps * _HALF_MOMENT)
    on_plateau = PEAK_RATE**2 * plateau**3 / 3.0
    return float(np.sqrt((on_ramps + on_plateau) / whole**4 / mean_square_rate(plateau)))


def _reflected(
    path: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a path turned round wherever it meets a limit; no step of it grows."""
    span = upper - lower
    with np.errstate(invalid='ignore'):  # infinite limits, of which no more is taken
        folded = span - np.abs(np.mod(path - lower, 2.0 * span) - span) + lower
        from_below, from_above = lower + np.abs(path - lower), upper - np.abs(upper - path)
    path = np.where(np.isfinite(lower), from_below, np.where(np.isfinite(upper), from_above, path))
    return np.where(np.isfinite(span), folded, path)


def make(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    _cycles: int,
) -> CycloidFamily:
    """Return the family of settings, see ``make_family``."""
    return CycloidFamily(names, limits, settings.intervals, interval, start, settings.plateau)


def _plan(
    names: tuple[str, ...],
    durations: NDArray[np.float64],
    knots: NDArray[np.float64],
    plateau: float = 0.0,
) -> ExcitationPlan:
    """Return the motion of a file."""
    wanted = (len(durations) + 1, len(names))
    if knots.shape != wanted:
        raise PlanningError(
            f'knots: must be {wanted[0]} rows of {wanted[1]} numbers for '
            f'{len(durations)} durations and {len(names)} names, got shape {knots.shape}'
        )
    return ExcitationPlan(names, knots, durations, plateau)


LAYOUT = PlanLayout(
    ExcitationPlan,
    _plan,
    'An exciting motion of cycloids from knot to knot, at rest at every knot.',
    {
        'durations': (
            ReadFrom(Annotated[tuple[FinitePositive, ...], Len(1)], np.array),
            'Durations of the intervals; s.',
        ),
        'plateau': (
            Annotated[Finite, Interval(ge=0.0, le=LARGEST_PLATEAU)],
            'Share of each interval at constant rate; no unit.',
        ),
        'knots': (ROWS, 'Positions at the ends of the intervals, one row per knot; rad or m.'),
    },
    defaults={'plateau': 0.0},
)
