"""Sections of a campaign's page on runs: what they were flown with, the worst, the failed."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.lab.campaign.analysis.application import Applied
from spacerobot_id.lab.campaign.analysis.requirements import Judgement
from spacerobot_id.lab.campaign.analysis.results import Results
from spacerobot_id.lab.campaign.analysis.sensitivity import worst_runs
from spacerobot_id.report.page.content import (
    Block,
    Details,
    Listing,
    Section,
    Table,
    Text,
    Tone,
)
from spacerobot_id.report.page.numbers import counted, listed, number

_MOST_ERRORS = 10


def application_section(proof: Sequence[Applied]) -> Section | None:
    """Return what was drawn, read back, against what was asked."""
    if not proof:
        return None
    wrong = [each for each in proof if not each.is_applied]
    if wrong:
        sentences = [
            f'{each.key}: '
            + (
                f'{counted(len(each.not_used), "run")} not flown with what was drawn'
                if each.not_used
                else f'not of the distribution that was asked for (p-value {each.p_value:.1e})'
            )
            for each in wrong
        ]
        blocks: list[Block | Details] = [
            Text('Not everything was applied as it was asked.', Tone.BAD),
            Listing(sentences),
        ]
    else:
        blocks = [
            Text(
                f'All {len(proof)} keys: every run was flown with what was drawn for it, and what '
                'was drawn is of the distributions that were asked for.',
                Tone.GOOD,
            )
        ]
    rows = [
        (
            each.key,
            each.asked,
            number(each.nominal),
            number(each.mean),
            number(each.std, 3),
            f'{number(each.low)} to {number(each.high)}',
            str(len(each.not_used)),
            'unknown' if np.isnan(each.p_value) else f'{each.p_value:.2g}',
        )
        for each in proof
    ]
    head = ('key', 'asked', 'nominal', 'mean', 'std', 'range', 'not used in', 'p-value')
    table = Table(
        head,
        rows,
        'Values read back from the robot, the sensors, the start and the messages that were '
        'simulated, SI units; p-values by Kolmogorov and Smirnov, of choices by Pearson.',
        text_columns=(1,),
    )
    return Section('application', 'Drawn against asked', [*blocks, Details('Every key', [table])])


def worst_section(
    results: Results, judgements: Sequence[Judgement], folder: str
) -> Section | None:
    """Return the worst runs, each with the command that repeats it."""
    metric = next(
        (
            each.requirement.metric
            for each in judgements
            if each.requirement.metric in results.columns
            and each.requirement.relation.startswith('<')
        ),
        'median_error',
    )
    indices = worst_runs(results, metric)
    if not len(indices):
        return None
    others = ('mass_error', 'com_error', 'median_error', 'chi_square')
    shown = tuple(dict.fromkeys((metric, *others)))
    rows = [
        (str(index), *(number(float(results[name][index]), 3) for name in shown))
        for index in indices.tolist()
    ]
    commands = [f'spacerobot-id campaign replay {folder} {index}' for index in indices]
    return Section(
        'worst',
        'The worst runs',
        [
            Table(('run', *shown), rows, f'By {metric}, of the runs that have an outcome.'),
            Listing(commands, is_code=True),
        ],
    )


def failed_section(results: Results) -> Section | None:
    """Return why runs have no outcome."""
    by_error: dict[str, list[int]] = {}
    for index, error in zip(results['index'], results['error'], strict=True):
        if error:
            by_error.setdefault(error, []).append(int(index))
    if not by_error:
        return None
    ordered = sorted(by_error.items(), key=lambda pair: -len(pair[1]))[:_MOST_ERRORS]
    rows = [(error, str(len(runs)), listed(list(map(str, runs)), 5)) for error, runs in ordered]
    return Section(
        'failed',
        'Runs without an outcome',
        [Table(('error', 'runs', 'indices'), rows, text_columns=(2,))],
    )
