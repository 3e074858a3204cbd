"""The numbers of [Naveen 2024] beside ours, and what ours is to be beyond them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f

from spacerobot_id.excitation.pruning import IntervalCurves
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair
from spacerobot_id.lab.papers.estimates import EstimateStatistics, pairs_of_draws
from spacerobot_id.lab.papers.naveen.estimation import CaseEstimates, Sensing
from spacerobot_id.lab.papers.naveen.excitation import PrunedMotion, seeds_of
from spacerobot_id.lab.papers.naveen.validation import (
    noise_shares,
    PredictionErrors,
    TABLE_7,
)
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import MinimalParameters

Table5 = Mapping[int, EstimateStatistics]
"""Estimates of Table 5 over draws of the noise, by the number of intervals."""


def excitation_pairs(paper: Paper, pruned: PrunedMotion, curves: IntervalCurves) -> list[Pair]:
    """Return sections 6.2.4 and 6.2.5: what stays of all combinations, and Figure 4.

    Parameters
    ----------
    paper : Paper
        What is printed.
    pruned : PrunedMotion
        What Algorithm 1 leaves.
    curves : IntervalCurves
        Of the motion that is flown.
    """
    alone, shown = curves.alone_significant, curves.together_significant
    return paper.pairs(
        {
            'kept': pruned.kept,
            'dropped': pruned.combinations - pruned.kept,
            'condition_number': curves.together_condition[-1],
            'condition_number_alone': curves.alone_condition[0],
            'significant': {
                count: shown[int(count) - 1] for count in paper.entries['significant'].values
            },
            'significant_alone': [alone.min(), alone.max()],
        }
    )


def three_step_demands(paper: Paper, plans: Sequence[PrunedMotion]) -> list[Pair]:
    """Return what the three steps from scratch give: the plan that costs least."""
    if not plans:
        return []
    best = min(plans, key=lambda plan: plan.cost)
    return [
        paper.demand('three_steps_kept', best.kept),
        paper.demand('three_steps_condition', best.condition),
    ]


def table_5_pairs(paper: Paper, values: NDArray[np.float64], estimates: Table5) -> list[Pair]:
    """Return Table 5: true values, and the paper's estimates in our distribution of them."""
    pairs, count = paper.pairs({'true_values': values}), len(values) * len(estimates)
    reasons = paper.reasons['one_draw'], paper.reasons['readings']
    for intervals, found in estimates.items():
        pairs += pairs_of_draws(paper, f'estimates_{intervals}', found.values, count, *reasons)
    return pairs


def joint_table(paper: Paper, estimates: Table5) -> ComparisonTable:
    """Return how far the paper's estimates are from ours by the whole covariance of these."""
    rows = []
    for count, found in estimates.items():
        draws, p = found.values.shape
        off = paper.array(f'estimates_{count}') - found.values.mean(axis=0)
        square = off @ np.linalg.solve(np.cov(found.values.T), off)
        scale = p * (draws**2 - 1.0) / (draws * (draws - p))  # Hotelling, of finite draws
        rows.append((f'{count} intervals', square, scale * f.ppf(0.95, p, draws - p)))
    return ComparisonTable(
        'Table 5 jointly: squared distance of all 52 estimates of the paper from our distribution',
        ('', 'paper', '95 % of draws below'),
        rows,
        paper.reasons['jointly'],
    )


def table_6_pairs(paper: Paper, estimates: Table5) -> list[Pair]:
    """Return Table 6 (Eqs. 38, 39), the median over the draws."""
    found = list(estimates.values())
    return paper.pairs(
        {
            'median': [100.0 * np.median(each.medians) for each in found],
            'largest': [100.0 * np.median(each.largest) for each in found],
            'far_off': np.median(np.sum(found[0].relative > 0.1, axis=1)),
        }
    )


def estimation_demands(paper: Paper, cases: Sequence[CaseEstimates]) -> list[Pair]:
    """Return what our estimates are to be: better than the paper's in every case."""
    pairs = []
    for sensing in Sensing:
        several = [case for case in cases if case.sensing is sensing]
        for number, case in enumerate(several):
            found = {'median': case.ours.medians, 'largest': case.ours.largest}
            of_case = {'sensing': sensing.value, 'intervals': case.intervals}
            pairs += [
                paper.demand(
                    name, 100.0 * np.median(errors), paper.number(f'{name}.{number}'), **of_case
                )
                for name, errors in found.items()
            ]
        off = np.median(np.sum(several[0].ours.relative > 0.1, axis=1))
        of_case = {'sensing': sensing.value, 'intervals': several[0].intervals}
        pairs.append(paper.demand('far_off', off, paper.number('far_off'), **of_case))
    return pairs


def certainty_demands(paper: Paper, case: CaseEstimates, bound: NDArray[np.float64]) -> list[Pair]:
    """Return how certain the estimates of all intervals are, and rightly so.

    Parameters
    ----------
    paper : Paper
        What is printed.
    case : CaseEstimates
        Estimates from all intervals.
    bound : ndarray, shape (p,)
        Least standard deviations of unbiased estimates.
    """
    true = case.ours.true[MASS]
    theirs = 100.0 * abs(paper.array('estimates_67')[MASS] / true - 1.0)
    squares, ours = (
        100.0 * (np.mean(method.values[:, MASS]) / true - 1.0)
        for method in (case.least_squares, case.ours)
    )
    found = {
        'squares_mass': squares,
        'mass': ours,
        'coverage': 100.0 * case.ours.coverage,
        'squares_over_bound': case.least_squares.over_bound(bound),
        'over_bound': case.ours.over_bound(bound),
    }
    of_case = {'sensing': case.sensing.value, 'intervals': case.intervals}
    return [paper.demand(name, value, theirs, **of_case) for name, value in found.items()]


