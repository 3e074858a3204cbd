"""The flights of papers/003 section 6: loads, motions, saturation, and their estimates."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data import FreeFlyerRecord
from spacerobot_id.estimation import (
    harmonic_least_squares,
    LikelihoodSettings,
    periodic_samples,
    recursive_harmonic_least_squares,
    trajectory_likelihood,
)
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.excitation import (
    FreeFlyerCriterion,
    FreeFlyerLimits,
    FreeFlyerReference,
    PeriodicFourierMotion,
    plan_free_flyer,
    pose_family,
)
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.simulation import fly, FreeFlyerFlight, SaturatedTracking

METHODS = ('least squares', 'recursive', 'likelihood')
"""The paper's method, the same per cycle, and ours."""

QUANTITIES = ('mass', 'offset', 'inertia')
"""What errors are of: mass, centre-of-mass offset, inertia elements."""


_SEGMENTS = 10
"""Segments per period that the likelihood shoots through: slow motions allow longer ones."""


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


@dataclass(frozen=True, eq=False)
class EkalResult:
    """Errors of the estimates of F flights; quantities are those of ``QUANTITIES``.

    Parameters
    ----------
    case : EkalCase
        How they were flown.
    absolute : ndarray, shape (methods, F, 3)
        Errors: kg, m, kg m^2 (Eq. 24); NaN where a method was not asked.
    relative : ndarray, shape (methods, F, 3)
        The same as shares of the true norms, %.
    saturated : ndarray, shape (F,)
        Share of the time in which a propeller was at its limit.
    harmonics : ndarray, shape (F,)
        Numbers of harmonics chosen.
    deviations : ndarray, shape (F, 10)
        Errors of the likelihood's parameters in units of their standard deviations.
    """

    case: EkalCase
    absolute: NDArray[np.float64]
    relative: NDArray[np.float64]
    saturated: NDArray[np.float64]
    harmonics: NDArray[np.intp]
    deviations: NDArray[np.float64]

    def medians(self, method: str) -> NDArray[np.float64]:
        """Return the median relative errors of a method, shape (3,), %."""
        return np.nanmedian(self.relative[METHODS.index(method)], axis=0)


def draw_loads(count: int, seed: int) -> list[InertialParameters]:
    """Return combined bodies as papers/003 6.2 draws them, those alone that can exist.

    Of the paper's distributions of the inertia most draws can belong to no body: they are drawn
    anew. The inertia is about the centre of mass.

    Parameters
    ----------
    count : int
        Number of bodies.
    seed : int
        Seed.
    """
    rng, loads = np.random.default_rng(seed), []
    while len(loads) < count:
        mass, offset = rng.normal(7.2, 0.5), rng.normal(0.0, 0.04, 3)
        inertia = np.diag(rng.normal(0.07, 0.015, 3))
        products = rng.normal(0.02, 0.05, 3)
        inertia[[0, 1, 2], [1, 2, 0]] = inertia[[1, 2, 0], [0, 1, 2]] = products
        body = InertialParameters.from_com(mass, offset, inertia)
        if body.is_physical():
            loads.append(body)
    return loads


def plan_motion(
    criterion: FreeFlyerCriterion, period: float, number: int, settings: EkalSettings
) -> PeriodicFourierMotion:
    """Return the motion of a period that one search from one start finds (papers/003 4.1)."""
    family = pose_family(settings.limits, period, harmonics=3, cycles=settings.cycles)
    seed = 1000 * settings.seed + number
    return plan_free_flyer(family, criterion, seed=seed, iterations=settings.iterations).motion


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


def measured_record(
    flight: FreeFlyerFlight, number: int, robot: RobotModel, seed: int
) -> FreeFlyerRecord:
    """Return what is measured of one flight, with the noise of the robot's sensors."""
    rng, states = np.random.default_rng([seed, number]), flight.states[number, :-1]
    count, noise = len(states), robot.noise
    turned = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(count, 3)))
    return FreeFlyerRecord(
        flight.times[:-1],
        states[:, :3] + noise.base_position * rng.normal(size=(count, 3)),
        (Rotation.from_quat(states[:, 3:7]) * turned).as_quat(),
        flight.times[:-1],
        flight.wrenches[number],
    )


@dataclass(frozen=True, eq=False)
class FlightEstimates:
    """What the methods say of one flight.

    Parameters
    ----------
    values : ndarray, shape (methods, 10)
        Estimates; NaN where a method was not asked.
    harmonics : int
        Number of harmonics chosen.
    std : ndarray, shape (10,)
        Standard deviations of the likelihood.
    """

    values: NDArray[np.float64]
    harmonics: int
    std: NDArray[np.float64]


def estimate_flight(
    record: FreeFlyerRecord, period: float, robot: RobotModel, *, with_likelihood: bool
) -> FlightEstimates:
    """Return the estimates of all methods from one record."""
    spacing = float(np.median(np.diff(record.times)))
    cycles = periodic_samples(record, period, round(period / spacing))
    batch = harmonic_least_squares(cycles)
    recursive = recursive_harmonic_least_squares(cycles)[-1]
    values, std = np.full((3, 10), np.nan), np.full(10, np.nan)
    values[0], values[1] = batch.values, recursive.values
    if with_likelihood:
        noise = robot.noise
        settings = LikelihoodSettings(
            noise.base_position, noise.base_attitude, segment=period / _SEGMENTS
        )
        with suppress(EstimationError):  # counted by who reads it
            found = trajectory_likelihood(record, robot.links[0].inertial.vector, settings)
            values[2], std = found.values, found.std
    return FlightEstimates(values, batch.harmonics, std)


def collect(
    case: EkalCase,
    loads: Sequence[InertialParameters],
    flight: FreeFlyerFlight,
    estimates: Sequence[FlightEstimates],
) -> EkalResult:
    """Return the errors of the estimates of all flights of a case."""
    truth = np.tile([load.vector for load in loads], (len(estimates) // len(loads), 1))
    values = np.stack([each.values for each in estimates], axis=1)
    true, found = _quantities(truth), _quantities(values)
    errors = [np.linalg.norm(f - t, axis=-1) for f, t in zip(found, true, strict=True)]
    norms = [np.linalg.norm(each, axis=-1) for each in true]
    absolute = np.stack(errors, axis=-1)
    std = np.stack([each.std for each in estimates])
    return EkalResult(
        case,
        absolute,
        100.0 * absolute / np.stack(norms, axis=-1),
        flight.saturated_share,
        np.array([each.harmonics for each in estimates]),
        (values[2] - truth) / std,
    )


def with_rate(robot: RobotModel, step: float) -> RobotModel:
    """Return the robot with sensors that measure once a step."""
    return replace(robot, noise=replace(robot.noise, rate=1.0 / step))


def _quantities(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return mass, offset and the six inertia elements about the base's origin."""
    mass = values[..., 6:7]
    return mass, values[..., 7:] / mass, values[..., :6]
