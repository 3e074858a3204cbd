"""What a motion shows of parameters, summed over its samples."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, KW_ONLY, replace
from functools import cached_property
import math
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.methods.settings import MethodSettings, PriorSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import AT_REST, KnownMomentum
from spacerobot_id.settings import changed_keys

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class Marginal:
    """Information of p parameters, c unknowns beside them marginalised (Schur complement).

    Parameters
    ----------
    matrix : ndarray, shape (p, p)
        Information: inverse of the covariance of the parameters among all p + c unknowns.
    gain : ndarray, shape (p, c)
        What an error of each unknown beside them is taken for, in information of the parameters.
    """

    matrix: NDArray[np.float64]
    gain: NDArray[np.float64]

    @classmethod
    def of(cls, joint: NDArray[np.float64], beside: NDArray[np.float64]) -> 'Self':
        """Return it for what is shown of all unknowns together.

        Parameters
        ----------
        joint : ndarray, shape (p + c, p + c)
            Information of all of them.
        beside : ndarray, shape (c,)
            Prior information of the last c, each on its own: inverse variances, above zero.
        """
        p = len(joint) - len(beside)
        if not len(beside):
            return cls(joint, np.zeros((p, 0)))
        own = joint[p:, p:] + np.diag(beside)
        lengths = np.sqrt(np.diag(own))
        lower = np.linalg.cholesky(own / np.outer(lengths, lengths))
        across = solve_triangular(lower, joint[p:, :p] / lengths[:, None], lower=True)
        gain = solve_triangular(lower, across, lower=True, trans='T') / lengths[:, None]
        return cls(joint[:p, :p] - across.T @ across, gain.T)

    def pull_back(self, by: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return derivatives by the information of all unknowns.

        Parameters
        ----------
        by : ndarray, shape (p, p)
            Derivatives of a number by the matrix, symmetric.

        Returns
        -------
        ndarray, shape (p + c, p + c)
            Symmetric.
        """
        across = -by @ self.gain
        return np.block([[by, across], [across.T, -self.gain.T @ across]])


LEAST_NOISE = 1e-7
"""Least noise of a rate, m/s or rad/s."""

_NO_SIZE = 1e-6
"""Share of the largest parameter of its unit below which one is zero, and tells no size."""


@dataclass(frozen=True)
class InformationSettings:
    """How a method sees a motion that is planned for it.

    Parameters
    ----------
    planar : bool
        Whether a table holds the base in its plane.
    momentum : KnownMomentum
        Angular momentum that the robot turns with, and attitude at the start.
    given : MethodSettings
        What the identification is given, for the errors of sensors and geometry, and of actuators,
        that are unknown beside the parameters.
    """

    planar: bool = False
    momentum: KnownMomentum = AT_REST
    given: MethodSettings = MethodSettings()


