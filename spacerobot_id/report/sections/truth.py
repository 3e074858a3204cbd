"""Errors against the true robot, where it is known: one by one, and all together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.report.metrics import estimate_errors, joint_error
from spacerobot_id.report.page.charts import axis, BAND, dots, ESTIMATE, layout, TRUE
from spacerobot_id.report.page.content import (
    beside,
    Chart,
    Details,
    interval,
    percent,
    Section,
    Table,
    Text,
    Tone,
)

_EDGE = 6.0
"""Error at the edge of the chart, in standard deviations; larger ones are drawn there."""


def truth_section(
    names: Sequence[str],
    units: Sequence[str],
    values: NDArray[np.float64],
    covariance: NDArray[np.float64],
    true: NDArray[np.float64],
    source: str,
    seen: NDArray[np.bool_] | None = None,
) -> Section:
    """Return the errors of an estimate in standard deviations, and their joint figure.

    Parameters
    ----------
    names, units : sequence of str
        Of p parameters.
    values, true : ndarray, shape (p,)
        Estimates and true values.
    covariance : ndarray, shape (p, p)
        Covariance of the estimates.
    source : str
        Where the truth is from.
    seen : ndarray of bool, shape (p,), optional
        Which of them are identified; all by default.
    """
    std = np.sqrt(np.diag(covariance))
    joint = joint_error(values, covariance, true, seen)
    tone = Tone.WARNING if joint.value > joint.bounds[1] else Tone.PLAIN  # too small does no harm
    tone = Tone.GOOD if joint.is_by_chance else tone
    errors = estimate_errors(values, std, true)
    with np.errstate(divide='ignore', invalid='ignore'):
        scores = (values - true) / std
    rows = [
        (
            name,
            unit,
            beside(truth, deviation),
            beside(value, deviation),
            interval(deviation),
            percent(share),
            f'{score:+.2f}' if np.isfinite(score) else '',
        )
        for name, unit, truth, value, deviation, share, score in zip(
            names, units, true, values, std, errors.relative, scores, strict=True
        )
    ]
    head = ('parameter', 'unit', 'true', 'estimate', '95 %', 'error', 'in std')
    blocks = [
        Text(joint.sentence(), tone),
        Text(
            f'{100.0 * errors.coverage:.0f} % of the true values are inside their 95 % intervals; '
            f'the median error is {_size(errors.median)}, the largest '
            f'{_size(errors.largest)}. As parameters stray together, that share '
            'differs much from one run to the next; the joint figure does not. Truth: '
            f'{source}.'
        ),
        _chart(names, scores),
        Details('Every parameter beside the truth', [Table(head, rows, text_columns=(1,))]),
    ]
    return Section('truth', 'Errors against the truth', blocks)


def _size(share: float) -> str:
    """Return the size of an error."""
    return percent(share).lstrip('+') or 'many times the value'


def _chart(names: Sequence[str], scores: NDArray[np.float64]) -> Chart:
    """Return the errors in standard deviations beside their 95 % band."""
    shown = np.clip(np.nan_to_num(scores), -_EDGE, _EDGE)
    highest = max(1.15 * float(np.abs(shown).max()), 2.5)
    outside = np.abs(shown) > 1.96
    pairs = zip(names, scores, strict=True)
    texts = np.array([f'{name}: {score:+.2f} standard deviations' for name, score in pairs])
    traces = []
    for rows, name, colour in (
        (~outside, 'inside its 95 % interval', ESTIMATE),
        (outside, 'outside', TRUE),
    ):
        if rows.any():
            hover = {'text': texts[rows], 'hovertemplate': '%{text}<extra></extra>'}
            traces.append(dots(np.array(names)[rows], shown[rows], name, colour, **hover))
    interval_band = {'type': 'rect', 'xref': 'paper', 'x0': 0, 'x1': 1, 'y0': -1.96, 'y1': 1.96}
    order = {'type': 'category', 'categoryorder': 'array', 'categoryarray': list(names)}
    small = {'tickfont': {'size': 9, 'color': '#5c6875'}, 'tickangle': -90}
    figure = layout(
        xaxis=axis(**order, **small),
        yaxis=axis('error / standard deviation', range=[-highest, highest]),
        shapes=[{**interval_band, 'fillcolor': BAND, 'line': {'width': 0}, 'layer': 'below'}],
    )
    return Chart(traces, figure, 'Errors in standard deviations, and the 95 % band.', 360)
