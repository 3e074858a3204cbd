"""What a search needs to know of a family of motions: numbers in a box that make one.

The position of every actuator is an affine function of a family's parameters, so that samples
are one linear map and gradients its transpose: no differences over whole motions are needed.

A family is a module with ``make(settings, names, limits, interval, start, cycles)``, which returns
a ``MotionFamily``, and with ``LAYOUT``, how its motions stand in a file; None if another family's
motions are its own.
"""

from collections.abc import Callable, Sequence
from enum import Enum
import importlib
from types import ModuleType
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits

_ROOM = 'spacerobot_id.excitation.family'

_MODULES: dict[str, str] = {
    'cycloids': f'{_ROOM}.cycloid_family',
    'seeds': f'{_ROOM}.seed_family',
    'fourier-quintic': f'{_ROOM}.quintic_family',
    'periodic-fourier': f'{_ROOM}.periodic_family',
}
"""Modules by name, imported when their family is asked for."""


class FamilyName(Enum):
    """Which motions there are to choose from.

    AUTOMATIC stands for cycloids where the robot starts at rest, for Fourier series with a quintic
    where it turns with a known momentum, and for periodic Fourier series of its base's pose.
    """

    AUTOMATIC = 'automatic'
    CYCLOIDS = 'cycloids'
    SEEDS = 'seeds'
    FOURIER_QUINTIC = 'fourier-quintic'
    PERIODIC_FOURIER = 'periodic-fourier'


def family_names() -> tuple[str, ...]:
    """Return the names of all families, and the one that stands for the best."""
    return FamilyName.AUTOMATIC.value, *_MODULES


def family_named(name: str) -> FamilyName | str:
    """Return a family of this package, or the name of another that was registered.

    Raises
    ------
    ConfigurationError
        If there is none of that name; lists those there are.
    """
    if name not in family_names():
        raise ConfigurationError(f'family: must be one of {", ".join(family_names())}')
    known = {each.value for each in FamilyName}
    return FamilyName(name) if name in known else name


def family_module(family: FamilyName | str) -> ModuleType:
    """Return the module of a family, by its name."""
    return importlib.import_module(_MODULES[name_of(family)])


def name_of(family: FamilyName | str) -> str:
    """Return the name of a family."""
    return family.value if isinstance(family, FamilyName) else family


def register_family(name: str, module: str) -> None:
    """Add a family, so that planner, commands and plan files know it.

    Parameters
    ----------
    name : str
        Its name.
    module : str
        Where ``make`` and ``LAYOUT`` are, such as ``package.module``.
    """
    _MODULES[name] = module


def unregister_family(name: str) -> None:
    """Take a family out again."""
    _MODULES.pop(name, None)


_LOOKS_PER_HARMONIC = 32
"""Samples of the period of the highest harmonic at which limits are looked at."""

_SAMPLES_PER_HARMONIC = 16
"""Samples of it that information is summed up over: regressors hold products of four of it."""


class MotionSampler(Protocol):
    """Samples of every motion of a family at the same times."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """Time that each sample stands for, s, shape (N,)."""

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that parameters of shape (P,) make."""

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the parameters, shape (P,), from those by the samples."""


class MotionFamily(Protocol):
    """All motions of one kind, by parameters of shape (P,) on which they depend affinely."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the m actuators: joints, then wheels."""

    @property
    def is_even(self) -> bool:
        """Whether the samples that information is summed up over are evenly spread."""

    @property
    def bounds(self) -> Bounds:
        """Box of the parameters."""

    @property
    def constraints(self) -> Sequence[LinearConstraint]:
        """Linear constraints on the parameters that the search is to keep."""

    def motion(self, parameters: NDArray[np.float64]) -> ExcitingMotion:
        """Return the motion that parameters make, whether or not it keeps limits."""

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return parameters, drawn at random, of a motion that keeps its actuators' limits."""

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return parameters of a motion within limits of position, rate and acceleration.

        Parameters
        ----------
        parameters : ndarray, shape (P,)
            Parameters of a motion.
        share : float
            How much of the motion about its start is wanted; at 0 it stands still there.
        """

    def information_sampler(self) -> MotionSampler:
        """Return few samples that stand for a whole motion where information is summed up."""

    def limit_sampler(self, density: int) -> MotionSampler:
        """Return samples, evenly spread over all of a motion, ``density`` times as dense."""


def known_start(start: NDArray[np.float64], limits: Sequence[JointLimits]) -> NDArray[np.float64]:
    """Return a start, in the middle between the limits where a search may choose it (NaN)."""
    return np.where(np.isnan(start), [_middle(limit) for limit in limits], start)


def _middle(limit: JointLimits) -> float:
    """Return the middle between two limits, half a turn from one, zero without any."""
    ends = limit.lower, limit.upper
    if np.isfinite(ends).all():
        return 0.5 * sum(ends)
    return float(np.clip(0.0, limit.lower + np.pi, limit.upper - np.pi))


class AffineSampler:
    """Samples of a family of few parameters: the map is found by trying one at a time.

    Parameters
    ----------
    motion : callable
        From parameters of shape (P,) to a motion, affine.
    size : int
        Number P of parameters.
    times : ndarray, shape (N,)
        Times of the samples, s, equally spaced.
    duration : float
        Duration of the motion, s.
    """

    def __init__(
        self,
        motion: Callable[[NDArray[np.float64]], ExcitingMotion],
        size: int,
        times: NDArray[np.float64],
        duration: float,
    ) -> None:
        self.times = times
        self.weights = np.full(len(times), duration / len(times))
        self._offset = _stacked(motion(np.zeros(size)), times)
        each = [_stacked(motion(unit), times) - self._offset for unit in np.eye(size)]
        self._matrix = np.stack(each).reshape(size, -1)

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that parameters make."""
        values = self._offset + (parameters @ self._matrix).reshape(self._offset.shape)
        return PlannedMotion(self.times, *values)

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the parameters from those by the samples."""
        parts = [gradient.position, gradient.velocity, gradient.acceleration]
        return self._matrix @ np.stack(parts).ravel()


def _stacked(motion: ExcitingMotion, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return position, velocity and acceleration, shape (3, N, m)."""
    samples = motion.sample(times)
    return np.stack([samples.position, samples.velocity, samples.acceleration])


class FourierSamplers:
    """Samplers that all families of Fourier motions share."""

    is_even: ClassVar[bool] = True

    @property
    def constraints(self) -> tuple[()]:
        """None: limits cost a penalty."""
        return ()

    def information_sampler(self) -> AffineSampler:
        """Return samples of a motion, evenly spread, that stand for all of it."""
        return self._sampler(_SAMPLES_PER_HARMONIC)

    def limit_sampler(self, density: int) -> AffineSampler:
        """Return samples where limits are looked at."""
        return self._sampler(_LOOKS_PER_HARMONIC * density)

    def _sampler(self, per_harmonic: int) -> AffineSampler:
        count = per_harmonic * self.harmonics
        times = (np.arange(count) + 0.5) * self.duration / count
        return AffineSampler(self.motion, len(self.bounds.lb), times, self.duration)
