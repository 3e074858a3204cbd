"""The experiment of [Naveen 2024] on its dual-arm robot, its numbers beside ours."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.excitation.pruning import IntervalCurves
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.plan_file import save_plan
from spacerobot_id.flight.conserved_flight import conserved_flight
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, Reproduction
from spacerobot_id.lab.papers.estimates import EstimateStatistics
from spacerobot_id.lab.papers.naveen import comparison
from spacerobot_id.lab.papers.naveen.estimation import (
    CaseEstimates,
    cramer_rao_std,
    estimate_case,
    least_squares,
    Sensing,
    table_5_estimates,
)
from spacerobot_id.lab.papers.naveen.euler_rates import inertial_rows, Poses
from spacerobot_id.lab.papers.naveen.excitation import (
    author_robot,
    curves_on,
    flown_plan,
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
from spacerobot_id.model import JointLimits, load_robot, RobotModel, shipped_file, write_robot
from spacerobot_id.report.metrics import relative_to

_RATE = 100.0
"""Samples per second of what goes beyond the paper, which has five."""


@dataclass(frozen=True, eq=False)
class NaveenSettings:
    """How much is computed.

    Parameters
    ----------
    draws : int
        Draws of the noise for the distribution of Table 5.
    seeds : int
        Seeds of the noise in each case of ours.
    plans : int
        Motions planned from scratch, by other draws each.
    restarts : int
        How many starts the search for each of them follows downhill.
    """

    draws: int = 200
    seeds: int = 10
    plans: int = 3
    restarts: int = 4


@dataclass(frozen=True, eq=False)
class NaveenResults:
    """What was planned, estimated and predicted.

    Parameters
    ----------
    problem : Momentum
        Unknowns and noise.
    values, beside : ndarray, shape (p,)
        True values of the minimal parameters, and what the bodies of the wheels add to them.
    orders : sequence of PrunedMotion
        What pruning leaves in several orders of the combinations, that of the paper first.
    plans : sequence of PrunedMotion
        Motions from scratch.
    curves : IntervalCurves
        Figure 4 of the motion that is flown.
    clean : Record
        What noise-free sensors measure of it.
    estimates : mapping of int to EstimateStatistics
        Table 5 over draws of the noise, by the number of intervals.
    cases : sequence of CaseEstimates
        Estimates of ours, both ways of sensing for each number of intervals.
    validation : Validation
        Predictions on another motion.
    """

    problem: Momentum
    values: NDArray[np.float64]
    beside: NDArray[np.float64]
    orders: Sequence[PrunedMotion]
    plans: Sequence[PrunedMotion]
    curves: IntervalCurves
    clean: Record
    estimates: comparison.Table5
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
        Pairs of numbers, tables, pictures, and the motion of Table 4 as a plan with its robot.
    """
    paper = published('naveen')
    results = run(paper, settings)
    pictures = _pictures(folder, paper, results)
    robot = author_robot(paper, _robot('naveen_dual_arm'))
    # The paper gives no limits of positions; by the author's order joint 4 goes to 268 degrees.
    free = [replace(joint, limits=JointLimits()) for joint in robot.tree_joints]
    files = (*pictures, folder / 'table_4.yaml', folder / 'robot.urdf')
    save_plan(flown_plan(paper, robot), files[-2])
    write_robot(replace(robot, tree_joints=free), files[-1])
    return Reproduction(
        'naveen', paper.title, _pairs(paper, results), files, _tables(paper, results)
    )


def run(paper: Paper, settings: NaveenSettings) -> NaveenResults:
    """Return what was planned, estimated and predicted."""
    printed, offset = _robot('naveen_dual_arm'), _robot('naveen_dual_arm_prior')
    true, prior = author_robot(paper, printed), author_robot(paper, offset)
    orders = [
        pruned_motion(paper, true, prior, name, directions)
        for name, directions in likely_orders(paper).items()
    ]
    plans = [
        three_steps(printed, offset, seed, settings.restarts) for seed in range(settings.plans)
    ]
    problem = Momentum.from_model(prior)
    values = problem.minimal.values(true)
    beside = values - problem.minimal.values(printed)
    plan = flown_plan(paper, true)
    estimates = table_5(paper, true, plan, range(settings.draws))
    clean = conserved_flight(true, plan, _RATE)
    cases = [
        estimate_case(problem, clean, values, intervals, sensing, range(settings.seeds))
        for intervals in estimates
        for sensing in Sensing
    ]
    rates, poses = cases[: len(Sensing)]
    squares = estimates[paper.count('kept')].values
    predicting = {
        "paper's Table 5": paper.array('estimates_67')[None] + beside,
        'least squares': squares[: settings.seeds] + beside,
        'ours, rates': rates.ours.values,
        'ours, poses': poses.ours.values,
    }
    peak = np.deg2rad(paper.number('validation_rate'))
    validation = validate(true, problem.minimal, values, predicting, peak)
    curves = curves_on(true, plan)
    parts = (orders, plans, curves, clean, estimates, cases, validation)
    return NaveenResults(problem, values, beside, *parts)


