"""The page of a campaign: verdicts first, then what they rest on."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.lab.campaign.analysis.calibration import Applied
from spacerobot_id.lab.campaign.analysis.method_sections import (
    calibration_section,
    detections_section,
    drivers_section,
    per_cent,
    worst_runs,
)
from spacerobot_id.lab.campaign.analysis.requirements import Judgement, looks, percentile, Verdict
from spacerobot_id.lab.campaign.campaign_file import Campaign
from spacerobot_id.lab.campaign.draws.dispersions import Design
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.lab.campaign.result_folder import Results, thinned
from spacerobot_id.report.page.charts import axis, curve, ESTIMATE, layout
from spacerobot_id.report.page.content import (
    Block,
    Chart,
    counted,
    Details,
    Fact,
    listed,
    Listing,
    number,
    Page,
    Section,
    Table,
    Text,
    Tone,
)

_SHARES = (0.5, 0.9, 0.95, 0.99)
_CONFIDENCE = 0.95
_SPREAD = ('mass_error', 'com_error', 'inertia_error', 'median_error')

_MOST_ERRORS = 10

_TONES = {Verdict.PASSED: Tone.GOOD, Verdict.FAILED: Tone.BAD, Verdict.UNDECIDED: Tone.WARNING}


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
        traces.append(curve(values, 100.0 * share, title, colour, line={'width': 1.6}))
    figure = layout(
        xaxis=axis('value', type='log', exponentformat='power'),
        yaxis=axis('runs below it, %', range=[0, 100]),
    )
    return Chart(traces, figure, 'Distributions over all runs.', 340)


def application_section(proof: Sequence[Applied]) -> Section | None:
    """Return what was drawn, read back, against what was asked."""
    if not proof:
        return None
    wrong = [each for each in proof if not each.is_applied]
    if wrong:
        sentences = [
            f'{each.key}: '
            + (
                f'{counted(len(each.not_used), "run")} not flown with what was drawn'
                if each.not_used
                else f'not of the distribution that was asked for (p-value {each.p_value:.1e})'
            )
            for each in wrong
        ]
        blocks: list[Block | Details] = [
            Text('Not everything was applied as it was asked.', Tone.BAD),
            Listing(sentences),
        ]
    else:
        blocks = [
            Text(
                f'All {len(proof)} keys: every run was flown with what was drawn for it, and what '
                'was drawn is of the distributions that were asked for.',
                Tone.GOOD,
            )
        ]
    rows = [
        (
            each.key,
            each.asked,
            number(each.nominal),
            number(each.mean),
            number(each.std, 3),
            f'{number(each.low)} to {number(each.high)}',
            str(len(each.not_used)),
            'unknown' if np.isnan(each.p_value) else f'{each.p_value:.2g}',
        )
        for each in proof
    ]
    head = ('key', 'asked', 'nominal', 'mean', 'std', 'range', 'not used in', 'p-value')
    table = Table(
        head,
        rows,
        'Values read back from the robot, the sensors, the start and the messages that were '
        'simulated, SI units; p-values by Kolmogorov and Smirnov, of choices by Pearson.',
        text_columns=(1,),
    )
    return Section('application', 'Drawn against asked', [*blocks, Details('Every key', [table])])


def worst_section(
    results: Results, judgements: Sequence[Judgement], folder: str
) -> Section | None:
    """Return the worst runs, each with the command that repeats it."""
    metric = next(
        (
            each.requirement.metric
            for each in judgements
            if each.requirement.metric in results.columns
            and each.requirement.relation.startswith('<')
        ),
        'median_error',
    )
    indices = worst_runs(results, metric)
    if not len(indices):
        return None
    others = ('mass_error', 'com_error', 'median_error', 'chi_square')
    shown = tuple(dict.fromkeys((metric, *others)))
    rows = [
        (str(index), *(number(float(results[name][index]), 3) for name in shown))
        for index in indices.tolist()
    ]
    commands = [f'spacerobot-id campaign replay {folder} {index}' for index in indices]
    return Section(
        'worst',
        'The worst runs',
        [
            Table(('run', *shown), rows, f'By {metric}, of the runs that have an outcome.'),
            Listing(commands, is_code=True),
        ],
    )


def failed_section(results: Results) -> Section | None:
    """Return why runs have no outcome."""
    by_error: dict[str, list[int]] = {}
    for index, error in zip(results['index'], results['error'], strict=True):
        if error:
            by_error.setdefault(error, []).append(int(index))
    if not by_error:
        return None
    ordered = sorted(by_error.items(), key=lambda pair: -len(pair[1]))[:_MOST_ERRORS]
    rows = [(error, str(len(runs)), listed(list(map(str, runs)), 5)) for error, runs in ordered]
    return Section(
        'failed',
        'Runs without an outcome',
        [Table(('error', 'runs', 'indices'), rows, text_columns=(2,))],
    )


def campaign_page(
    campaign: Campaign,
    results: Results,
    judgements: Sequence[Judgement],
    proof: Sequence[Applied],
    folder: str,
    seconds: float,
) -> Page:
    """Return the page of a campaign.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    results : Results
        Table of its runs.
    judgements : sequence of Judgement
        Verdicts.
    proof : sequence of Applied
        What became of every key that was to be drawn.
    folder : str
        Folder, as commands name it.
    seconds : float
        Wall time of all runs together, s.
    """
    sections = (
        verdicts_section(campaign, judgements),
        errors_section(results),
        application_section(proof),
        calibration_section(results),
        detections_section(results),
        drivers_section(results),
        worst_section(results, judgements, folder),
        failed_section(results),
        _how(campaign),
    )
    tone, headline = _headline(judgements)
    failed = int((~results.has_outcome).sum())
    verdict = ' '.join(f'{each.requirement.name}: {each.verdict.value}.' for each in judgements)
    not_applied = [each.key for each in proof if not each.is_applied]
    if not_applied:
        tone, headline = Tone.BAD, 'Not to be used'
        verdict = f'Not applied as asked: {listed(not_applied)}. {verdict}'
    name = campaign.inputs.source.removesuffix('.yaml')
    facts = (
        Fact('runs', str(len(results)), f'of {campaign.runs}'),
        Fact('without an outcome', str(failed)),
        Fact('drawn', counted(len(campaign.draws.keys), 'key')),
        Fact('time per run', f'{seconds / max(len(results), 1):.2f} s'),
    )
    return Page(
        title=f'Campaign {name}',
        subtitle=campaign.description
        or f'{campaign.nominal.robot.name} by {campaign.identify.method}',
        sections=[each for each in sections if each is not None],
        verdict=verdict or 'Nothing is required.',
        tone=tone,
        headline=headline,
        facts=facts,
    )


def _headline(judgements: Sequence[Judgement]) -> tuple[Tone, str]:
    """Return the verdict on all requirements together."""
    verdicts = [each.verdict for each in judgements]
    if not verdicts:
        return Tone.PLAIN, 'No requirements'
    for worst, sentence in (
        (Verdict.FAILED, 'Failed'),
        (Verdict.UNDECIDED, 'Not yet decided'),
    ):
        count = verdicts.count(worst)
        if count:
            return _TONES[worst], f'{sentence}: {count} of {counted(len(verdicts), "requirement")}'
    return Tone.GOOD, f'Passed: {counted(len(verdicts), "requirement")}'


def _how(campaign: Campaign) -> Section:
    """Return what the campaign was."""
    draws = campaign.draws
    rows = [
        ('robot', campaign.inputs.robot_source),
        ('prior', campaign.inputs.prior_source),
        ('method', campaign.identify.method),
        ('design', draws.design.value.replace('_', ' ')),
        ('seed', str(draws.seed)),
        ('configuration hash', campaign.inputs.digest[:16]),
    ]
    text = campaign.inputs.campaign.rstrip().splitlines()
    return Section(
        'how',
        'The campaign',
        [
            Table(('', ''), rows, text_columns=(1,)),
            Details('Campaign file', [Listing(text, is_code=True)]),
        ],
    )
