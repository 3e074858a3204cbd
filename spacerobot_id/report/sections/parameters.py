"""The parameters by how far they are from the description, and how they are correlated."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.report.page.charts import axis, dots, ESTIMATE, layout, PRIOR, UNSEEN
from spacerobot_id.report.page.content import (
    beside,
    Chart,
    counted,
    Details,
    interval,
    percent,
    Section,
    Table,
    Text,
)
from spacerobot_id.report.result_files import Subject

_MOST_DRAWN = 30
"""Parameters in the chart; the table has all."""

_HEAD = ('parameter', 'unit', 'description', 'estimate', '95 %', 'change', 'in std', '')
_OTHERS_HEAD = ('unknown', 'unit', 'estimate', '95 %', '')


def parameters_section(subject: Subject) -> Section:
    """Return chart and table of the parameters, and of what was found beside them."""
    estimate = subject.result.estimate
    scores = change_scores(subject)
    order = np.argsort(-np.nan_to_num(np.abs(scores)))
    blocks = [
        Text(
            'Sorted by the change against the description in standard deviations of the '
            'estimate. Only combinations of what links have show in the motion: a name '
            'like L1.Ixx-Iyy is such a combination.'
        ),
        _chart(subject, order[:_MOST_DRAWN], scores),
    ]
    rows = list(_rows(subject, order, scores))
    table = Table(_HEAD, rows, text_columns=(1, 7))
    blocks.append(Details(f'All {counted(len(rows), "parameter")} as a table', [table]))
    if estimate.ratios is not None:
        blocks.append(_ratio_table(subject))
    if estimate.others:
        others = [
            _found(each.name, each.unit, each.value, each.std, is_identified=each.is_identified)
            for each in estimate.others
        ]
        caption = 'Found beside the parameters: calibrations, biases, momenta'
        blocks.append(Table(_OTHERS_HEAD, others, caption, text_columns=(1, 4)))
    if subject.result.noise:
        found = [(each.name, each.unit, f'{each.value:.3g}') for each in subject.result.noise]
        blocks.append(Table(('noise', 'unit', 'found'), found, text_columns=(1,)))
    return Section('parameters', 'Parameters', blocks)


def change_scores(subject: Subject) -> NDArray[np.float64]:
    """Return how far parameters are from the description, in standard deviations, shape (p,)."""
    estimate = subject.result.estimate
    with np.errstate(divide='ignore', invalid='ignore'):
        return (estimate.values - subject.description) / estimate.std


def _chart(subject: Subject, order: NDArray[np.intp], scores: NDArray[np.float64]) -> Chart:
    """Return the largest changes, with the 95 % interval of each, in standard deviations."""
    estimate = subject.result.estimate
    shown = order[np.isfinite(scores[order])][::-1]
    unseen = ~subject.seen
    traces = []
    for rows, name, colour in (
        (shown[~unseen[shown]], 'estimate, 95 % interval', ESTIMATE),
        (shown[unseen[shown]], 'not identified', UNSEEN),
    ):
        if not len(rows):
            continue
        texts = [
            f'{estimate.names[k]}: {beside(estimate.values[k], estimate.std[k])} '
            f'{estimate.units[k]}, described {beside(subject.description[k], estimate.std[k])}'
            for k in rows
        ]
        bars = {'type': 'constant', 'value': 1.96, 'color': colour, 'thickness': 1.3, 'width': 3}
        traces.append(
            dots(
                scores[rows],
                [estimate.names[k] for k in rows],
                name,
                colour,
                error_x=bars,
                text=texts,
                hovertemplate='%{text}<extra></extra>',
            )
        )
    zero = {'type': 'line', 'x0': 0, 'x1': 0, 'yref': 'paper', 'y0': 0, 'y1': 1}
    names = [estimate.names[k] for k in shown]
    order_of = {'type': 'category', 'categoryorder': 'array', 'categoryarray': names}
    figure = layout(
        xaxis=axis('change against the description / standard deviation'),
        yaxis=axis(**order_of, dtick=1),
        shapes=[{**zero, 'line': {'color': PRIOR, 'width': 1.5}}],
    )
    caption = 'Changes against the description (line at zero)'
    if len(order) < len(estimate.names):
        caption += f', the {len(order)} largest'
    return Chart(traces, figure, f'{caption}.', height=90 + 19 * len(shown))


def _rows(
    subject: Subject, order: NDArray[np.intp], scores: NDArray[np.float64]
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each parameter."""
    estimate, prior = subject.result.estimate, subject.description
    unseen = set(estimate.not_identified())
    for k in order:
        name, std = estimate.names[k], estimate.std[k]
        share = estimate.values[k] / prior[k] - 1.0 if prior[k] else np.nan
        yield (
            name,
            estimate.units[k],
            beside(prior[k], std),
            beside(estimate.values[k], std),
            interval(std),
            percent(share),
            f'{scores[k]:+.1f}' if np.isfinite(scores[k]) else '',
            'not identified' if name in unseen else 'changed' if abs(scores[k]) > 1.96 else '',
        )