def validation_pairs(paper: Paper, errors: Mapping[str, PredictionErrors]) -> list[Pair]:
    """Return the errors of prediction of least squares, and ours, which are to be smaller."""
    squares = errors['least squares']
    shares = noise_shares(paper, squares)
    of_ours = ('ours, rates', 'ours, poses')
    return [
        *paper.pairs(squares),
        *paper.pairs({name: [each.min(), each.max()] for name, each in shares.items()}),
        *(
            paper.demand(
                'prediction',
                errors[name][key].max(),
                paper.array(key).max(),
                unit=paper.entries[key].unit,
                estimates=name,
                what=key.replace('_', ' '),
            )
            for name in of_ours
            for key in TABLE_7
        ),
    ]


def order_table(
    paper: Paper, orders: Sequence[PrunedMotion], plans: Sequence[PrunedMotion]
) -> ComparisonTable:
    """Return what Algorithm 1 leaves in several orders of the combinations, and from scratch."""
    significant = paper.entries['significant'].values
    row = ('paper', paper.number('kept'), None, paper.number('condition_number'))
    rows = [(*row, *significant.values())]
    for each in (*orders, *plans):
        shown = each.curves.together_significant
        after = (shown[min(int(count), each.kept) - 1] for count in significant)
        rows.append((each.name, each.kept, each.kept_as_printed, each.condition, *after))
    heads = ('order', 'kept', 'as printed', 'condition')
    return ComparisonTable(
        'Algorithm 1 along the seeds of Table 4, by the order of the combinations: intervals '
        'kept, kept with\nevery line as printed, condition number and significant singular '
        'values on the true robot. At the end the three\nsteps of section 5.1 from scratch.',
        (*heads, *(f'after {count}' for count in significant)),
        rows,
    )


def seed_table(paper: Paper, plans: Sequence[PrunedMotion]) -> ComparisonTable:
    """Return Table 4 beside the seeds of the plans from scratch."""
    rows = []
    ours = [np.rad2deg(seeds_of(plan.plan.knots)) for plan in plans]
    for place, (name, key) in enumerate((('start', 'start_deg'), ('range', 'range_deg'))):
        for joint, stated in enumerate(paper.array(key)):
            found = (each[place, joint] for each in ours)
            rows.append((f'{name} of joint {joint + 1}', stated, *found))
    return ComparisonTable(
        'Table 4: seeds of the joints, deg; the paper, and the three steps from scratch',
        ('', 'paper', *(f'ours, draw {number}' for number in range(len(plans)))),
        rows,
        paper.reasons['seeds'],
    )


def parameter_table(
    paper: Paper,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    beside: NDArray[np.float64],
    estimates: Table5,
    cases: Sequence[CaseEstimates],
) -> ComparisonTable:
    """Return Table 5: the paper, the mean and deviation of our least squares, and ours."""
    heads, columns = ['parameter', 'unit', 'true'], [minimal.names, minimal.units, values]
    ours = {case.intervals: case for case in cases if case.sensing is Sensing.POSES}
    for count, found in estimates.items():
        heads += [f'paper {count}', f'least sq. {count}', '+-', f'ours {count}']
        spread = found.values.std(axis=0, ddof=1)
        columns += [paper.array(f'estimates_{count}'), found.values.mean(axis=0), spread]
        columns.append(ours[count].ours.values[0] - beside)
    identified = ', '.join(
        f'{np.median(case.identified):.0f} from {count} intervals' for count, case in ours.items()
    )
    return ComparisonTable(
        f'Table 5, SI units: the paper, least squares at its 5 Hz, and ours at 100 Hz from '
        f'{Sensing.POSES.value}.\nOurs counts as identified (of {len(values)}): {identified}.',
        heads,
        zip(*columns, strict=True),
    )


def validation_table(paper: Paper, errors: Mapping[str, PredictionErrors]) -> ComparisonTable:
    """Return the table of prediction errors of section 6.4."""
    rows = []
    for key in TABLE_7:
        text, entry = key.replace('_', ' '), paper.entries[key]
        for number, stated in enumerate(paper.array(key)):
            ours = (each[key][number] for each in errors.values())
            rows.append((f'{text}, {entry.labels[0][number]}', entry.unit, stated, *ours))
    return ComparisonTable(
        'Section 6.4: RMS errors of prediction, the mean over seeds. The first column is on the '
        "paper's motion,\nthe others are on ours.",
        ('', 'unit', 'paper', *errors),
        rows,
    )


def share_table(paper: Paper, errors: Mapping[str, PredictionErrors]) -> ComparisonTable:
    """Return the errors of prediction over the noise, of torques the noise over the errors."""
    everyone = {'its table': {key: paper.array(key) for key in TABLE_7}, **errors}
    shares = [noise_shares(paper, each) for each in everyone.values()]
    rows = [
        (f'{paper.entries[key].text}, {name}', value, *(extreme(each[key]) for each in shares))
        for key in shares[0]
        for name, value, extreme in zip(
            ('least', 'most'), paper.array(key), (np.min, np.max), strict=True
        )
    ]
    return ComparisonTable(
        'Section 6.4: RMS errors of prediction beside the noise of a sensor',
        ('', 'paper, text', *everyone),
        rows,
        paper.reasons['shares'],
    )
