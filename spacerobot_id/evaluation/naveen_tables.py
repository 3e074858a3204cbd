"""Tables of papers/000 beside ours: orders of the combinations, and Table 5."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.naveen_estimation import CaseEstimates, Sensing
from spacerobot_id.evaluation.naveen_excitation import PrunedMotion
from spacerobot_id.evaluation.naveen_planning import ThreeSteps
from spacerobot_id.evaluation.naveen_published import PublishedNaveen
from spacerobot_id.evaluation.naveen_report import LEAST_SQUARES_NOTE, SUBSET_NOTE
from spacerobot_id.evaluation.reproduction import ComparisonTable
from spacerobot_id.regressor import MinimalParameters


def order_table(
    published: PublishedNaveen, orders: Sequence[PrunedMotion], plans: Sequence[ThreeSteps]
) -> ComparisonTable:
    """Return what Algorithm 1 leaves in several orders of the combinations, and from scratch."""
    counts = tuple(published.significant)
    rows = [('paper', published.kept, None, published.condition_number)]
    rows[0] += tuple(published.significant.values())
    for each in orders:
        significant = each.curves.together_significant
        rows.append(
            (
                each.name,
                each.kept,
                each.kept_as_printed,
                float(each.curves.together_condition[-1]),
                *(int(significant[min(count, each.kept) - 1]) for count in counts),
            )
        )
    for plan in plans:
        significant = plan.curves.together_significant
        rows.append(
            (
                f'three steps from scratch, draw {plan.seed}',
                plan.kept,
                None,
                plan.condition,
                *(int(significant[min(count, plan.kept) - 1]) for count in counts),
            )
        )
    heads = ('order', 'kept', 'as printed', 'condition', *(f'after {count}' for count in counts))
    return ComparisonTable(
        'Algorithm 1 along the seeds of Table 4, by the order of the combinations: intervals '
        'kept, kept with\nevery line as printed, condition number and significant singular '
        'values on the true robot. At the end the three\nsteps of section 5.1 from scratch.',
        heads,
        tuple(rows),
        SUBSET_NOTE,
    )


def parameter_table(
    published: PublishedNaveen,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    cases: Sequence[CaseEstimates],
    sensing: Sensing,
) -> ComparisonTable:
    """Return Table 5: estimates of all cases with one way of sensing, the first seed of ours."""
    chosen = [case for case in cases if case.sensing is sensing]
    heads, columns = ['parameter', 'unit', 'true'], [minimal.names, minimal.units, values]
    for stated, case in zip(published.cases, chosen, strict=True):
        heads += [f'paper {stated.intervals}', f'least sq. {case.intervals}']
        heads += [f'ours {case.intervals}']
        columns += [stated.estimates, case.least_squares.values[0], case.ours.values[0]]
    identified = ', '.join(
        f'{np.median(case.identified):.0f} of {case.intervals} intervals' for case in chosen
    )
    return ComparisonTable(
        f'Table 5, SI units: the paper, least squares and ours from {sensing.value}, one seed of '
        f'the noise.\nOurs says which it has identified (of {len(values)}): {identified}.',
        tuple(heads),
        tuple(tuple(_plain(cell) for cell in row) for row in zip(*columns, strict=True)),
        LEAST_SQUARES_NOTE,
    )


def _plain(cell: object) -> str | float:
    """Return a cell as a word or a number."""
    return cell if isinstance(cell, str) else float(cell)
