"""Sections of a campaign's page on the method: calibration, detections, what drives errors.

The first-order index of a dispersed number is the share of the variance of an outcome that is left
in its mean over everything else (Sobol, 1993). It is estimated from any sample by the variance
between bins of equal count (Plischke et al., 2013), less what chance puts there: with k bins of n
runs that is (k - 1) times the variance within over n - k, as in the analysis of variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher
from scipy.stats import rankdata, spearmanr

from spacerobot_id.lab.campaign.analysis.calibration import (
    CauseCount,
    Coverage,
    coverages,
    detections,
    squared_errors,
)
from spacerobot_id.lab.campaign.result_folder import Results, thinned
from spacerobot_id.report.page.charts import axis, BAND, curve, dots, ESTIMATE, INK, layout, TRUE
from spacerobot_id.report.page.content import (
    Block,
    Chart,
    counted,
    Details,
    listed,
    number,
    Section,
    Table,
    Text,
    Tone,
)

_FEWEST, _MOST_BINS = 20, 20
"""Fewest runs of a sensitivity, and most bins."""


@dataclass(frozen=True)
class Influence:
    """How much one dispersed number drives an outcome.

    Parameters
    ----------
    key : str
        What was drawn.
    correlation : float
        Spearman's rank correlation.
    index : float
        First-order Sobol index, its bias by chance subtracted; it may come out below zero.
    p_value : float
        How probable an index at least as large is if the number has no influence on the mean.
    """

    key: str
    correlation: float
    index: float
    p_value: float


def first_order_index(
    inputs: NDArray[np.float64], outputs: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the first-order index of one input, and how probable it is by chance alone.

    Parameters
    ----------
    inputs, outputs : ndarray, shape (N,)
        Numbers drawn, and what came of them.

    Returns
    -------
    tuple of 2 floats
        Index and p-value; NaN where the outputs or the inputs do not vary.
    """
    count = len(inputs)
    bins = int(np.clip(np.sqrt(count), 2, _MOST_BINS))
    ranks = rankdata(inputs, method='dense')
    if ranks.max() > bins:  # else each value is a bin of its own, as of a choice
        ranks = np.floor((rankdata(inputs, method='ordinal') - 1.0) * bins / count)
    _, labels = np.unique(ranks, return_inverse=True)
    counts = np.bincount(labels)
    groups = len(counts)
    total = float(np.sum((outputs - outputs.mean()) ** 2))
    if groups < 2 or count <= groups or total <= 0.0:
        return np.nan, np.nan
    means = np.bincount(labels, outputs) / counts
    between = float(np.sum(counts * (means - outputs.mean()) ** 2))
    within = max(total - between, 0.0) / (count - groups)
    index = (between - (groups - 1) * within) / total
    ratio = between / (groups - 1) / max(within, np.finfo(float).tiny)
    return index, float(fisher.sf(ratio, groups - 1, count - groups))


def influences(results: Results, outcome: str) -> tuple[Influence, ...]:
    """Return how much each dispersed number drives an outcome, the largest index first.

    Parameters
    ----------
    results : Results
        Table of runs.
    outcome : str
        Column.
    """
    outputs = np.abs(results[outcome])
    there = np.isfinite(outputs)
    if there.sum() < _FEWEST or np.ptp(outputs[there]) == 0.0:
        return ()
    found = []
    for key in results.names('read'):
        inputs = results[f'read.{key}']
        both = there & np.isfinite(inputs)
        if both.sum() < _FEWEST or np.ptp(inputs[both]) == 0.0:
            continue
        index, p_value = first_order_index(inputs[both], outputs[both])
        correlation = float(spearmanr(inputs[both], outputs[both]).statistic)
        found.append(Influence(key, correlation, index, p_value))
    return tuple(sorted(found, key=lambda each: -each.index))


def worst_runs(results: Results, outcome: str, count: int = 10) -> NDArray[np.intp]:
    """Return the indices of the runs with the largest outcome, of those that have one."""
    size = np.abs(results[outcome])
    order = np.lexsort([results['index'], -np.nan_to_num(size)])
    order = order[np.isfinite(size[order])]
    return results['index'][order[:count]]


_DRIVEN = ('mass_error', 'com_error', 'inertia_error', 'median_error', 'payload_mass_error')
"""Outcomes whose drivers are looked for."""

_MOST_DRIVERS = 8

_UNLIKELY = 0.01
"""p-value below which an influence is more than chance would show."""


def per_cent(share: float) -> str:
    """Return a share in per cent; nothing where there is none."""
    return f'{100.0 * share:.2f} %' if np.isfinite(share) else ''


def calibration_section(results: Results) -> Section | None:
    """Return whether intervals and covariances are true."""
    found, errors = coverages(results), squared_errors(results)
    if not found or errors is None:
        return None
    outside = [each.name for each in found if not each.is_by_chance]
    expected = 0.05 * len(found)
    low, high = errors.chance
    tone = Tone.GOOD if errors.is_by_chance else Tone.WARNING
    covered = float(np.average([each.share for each in found], weights=[e.runs for e in found]))
    blocks: list[Block | Details] = [
        Text(
            f'Normalised squared errors over their degrees of freedom: {errors.mean:.3f} on '
            f'average; chance allows {low:.3f} to {high:.3f}.',
            tone,
        ),
        Text(
            f'{per_cent(covered)} of the true values are inside their 95 % intervals. Of '
            f'{counted(len(found), "parameter")} {len(outside)} are covered more or less often '
            f'than chance allows at 95 %, where it would be some {expected:.0f} by chance: '
            f'{listed(outside) or "none"}.'
        ),
        _coverage_chart(found),
        _squared_error_chart(errors.probabilities),
    ]
    head = ('parameter', 'runs', 'inside 95 %', 'chance allows', 'RMS in std', 'mean in std')
    rows = [
        (
            each.name,
            str(each.runs),
            per_cent(each.share),
            f'{per_cent(each.chance[0])} to {per_cent(each.chance[1])}',
            f'{each.error:.2f}',
            f'{each.bias:+.2f}',
        )
        for each in found
    ]
    blocks.append(Details('Every parameter', [Table(head, rows)]))
    return Section('calibration', 'Does the method know how good it is?', blocks)


