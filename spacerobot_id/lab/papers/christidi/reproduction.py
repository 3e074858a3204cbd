"""The experiment of [Christidi 2017] on its spatial manipulator, its numbers beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.flight.momentum_flight import (
    fly_with_momentum,
    MomentumFlight,
    sensed,
    some_of,
)
from spacerobot_id.lab.papers.christidi.estimation import (
    Case,
    errors_without_noise,
    estimate_cases,
    published_order,
    published_parameters,
)
from spacerobot_id.lab.papers.christidi.plan import (
    better_conditioned,
    condition_numbers,
    planned_motion,
    table_two,
)
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, Reproduction, rule
from spacerobot_id.lab.papers.estimates import EstimateStatistics, pairs_of_draws
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.regressor import identifiability_table

_RATE = 100.0
"""Samples per second; the paper does not print its own."""

_WINDOW = 9
"""Angles that a rate is taken from; not stated in the paper. With these the errors of its Table
III are draws of ours, with seven or eleven they are not."""

_BIAS = 5e-7
"""How far the bias of the gyro may be from zero, rad/s: a tenth of a degree per hour."""

_BEYOND = (
    Case.FITTED_EQUATIONS,
    Case.EVERY_EQUATIONS,
    Case.EVERY_MOMENTUM,
    Case.OURS,
    Case.OURS_TORQUES,
    Case.OURS_PLANNED,
)
"""Cases that the paper does not have."""


@dataclass(frozen=True)
class ChristidiSettings:
    """How much is computed.

    Parameters
    ----------
    seeds : int
        Seeds of the noise in each case.
    noise_draws : int
        Seeds of the noise for the distribution of Table III.
    draws, restarts, iterations : int
        How much is tried to plan our own motion.
    """

    seeds: int = 20
    noise_draws: int = 60
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
    cases : mapping of Case to EstimateStatistics
        Estimates over the seeds.
    noise_free : mapping of str to ndarray, shape (19,)
        Errors without noise by method, %.
    conditions : sequence of (float, float)
        Condition numbers along Table II, with r_0 as it is printed, and after a search.
    """

    problem: AngularMomentum
    motions: Mapping[str, FourierQuintic]
    flight: MomentumFlight
    cases: Mapping[Case, EstimateStatistics]
    noise_free: Mapping[str, NDArray[np.float64]]
    conditions: Sequence[tuple[float, float]]


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
        'christidi', paper.title, _pairs(paper, results), files, _tables(paper, results)
    )


def run(paper: Paper, settings: ChristidiSettings) -> ChristidiResults:
    """Return what was flown and estimated."""
    problem, count = problem_of(paper), paper.count('measurements')
    prior = load_robot(shipped_file('config/robots/christidi_spatial_arm_prior.urdf'))
    motion = table_two(paper, problem.model.joint_names)
    effort = settings.draws, settings.restarts, settings.iterations
    seeds = range(settings.seeds), range(settings.noise_draws)
    planned = planned_motion(paper, prior, *effort)
    flight, own = (flown(paper, problem, each) for each in (motion, planned))
    attitude = paper.array('attitude')
    improved = better_conditioned(problem, motion, attitude, count, settings.iterations)
    conditions = [
        _condition(paper, each, along)
        for each, along in (
            (problem, motion),
            (_as_printed(paper, problem), motion),
            (problem, improved),
        )
    ]
    return ChristidiResults(
        problem,
        {'Table II': motion, 'ours': planned},
        flight,
        estimate_cases(problem, flight, own, count, _WINDOW, *seeds),
        errors_without_noise(problem, flight, count),
        conditions,
    )


def problem_of(paper: Paper) -> AngularMomentum:
    """Return the robot with the momentum that is known."""
    model = load_robot(shipped_file('config/robots/christidi_spatial_arm.urdf'))
    momentum = tuple(paper.array('angular_momentum').tolist())
    settings = KnownMomentumSettings(momentum, trust_zeros=True)
    return AngularMomentum.from_model(model, settings, NuisanceSettings(gyro_bias=_BIAS))


def flown(paper: Paper, problem: AngularMomentum, motion: FourierQuintic) -> MomentumFlight:
    """Return the flight along a motion, with the momentum and the attitude of the paper."""
    momentum, attitude = paper.array('angular_momentum'), paper.array('attitude')
    return fly_with_momentum(problem.model, motion, momentum, attitude, _RATE)


def _condition(
    paper: Paper, problem: AngularMomentum, motion: FourierQuintic
) -> tuple[float, float]:
    """Return the condition numbers over the few samples that the paper uses."""
    flight = flown(paper, problem, motion)
    rows = some_of(len(flight.samples), paper.count('measurements'))
    return condition_numbers(problem, flight[rows])


def _as_printed(paper: Paper, problem: AngularMomentum) -> AngularMomentum:
    """Return the robot whose first joint is where Table I prints it."""
    first, *others = problem.model.joints
    moved = replace(first, p_PC_P=paper.array('r_0'))
    return replace(problem, model=replace(problem.model, tree_joints=[moved, *others]))