@dataclass(frozen=True, eq=False)
class MotionInformation:
    """Sums over the samples of a motion, or derivatives of a number by them.

    Parameters
    ----------
    matrix : ndarray, shape (p, p)
        Information of the parameters, what is unknown beside them marginalised.
    rates : ndarray, shape (r,)
        Mean squares of the measured rates: base twist and joint rates.
    levels : ndarray, shape (l,)
        Mean squares of the positions.
    """

    matrix: NDArray[np.float64]
    rates: NDArray[np.float64]
    levels: NDArray[np.float64]

    def __rmul__(self, factor: float) -> 'MotionInformation':
        """Return a multiple of this."""
        return MotionInformation(factor * self.matrix, factor * self.rates, factor * self.levels)

    def __sub__(self, other: 'MotionInformation') -> 'MotionInformation':
        """Return by how much this is more than another."""
        return MotionInformation(
            self.matrix - other.matrix, self.rates - other.rates, self.levels - other.levels
        )

    def times(self, change: 'MotionInformation') -> float:
        """Return the change of a number, of its derivatives (these) and changes of the sums."""
        return float(
            np.sum(self.matrix * change.matrix)
            + self.rates @ change.rates
            + self.levels @ change.levels
        )

    def __add__(self, known: NDArray[np.float64]) -> 'MotionInformation':
        """Return this with what is known already, a matrix of shape (p, p)."""
        return replace(self, matrix=self.matrix + known)


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """What N samples show of R robots.

    Parameters
    ----------
    motion : PlannedMotion
        Samples.
    weights : ndarray, shape (N,)
        Time that each stands for, s.
    rate : float
        Rate of the sensors, Hz.
    rows : ndarray, shape (R, N, f, p + c)
        Rows of the regressor at each sample, over their noise if that counts, and of what is
        unknown beside the parameters.
    rates : ndarray, shape (R, N, r)
        Rates that are measured.
    levels : ndarray, shape (N, l)
        Positions whose size counts.
    beside : ndarray, shape (c,)
        Prior information of what is unknown beside the parameters: inverse variances.
    """

    motion: PlannedMotion
    weights: NDArray[np.float64]
    rate: float
    rows: NDArray[np.float64]
    rates: NDArray[np.float64]
    levels: NDArray[np.float64]
    beside: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), kw_only=True)

    @cached_property
    def marginals(self) -> 'list[Marginal]':
        """Information of the parameters of each robot."""
        scale = np.sqrt(self.rate * self.weights)[:, None, None]
        return [Marginal.of(gram_matrix(rows * scale), self.beside) for rows in self.rows]

    def information(self, robot: int) -> MotionInformation:
        """Return the sums over the motion of one robot."""
        shares = self.weights / self.weights.sum()
        return MotionInformation(
            self.marginals[robot].matrix,
            shares @ self.rates[robot] ** 2,
            shares @ self.levels**2,
        )

    def pull_back(self, by: Sequence[MotionInformation]) -> SampleGradient:
        """Return derivatives by the samples from those by the sums of each robot.

        Parameters
        ----------
        by : sequence of MotionInformation
            Derivatives of a number by the sums of the R robots; matrices symmetric.
        """
        raise NotImplementedError('this source has no gradient: take differences')


