"""Dispersions: what is drawn for a run, by its index and the seed of the campaign alone.

All numbers are drawn through the quantiles of their distributions at shares of probability, which
the design of the campaign gives: independent ones, a Latin hypercube (McKay et al., 1979) or
Sobol's sequence, scrambled (Owen, 1998).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.flight.recording import Flight, FlightSettings, Grasp
from spacerobot_id.lab.campaign.draws.distributions import Distribution, joint_normal_scores
from spacerobot_id.lab.faults import Occurrence
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import centre_of_mass, momentum, wheel_momentum
from spacerobot_id.settings.kinds import Finite, Vector
from spacerobot_id.simulation import RobotState


@dataclass(frozen=True)
class Start:
    """How a robot starts: drifting and turning as a whole, its wheels at rest.

    Parameters
    ----------
    joints : mapping of str to float
        Positions of all joints by name, rad or m.
    angular_momentum : tuple of 3 floats
        About the centre of mass in inertial axes, N m s.
    linear_momentum : tuple of 3 floats
        In inertial axes, N s.
    attitude : tuple of 3 floats
        Rotation vector from inertial axes to those of the base, rad.
    """

    joints: Mapping[str, Finite] = field(default_factory=dict)
    angular_momentum: Vector = (0.0, 0.0, 0.0)
    linear_momentum: Vector = (0.0, 0.0, 0.0)
    attitude: Vector = (0.0, 0.0, 0.0)

    @classmethod
    def of_state(cls, robot: RobotModel, state: RobotState) -> 'Start':
        """Return the start that a state of the simulation is: momenta from its velocities."""
        centre = _momentum_about_centre(robot, state)
        linear, angular = state.rotation @ centre[:3], state.rotation @ centre[3:]
        turned = Rotation.from_matrix(state.rotation).as_rotvec()
        vectors = (tuple(each.tolist()) for each in (angular, linear, turned))
        return cls(dict(zip(robot.joint_names, state.q.tolist(), strict=True)), *vectors)

    @property
    def quaternion(self) -> tuple[float, ...]:
        """Attitude of the base, x y z w."""
        return tuple(Rotation.from_rotvec(self.attitude).as_quat().tolist())


@dataclass(frozen=True, eq=False)
class RunSetting:
    """What a run is flown with; nominal as it is in the campaign file, or as it was drawn.

    Parameters
    ----------
    robot : RobotModel
        True robot, with its sensors, drives and disturbances.
    start : Start
        Where it starts.
    grasp : Grasp, optional
        What joins it in flight.
    faults : mapping of str to Occurrence
        What happens to the messages.
    """

    robot: RobotModel
    start: Start
    grasp: Grasp | None = None
    faults: Mapping[str, Occurrence] = field(default_factory=dict)

    @classmethod
    def of_flight(cls, flight: Flight, faults: Mapping[str, Occurrence]) -> 'RunSetting':
        """Return what a flight was flown with, from the objects that flew it."""
        start = Start.of_state(flight.robot, flight.start)
        return cls(flight.robot, start, flight.grasp, faults)

    def flown_with(self, settings: FlightSettings, seed: int) -> FlightSettings:
        """Return the settings of a flight with this start and grasp, and a seed of its noise."""
        return replace(
            settings,
            seed=seed,
            angular_momentum=self.start.angular_momentum,
            linear_momentum=self.start.linear_momentum,
            attitude=self.start.quaternion,
            grasp=self.grasp,
        )


def _momentum_about_centre(robot: RobotModel, state: RobotState) -> NDArray[np.float64]:
    """Return linear and angular momentum about the centre of mass in base axes, shape (6,)."""
    q = state.q[None]
    total = momentum(robot, q, state.qd[None], state.base_twist[None])[0]
    total += wheel_momentum(robot, q, state.wheel_rates[None])[0]
    total[3:] -= np.cross(centre_of_mass(robot, q)[0], total[:3])
    return total


_DESIGN_STREAM, _SHARE_STREAM, _NOISE_STREAM, _PLAN_STREAM = 0, 1, 2, 3
"""Numbers that keep what is drawn for a run apart, and from the design of all."""

_MOST_NUMBERS = 50_000_000
"""Numbers that a Latin hypercube may have: each process holds all of them."""


class Design(Enum):
    """How the samples of a campaign lie in the space of what is dispersed."""

    INDEPENDENT = 'independent'
    LATIN_HYPERCUBE = 'latin_hypercube'
    SOBOL = 'sobol'


class Meaning(Enum):
    """What the drawn number is to the nominal value."""

    VALUE = 'value'
    CHANGE = 'change'
    FACTOR = 'factor'


@dataclass(frozen=True)
class Dispersion:
    """How one key, or several together, are drawn.

    Parameters
    ----------
    keys : tuple of str
        What is drawn.
    nominal : tuple of float
        Values by the campaign file, SI units.
    meaning : Meaning
        What the numbers are to them.
    distributions : tuple of Distribution
        Of each number, in SI units.
    covariance : tuple of tuples of float
        Covariance of the numbers, which are normal; independent if empty.
    """

    keys: tuple[str, ...]
    nominal: tuple[float, ...]
    meaning: Meaning
    distributions: tuple[Distribution, ...]
    covariance: tuple[tuple[float, ...], ...] = ()

    def values(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the keys at shares of probability, shape (N, k) to (N, k)."""
        if self.covariance:
            means = [each.numbers[0] for each in self.distributions]
            numbers = means + joint_normal_scores(self.covariance, shares)
        else:
            columns = zip(self.distributions, shares.T, strict=True)
            numbers = np.stack([each.quantile(column) for each, column in columns], axis=1)
        return self._applied(numbers)

    def _applied(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.meaning is Meaning.CHANGE:
            return np.array(self.nominal) + numbers
        if self.meaning is Meaning.FACTOR:
            return np.array(self.nominal) * numbers
        return numbers

    def numbers(self, place: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the drawn numbers that values of one key stand for, shape (N,)."""
        if self.meaning is Meaning.CHANGE:
            return values - self.nominal[place]
        if self.meaning is Meaning.FACTOR:
            return values / self.nominal[place]
        return values


@dataclass(frozen=True)
class Draws:
    """All dispersions of a campaign, and how they are sampled.

    Parameters
    ----------
    dispersions : tuple of Dispersion
        What is drawn.
    design : Design
        How samples lie.
    runs : int
        Most runs, which a Latin hypercube is made of.
    seed : int
        Seed of the campaign.
    """

    dispersions: tuple[Dispersion, ...]
    design: Design
    runs: int
    seed: int

    @property
    def keys(self) -> tuple[str, ...]:
        """Everything that is drawn."""
        return tuple(key for each in self.dispersions for key in each.keys)

    def of_run(self, index: int) -> dict[str, float]:
        """Return the values of all keys for a run, SI units."""
        shares = self._shares(index)
        values, begin = {}, 0
        for each in self.dispersions:
            end = begin + len(each.keys)
            drawn = each.values(shares[None, begin:end])[0]
            values |= dict(zip(each.keys, drawn.tolist(), strict=True))
            begin = end
        return values

    def noise_seed(self, index: int) -> int:
        """Return the seed of noise and faults of a run."""
        return _seed_of(self.seed, index, _NOISE_STREAM)

    def plan_seed(self, index: int) -> int:
        """Return the seed of the plan of a run that is planned for alone."""
        return _seed_of(self.seed, index, _PLAN_STREAM) % 2**31

    def check(self) -> None:
        """Raise ConfigurationError if the design cannot be made."""
        if self.design is Design.LATIN_HYPERCUBE and self.runs * len(self.keys) > _MOST_NUMBERS:
            raise ConfigurationError(
                f'design: a Latin hypercube of {self.runs} runs and {len(self.keys)} keys has '
                f'more than {_MOST_NUMBERS} numbers; take sobol or independent'
            )
        if self.design is Design.SOBOL and len(self.keys) > qmc.Sobol.MAXDIM:
            raise ConfigurationError(
                f'design: Sobol sequences have {qmc.Sobol.MAXDIM} dimensions at most'
            )

    def _shares(self, index: int) -> NDArray[np.float64]:
        """Return the shares of probability of a run, shape (d,), all between 0 and 1."""
        count = len(self.keys)
        if not count:
            return np.zeros(0)
        if self.design is Design.INDEPENDENT:
            return _generator(self.seed, index, _SHARE_STREAM).random(count)
        if self.design is Design.LATIN_HYPERCUBE:
            return _latin_hypercube(self.runs, count, self.seed)[index]
        return _sobol(index, count, self.seed)


def _generator(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _seed_of(seed: int, *key: int) -> int:
    state = np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)
    return int(state[0]) >> 1


@lru_cache(maxsize=1)
def _latin_hypercube(runs: int, count: int, seed: int) -> NDArray[np.float64]:
    return qmc.LatinHypercube(count, rng=_generator(seed, _DESIGN_STREAM)).random(runs)


@lru_cache(maxsize=1)
def _sobol_sequence(count: int, seed: int) -> qmc.Sobol:
    return qmc.Sobol(count, rng=_generator(seed, _DESIGN_STREAM))


def _sobol(index: int, count: int, seed: int) -> NDArray[np.float64]:
    """Return shares that no quantile of is infinite."""
    sequence, least = _sobol_sequence(count, seed).reset(), np.finfo(float).eps
    if index:
        sequence.fast_forward(index)
    return np.clip(sequence.random(1)[0], least, 1.0 - least)
