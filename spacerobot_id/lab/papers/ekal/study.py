"""The flights of [Ekal 2019] section 6: cases, loads, motions, saturation and measurements."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.periodic_family import FourierFamily, pose_family
from spacerobot_id.excitation.objective.criteria import (
    Criterion,
    DeterminantCriterion,
    NormalisedConditionCriterion,
)
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.information.free_flyer import FreeFlyerInformation
from spacerobot_id.model import InertialParameters, load_robot, RobotModel, shipped_file
from spacerobot_id.simulation import fly, FreeFlyerFlight, SaturatedTracking

HARMONICS = 3
"""Harmonics of the motions."""

_SAMPLES = 60
"""Samples of one cycle."""


class FreeFlyerCriterion(Enum):
    """What is minimised ([Ekal 2019] Eqs. 21, 22)."""

    CONDITION = 'V1'
    INFORMATION = 'V2'


_CRITERIA = {
    FreeFlyerCriterion.CONDITION: NormalisedConditionCriterion(level_weight=10.0),
    FreeFlyerCriterion.INFORMATION: DeterminantCriterion(),
}

_WITHOUT_LEVELS = NormalisedConditionCriterion(level_weight=0.0)
"""V1 without its second term: the condition number alone."""


@dataclass(frozen=True)
class EkalSettings:
    """Sizes of the study; those of the paper by default.

    Parameters
    ----------
    loads, trajectories : int
        Number of loads, and of motions per criterion.
    cycles : int
        Cycles of each motion.
    step : float
        Step of control and measurement, s.
    limits : FreeFlyerLimits
        How far the motions go; the paper does not print its limits.
    iterations : int
        Most iterations of the search for a motion.
    seed : int
        Seed of loads, starts of the searches, and noise.
    """

    loads: int = 10
    trajectories: int = 5
    cycles: int = 10
    step: float = 0.05
    limits: FreeFlyerLimits = field(default_factory=FreeFlyerLimits)
    iterations: int = 60
    seed: int = 0


@dataclass(frozen=True)
class EkalCase:
    """One way to fly.

    Parameters
    ----------
    criterion : FreeFlyerCriterion
        What the motions were planned by.
    period : float
        Period, s.
    limited : bool
        Whether the propellers keep their limits.
    """

    criterion: FreeFlyerCriterion
    period: float
    limited: bool

    @property
    def name(self) -> str:
        """Description of the case."""
        limits = 'saturation' if self.limited else 'no saturation'
        return f'{self.criterion.value}, {self.period:g} s, {limits}'


V1, V2 = FreeFlyerCriterion.CONDITION, FreeFlyerCriterion.INFORMATION
CASES = tuple(
    EkalCase(criterion, period, limited)
    for period, limited in ((10.0, False), (10.0, True), (60.0, True), (60.0, False))
    for criterion in (V1, V2)
)
"""All cases, those with limits before the same without where the two may fly alike."""

FREE_V1, FREE_V2, LIMITED_V1, LIMITED_V2, SLOW_V1, SLOW_V2, SLOW_FREE_V1, SLOW_FREE_V2 = CASES


def draw_loads(paper: Paper, count: int, seed: int) -> list[InertialParameters]:
    """Return combined bodies as [Ekal 2019] 6.2 draws them, those alone that can exist.

    Of the paper's distributions of the inertia most draws can belong to no body: they are drawn
    again. The inertia is about the centre of mass.

    Parameters
    ----------
    paper : Paper
        Their distributions.
    count : int
        Number of bodies.
    seed : int
        Seed.
    """
    rng, loads = np.random.default_rng(seed), []
    while len(loads) < count:
        mass = rng.normal(*paper.array('load_mass'))
        offset = rng.normal(*paper.array('load_offset'), 3)
        inertia = np.diag(rng.normal(*paper.array('load_diagonal'), 3))
        products = rng.normal(*paper.array('load_off_diagonal'), 3)
        inertia[[0, 1, 2], [1, 2, 0]] = inertia[[1, 2, 0], [0, 1, 2]] = products
        body = InertialParameters.from_com(mass, offset, inertia)
        if body.is_physical():
            loads.append(body)
    return loads


def searched_motion(
    family: FourierFamily, criterion: Criterion, seed: int, iterations: int
) -> PeriodicFourierMotion:
    """Return an exciting motion by one search from one random start.

    Parameters
    ----------
    family : FourierFamily
        Motions to choose from.
    criterion : Criterion
        What is minimised.
    seed : int
        Seed of the start: other seeds end in other local minima.
    iterations : int
        Most iterations of the optimiser.
    """
    costs: dict[bytes, float] = {}

    def cost(numbers: NDArray[np.float64]) -> float:
        found = _cost_of(family.kept_motion(numbers), criterion)
        costs[numbers.tobytes()] = found
        return found

    start = np.random.default_rng(seed).uniform(-0.5, 0.5, family.shape)
    minimize(
        cost,
        start.ravel(),
        method='L-BFGS-B',
        bounds=family.bounds,
        options={'maxiter': iterations, 'eps': 1e-6},
    )
    return family.kept_motion(np.frombuffer(min(costs, key=costs.get)))


def _cost_of(motion: PeriodicFourierMotion, criterion: Criterion) -> float:
    """Return the cost of a motion, on equally spaced samples of one cycle."""
    source = _source()
    samples = motion.sample((np.arange(_SAMPLES) + 0.5) * motion.period / _SAMPLES)
    weights = np.full(_SAMPLES, 1.0 / source.models[0].noise.rate)  # rows count once each
    return criterion.cost(source.information(samples, weights))


@cache
def _source() -> FreeFlyerInformation:
    """Return what motions show, whatever the body: the criteria have no part of it."""
    return FreeFlyerInformation([load_robot(shipped_file('config/robots/space_cobot.urdf'))])


def plan_motion(
    criterion: FreeFlyerCriterion, period: float, number: int, settings: EkalSettings
) -> PeriodicFourierMotion:
    """Return the motion of a period that one search from one start finds ([Ekal 2019] 4.1)."""
    family = pose_family(settings.limits, period, harmonics=HARMONICS, cycles=settings.cycles)
    seed = 1000 * settings.seed + number
    return searched_motion(family, _CRITERIA[criterion], seed, settings.iterations)


def size_without_levels(settings: EkalSettings) -> float:
    """Return the largest coordinate (m or rad) of a motion by V1 without its levels (Eq. 21)."""
    family = pose_family(settings.limits, FREE_V1.period, harmonics=HARMONICS)
    motion = searched_motion(family, _WITHOUT_LEVELS, 1000 * settings.seed, settings.iterations)
    times = np.linspace(0.0, motion.duration, 200)
    return float(np.abs(motion.sample(times).position).max())


def fly_case(
    robot: RobotModel,
    loads: Sequence[InertialParameters],
    motions: Sequence[PeriodicFourierMotion],
    settings: EkalSettings,
    *,
    limited: bool,
) -> FreeFlyerFlight:
    """Return the flights of every motion with every load; the control knows the robot alone."""
    steps = round(motions[0].duration / settings.step)
    times = settings.step * np.arange(steps)
    samples = [FreeFlyerReference(motion).sample(times) for motion in motions]
    reference = PoseMotion(
        *(
            np.repeat([getattr(each, name) for each in samples], len(loads), axis=0)
            for name in PoseMotion.__dataclass_fields__
        )
    )
    bodies = np.tile([load.vector for load in loads], (len(motions), 1))
    control = SaturatedTracking(robot.links[0].inertial.vector, reference)
    propellers = robot.actuators.propellers if limited else None
    return fly(bodies, control, steps, settings.step, propellers)


def measured_record(flight: FreeFlyerFlight, number: int, robot: RobotModel, seed: int) -> Record:
    """Return what is measured of one flight, with the noise of the robot's sensors."""
    rng, states = np.random.default_rng([seed, number]), flight.states[number, :-1]
    count, noise = len(states), robot.noise
    turned = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(count, 3)))
    return Record(
        flight.times[:-1],
        position=states[:, :3] + noise.base_position * rng.normal(size=(count, 3)),
        attitude=(Rotation.from_quat(states[:, 3:7]) * turned).as_quat(),
        wrench=HeldSignal(flight.times[:-1], flight.wrenches[number]),
    )


def with_rate(robot: RobotModel, step: float) -> RobotModel:
    """Return the robot with sensors that measure once a step."""
    return replace(robot, noise=replace(robot.noise, rate=1.0 / step))
