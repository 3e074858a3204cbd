"""The page of a result: what an identification found, by any method."""

import platform

import numpy as np

from spacerobot_id import __version__
from spacerobot_id.estimation.analysis.bodies import link_bodies, whole_body
from spacerobot_id.estimation.analysis.convergence import Convergence, convergence
from spacerobot_id.report.page.charts import curve, ESTIMATE, grid, on, SERIES
from spacerobot_id.report.page.content import Chart, Listing, number, Page, Section, Table, Text
from spacerobot_id.report.result_files import Subject
from spacerobot_id.report.sections.bodies import bodies_section
from spacerobot_id.report.sections.parameters import (
    change_scores,
    correlations_section,
    parameters_section,
)
from spacerobot_id.report.sections.prediction import prediction_section
from spacerobot_id.report.sections.residuals import residuals_section
from spacerobot_id.report.sections.robot_picture import robot_section
from spacerobot_id.report.sections.shown import shown_section
from spacerobot_id.report.sections.streams import streams_section
from spacerobot_id.report.sections.truth import truth_section
from spacerobot_id.report.sections.verdict import (
    changes_section,
    facts,
    headline,
    verdict,
    warning_section,
)

_FOLLOWED = 6
"""Parameters whose values are drawn: those that changed most."""

_HIGHEST = 8.0
"""Standard deviations at the edge of the chart."""

_CAUSE_COLUMNS = ('cause', 'chi-square', 'with it', 'what to do')


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


def repeat_section(subject: Subject) -> Section:
    """Return method, files, settings and the command."""
    method = subject.result.method
    rows = [
        ('method', f'{method.name}: {method.summary}'),
        ('robot', method.model.name),
        ('data', f'{subject.source}, {len(subject.record)} samples over {subject.duration:.1f} s'),
        *((name, digest) for name, digest in subject.files.items()),
        ('spacerobot-id', __version__),
        ('Python, numpy', f'{platform.python_version()}, {np.__version__}'),
    ]
    blocks = [Table(('what', 'which'), rows, text_columns=(1,))]
    if subject.settings:
        settings = [(key, str(value)) for key, value in subject.settings.items()]
        caption = 'Settings that are not as they are by default'
        blocks.append(Table(('setting', 'value'), settings, caption, text_columns=(1,)))
    else:
        blocks.append(Text('All settings are as they are by default.'))
    if subject.command:
        blocks += [Text('The report again:'), Listing([' '.join(subject.command)], is_code=True)]
    return Section('repeat', 'Configuration, and how to repeat it', blocks)


def causes_section(subject: Subject) -> Section | None:
    """Return likely causes, or that there are none; None where they were not looked for."""
    result = subject.result
    blocks = []
    if result.causes:
        rows = [
            (each.description, number(each.before, 3), number(each.after, 3), each.remedy)
            for each in result.causes
        ]
        caption = 'What would explain what is left over, the likeliest first'
        blocks.append(Table(_CAUSE_COLUMNS, rows, caption, text_columns=(3,)))
    elif result.quality is not None and result.quality.is_as_stated:
        blocks.append(Text('The stated noise explains the data: no cause was looked for.'))
    elif result.quality is not None:
        blocks.append(
            Text(
                'The data are not explained, and neither one calibration nor one common mistake '
                'of units, signs, wiring or axes would explain them.'
            )
        )
    if result.assumptions:
        blocks.append(
            Text(
                'Intervals are those of the noise. Errors that are taken to be zero count, too; '
                'each of these, not calibrated, moves a parameter by one standard deviation:'
            )
        )
        blocks.append(Listing([each.description() for each in result.assumptions]))
    return Section('causes', 'Causes and assumptions', blocks) if blocks else None


def result_page(subject: Subject) -> Page:
    """Return the page of a result.

    Parameters
    ----------
    subject : Subject
        The result, and what it was come by.
    """
    method = subject.result.method
    tone, title = headline(subject)
    whole, links = whole_body(subject.result), link_bodies(subject.result)
    sections = (
        warning_section(subject),
        _truth(subject),
        changes_section(subject),
        bodies_section(subject, whole, links),
        robot_section(subject, whole, links),
        parameters_section(subject),
        shown_section(subject),
        correlations_section(subject),
        convergence_section(subject),
        residuals_section(subject),
        causes_section(subject),
        prediction_section(subject),
        streams_section(subject),
        repeat_section(subject),
    )
    return Page(
        title=f'{method.model.name}, identified',
        subtitle=f'From {subject.source} by {method.name}: {method.summary}',
        sections=[each for each in sections if each is not None],
        verdict=verdict(subject),
        tone=tone,
        headline=title,
        facts=facts(subject),
    )


def _truth(subject: Subject) -> Section | None:
    """Return the errors, where the truth is known."""
    if subject.truth is None:
        return None
    estimate = subject.result.estimate
    return truth_section(
        estimate.names,
        estimate.units,
        estimate.values,
        estimate.covariance,
        subject.truth.values,
        subject.truth.name,
        subject.seen,
    )
