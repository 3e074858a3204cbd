"""Tables of [Naveen 2024] beside ours: orders of the combinations, seeds, Table 5, predictions."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.comparison import ComparisonTable
from spacerobot_id.lab.papers.naveen.estimation import CaseEstimates, Sensing
from spacerobot_id.lab.papers.naveen.excitation import PrunedMotion, seeds_of, ThreeSteps
from spacerobot_id.lab.papers.naveen.validation import (
    noise_shares,
    PredictionErrors,
    TABLE_7,
)
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import MinimalParameters

_SEEDS = (
    'The run takes the seeds of Table 4 as they are; our search finds others that cost about as '
    'much.'
)
_SHARES = (
    'The text rounds what its own table gives, which stands in the next columns; ours is on '
    'another motion, and smaller as its estimates are better.'
)


def link_values(model: RobotModel) -> NDArray[np.float64]:
    """Return the columns of Table 3 of a robot: a row of ten for each link."""
    rows = []
    for link in model.links:
        inertia = link.inertial.inertia_about_com
        products = inertia[[0, 1, 2], [1, 2, 0]]
        rows.append([link.inertial.mass, *link.inertial.com, *np.diag(inertia), *products])
    return np.array(rows)


def order_table(
    paper: Paper, orders: Sequence[PrunedMotion], plans: Sequence[ThreeSteps]
) -> ComparisonTable:
    """Return what Algorithm 1 leaves in several orders of the combinations, and from scratch."""
    significant = paper.entries['significant'].values
    row = ('paper', paper.number('kept'), None, paper.number('condition_number'))
    rows = [(*row, *significant.values())]
    found = [(each.name, each.kept, each.kept_as_printed, each.curves) for each in orders]
    found += [
        (f'three steps from scratch, draw {plan.seed}', plan.kept, None, plan.curves)
        for plan in plans
    ]
    for name, kept, as_printed, curves in found:
        shown = curves.together_significant
        after = (shown[min(int(count), len(shown)) - 1] for count in significant)
        rows.append((name, kept, as_printed, curves.together_condition[-1], *after))
    heads = ('order', 'kept', 'as printed', 'condition')
    return ComparisonTable(
        'Algorithm 1 along the seeds of Table 4, by the order of the combinations: intervals '
        'kept, kept with\nevery line as printed, condition number and significant singular '
        'values on the true robot. At the end the three\nsteps of section 5.1 from scratch.',
        (*heads, *(f'after {count}' for count in significant)),
        rows,
    )


def seed_table(paper: Paper, plans: Sequence[ThreeSteps]) -> ComparisonTable:
    """Return Table 4 beside the seeds of the plans from scratch."""
    rows = []
    ours = [np.rad2deg(seeds_of(plan.plan.knots)) for plan in plans]
    for place, (name, key) in enumerate((('start', 'start_deg'), ('range', 'range_deg'))):
        for joint, stated in enumerate(paper.array(key)):
            found = (each[place, joint] for each in ours)
            rows.append((f'{name} of joint {joint + 1}', stated, *found))
    return ComparisonTable(
        'Table 4: seeds of the joints, deg; the paper, and the three steps from scratch',
        ('', 'paper', *(f'ours, draw {plan.seed}' for plan in plans)),
        rows,
        _SEEDS,
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
        _SHARES,
    )
