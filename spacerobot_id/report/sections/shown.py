"""What the motion shows of each parameter, and of which combination where one alone is hidden."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.estimation.analysis.bodies import Combination, seen_combinations
from spacerobot_id.estimation.excitation_report import Visibility
from spacerobot_id.report.page.content import (
    Details,
    interval,
    Listing,
    number,
    Section,
    Table,
    Text,
)
from spacerobot_id.report.result_files import Subject

_NOTHING = 0.999
"""Share of its standard deviation that is left of a parameter which has no part in a motion."""


def shown_section(subject: Subject) -> Section:
    """Return a text on what the motion shows."""
    result = subject.result
    blocks = [Text(_summary(subject))]
    combinations = seen_combinations(result)
    hidden = _hidden(subject)
    if hidden:
        blocks.append(Table(('parameter', 'why it is not seen well'), hidden, text_columns=(1,)))
    left = _left(subject)
    if left:
        blocks.append(Listing(left))
    if combinations:
        blocks.append(Text('Not alone, but in combination with others these are seen (SI units):'))
        blocks.append(Listing([_description(each) for each in combinations]))
    every = list(_every(subject))
    head = ('parameter', 'unit', 'std before', 'std after', 'left', 'summary')
    blocks.append(Details('Every parameter', [Table(head, every, text_columns=(1, 5))]))
    return Section('shown', 'What the motion shows', blocks)


def _summary(subject: Subject) -> str:
    """Return all of it in a sentence."""
    excitation, estimate = subject.result.excitation, subject.result.estimate
    if excitation is not None:
        summary = excitation.summary()
        return f'{summary[0].upper()}{summary[1:]}.'
    return (
        f'The data determine {estimate.rank} of {len(estimate.names)} combinations of parameters '
        f'better than the description; condition number {number(estimate.condition)}.'
    )


def _hidden(subject: Subject) -> list[tuple[str, str]]:
    """Return the parameters that are not seen well, and why."""
    excitation = subject.result.excitation
    if excitation is None:
        return []
    return [
        (each.name, each.sentence)
        for each in excitation.parameters
        if each.visibility is not Visibility.WELL
    ]


def _left(subject: Subject) -> list[str]:
    """Return which parameters the data left open, where no motion was looked at beforehand."""
    estimate = subject.result.estimate
    if subject.result.excitation is not None:
        return []
    share = estimate.std / estimate.prior_std
    nothing = [str(name) for name in np.array(estimate.names)[share > _NOTHING]]
    little = [name for name in estimate.not_identified() if name not in nothing]
    planar = ', as in motion in the plane' if subject.result.method.planar else ''
    sentences = []
    if nothing:
        sentences.append(f'Have no part in this motion{planar}: {", ".join(nothing)}.')
    if little:
        sentences.append(f'Left more than half as uncertain as they were: {", ".join(little)}.')
    return sentences


def _every(subject: Subject) -> Iterator[tuple[str, ...]]:
    """Yield what was open of each parameter before and after."""
    result = subject.result
    estimate, excitation = result.estimate, result.excitation
    sentences = (
        {} if excitation is None else {each.name: each.sentence for each in excitation.parameters}
    )
    columns = estimate.names, estimate.units, estimate.prior_std, estimate.std
    unseen = set(estimate.not_identified())
    for name, unit, before, after in zip(*columns, strict=True):
        left = f'{100.0 * after / before:.2g} %' if np.isfinite(before) else ''
        reason = sentences.get(name, 'not seen' if name in unseen else 'seen')
        yield name, unit, number(before, 3), number(after, 3), left, reason


def _description(combination: Combination) -> str:
    """Return what is known of a combination."""
    return (
        f'{combination.formula()} = {number(combination.value)} '
        f'{interval(combination.std)} {combination.unit}; {combination.names[0]} alone is known '
        f'to {interval(combination.alone)} {combination.unit}.'
    )
