"""Sections of a campaign's page on requirements: verdicts, and the errors they rest on."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.lab.campaign.analysis.method_sections import per_cent
from spacerobot_id.lab.campaign.analysis.requirements import Judgement, looks, percentile
from spacerobot_id.lab.campaign.analysis.results import Results, thinned
from spacerobot_id.lab.campaign.definition.campaign_file import Campaign
from spacerobot_id.lab.campaign.draws.dispersions import Design
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.report.page.charts import axis, ESTIMATE, layout
from spacerobot_id.report.page.content import (
    Block,
    Chart,
    Details,
    Listing,
    Section,
    Table,
    Text,
    Tone,
)
from spacerobot_id.report.page.numbers import number

_SHARES = (0.5, 0.9, 0.95, 0.99)
_CONFIDENCE = 0.95
_SPREAD = ('mass_error', 'com_error', 'inertia_error', 'median_error')


def verdicts_section(campaign: Campaign, judgements: Sequence[Judgement]) -> Section | None:
    """Return requirement by requirement what was decided, and how surely."""
    if not judgements:
        return None
    rows = [
        (
            each.requirement.name,
            each.verdict.value,
            each.requirement.text,
            per_cent(each.requirement.share),
            f'{each.kept} of {each.runs}',
            f'{per_cent(each.bounds[0])} to {per_cent(each.bounds[1])}',
            per_cent(each.requirement.confidence),
        )
        for each in judgements
    ]
    head = ('requirement', 'verdict', 'is', 'in at least', 'kept by', 'bounds', 'confidence')
    schedule = ', '.join(map(str, looks(campaign.runs)))
    blocks: list[Block] = [
        Table(head, rows, text_columns=(1, 2)),
        Text(
            'Bounds of Clopper and Pearson on the share of all runs that could be drawn; passed '
            'if the lower one is at least what is required, failed if the upper one is below it. '
            f'They are looked at after {schedule} runs, and the probability of a wrong verdict is '
            'spent over these looks, half of it at the last: the confidence is that of the '
            'verdict whenever it falls. A run without an outcome keeps no requirement.'
        ),
    ]
    if campaign.draws.design is not Design.INDEPENDENT:
        blocks.append(
            Text(
                f'The bounds are those of independent runs. The design is '
                f'{campaign.draws.design.value.replace("_", " ")}: its samples lie more '
                'evenly than independent ones, so that shares as a rule scatter less.',
                Tone.PLAIN,
            )
        )
    return Section('verdicts', 'Requirements', blocks)


def errors_section(results: Results) -> Section | None:
    """Return percentiles of the metrics with intervals."""
    rows = []
    for name, metric in METRICS.items():
        values = results[name]
        if metric.is_flag or not np.isfinite(values).any():
            continue
        cells = []
        for share in _SHARES:
            found = percentile(values[np.isfinite(values)], share, _CONFIDENCE)
            low, high = (number(each, 3) for each in (found.low, found.high))
            cells.append(f'{number(found.value, 3)} ({low} to {high})')
        rows.append((name, metric.unit, *cells))
    if not rows:
        return None
    head = ('metric', 'unit', *(f'{100.0 * share:.0f} % below' for share in _SHARES))
    shown = [name for name in _SPREAD if np.isfinite(results[name]).sum() > 1]
    meaning = [f'{name}: {METRICS[name].description}' for name, *_ in rows]
    blocks: list[Block | Details] = [
        Table(
            head,
            rows,
            'Percentiles over the runs that have a value, with their 95 % intervals by order '
            'statistics.',
            text_columns=(1,),
        ),
        Details('What the metrics are', [Listing(meaning)]),
    ]
    if shown:
        blocks.insert(0, _distribution_chart(results, shown))
    return Section('errors', 'Errors against the truth', blocks)


def _distribution_chart(results: Results, names: Sequence[str]) -> Chart:
    """Return the share of runs below each value of some metrics."""
    colours = (ESTIMATE, '#b8762b', '#3d8361', '#8a4f7d', '#7a7f36')
    traces = []
    for name, colour in zip(names, colours, strict=False):
        values, share = thinned(results[name])
        values = np.maximum(values, np.finfo(float).tiny)
        unit = METRICS[name].unit
        title = name if unit == '1' else f'{name}, {unit}'
        traces.append(
            {
                'type': 'scatter',
                'mode': 'lines',
                'x': values,
                'y': 100.0 * share,
                'name': title,
                'line': {'color': colour, 'width': 1.6},
            }
        )
    figure = layout(
        xaxis=axis('value', type='log', exponentformat='power'),
        yaxis=axis('runs below it, %', range=[0, 100]),
    )
    return Chart(traces, figure, 'Distributions over all runs.', 340)
