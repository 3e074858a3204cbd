"""The experiment of [Christidi 2017] on its spatial manipulator, its numbers beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.search.motion_search import SearchEffort
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.flight.momentum_flight import (
    fly_with_momentum,
    MomentumFlight,
    sensed,
    some_of,
)
from spacerobot_id.lab.papers.christidi import comparison, tables
from spacerobot_id.lab.papers.christidi.estimation import (
    Case,
    errors_without_noise,
    estimate_cases,
    Estimates,
)
from spacerobot_id.lab.papers.christidi.parameters import published_order
from spacerobot_id.lab.papers.christidi.plan import (
    better_conditioned,
    condition_numbers,
    ConditionNumbers,
    planned_motion,
    table_two,
)
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, Reproduction
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.methods.accelerations import with_accelerations
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.nuisance import NuisanceSettings
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.regressor import identifiability_table

_RATE = 100.0
"""Samples per second; the paper does not print its own."""

_WINDOW = 11
"""Angles that a rate is taken from; not stated in the paper."""

_BIAS = 5e-7
"""How far the bias of the gyro may be from zero, rad/s: a tenth of a degree per hour."""

_TITLE = (
    '[Christidi 2017], Christidi-Loumpasefski et al.: parameters of a space manipulator from its '
    'angular momentum, Tables I to III and Figure 3'
)


@dataclass(frozen=True)
class ChristidiSettings:
    """How much is computed.

    Parameters
    ----------
    seeds : int
        Seeds of the noise in each case.
    draws, restarts, iterations : int
        How much is tried to plan our own motion.
    """

    seeds: int = 20
    draws: int = 100
    restarts: int = 3
    iterations: int = 25


@dataclass(frozen=True, eq=False)
class ChristidiResults:
    """What was flown and estimated.

    Parameters
    ----------
    problem : AngularMomentum
        Robot with the momentum that is known.
    motions : mapping of str to FourierQuintic
        Table II, and the one planned here.
    flight : MomentumFlight
        Flight along Table II.
    used : int
        Samples that are used of it.
    cases : mapping of Case to Estimates
        Estimates over the seeds.
    noise_free : mapping of str to ndarray, shape (19,)
        Errors without noise by method, %.
    conditions : tuple of ConditionNumbers
        Along Table II, with r_0 as it is printed, and after a search.
    """

    problem: AngularMomentum
    motions: Mapping[str, FourierQuintic]
    flight: MomentumFlight
    used: int
    cases: Mapping[Case, Estimates]
    noise_free: Mapping[str, NDArray[np.float64]]
    conditions: tuple[ConditionNumbers, ...]

    @property
    def names(self) -> list[str]:
        """Names of pi_1 to pi_19 in this package."""
        reduced = self.problem.reduced
        return [reduced.names[place] for place in published_order(reduced)]

    @property
    def true(self) -> NDArray[np.float64]:
        """True values of pi_1 to pi_19, kg m^2."""
        reduced = self.problem.reduced
        return reduced.values(self.problem.model)[published_order(reduced)]


def reproduce(folder: Path, settings: ChristidiSettings = ChristidiSettings()) -> Reproduction:
    """Run the experiment of [Christidi 2017], draw it and compare it with what is printed.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : ChristidiSettings
        How much is computed.

    Returns
    -------
    Reproduction
        Pairs of numbers, tables and pictures.
    """
    paper = published('christidi')
    results = run(paper, settings)
    files = _pictures(folder, paper, results)
    return Reproduction(
        'christidi', _TITLE, _pairs(paper, results), files, _tables(paper, results)
    )


def run(paper: Paper, settings: ChristidiSettings) -> ChristidiResults:
    """Return what was flown and estimated."""
    problem, count = _problem(paper), paper.count('measurements')
    prior = load_robot(shipped_file('config/robots/christidi_spatial_arm_prior.urdf'))
    effort = SearchEffort(settings.draws, settings.restarts, settings.iterations)
    motion = table_two(paper, problem.model.joint_names)
    planned = planned_motion(paper, prior, effort)
    flight, own = (_flown(paper, problem, each) for each in (motion, planned))
    attitude = paper.array('attitude')
    improved = better_conditioned(problem, motion, attitude, count, settings.iterations)
    conditions = tuple(
        _condition(paper, each, along)
        for each, along in (
            (problem, motion),
            (_as_printed(paper, problem), motion),
            (problem, improved),
        )
    )
    return ChristidiResults(
        problem,
        {'Table II': motion, 'ours': planned},
        flight,
        len(some_of(len(flight.samples), count)),
        estimate_cases(problem, flight, own, count, _WINDOW, range(settings.seeds)),
        errors_without_noise(problem, flight, count),
        conditions,
    )


def _pairs(paper: Paper, results: ChristidiResults) -> tuple[Pair, ...]:
    """Return all numbers with their limits."""
    model, motion = results.problem.model, results.motions['Table II']
    return (
        *comparison.given_pairs(paper, model, motion, results.flight, results.used),
        *comparison.true_value_pairs(paper, results.true),
        *comparison.noise_free_pairs(paper, results.noise_free),
        *comparison.condition_pairs(paper, *results.conditions),
        *comparison.noise_pairs(paper, results.cases),
        *comparison.beyond_demands(results.cases),
    )


def _tables(paper: Paper, results: ChristidiResults) -> tuple[ComparisonTable, ...]:
    """Return the tables for orientation."""
    names, cases = results.names, results.cases
    return (
        tables.table_three(paper, names, results.true, results.noise_free, cases),
        tables.beyond_table(names, cases),
        tables.identifiable_table(identifiability_table(results.problem.model)),
    )


def _problem(paper: Paper) -> AngularMomentum:
    """Return the robot with the momentum that is known."""
    model = load_robot(shipped_file('config/robots/christidi_spatial_arm.urdf'))
    momentum = tuple(paper.array('angular_momentum').tolist())
    settings = KnownMomentumSettings(momentum, trust_zeros=True)
    return AngularMomentum.from_model(model, settings, NuisanceSettings(gyro_bias=_BIAS))


def _flown(paper: Paper, problem: AngularMomentum, motion: FourierQuintic) -> MomentumFlight:
    momentum, attitude = paper.array('angular_momentum'), paper.array('attitude')
    return fly_with_momentum(problem.model, motion, momentum, attitude, _RATE)


def _condition(paper: Paper, problem: AngularMomentum, motion: FourierQuintic) -> ConditionNumbers:
    """Return the condition numbers over the few samples that the paper uses."""
    flight = _flown(paper, problem, motion)
    rows = some_of(len(flight.samples), paper.count('measurements'))
    return condition_numbers(problem, flight[rows])


def _as_printed(paper: Paper, problem: AngularMomentum) -> AngularMomentum:
    """Return the robot whose first joint is where Table I prints it."""
    first, *others = problem.model.joints
    moved = replace(first, p_PC_P=paper.array('r_0'))
    return replace(problem, model=replace(problem.model, tree_joints=[moved, *others]))


def _pictures(folder: Path, paper: Paper, results: ChristidiResults) -> tuple[Path, ...]:
    """Write the pictures and return their paths."""
    from spacerobot_id.lab.papers.christidi import plot
    from spacerobot_id.lab.papers.plotting import save

    problem, motions = results.problem, results.motions
    seen = sensed(problem.model, results.flight, _WINDOW, seed=0)
    accelerated = with_accelerations(seen, 3)
    figures = {
        'figure_3': plot.sensed_motion(seen[1:-1], accelerated.qdd, motions['Table II']),
        'motions': plot.motion_comparison(motions),
        'errors': plot.reduced_errors(drawn_errors(paper, results.cases)),
    }
    return tuple(save(figure, folder / f'{name}.png') for name, figure in figures.items())


def drawn_errors(paper: Paper, cases: Mapping[Case, Estimates]) -> dict[str, NDArray[np.float64]]:
    """Return the errors that are drawn, %."""
    shown = (Case.PAPER_EQUATIONS, Case.PAPER_MOMENTUM, Case.EVERY_MOMENTUM, Case.OURS_PLANNED)
    return {
        'paper, equations of motion': paper.array('equations_of_motion_with_noise'),
        'paper, angular momentum': paper.array('angular_momentum_with_noise'),
        **{case.value: cases[case].errors for case in shown},
    }
