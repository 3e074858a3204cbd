"""Mass, centre of mass and inertia: the whole robot and each link beside the description."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.estimation.analysis.bodies import BodyEstimate, QUANTITIES, UNITS
from spacerobot_id.report.page.content import (
    beside,
    Details,
    interval,
    number,
    of_rounding,
    percent,
    Section,
    Table,
    Text,
    Tone,
)
from spacerobot_id.report.result_files import Subject

_HEAD = ('quantity', 'unit', 'description', 'estimate', '95 %', 'change', 'in std')
_SHORT = ('link', 'mass, kg', 'described', '95 %', 'centre of mass, m', 'described')


def bodies_section(
    subject: Subject, whole: BodyEstimate | None, links: tuple[BodyEstimate, ...]
) -> Section:
    """Return the tables of the whole robot and of its links.

    Parameters
    ----------
    subject : Subject
        What is reported.
    whole : BodyEstimate, optional
        The whole robot, as far as it shows.
    links : tuple of BodyEstimate
        Its links; empty where they are not known.
    """
    result, blocks = subject.result, []
    if whole is None:
        blocks.append(Text('Neither mass nor inertia of the whole robot follow from this method.'))
    else:
        caption = 'The whole robot in base axes, joints where they were at the end of the data'
        blocks.append(Table(_HEAD, list(_rows(whole)), caption, text_columns=(1,)))
    if links:
        rows = [_short(each) for each in links]
        caption = (
            'Links in the axes of the description: nearest to it among those that can exist and '
            'fit; intervals are what the description and the data together leave open'
        )
        blocks.append(Table(_SHORT, rows, caption))
        every = [Table(_HEAD, list(_rows(each)), each.name, text_columns=(1,)) for each in links]
        blocks.append(Details('Centre of mass and inertia of every link', every))
    elif result.links is not None:
        sentence = (
            'No links that can exist fit these data within their covariance (chi-square '
            f'{number(result.links.misfit)}, at most {number(result.links.allowed)} by chance): '
            'the description of the joints, the wheels or the noise is wrong somewhere.'
        )
        blocks.append(Text(sentence, Tone.BAD))
    elif result.method.gauge:
        blocks.append(
            Text(f'Links are not found: these sensors do not show {result.method.gauge}.')
        )
    return Section('bodies', 'Mass, centre of mass and inertia', blocks)


def _rows(body: BodyEstimate) -> Iterator[tuple[str, ...]]:
    """Yield a row for each quantity that shows."""
    columns = (QUANTITIES, UNITS, body.described, body.found, body.std)
    largest = np.nanmax(np.abs(body.described[4:]))
    for name, unit, was, found, std in zip(*columns, strict=True):
        if not np.isfinite(found):
            continue
        share = percent(found / was - 1.0) if of_rounding(was, largest) else ''
        yield (
            name,
            unit,
            beside(was, std),
            beside(found, std),
            interval(std),
            share if len(share) < 9 else '',
            f'{(found - was) / std:+.1f}' if np.isfinite(std) and std > 0.0 else '',
        )


def _short(body: BodyEstimate) -> tuple[str, ...]:
    """Return the row of a link."""
    std = body.std
    com, was = (
        ', '.join(number(each, 3) for each in values[1:4])
        for values in (body.found, body.described)
    )
    mass, before = beside(body.found[0], std[0]), beside(body.described[0], std[0])
    return body.name, mass, before, interval(std[0]), com, was