def _pairs(paper: Paper, results: ChristidiResults) -> tuple[Pair, ...]:
    """Return all numbers with their limits, and what goes beyond the paper."""
    problem, cases, noise_free = results.problem, results.cases, results.noise_free
    along, as_printed, improved = results.conditions
    return (
        *_true_value_pairs(paper, published_parameters(problem.reduced, problem.model)),
        *paper.pairs(
            {
                'equations_of_motion_without_noise': noise_free['equations of motion'],
                'angular_momentum_without_noise': noise_free['angular momentum'],
                'condition_number': along[1],
            }
        ),
        paper.demand('condition_as_printed', as_printed[1]),
        paper.demand('condition_after_search', improved[1], along[1]),
        paper.demand('condition_of_momentum', along[0]),
        *table_three_pairs(paper, cases[Case.PAPER_EQUATIONS], cases[Case.PAPER_MOMENTUM]),
        *(
            paper.demand(case.name.lower(), cases[case].typical.max(), case=case.value)
            for case in _BEYOND
        ),
        *(
            paper.demand('coverage', 100.0 * cases[case].coverage, case=case.value)
            for case in (Case.OURS, Case.OURS_PLANNED)
        ),
    )


def table_three_pairs(
    paper: Paper, equations: EstimateStatistics, of_momentum: EstimateStatistics
) -> list[Pair]:
    """Return Table III with noise: the paper's errors in our distribution of them.

    Parameters
    ----------
    paper : Paper
        What is printed: magnitudes of the errors of the equations of motion.
    equations, of_momentum : EstimateStatistics
        Estimates of both methods over the same seeds of the noise.
    """
    errors, sizes = 100.0 * of_momentum.error / of_momentum.true, 100.0 * equations.relative
    count = errors.shape[1] + sizes.shape[1]
    reasons = paper.reasons['one_draw'], paper.reasons['window']
    ratio = sizes / np.abs(errors)
    typical = {
        'equations_of_motion_errors': [np.median(sizes.min(axis=1)), np.median(sizes.max(axis=1))],
        'times_smaller': [np.median(ratio.min(axis=1)), np.median(ratio.max(axis=1))],
    }
    return [
        *pairs_of_draws(paper, 'equations_of_motion_with_noise', sizes, count, *reasons),
        *pairs_of_draws(paper, 'angular_momentum_with_noise', errors, count, *reasons),
        *paper.pairs(typical),
    ]


def _true_value_pairs(paper: Paper, ours: NDArray[np.float64]) -> list[Pair]:
    """Return pi_1 to pi_19 from the description, within the last digit that is printed."""
    pairs = []
    for number, value in enumerate(ours):
        key = f'true_values.{number}'
        digit, printed = paper.last_digit(key), paper.number(key)
        tolerance = rule('near', digit, paper.reasons['digit'])
        if printed * value < 0.0:
            limits, refuses = (
                (-printed - digit, -printed + digit),
                'It refuses every other number.',
            )
            tolerance = rule('within', limits, paper.reasons['sign'], refuses)
        pairs.append(paper.pair(key, value, tolerance))
    return pairs


def _tables(paper: Paper, results: ChristidiResults) -> tuple[ComparisonTable, ...]:
    """Return the tables for orientation."""
    reduced, cases = results.problem.reduced, results.cases
    names = [reduced.names[place] for place in published_order(reduced)]
    numbers = [f'pi_{number}' for number in range(1, len(names) + 1)]
    columns = [numbers, *(each.typical for each in cases.values())]
    worst = ['largest', *(each.typical.max() for each in cases.values())]
    legend = '; '.join(f'{number}: {case.value}' for number, case in enumerate(cases, 1))
    shown = identifiability_table(results.problem.model)
    return (
        _table_three(paper, results, numbers, names),
        ComparisonTable(
            f'Median errors in %. {legend}',
            ('parameter', *(str(number) for number in range(1, len(cases) + 1))),
            (*zip(*columns, strict=True), worst),
        ),
        ComparisonTable(
            'What can be identified of the robot, if no parameter is known to be zero',
            ('measured', 'rank', 'of', 'verdict'),
            ((row.measured, row.rank, row.total, row.verdict) for row in shown),
        ),
    )


def _table_three(
    paper: Paper, results: ChristidiResults, numbers: Sequence[str], names: Sequence[str]
) -> ComparisonTable:
    """Return Table III, every column beside ours."""
    problem, noise_free = results.problem, results.noise_free
    equations, of_momentum = (
        results.cases[case].typical for case in (Case.PAPER_EQUATIONS, Case.PAPER_MOMENTUM)
    )
    ours = [*noise_free.values(), equations, of_momentum]
    stated, heads = [], ['parameter', 'ours', 'true, paper', 'true, ours']
    for kind, noise in (('without', 'no noise'), ('with', 'noise')):
        for method, short in (('equations_of_motion', 'DE'), ('angular_momentum', 'AMC')):
            stated.append(paper.array(f'{method}_{kind}_noise'))
            heads += [f'{noise}, {short}, paper', 'ours']
    columns = [
        paper.array('true_values'),
        published_parameters(problem.reduced, problem.model),
        *(each for pair in zip(stated, ours, strict=True) for each in pair),
        np.abs(stated[2] / stated[3]),
        equations / of_momentum,
    ]
    return ComparisonTable(
        'Table III: errors in %; DE equations of motion, AMC angular momentum; with noise ours is '
        'the median magnitude',
        (*heads, 'ratio, paper', 'ours'),
        zip(numbers, names, *columns, strict=True),
        paper.reasons['rates'],
    )


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


def drawn_errors(
    paper: Paper, cases: Mapping[Case, EstimateStatistics]
) -> dict[str, NDArray[np.float64]]:
    """Return the errors that are drawn, %."""
    shown = (Case.PAPER_EQUATIONS, Case.PAPER_MOMENTUM, Case.EVERY_MOMENTUM, Case.OURS_PLANNED)
    return {
        'paper, equations of motion': paper.array('equations_of_motion_with_noise'),
        'paper, angular momentum': paper.array('angular_momentum_with_noise'),
        **{case.value: cases[case].typical for case in shown},
    }
