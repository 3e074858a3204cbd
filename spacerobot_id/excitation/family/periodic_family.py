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
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.plan_layout import PlanLayout, ROW, ROWS
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES
from spacerobot_id.model import JointLimits
from spacerobot_id.settings.kinds import FinitePositive, WHOLE


@dataclass(frozen=True, eq=False)
class FourierFamily:
    """All Fourier motions of some actuators that keep their limits, by numbers from -1 to 1.

    Any numbers within ``bounds`` give a motion that starts where it should and keeps every limit:
    what would go too far is scaled down, actuator by actuator. An optimiser needs no more than
    the bounds.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators.
    period : float
        Period, s.
    start : ndarray, shape (m,)
        Positions at the start of a cycle, rad or m.
    lowest, highest : ndarray, shape (m,)
        Limits of the positions; infinite where there is none.
    velocity, acceleration : ndarray, shape (m,)
        Limits of the magnitudes of rates and accelerations, infinite where there is none.
    harmonics : int
        Number of harmonics.
    cycles : int
        How many periods a motion lasts.
    at_rest : bool
        Whether every cycle begins and ends without rate and acceleration.

    Raises
    ------
    PlanningError
        If a start is outside its limits, an actuator has no limit of rate and acceleration, or
        there are too few harmonics to begin and end at rest; names the actuator.
    """

    names: tuple[str, ...]
    period: float
    start: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    harmonics: int = 3
    cycles: int = 1
    at_rest: bool = True

    def __post_init__(self) -> None:
        if self.harmonics < (2 if self.at_rest else 1):
            raise PlanningError(f'{self.harmonics} harmonics: too few to begin and end at rest')
        for index, name in enumerate(self.names):
            low, start, high = self.lowest[index], self.start[index], self.highest[index]
            if not low < start < high:
                raise PlanningError(
                    f'{name}: starts at {start:g}, not between {low:g} and {high:g}'
                )
            if not np.isfinite(min(self.velocity[index], self.acceleration[index])):
                raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (p, m) of the numbers that stand for a motion."""
        return self._shapes[0].shape[1] + self._shapes[1].shape[1], len(self.names)

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds of the numbers, each of shape (p, m)."""
        return -np.ones(self.shape), np.ones(self.shape)

    def motion(self, numbers: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion that numbers stand for.

        Parameters
        ----------
        numbers : array_like, shape (p, m)
            Numbers, those of the sines first; -1 to 1.
        """
        series = self.series(numbers)
        share = self._allowed_share(series)
        return self._series(share * series.rate_cosines, share * series.rate_sines)

    def kept(self, numbers: ArrayLike) -> NDArray[np.float64]:
        """Return numbers, shape (p, m), of which nothing has to be scaled down any more."""
        share = self._allowed_share(self.series(numbers))
        return np.asarray(numbers, dtype=float).reshape(self.shape) * share

    def series(self, numbers: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion of numbers, shape (p, m), that nothing scales down: linear in them."""
        numbers = np.asarray(numbers, dtype=float).reshape(self.shape)
        sines, cosines = self._shapes
        largest = self._largest_rates()
        return self._series(
            sines @ numbers[: sines.shape[1]] * largest,
            cosines @ numbers[sines.shape[1] :] * largest,
        )

    def numbers(self, motion: PeriodicFourierMotion) -> NDArray[np.float64]:
        """Return the numbers, shape (p, m), that stand for a motion of this family.

        Raises
        ------
        PlanningError
            If the motion is of other actuators, or does not begin and end as the family's do.
        """
        if motion.names != self.names or motion.harmonics != self.harmonics:
            raise PlanningError(
                f'a motion of {motion.harmonics} harmonics of {", ".join(motion.names)} is none '
                f'of {self.harmonics} harmonics of {", ".join(self.names)}'
            )
        sines, cosines = self._shapes
        largest = self._largest_rates()
        numbers = np.vstack(
            [sines.T @ motion.rate_cosines / largest, cosines.T @ motion.rate_sines / largest]
        )
        back = self.motion(numbers)
        scale = np.abs(motion.rate_cosines).max() + np.abs(motion.rate_sines).max()
        little = 1e-9 * scale + np.finfo(float).tiny  # of what hardly moves, no digits are left
        if not (
            np.allclose(back.rate_cosines, motion.rate_cosines, atol=little)
            and np.allclose(back.rate_sines, motion.rate_sines, atol=little)
        ):
            raise PlanningError('the motion breaks a limit of its family, or moves at its ends')
        return numbers

    def _largest_rates(self) -> NDArray[np.float64]:
        """Return the rate of one harmonic that is as large as any limit lets it be."""
        frequency = 2.0 * np.pi / self.period
        room = np.minimum(self.highest - self.start, self.start - self.lowest)
        return np.minimum(
            np.minimum(self.velocity, self.acceleration / frequency),
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
        extent = motion.extent()
        used = np.stack(
            [
                (extent.highest - self.start) / (self.highest - self.start),
                (self.start - extent.lowest) / (self.start - self.lowest),
                extent.velocity / self.velocity,
                extent.acceleration / self.acceleration,
                np.ones(len(self.names)),
            ]
        )
        return 1.0 / used.max(axis=0)

    @cached_property
    def _shapes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return orthonormal columns of coefficients that the ends allow: sines, cosines.

        At rest the rates ``a_k`` and the accelerations ``k w b_k`` of all harmonics add up to zero
        where a cycle begins.
        """
        if not self.at_rest:
            return np.eye(self.harmonics), np.eye(self.harmonics)
        order = np.arange(1.0, self.harmonics + 1.0)
        return null_space(np.ones((1, self.harmonics))), null_space(order[None])


@dataclass(frozen=True, eq=False)
class PeriodicSearchFamily(FourierSamplers):
    """Periodic Fourier motions ([Ekal 2019] Eq. 20) that begin and end each cycle at rest.

    Parameters
    ----------
    family : FourierFamily
        Family, its numbers the parameters.
    """

    family: FourierFamily

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the actuators."""
        return self.family.names

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return self.family.harmonics

    @property
    def duration(self) -> float:
        """Duration of one cycle, s: all show the same."""
        return self.family.period

    @property
    def bounds(self) -> Bounds:
        """Box of the numbers."""
        lower, upper = self.family.bounds
        return Bounds(lower.ravel(), upper.ravel())

    def motion(self, parameters: NDArray[np.float64]) -> PeriodicFourierMotion:
        """Return the motion that numbers make."""
        return self.family.series(parameters)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return numbers, drawn at random, of a motion that keeps its actuators' limits."""
        return self.keep(rng.uniform(-1.0, 1.0, len(self.bounds.lb)))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return numbers shrunk until every actuator keeps its limits."""
        return self.family.kept(share * parameters).ravel()


def make(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    cycles: int,
) -> PeriodicSearchFamily:
    """Return the family of settings, see ``make_family``."""
    duration = settings.duration or settings.intervals * interval
    start = known_start(start, limits)
    return PeriodicSearchFamily(
        periodic_family(names, limits, duration, start, settings.harmonics, cycles)
    )


def periodic_family(
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    period: float,
    start: NDArray[np.float64],
    harmonics: int,
    cycles: int = 1,
) -> FourierFamily:
    """Return the periodic Fourier motions that keep some limits.

    Parameters
    ----------
    names, limits, start
        As for ``make_family``.
    period : float
        Period, s.
    harmonics, cycles : int
        Number of harmonics, and of periods.
    """
    return FourierFamily(
        names,
        period,
        start,
        np.array([limit.lower for limit in limits]),
        np.array([limit.upper for limit in limits]),
        np.array([limit.velocity for limit in limits]),
        np.array([limit.acceleration for limit in limits]),
        harmonics,
        cycles,
    )


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
    return periodic_family(POSE_COORDINATES, coordinates, period, here, harmonics, cycles)


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
