"""What the motion shows of each parameter, and of which combination where one alone is hidden."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.estimation.analysis.combinations import Combination, seen_combinations
from spacerobot_id.report.page.content import Details, Listing, Section, Table, Text
from spacerobot_id.report.page.numbers import interval, number
from spacerobot_id.report.subject import Subject


def shown_section(subject: Subject) -> Section:
    """Return what the motion shows, in words."""
    result = subject.result
    blocks = [Text(_summary(subject))]
    combinations = seen_combinations(result)
    hidden = _hidden(subject)
    if hidden:
        blocks.append(Table(('parameter', 'why it is not seen well'), hidden, words=(1,)))
    if combinations:
        blocks.append(Text('Not alone, but in combination with others these are seen (SI units):'))
        blocks.append(Listing([_words(each) for each in combinations]))
    every = list(_every(subject))
    head = ('parameter', 'unit', 'std before', 'std after', 'left', 'in words')
    blocks.append(Details('Every parameter', [Table(head, every, words=(1, 5))]))
    return Section('shown', 'What the motion shows', blocks)


def _summary(subject: Subject) -> str:
    """Return all of it in a sentence."""
    excitation, estimate = subject.result.excitation, subject.result.estimate
    if excitation is not None:
        said = excitation.summary()
        return f'{said[0].upper()}{said[1:]}.'
    return (
        f'The data determine {estimate.rank} of {len(estimate.names)} combinations of parameters '
        f'better than the description; condition number {number(estimate.condition)}.'
    )


def _hidden(subject: Subject) -> list[tuple[str, str]]:
    """Return the parameters that are not seen well, and why."""
    result = subject.result
    if result.excitation is not None:
        return [
            (each.name, each.words)
            for each in result.excitation.parameters
            if not each.words.startswith('seen well')
        ]
    return [
        (name, 'the data left most of its uncertainty')
        for name in result.estimate.not_identified()
    ]


def _every(subject: Subject) -> Iterator[tuple[str, ...]]:
    """Yield what was open of each parameter before and after."""
    result = subject.result
    estimate, excitation = result.estimate, result.excitation
    words = {} if excitation is None else {each.name: each.words for each in excitation.parameters}
    columns = estimate.names, estimate.units, estimate.prior_std, estimate.std
    unseen = set(estimate.not_identified())
    for name, unit, before, after in zip(*columns, strict=True):
        left = f'{100.0 * after / before:.2g} %' if np.isfinite(before) else ''
        said = words.get(name, 'not seen' if name in unseen else 'seen')
        yield name, unit, number(before, 3), number(after, 3), left, said


def _words(combination: Combination) -> str:
    """Return what is known of a combination."""
    return (
        f'{combination.formula()} = {number(combination.value)} '
        f'{interval(combination.std)} {combination.unit}; {combination.names[0]} alone is known '
        f'to {interval(combination.alone)} {combination.unit}.'
    )
