"""The experiment of [Christidi 2017] on its spatial manipulator, its numbers beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.motion_search import SearchEffort
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.flight.momentum_flight import (
    fly_with_momentum,
    MomentumFlight,
    sensed,
    some_of,
)
from spacerobot_id.lab.papers.christidi import comparison
from spacerobot_id.lab.papers.christidi.comparison import RATES_NOTE
from spacerobot_id.lab.papers.christidi.estimation import (
    Case,
    errors_without_noise,
    estimate_cases,
    Estimates,
    published_order,
)
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
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.regressor import Identifiability, identifiability_table

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


def table_three(
    paper: Paper,
    names: Sequence[str],
    true: NDArray[np.float64],
    noise_free: Mapping[str, NDArray[np.float64]],
    cases: Mapping[Case, Estimates],
) -> ComparisonTable:
    """Return Table III, every column beside ours."""
    equations, of_momentum = (
        cases[case].errors for case in (Case.PAPER_EQUATIONS, Case.PAPER_MOMENTUM)
    )
    stated = [
        paper.array(f'{method}_{kind}_noise')
        for kind in ('without', 'with')
        for method in ('equations_of_motion', 'angular_momentum')
    ]
    columns = [
        [f'pi_{number}' for number in range(1, len(names) + 1)],
        names,
        paper.array('true_values'),
        true,
        stated[0],
        noise_free['equations of motion'],
        stated[1],
        noise_free['angular momentum'],
        stated[2],
        equations,
        stated[3],
        of_momentum,
        np.abs(stated[2] / stated[3]),
        equations / of_momentum,
    ]
    heads = ['parameter', 'ours', 'true, paper', 'true, ours']
    for kind in ('no noise', 'noise'):
        for method in ('DE', 'AMC'):
            heads += [f'{kind}, {method}, paper', 'ours']
    heads += ['ratio, paper', 'ours']
    rows = zip(*(_plain(column) for column in columns), strict=True)
    return ComparisonTable(
        'Table III: errors in %; DE equations of motion, AMC angular momentum; with noise ours is '
        'the median magnitude',
        tuple(heads),
        tuple(rows),
        RATES_NOTE,
    )


def beyond_table(names: Sequence[str], cases: Mapping[Case, Estimates]) -> ComparisonTable:
    """Return the errors of every case, %."""
    columns = [[f'pi_{number}' for number in range(1, len(names) + 1)]]
    columns += [_plain(each.errors) for each in cases.values()]
    worst = ['largest', *(float(each.errors.max()) for each in cases.values())]
    legend = '; '.join(f'{number}: {case.value}' for number, case in enumerate(cases, 1))
    return ComparisonTable(
        f'Median errors in %. {legend}',
        ('parameter', *(str(number) for number in range(1, len(cases) + 1))),
        (*zip(*columns, strict=True), tuple(worst)),
    )


def identifiable_table(rows: Sequence[Identifiability]) -> ComparisonTable:
    """Return what can be identified of the robot with which sensors."""
    return ComparisonTable(
        'What can be identified of the robot, if no parameter is known to be zero',
        ('measured', 'rank', 'of', 'verdict'),
        tuple((row.measured, row.rank, row.total, row.verdict) for row in rows),
    )


def _plain(column: Sequence[float | str] | NDArray[np.float64]) -> list[float | str]:
    """Return cells that JSON can hold."""
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


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
        table_three(paper, names, results.true, results.noise_free, cases),
        beyond_table(names, cases),
        identifiable_table(identifiability_table(results.problem.model)),
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
