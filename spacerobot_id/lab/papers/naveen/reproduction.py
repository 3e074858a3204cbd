"""The experiment of [Naveen 2024] on its dual-arm robot, its numbers beside ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.flight.conserved_flight import conserved_flight
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, Reproduction
from spacerobot_id.lab.papers.naveen import comparison
from spacerobot_id.lab.papers.naveen.estimation import (
    CaseEstimates,
    cramer_rao_std,
    estimate_case,
    least_squares,
    Sensing,
)
from spacerobot_id.lab.papers.naveen.euler_rates import inertial_rows
from spacerobot_id.lab.papers.naveen.excitation import (
    first_intervals,
    likely_orders,
    pruned_motion,
    PrunedMotion,
    three_steps,
    write_interval_curves,
)
from spacerobot_id.lab.papers.naveen.validation import validate, Validation
from spacerobot_id.lab.papers.published import Paper, published
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, RobotModel, shipped_file
from spacerobot_id.report.metrics import relative_to

_RATE = 100.0
"""Samples per second; the paper does not print its own."""


@dataclass(frozen=True, eq=False)
class NaveenSettings:
    """How much is computed.

    Parameters
    ----------
    seeds : int
        Seeds of the noise in each case.
    plans : int
        Motions planned from scratch, by other draws each.
    restarts : int
        How many starts the search for each of them follows downhill.
    """

    seeds: int = 10
    plans: int = 3
    restarts: int = 4


@dataclass(frozen=True, eq=False)
class NaveenResults:
    """What was planned, estimated and predicted.

    Parameters
    ----------
    true, prior : RobotModel
        Robot, and the prior model of it.
    problem : Momentum
        Unknowns and noise.
    values : ndarray, shape (p,)
        True values of the minimal parameters.
    orders : sequence of PrunedMotion
        What pruning leaves in several orders of the combinations, the first of which is flown.
    plans : sequence of PrunedMotion
        Motions from scratch.
    clean : Record
        What noise-free sensors measure of the flight.
    cases : sequence of CaseEstimates
        Estimates, both ways of sensing for each number of intervals.
    validation : Validation
        Predictions on another motion.
    """

    true: RobotModel
    prior: RobotModel
    problem: Momentum
    values: NDArray[np.float64]
    orders: Sequence[PrunedMotion]
    plans: Sequence[PrunedMotion]
    clean: Record
    cases: Sequence[CaseEstimates]
    validation: Validation


def reproduce(folder: Path, settings: NaveenSettings = NaveenSettings()) -> Reproduction:
    """Run the experiment of [Naveen 2024], draw it and compare it with what is printed.

    Parameters
    ----------
    folder : Path
        Where the pictures go; made if it is not there.
    settings : NaveenSettings
        How much is computed.

    Returns
    -------
    Reproduction
        Pairs of numbers, tables and pictures.
    """
    paper = published('naveen')
    results = run(paper, settings)
    files = _pictures(folder, paper, results)
    return Reproduction(
        'naveen', paper.title, _pairs(paper, results), files, _tables(paper, results)
    )


def run(paper: Paper, settings: NaveenSettings) -> NaveenResults:
    """Return what was planned, estimated and predicted."""
    true, prior = _robot('naveen_dual_arm'), _robot('naveen_dual_arm_prior')
    orders = [
        pruned_motion(paper, true, prior, name, directions)
        for name, directions in likely_orders().items()
    ]
    plans = [three_steps(true, prior, seed, settings.restarts) for seed in range(settings.plans)]
    problem = Momentum.from_model(prior)
    values = problem.minimal.values(true)
    plan = first_intervals(orders[0].plan, paper.count('kept'))
    clean = conserved_flight(true, plan, _RATE)
    cases = [
        estimate_case(problem, clean, values, int(intervals), sensing, range(settings.seeds))
        for intervals in paper.array('intervals')
        for sensing in Sensing
    ]
    rates, poses = cases[: len(Sensing)]
    estimates = {
        "paper's Table 5": paper.array('estimates_67')[None],
        'least squares': rates.least_squares.values,
        'ours, rates': rates.ours.values,
        'ours, poses': poses.ours.values,
    }
    validation = validate(true, problem.minimal, values, estimates)
    return NaveenResults(true, prior, problem, values, orders, plans, clean, cases, validation)


def _pairs(paper: Paper, results: NaveenResults) -> tuple[Pair, ...]:
    """Return all numbers with their limits."""
    problem, values, cases = results.problem, results.values, results.cases
    pruned, validation = results.orders[0], results.validation
    bound = cramer_rao_std(problem, results.clean, values)
    exact = least_squares(inertial_rows(problem, results.clean))
    off = 100.0 * np.max(np.abs(relative_to(values, exact - values)))
    return (
        *comparison.given_pairs(paper, results.true, results.prior, pruned, validation.motion),
        *comparison.excitation_pairs(paper, pruned),
        *comparison.three_step_demands(paper, results.plans),
        paper.demand('without_noise', off),
        *comparison.table_5_pairs(paper, values, problem.minimal.units, cases),
        *comparison.table_6_pairs(paper, cases),
        *comparison.estimation_demands(paper, cases),
        *(
            pair
            for case in cases[: len(Sensing)]
            for pair in comparison.certainty_demands(paper, case, bound)
        ),
        *comparison.validation_pairs(paper, validation.errors),
    )


def _tables(paper: Paper, results: NaveenResults) -> tuple[ComparisonTable, ...]:
    """Return the tables for orientation."""
    minimal, errors = results.problem.minimal, results.validation.errors
    return (
        comparison.order_table(paper, results.orders, results.plans),
        *(
            comparison.parameter_table(paper, minimal, results.values, results.cases, sensing)
            for sensing in Sensing
        ),
        comparison.validation_table(paper, errors),
        comparison.share_table(paper, errors),
        comparison.seed_table(paper, results.plans),
    )


def _pictures(folder: Path, paper: Paper, results: NaveenResults) -> tuple[Path, ...]:
    """Write the pictures and the data of Figure 4; return their paths."""
    from spacerobot_id.lab.papers.naveen import plot
    from spacerobot_id.lab.papers.plotting import save

    curves, validation = results.orders[0].curves, results.validation
    minimal, case = results.problem.minimal, results.cases[0]
    stated = paper.array('estimates_67') - case.ours.true
    significant = {
        int(count): float(value) for count, value in paper.entries['significant'].values.items()
    }
    drawn = {
        name: validation.predictions[key]
        for name, key in (('least squares', 'least squares'), ('ours', 'ours, rates'))
    }
    errors = {
        'paper': np.abs(relative_to(case.ours.true, stated)),
        'least squares': case.least_squares.relative[0],
        'ours': case.ours.relative[0],
    }
    figures = {
        'figure_4': plot.interval_curves(curves, len(minimal), significant),
        'errors': plot.parameter_errors(minimal.names, errors),
        'validation': plot.prediction(validation.motion, validation.true, drawn),
    }
    files = [save(figure, folder / f'{name}.png') for name, figure in figures.items()]
    table = folder / 'figure_4.csv'
    write_interval_curves(table, curves)
    return (*files, table)


def _robot(name: str) -> RobotModel:
    """Return a shipped robot, whose printed inertias are known to be those of no body."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(shipped_file(f'config/robots/{name}.urdf'))