def _coverage_chart(found: Sequence[Coverage]) -> Chart:
    """Return the coverage of each parameter beside what chance allows."""
    traces = []
    for inside, name, colour in ((True, 'by chance', ESTIMATE), (False, 'not by chance', TRUE)):
        some = [each for each in found if each.is_by_chance is inside]
        if some:
            traces.append(
                dots(
                    [each.name for each in some],
                    [100.0 * each.share for each in some],
                    name,
                    colour,
                )
            )
    low = 100.0 * min(each.chance[0] for each in found)
    high = 100.0 * max(each.chance[1] for each in found)
    shape = {'type': 'rect', 'xref': 'paper', 'x0': 0, 'x1': 1, 'y0': low, 'y1': high}
    names = [each.name for each in found]
    order = {'type': 'category', 'categoryorder': 'array', 'categoryarray': names}
    least = min(100.0 * min(each.share for each in found), low)
    figure = layout(
        xaxis=axis(**order, tickangle=-90, tickfont={'size': 9, 'color': INK}),
        yaxis=axis('inside 95 % interval, %', range=[max(least - 3.0, 0.0), 101.0]),
        shapes=[{**shape, 'fillcolor': BAND, 'line': {'width': 0}, 'layer': 'below'}],
    )
    return Chart(traces, figure, 'Coverage of each parameter; band: what chance allows.', 360)


def _squared_error_chart(probabilities: NDArray[np.float64]) -> Chart:
    """Return the quantiles of the squared errors against those of chi-square."""
    ordered, expected = thinned(probabilities)
    traces = [
        dots(100.0 * expected, 100.0 * ordered, 'runs', ESTIMATE, marker={'size': 4}),
        curve([0, 100], [0, 100], 'true covariances', TRUE, line={'width': 1}),
    ]
    figure = layout(
        xaxis=axis('share of runs, %', range=[0, 100]),
        yaxis=axis('share of chi-square below, %', range=[0, 100]),
    )
    return Chart(
        traces, figure, 'Normalised squared errors against their chi-square distribution.', 320
    )


def detections_section(results: Results) -> Section | None:
    """Return what became of changes of the robot, and which causes were named."""
    found = detections(results)
    rows = []
    if found.grasps:
        low, high = found.announced_bounds
        rows += [
            ('grasps', str(found.grasps)),
            ('announced in time', f'{found.announced} ({per_cent(low)} to {per_cent(high)})'),
            ('missed', str(found.grasps - found.announced)),
        ]
        median, late, latest = (number(each, 3) for each in found.delays)
        rows.append(('delay: median, 95 % below, largest', f'{median}, {late}, {latest} s'))
    rows.append(('false alarms', f'{found.false_alarms} in {counted(found.runs, "run")}'))
    blocks: list[Block] = [Table(('changes of the robot', ''), rows)]
    if found.causes:
        blocks += _causes(found.causes)
    return Section('detections', 'Changes and causes', blocks)


def _causes(causes: Sequence[CauseCount]) -> list[Block]:
    """Return which causes of a misfit were named rightly."""
    rows = [
        (
            each.name,
            str(each.present),
            str(each.named),
            str(each.right) if each.named else '',
            f'{per_cent(each.right_bounds[0])} to {per_cent(each.right_bounds[1])}'
            if each.named
            else '',
        )
        for each in causes
    ]
    head = ('cause of a misfit', 'there in runs', 'named in', 'rightly', 'of those named, 95 %')
    named, right = sum(each.named for each in causes), sum(each.right for each in causes)
    sentence = 'No cause was named.'
    if named:
        sentence = f'{right} of {counted(named, "cause")} that were named were there.'
    return [
        Text(sentence, Tone.WARNING if right < named else Tone.PLAIN),
        Table(
            head,
            rows,
            'Errors of sensors and geometry that were there and are not among the unknowns. Small '
            'ones neither show nor matter, so that not every one is named; one that is named '
            'and was not there is wrong.',
        ),
    ]


def drivers_section(results: Results) -> Section | None:
    """Return what drives the errors."""
    blocks: list[Block | Details] = []
    for outcome in _DRIVEN:
        found = influences(results, outcome)
        if not found:
            continue
        drivers = [each for each in found if each.p_value < _UNLIKELY / len(found)]
        sentence = 'nothing that is drawn drives it beyond chance, alone and on average'
        if drivers:
            sentence = listed([f'{each.key} ({100.0 * each.index:.0f} %)' for each in drivers], 4)
        blocks.append(Text(f'{outcome}: {sentence}.'))
        rows = [
            (
                each.key,
                f'{100.0 * each.index:.1f} %',
                f'{each.correlation:+.2f}',
                f'{each.p_value:.1e}',
            )
            for each in found[:_MOST_DRIVERS]
        ]
        head = ('key', 'first-order index', 'rank correlation', 'p-value')
        blocks.append(Details(f'What drives {outcome}', [Table(head, rows)]))
    if not blocks:
        return None
    note = Text(
        'First-order Sobol indices: the share of the variance of an error that a drawn number '
        'explains by itself, from bins of the runs, less what chance puts there.'
    )
    return Section('drivers', 'What drives the errors', [note, *blocks])
