"""Tables of [Christidi 2017] beside ours: Table III, all methods, what the data show."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.papers.christidi.comparison import RATES_NOTE
from spacerobot_id.lab.papers.christidi.estimation import Case, Estimates
from spacerobot_id.lab.papers.comparison import ComparisonTable
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.regressor import Identifiability


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
