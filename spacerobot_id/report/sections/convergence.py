"""How the estimate came to be over time."""

import numpy as np

from spacerobot_id.estimation.analysis.convergence import Convergence, convergence
from spacerobot_id.report.page.charts import curve, ESTIMATE, grid, on, SERIES
from spacerobot_id.report.page.content import Chart, Section, Text
from spacerobot_id.report.sections.parameters import change_scores
from spacerobot_id.report.subject import Subject

_FOLLOWED = 6
"""Parameters whose values are drawn: those that changed most."""

_HIGHEST = 8.0
"""Standard deviations at the edge of the chart."""


def convergence_section(subject: Subject) -> Section:
    """Return standard deviations and values over time."""
    found = convergence(subject.result, subject.record[: subject.used])
    title = 'Convergence'
    if found is None:
        sentence = (
            f'{subject.result.method.name} estimates from whole stretches of samples, so that '
            'there is no estimate of the time before. Identify the first half of the data to see '
            'whether more of them still change it.'
        )
        return Section('convergence', title, [Text(sentence)])
    return Section('convergence', title, [_chart(subject, found)])


def _chart(subject: Subject, found: Convergence) -> Chart:
    """Return both charts."""
    estimate = subject.result.estimate
    times = found.times - subject.begin
    known = bool(np.isfinite(estimate.prior_std).all())
    scale = estimate.prior_std if known else np.maximum(np.abs(estimate.values), 1e-12)
    shares = 100.0 * found.std / scale
    traces = [
        on(1, curve(times, column, name, '#9fb3c4', line={'width': 0.8}, showlegend=False))
        for name, column in zip(estimate.names, shares.T, strict=True)
    ]
    with np.errstate(invalid='ignore'):
        middle = np.median(shares, axis=1)
    traces.append(on(1, curve(times, middle, 'median', ESTIMATE, line={'width': 2.4})))
    scores = np.nan_to_num(np.abs(change_scores(subject)))
    unseen = ~subject.seen
    chosen = [k for k in np.argsort(-scores) if not unseen[k]][:_FOLLOWED]
    for colour, k in zip(SERIES, chosen, strict=False):
        path = (found.values[:, k] - estimate.values[k]) / found.std[:, k]
        shown = np.clip(path, -_HIGHEST, _HIGHEST)
        traces.append(on(2, curve(times, shown, estimate.names[k], colour)))
    left = 'standard deviation, % of that before' if known else 'standard deviation, % of value'
    figure = grid(1, 2, [('time, s', left), ('time, s', 'distance to the end / std then')])
    figure['yaxis'] |= {'type': 'log', 'exponentformat': 'power', 'dtick': 1}
    caption = (
        'Left: what was still open of each parameter (one line each, names on hovering). Right: '
        'how far the parameters that changed most were from where they ended, in standard '
        'deviations of that time; they should stay within about two.'
    )
    return Chart(traces, figure, caption, height=360)