def _ratio_table(subject: Subject) -> Table:
    """Return the parameters over the total mass, which is all that is known."""
    estimate = subject.result.estimate
    ratios = estimate.ratios
    columns = (
        estimate.names,
        ratios.units(estimate.units),
        ratios.values,
        ratios.std,
        ratios.prior_std,
    )
    rows = [
        _found(*found, std, is_identified=ratios.is_identified(std, before))
        for *found, std, before in zip(*columns, strict=True)
        if before > 0.0
    ]
    caption = 'Over the total mass, which neither the data nor the description determine'
    return Table(('parameter', 'unit', 'ratio', '95 %', ''), rows, caption, text_columns=(1, 4))


def _found(
    name: str, unit: str, value: float, std: float, *, is_identified: bool
) -> tuple[str, ...]:
    """Return the row of something that was found."""
    note = '' if is_identified else 'not identified'
    return name, unit, beside(value, std), interval(std), note


_WORST = 8
"""Pairs that are named."""

_HIGH = 0.9
"""Correlation from which two parameters are hard to distinguish."""

_SCALE = [[0.0, '#b8762b'], [0.5, '#ffffff'], [1.0, '#23628f']]


def correlations_section(subject: Subject) -> Section | None:
    """Return heat map and worst pairs; None where no covariance is known."""
    estimate = subject.result.estimate
    if len(estimate.names) < 2 or not np.isfinite(estimate.covariance).all():
        return None
    correlation = correlations(estimate.covariance)
    rows, columns = np.triu_indices(len(correlation), 1)
    order = np.argsort(-np.abs(correlation[rows, columns]))
    pairs = [
        (estimate.names[rows[k]], estimate.names[columns[k]], correlation[rows[k], columns[k]])
        for k in order[:_WORST]
    ]
    many = int(np.sum(np.abs(correlation[rows, columns]) > _HIGH))
    sentence = (
        f'{many} of {len(rows)} pairs are correlated by more than {_HIGH}: of these the data '
        'show rather a sum or a difference than each alone.'
        if many
        else f'No two parameters are correlated by more than {_HIGH}.'
    )
    table = Table(
        ('parameter', 'with', 'correlation'),
        [(first, second, f'{value:+.4f}') for first, second, value in pairs],
        'The most correlated pairs',
        text_columns=(1,),
    )
    return Section(
        'correlations', 'Correlations', [Text(sentence), _map(subject, correlation), table]
    )


def correlations(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations of a covariance, shape (p, p)."""
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    return covariance / np.outer(scale, scale)


def _map(subject: Subject, correlation: NDArray[np.float64]) -> Chart:
    """Return the heat map."""
    names = list(subject.result.estimate.names)
    trace = {
        'type': 'heatmap',
        'x': names,
        'y': names,
        'z': np.round(correlation, 3),
        'zmin': -1,
        'zmax': 1,
        'colorscale': _SCALE,
        'hovertemplate': '%{y} with %{x}: %{z}<extra></extra>',
        'colorbar': {'thickness': 10, 'outlinewidth': 0, 'tickvals': [-1, 0, 1], 'len': 0.6},
    }
    small = {'tickfont': {'size': 8 if len(names) > 30 else 10, 'color': '#5c6875'}}
    figure = layout(
        xaxis=axis(**small, tickangle=-90, showgrid=False, constrain='domain'),
        yaxis=axis(**small, autorange='reversed', showgrid=False, scaleanchor='x'),
    )
    return Chart([trace], figure, 'Correlations of the estimates.', height=620)
