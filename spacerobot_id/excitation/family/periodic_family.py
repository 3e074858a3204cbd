"""Periodic Fourier motions as a family that a search can take ([Ekal 2019] Eq. 20).

Motions are linear in their coefficients. What goes beyond a joint's own limits is shrunk at the
end, about the start: the search pays for it before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from annotated_types import Interval
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import null_space
from scipy.optimize import Bounds

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.motion_family import FourierSamplers, known_start
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.command_check import extent_of
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.plan_file import PlanLayout, ROW, ROWS
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES
from spacerobot_id.model import JointLimits
from spacerobot_id.settings.kinds import FinitePositive, WHOLE


@dataclass(frozen=True, eq=False)
class FourierFamily(FourierSamplers):
    """All Fourier motions of some actuators that begin and end every cycle at rest.

    Parameters are p m numbers from -1 to 1, those of the sines first: p of them, p as in
    ``shape``, for each actuator.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits; each needs one of rate or acceleration.
    period : float
        Period, s.
    start : ndarray, shape (m,)
        Positions at the start of a cycle, rad or m.
    harmonics : int
        Number of harmonics.
    cycles : int
        How many periods a motion lasts.

    Raises
    ------
    PlanningError
        If a start is outside its limits, an actuator has no limit of rate and acceleration, or
        there are too few harmonics to begin and end at rest; names the actuator.
    """

    names: tuple[str, ...]
    limits: Sequence[JointLimits]
    period: float
    start: NDArray[np.float64]
    harmonics: int = 3
    cycles: int = 1

    def __post_init__(self) -> None:
        if self.harmonics < 2:
            raise PlanningError(f'{self.harmonics} harmonics: too few to begin and end at rest')
        for name, limit, start in zip(self.names, self.limits, self.start.tolist(), strict=True):
            if not limit.lower < start < limit.upper:
                raise PlanningError(
                    f'{name}: starts at {start:g}, not between {limit.lower:g} and {limit.upper:g}'
                )
            if not np.isfinite(min(limit.velocity, limit.acceleration)):
                raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')

    @property
    def duration(self) -> float:
        """Duration of one cycle, s: all show the same."""
        return self.period

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (p, m) of the numbers that stand for a motion."""
        return self._shapes[0].shape[1] + self._shapes[1].shape[1], len(self.names)

    @property
    def bounds(self) -> Bounds:
        """Box of the numbers, shape (p m,)."""
        ones = np.ones(self.shape).ravel()
        return Bounds(-ones, ones)

    def motion(self, parameters: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion of numbers, p m of them, which nothing scales down: linear in them."""
        numbers = np.asarray(parameters, dtype=float).reshape(self.shape)
        sines, cosines = self._shapes
        largest = self._largest_rates()
        return self._series(
            sines @ numbers[: sines.shape[1]] * largest,
            cosines @ numbers[sines.shape[1] :] * largest,
        )

    def kept_motion(self, parameters: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion of p m numbers, scaled down until every actuator keeps its limits."""
        series = self.motion(parameters)
        share = self._allowed_share(series)
        return self._series(share * series.rate_cosines, share * series.rate_sines)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return numbers, drawn at random, of a motion that keeps its actuators' limits."""
        return self.keep(rng.uniform(-1.0, 1.0, len(self.bounds.lb)))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return numbers shrunk until every actuator keeps its limits."""
        numbers = share * parameters
        return (numbers.reshape(self.shape) * self._allowed_share(self.motion(numbers))).ravel()

    @cached_property
    def _within(self) -> MotionExtent:
        """How far the limits let actuators go."""
        return extent_of(self.limits)

    def _largest_rates(self) -> NDArray[np.float64]:
        """Return the rate of one harmonic that is as large as any limit lets it be."""
        frequency, within = 2.0 * np.pi / self.period, self._within
        room = np.minimum(within.highest - self.start, self.start - within.lowest)
        return np.minimum(
            np.minimum(within.velocity, within.acceleration / frequency),
            np.where(np.isfinite(room), self.harmonics * frequency * room, np.inf),
        )

    def _series(
        self, rate_cosines: NDArray[np.float64], rate_sines: NDArray[np.float64]
    ) -> PeriodicFourierMotion:
        """Return the motion of some coefficients, from the start on."""
        order = np.arange(1, self.harmonics + 1)[:, None] * 2.0 * np.pi / self.period
        offset = self.start + (rate_sines / order).sum(axis=0)
        return PeriodicFourierMotion(
            self.names, self.period, offset, rate_cosines, rate_sines, self.cycles
        )

    def _allowed_share(self, motion: PeriodicFourierMotion) -> NDArray[np.float64]:
        """Return the largest share, up to one, of every actuator's motion that keeps limits."""
        extent, within = motion.extent(), self._within
        used = np.stack(
            [
                (extent.highest - self.start) / (within.highest - self.start),
                (self.start - extent.lowest) / (self.start - within.lowest),
                extent.velocity / within.velocity,
                extent.acceleration / within.acceleration,
                np.ones(len(self.names)),
            ]
        )
        return 1.0 / used.max(axis=0)

    @cached_property
    def _shapes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return orthonormal columns of coefficients that rest at the ends allows: sines, cosines.

        There the rates ``a_k`` and the accelerations ``k w b_k`` of all harmonics add up to zero.
        """
        order = np.arange(1.0, self.harmonics + 1.0)
        return null_space(np.ones((1, self.harmonics))), null_space(order[None])


def make(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    cycles: int,
) -> FourierFamily:
    """Return the family of settings, see ``make_family``."""
    duration = settings.duration or settings.intervals * interval
    start = known_start(start, limits)
    return FourierFamily(names, limits, duration, start, settings.harmonics, cycles)


def pose_family(
    limits: FreeFlyerLimits, period: float, harmonics: int = 3, cycles: int = 1
) -> FourierFamily:
    """Return the periodic Fourier motions of a base about the origin that keep some limits.

    Parameters
    ----------
    limits : FreeFlyerLimits
        Limits.
    period : float
        Period, s.
    harmonics, cycles : int
        Number of harmonics, and of periods.
    """
    coordinates, here = limits.of_coordinates(), np.zeros(6)
    return FourierFamily(POSE_COORDINATES, coordinates, period, here, harmonics, cycles)


def _motion(**given: Any) -> PeriodicFourierMotion:  # noqa: ANN401
    """Return the motion of a file."""
    motion = PeriodicFourierMotion(**given)
    if not motion.is_at_rest_at_its_ends:
        raise PlanningError('rate_cosines, rate_sines: the motion is not at rest at its ends')
    return motion


LAYOUT = PlanLayout(
    PeriodicFourierMotion,
    _motion,
    'An exciting motion of a Fourier series, at rest where its cycles begin and end.',
    {
        'period': (FinitePositive, 'Duration of a cycle; s.'),
        'cycles': (Annotated[int, Interval(ge=1), WHOLE], 'Number of cycles; no unit.'),
        'offset': (ROW, 'Mean positions; rad or m.'),
        'rate_cosines': (
            ROWS,
            'Amplitudes of the cosines of the rates, one row per harmonic; per s.',
        ),
        'rate_sines': (ROWS, 'Amplitudes of the sines of the rates, one row per harmonic; per s.'),
    },
    {'sine': 'rate_cosines', 'cosine': 'rate_sines'},
)
