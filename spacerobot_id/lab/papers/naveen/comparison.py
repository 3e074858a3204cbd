"""The numbers of [Naveen 2024] beside ours, and what ours is to be beyond them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation import PlannerSettings
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.lab.papers.comparison import ComparisonTable, Pair, rule
from spacerobot_id.lab.papers.naveen.estimation import CaseEstimates, Sensing
from spacerobot_id.lab.papers.naveen.excitation import PrunedMotion, PRUNING, seeds_of
from spacerobot_id.lab.papers.naveen.validation import (
    noise_shares,
    PredictionErrors,
    TABLE_7,
)
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import MinimalParameters

_SMALL = 3.0
"""Times the paper's largest error that an estimate of Table 5 may be from the paper's."""


def given_pairs(
    paper: Paper, true: RobotModel, prior: RobotModel, pruned: PrunedMotion, motion: PlannedMotion
) -> list[Pair]:
    """Return what the paper is given beside what the robots and the run have."""
    start, reach = seeds_of(pruned.plan.knots)
    joints, wheel, noise = len(true.joints), true.wheels[0], true.noise
    spectrum = np.abs(np.fft.rfft(motion.velocity[:, :joints], axis=0)).max(axis=1)
    described, offset = link_values(true), link_values(prior)
    apart = 100.0 * np.abs((offset - described) / described)
    return paper.pairs(
        {
            'start_deg': np.rad2deg(start[:joints]),
            'range_deg': np.rad2deg(reach[:joints]),
            'freedom': 6 + joints,
            'actuators': joints + len(true.wheels),
            'interval': pruned.plan.durations[0],
            'wheel_range': reach[-1],
            'peak_momentum': 2.0 * reach[-1] * wheel.spin_inertia,
            'u_max': PRUNING.u_max,
            'delta': PRUNING.delta,
            'fourier_share': (2 * PlannerSettings().harmonics + 1) / 2,  # over two seeds
            'velocity_noise': noise.base_linear_velocity,
            'rate_noise': noise.base_angular_velocity,
            'joint_rate_noise': noise.joint_rate,
            'validation_harmonics': np.flatnonzero(spectrum > 1e-9 * spectrum.max())[-1],
            'validation_frequency': 2.0 / (motion.times[-1] + motion.times[1]),
            'links_true': described,
            'links_offset': offset,
            'offset_share': [apart.min(), apart.max()],
        }
    )


def excitation_pairs(paper: Paper, pruned: PrunedMotion) -> list[Pair]:
    """Return sections 6.2.4 and 6.2.5: what stays of all combinations, and Figure 4."""
    curves, alone = pruned.curves, pruned.curves.alone_significant
    return paper.pairs(
        {
            'combinations': pruned.combinations,
            'kept': pruned.kept,
            'dropped': pruned.combinations - pruned.kept,
            'condition_number': curves.together_condition[-1],
            'condition_number_alone': curves.alone_condition[0],
            'significant': {
                count: curves.together_significant[min(int(count), pruned.kept) - 1]
                for count in paper.entries['significant'].values
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


def table_5_pairs(
    paper: Paper, values: NDArray[np.float64], units: Sequence[str], cases: Sequence[CaseEstimates]
) -> list[Pair]:
    """Return Table 5: true values, and one seed of least squares from rates alone."""
    pairs, kinds = paper.pairs({'true_values': values}), np.array(units)
    reasons = paper.reasons['one_draw'], paper.reasons['element']
    for case in _from_rates(cases):
        name = f'estimates_{case.intervals}'
        errors = np.abs(paper.array(name) - values)
        for row, ours in enumerate(case.least_squares.values[0]):
            width = _SMALL * errors[kinds == kinds[row]].max()
            pairs.append(paper.pair(f'{name}.{row}', ours, rule('near', width, *reasons)))
    return pairs


def _from_rates(cases: Sequence[CaseEstimates]) -> list[CaseEstimates]:
    """Return the cases that are measured as in the paper."""
    return [case for case in cases if case.sensing is Sensing.RATES]


def table_6_pairs(paper: Paper, cases: Sequence[CaseEstimates]) -> list[Pair]:
    """Return Table 6 (Eqs. 38, 39), least squares from rates alone, the median over the seeds."""
    as_printed = _from_rates(cases)
    found = [case.least_squares for case in as_printed]
    return paper.pairs(
        {
            'intervals': [case.intervals for case in as_printed],
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


def link_values(model: RobotModel) -> NDArray[np.float64]:
    """Return the columns of Table 3 of a robot: a row of ten for each link."""
    rows = []
    for link in model.links:
        inertia = link.inertial.inertia_about_com
        products = inertia[[0, 1, 2], [1, 2, 0]]
        rows.append([link.inertial.mass, *link.inertial.com, *np.diag(inertia), *products])
    return np.array(rows)


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
    cases: Sequence[CaseEstimates],
    sensing: Sensing,
) -> ComparisonTable:
    """Return Table 5: estimates of all cases with one way of sensing, the first seed of ours."""
    chosen = [case for case in cases if case.sensing is sensing]
    heads, columns = ['parameter', 'unit', 'true'], [minimal.names, minimal.units, values]
    for case in chosen:
        heads += [f'{who} {case.intervals}' for who in ('paper', 'least sq.', 'ours')]
        stated = paper.array(f'estimates_{case.intervals}')
        columns += [stated, case.least_squares.values[0], case.ours.values[0]]
    identified = ', '.join(
        f'{np.median(case.identified):.0f} from {case.intervals} intervals' for case in chosen
    )
    return ComparisonTable(
        f'Table 5, SI units: the paper, least squares and ours from {sensing.value}, one seed of '
        f'the noise.\nOurs counts as identified (of {len(values)}): {identified}.',
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
