"""Fourier series with a quintic as a family that a search can take ([Christidi 2017] Eq. 23).

Motions are affine in their coefficients. What goes beyond a joint's own limits is shrunk at the
end, about the start: the search pays for it before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.family.motion_family import FourierSamplers, known_start
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.excitation.trajectory.plan_file import PlanLayout, ROW, ROWS
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.model import JointLimits
from spacerobot_id.settings.kinds import FinitePositive

_ROUNDING = 1e-9
"""By how much rounding may be beyond a limit, rad, m or per s."""


@dataclass(frozen=True, eq=False)
class FourierQuinticFamily(FourierSamplers):
    """All motions of Eq. 23 between the same ends.

    Parameters are 2 m L shares, those of cosines first, of the largest coefficients that limits
    allow a harmonic alone.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators: joints, then wheels.
    limits : sequence of JointLimits
        Their limits.
    duration : float
        Duration, s.
    harmonics : int
        Number L of harmonics, at least one.
    start, end : ndarray, shape (m,)
        Positions at rest before and after, rad or m.
    """

    names: tuple[str, ...]
    limits: Sequence[JointLimits]
    duration: float
    harmonics: int
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.harmonics < 1:
            raise PlanningError(f'at least one harmonic is needed, got {self.harmonics}')

    @property
    def size(self) -> int:
        """Number of parameters."""
        return 2 * len(self.names) * self.harmonics

    @property
    def bounds(self) -> Bounds:
        """Box of the shares: motions in it may go beyond the limits, see ``keep``."""
        ones = np.ones(self.size)
        return Bounds(-ones, ones)

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """Largest coefficients that limits allow a harmonic alone, shape (2 m L,).

        Raises
        ------
        PlanningError
            If an actuator has no limit that bounds its harmonics; names it.
        """
        frequencies = 2.0 * np.pi / self.duration * np.arange(1, self.harmonics + 1)
        largest = np.array(
            [
                np.minimum(
                    limit.velocity,
                    np.minimum(
                        limit.acceleration / frequencies,
                        0.5 * (limit.upper - limit.lower) * frequencies,
                    ),
                )
                for limit in self.limits
            ]
        )
        for name, each in zip(self.names, largest, strict=True):
            if not np.isfinite(each).all():
                raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')
        return np.tile(largest.ravel(), 2)

    def motion(self, parameters: NDArray[np.float64]) -> FourierQuintic:
        """Return the motion that shares make."""
        return self.motion_of(parameters * self.largest)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return shares, drawn at random, of a motion that keeps its actuators' limits."""
        return self.keep(rng.uniform(-1.0, 1.0, self.size))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return shares shrunk until every actuator keeps its limits."""
        return self.within(share * parameters * self.largest) / self.largest

    def motion_of(self, coefficients: ArrayLike) -> FourierQuintic:
        """Return the motion of coefficients, shape (2 m L,): those of cosines, then of sines."""
        shape = (2, len(self.names), self.harmonics)
        rate_cosines, rate_sines = np.asarray(coefficients, dtype=float).reshape(shape)
        return FourierQuintic(
            self.names, self.duration, rate_cosines, rate_sines, self.start, self.end
        )

    def within(self, coefficients: ArrayLike) -> NDArray[np.float64]:
        """Return coefficients shrunk, actuator by actuator, until the motion keeps all limits.

        Parameters
        ----------
        coefficients : array_like, shape (2 m L,)
            Coefficients of a motion.

        Raises
        ------
        PlanningError
            If the straight way from start to end is beyond a limit already; names the actuator.
        """
        coefficients = np.asarray(coefficients, dtype=float)
        least, full = self._straight, self.motion_of(coefficients).extent()
        shares = np.ones(len(self.names))
        for place, limit in enumerate(self.limits):
            share = _share(least, full, place, limit)
            if share < 0.0:
                raise PlanningError(
                    f'{self.names[place]}: its limits do not let it from start to end within '
                    f'{self.duration:g} s'
                )
            shares[place] = share
        shape = (2, len(self.names), self.harmonics)
        return (coefficients.reshape(shape) * shares[:, None]).ravel()

    @cached_property
    def _straight(self) -> MotionExtent:
        """How far the motion without harmonics goes."""
        return self.motion_of(np.zeros(self.size)).extent()


def _share(least: MotionExtent, full: MotionExtent, place: int, limit: JointLimits) -> float:
    """Return which share of an actuator's harmonics its limits allow; negative if none.

    A motion is affine in the share, so its extent is convex in it: between no share and all of it
    the extent lies below the chord.
    """
    pairs = [
        (least.highest[place], full.highest[place], limit.upper),
        (-least.lowest[place], -full.lowest[place], -limit.lower),
        (least.velocity[place], full.velocity[place], limit.velocity),
        (least.acceleration[place], full.acceleration[place], limit.acceleration),
    ]
    if any(low > bound + _ROUNDING for low, _, bound in pairs):
        return -1.0
    shares = [max(0.0, (bound - low) / (high - low)) for low, high, bound in pairs if high > bound]
    return min(1.0, *shares) if shares else 1.0


def make(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    _cycles: int,
) -> FourierQuinticFamily:
    """Return the family of settings, see ``make_family``."""
    duration = settings.duration or settings.intervals * interval
    start = known_start(start, limits)
    return FourierQuinticFamily(names, limits, duration, settings.harmonics, start, start)


LAYOUT = PlanLayout(
    FourierQuintic,
    FourierQuintic,
    'An exciting motion of a Fourier series and a quintic, from rest to rest.',
    {
        'duration': (FinitePositive, 'Duration, the period of the first harmonic; s.'),
        'rate_cosines': (
            ROWS,
            'Amplitudes of the cosines of the rates, one row per actuator; per s.',
        ),
        'rate_sines': (ROWS, 'Amplitudes of the sines of the rates, one row per actuator; per s.'),
        'start': (ROW, 'Positions before; rad or m.'),
        'end': (ROW, 'Positions after; rad or m.'),
    },
    {'sines': 'rate_cosines', 'cosines': 'rate_sines'},
)