@dataclass(frozen=True, eq=False)
class InformationSource(ABC):
    """What a method's sensors show of its parameters along a motion: all a planner has to know.

    Parameters
    ----------
    models : sequence of RobotModel
        R robots to predict with, which differ in their links' inertia alone; noise and rate of
        the sensors are those of the first.
    is_weighted : bool
        Whether rows are divided by their noise: information of the fit. If not, matrices are
        ``G^T G`` of the plain regressor.
    prior_settings : PriorSettings
        How far the description may be wrong, and a mass that is known.
    """

    models: Sequence[RobotModel]
    _: KW_ONLY
    is_weighted: bool = True
    prior_settings: PriorSettings = PriorSettings()

    has_gradient: ClassVar[bool] = False
    """Whether what is shown can be pulled back to samples; if not, differences are taken."""

    moves_base: ClassVar[bool] = False
    """Whether the six coordinates of the base are what moves, and not joints and wheels."""

    fires_thrusters: ClassVar[bool] = False
    """Whether thrusters fire beside joints and wheels, where the robot has some."""

    is_turning: ClassVar[bool] = False
    """Whether the robot turns with a known momentum: samples are to be evenly spaced then."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the p parameters."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Units of the parameters."""

    @abstractmethod
    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the parameters of a robot, shape (p,)."""

    @abstractmethod
    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> ShownMotion:
        """Return what samples show of each robot.

        Parameters
        ----------
        motion : PlannedMotion
            Samples of everything that moves.
        weights : ndarray, shape (N,)
            Time that each stands for, s.
        """

    def shown_each(
        self, motions: Sequence[PlannedMotion], weights: NDArray[np.float64]
    ) -> list[ShownMotion]:
        """Return what each of several motions with samples at the same times shows."""
        return [self.shown(motion, weights) for motion in motions]

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what is unknown beside the parameters: those of its settings."""
        return ()

    def alone(self) -> 'Self':
        """Return what is shown of the parameters where all else is known."""
        return self

    @property
    def scale(self) -> NDArray[np.float64]:
        """Sizes that standard deviations are compared with, shape (p,)."""
        return parameter_scale(self.units, self.values(self.models[0]))

    @property
    def prior(self) -> NDArray[np.float64]:
        """Information of a description whose every parameter may be wrong by its own size."""
        return np.diag((self.prior_settings.relative_std * self.scale) ** -2.0) + self._of_mass

    @property
    def masses(self) -> Sequence[int]:
        """Places of the parameters that add up to the total mass; empty where it does not show."""
        return ()

    @property
    def known(self) -> NDArray[np.float64] | None:
        """Information that counts before any motion, shape (p, p); None if there is none."""
        if self.needs_prior:
            return self.prior
        return self._of_mass if self._of_mass.any() else None

    @property
    def _of_mass(self) -> NDArray[np.float64]:
        """Information of the total mass, where settings state how well it is known."""
        found, settings = np.zeros((len(self.names),) * 2), self.prior_settings
        masses = list(self.masses)
        if masses and changed_keys(settings) not in ((), ('prior_relative_std',)):
            mass = self.values(self.models[0])[masses].sum()
            found[np.ix_(masses, masses)] = (settings.scale_std * mass) ** -2.0
        return found

    @property
    def hides_mass(self) -> bool:
        """Whether robots of any mass move alike, so that none shows without a known one."""
        return False

    def weighed(self) -> 'Self':
        """Return what is shown where the total mass is known, if no motion shows that."""
        if not self.hides_mass or self.prior_settings.known_mass:
            return self
        mass = float(self.values(self.models[0])[list(self.masses)].sum())
        return replace(self, prior_settings=replace(self.prior_settings, known_mass=mass))

    @property
    def needs_prior(self) -> bool:
        """Whether no motion shows all parameters, so that the prior has to go with it."""
        return False

    @property
    def blind_spot(self) -> str:
        """Why no motion of this robot shows the parameters; empty if one may."""
        return ''

    def robot(self, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot that moves as estimated, shape (p,); as described by default."""
        return self.models[0]

    def of(self, robots: Sequence[int]) -> 'Self':
        """Return some of the robots."""
        return replace(self, models=[self.models[robot] for robot in robots])

    def information(
        self, motion: PlannedMotion, weights: NDArray[np.float64]
    ) -> MotionInformation:
        """Return the sums over a motion of the first robot; arguments as for ``shown``."""
        return self.of([0]).shown(motion, weights).information(0)


def parameter_scale(units: Sequence[str], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what standard deviations are compared with: the values, but for small ones.

    A value that is small, or zero, in the description may be as large as others are: the median
    size of those of its unit that are not zero stands for it; where all are, that which bodies of
    such mass and inertia would have.

    Parameters
    ----------
    units : sequence of str
        Units of the p parameters.
    values : ndarray, shape (p,)
        Their values; not all of them zero.
    """
    sizes, units = np.abs(values), np.array(units)
    usual: dict[str, float] = {}
    for unit in np.unique(units).tolist():
        own = sizes[units == unit]
        if own.any():
            usual[unit] = float(np.median(own[own > _NO_SIZE * own.max()]))
    if {'kg', 'kg m^2'} <= usual.keys():
        usual.setdefault('kg m', math.sqrt(usual['kg'] * usual['kg m^2']))
    least = min(usual.values())
    return np.maximum(sizes, [usual.get(unit, least) for unit in units.tolist()])


def gram_matrix(regressor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``G^T G`` of a regressor of shape (N, f, p) over all its rows, shape (p, p)."""
    rows = np.moveaxis(regressor, 0, -1)
    return np.einsum('ipn,iqn->pq', rows, rows, optimize=True)