def table_5(
    paper: Paper,
    true: RobotModel,
    plan: ExcitationPlan,
    draws: Sequence[int],
    rate: float | None = None,
    poses: Poses = Poses.MEASURED,
) -> comparison.Table5:
    """Return least squares as in Table 5, over draws of the noise, by the number of intervals.

    Parameters
    ----------
    paper : Paper
        What is known of the flight.
    true : RobotModel
        Robot with the bodies of its wheels, which are known.
    plan : ExcitationPlan
        Motion.
    draws : sequence of int
        Seeds of the noise.
    rate : float, optional
        Samples per second; the paper's by default.
    poses : Poses
        Where poses and joint angles come from.
    """
    problem = Momentum.from_model(true)
    printed = problem.minimal.values(_robot('naveen_dual_arm'))
    beside = problem.minimal.values(true) - printed
    clean = conserved_flight(true, plan, rate or paper.number('sampling'))
    found = {}
    for count in paper.array('intervals').astype(int).tolist():
        used, dropped = clean[clean.times <= count + 1e-9], paper.count('dropped_samples')
        values = table_5_estimates(problem, used, dropped, draws, poses) - beside
        found[count] = EstimateStatistics(values, np.full_like(values, np.nan), printed)
    return found


def _pairs(paper: Paper, results: NaveenResults) -> tuple[Pair, ...]:
    """Return all numbers with their limits."""
    problem, values, cases = results.problem, results.values, results.cases
    bound = cramer_rao_std(problem, results.clean, values)
    exact = least_squares(inertial_rows(problem, results.clean))
    off = 100.0 * np.max(np.abs(relative_to(values, exact - values)))
    return (
        *comparison.excitation_pairs(paper, results.orders[0], results.curves),
        *comparison.three_step_demands(paper, results.plans),
        paper.demand('without_noise', off),
        *comparison.table_5_pairs(paper, values - results.beside, results.estimates),
        *comparison.table_6_pairs(paper, results.estimates),
        *comparison.estimation_demands(paper, cases),
        *(
            pair
            for case in cases[: len(Sensing)]
            for pair in comparison.certainty_demands(paper, case, bound)
        ),
        *comparison.validation_pairs(paper, results.validation.errors),
    )


def _tables(paper: Paper, results: NaveenResults) -> tuple[ComparisonTable, ...]:
    """Return the tables for orientation."""
    minimal, errors = results.problem.minimal, results.validation.errors
    return (
        comparison.order_table(paper, results.orders, results.plans),
        comparison.parameter_table(
            paper,
            minimal,
            results.values - results.beside,
            results.beside,
            results.estimates,
            results.cases,
        ),
        comparison.joint_table(paper, results.estimates),
        comparison.validation_table(paper, errors),
        comparison.share_table(paper, errors),
        comparison.seed_table(paper, results.plans),
    )


def _pictures(folder: Path, paper: Paper, results: NaveenResults) -> tuple[Path, ...]:
    """Write the pictures and the data of Figure 4; return their paths."""
    from spacerobot_id.lab.papers.naveen import plot
    from spacerobot_id.lab.papers.plotting import save

    curves, validation = results.curves, results.validation
    minimal, case = results.problem.minimal, results.cases[0]
    squares = results.estimates[case.intervals]
    stated = paper.array('estimates_67') - squares.true
    significant = {
        int(count): float(value) for count, value in paper.entries['significant'].values.items()
    }
    drawn = {
        name: validation.predictions[key]
        for name, key in (('least squares', 'least squares'), ('ours', 'ours, rates'))
    }
    errors = {
        'paper': np.abs(relative_to(squares.true, stated)),
        'least squares': squares.relative[0],
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
