"""The cells as text: lines for a terminal, and the parts of a page."""

from collections.abc import Sequence
from itertools import groupby
import math

from spacerobot_id.lab.faults.cells import BEGINS, Cell, HARMED, Verdict
from spacerobot_id.report.page.charts import axis, dots, layout, SERIES, TRUE
from spacerobot_id.report.page.content import (
    Chart,
    counted,
    Fact,
    number,
    Page,
    Section,
    Table,
    Text,
    Tone,
)

_HEAD = ('fault', 'strength', 'from', 'noticed', 'after, s', 'live: worst', 'joint', 'valid')
_BATCH_HEAD = ('batch: worst', 'joint', 'valid')

_EXACT = 100.0
"""Harm up to which decimals count, standard deviations."""

_MOST_DRAWN = 1e3
"""Harm beyond which a point of the chart stands at its edge, standard deviations."""


def headline(cells: Sequence[Cell]) -> tuple[Tone, str]:
    """Return the verdict on all cells."""
    lies = sum(cell.falsely_valid for cell in cells)
    if lies:
        return Tone.BAD, f'{lies} of {counted(len(cells), "case")} harmed and called valid'
    return Tone.GOOD, f'No estimate of {counted(len(cells), "case")} is harmed and called valid'


def short_table(cells: Sequence[Cell]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and rows of a table with one row for each fault: its worst case."""
    rows = []
    for _, group in groupby(cells, key=lambda cell: cell.fault):
        found = list(group)
        noticed = [cell.notice.after for cell in found if cell.notice]
        valid = [cell for cell in found if cell.live.is_valid]
        worst = max((cell.live.harm.worst for cell in valid), default=math.nan)
        rows.append(
            (
                f'{found[0].fault}: {found[0].description}',
                f'{len(noticed)} of {len(found)}',
                number(sorted(noticed)[len(noticed) // 2], 2) if noticed else '',
                f'{len(valid)} of {len(found)}',
                _deviations(worst) if valid else '',
                'HARMED AND VALID' if any(cell.falsely_valid for cell in found) else '',
            )
        )
    head = ('fault', 'noticed', 'after, s', 'valid', 'harm where valid', '')
    return head, rows


def whole_table(cells: Sequence[Cell]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and rows of a table with one row for each case."""
    has_batch = any(cell.batch is not None for cell in cells)
    rows = []
    for cell in cells:
        notice = cell.notice
        row = (
            f'{cell.fault}: {cell.description}',
            strength_text(cell),
            cell.begin,
            'no' if notice is None else notice.how,
            '' if notice is None else number(notice.after, 2),
            *_verdict_cells(cell.live),
        )
        rows.append(row + _verdict_cells(cell.batch) * has_batch)
    return _HEAD + _BATCH_HEAD * has_batch, rows


def strength_text(cell: Cell) -> str:
    """Return how strong a fault is."""
    if math.isinf(cell.strength):
        return 'until the end'
    if cell.unit == 'of the messages':
        return f'{100.0 * cell.strength:g} % of the messages'
    return f'{cell.strength:g} {cell.unit}'


def fault_page(robot: str, source: str, cells: Sequence[Cell], samples: int) -> Page:
    """Return the page of a log with faults.

    Parameters
    ----------
    robot, source : str
        Names of robot and log.
    cells : sequence of Cell
        Cases.
    samples : int
        Samples in the estimate of the clean log.
    """
    tone, verdict = headline(cells)
    lies = [cell for cell in cells if cell.falsely_valid]
    sections = [Section('harm', 'Harm of each fault', [_chart(cells)])]
    if lies:
        sections.insert(0, Section('lies', 'Harmed and called valid', [_listed(lies)]))
    sections.append(Section('cases', 'All cases', [Text(_HOW), _listed(cells)]))
    noticed = sum(cell.notice is not None for cell in cells)
    valid = sum(cell.live.is_valid for cell in cells)
    return Page(
        title=f'{robot}: {source} with faults',
        subtitle='Each fault in three strengths, from the start and from the middle of the log',
        sections=sections,
        verdict=_VERDICT,
        tone=tone,
        headline=verdict,
        facts=(
            Fact('cases', str(len(cells)), counted(len({cell.fault for cell in cells}), 'fault')),
            Fact('noticed', str(noticed), 'the others do no harm' if not lies else ''),
            Fact('valid at the end', str(valid)),
            Fact('samples', str(samples), 'of the clean log'),
        ),
    )


_VERDICT = (
    f'An estimate is harmed where a parameter, or all together, are more than {HARMED:g} of the '
    'standard deviations that it states away from the estimate of the clean log.'
)

_HOW = (
    'Noticed: what the live estimator logged or counted first that it does not of the clean log. '
    'Worst: the largest difference of a parameter from the clean estimate, in its standard '
    'deviations; joint: root mean square over all directions of the covariance.'
)


def _listed(cells: Sequence[Cell]) -> Table:
    head, rows = whole_table(cells)
    return Table(head, rows, text_columns=(0, 1, 3))


def _verdict_cells(verdict: Verdict | None) -> tuple[str, str, str]:
    if verdict is None:
        return '', '', ''
    harm = verdict.harm
    usable = 'yes' if verdict.is_valid else 'no'
    if verdict.falsely_valid:
        usable = 'YES, HARMED'
    return _deviations(harm.worst), _deviations(harm.joint), usable


def _deviations(harm: float) -> str:
    """Return harm in standard deviations; what is far less than one is none."""
    return f'{harm:.2f}' if harm < _EXACT else number(harm, 2)


def _chart(cells: Sequence[Cell]) -> Chart:
    """Return the harm of all cases, what is valid apart from what is not."""
    traces = []
    for place, (is_valid, begin) in enumerate((v, b) for v in (True, False) for b in BEGINS):
        part = [c for c in cells if c.live.is_valid is is_valid and c.begin == begin]
        if not part:
            continue
        name = f'{"valid" if is_valid else "not valid"}, from the {begin}'
        harms = [min(max(c.live.harm.worst, 1e-3), _MOST_DRAWN) for c in part]
        texts = [f'{strength_text(c)}, {c.live.harm.parameter}' for c in part]
        symbol = 'circle' if is_valid else 'x-thin-open'
        traces.append(
            dots(
                harms,
                [c.fault for c in part],
                name,
                SERIES[place],
                text=texts,
                marker={'symbol': symbol},
            )
        )
    faults = list(dict.fromkeys(cell.fault for cell in cells))
    limit = {
        'type': 'line',
        'x0': HARMED,
        'x1': HARMED,
        'y0': -0.5,
        'y1': len(faults) - 0.5,
        'line': {'color': TRUE, 'width': 1, 'dash': 'dot'},
    }
    drawn = layout(
        xaxis=axis('worst parameter, standard deviations', type='log'),
        yaxis=axis(categoryorder='array', categoryarray=faults[::-1]),
        shapes=[limit],
    )
    caption = f'A valid estimate (circle) beyond the dotted line at {HARMED:g} would be a lie.'
    return Chart(traces, drawn, caption, height=140 + 20 * len(faults))
