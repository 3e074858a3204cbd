"""``spacerobot-id campaign``: many identifications of robots that are drawn, with verdicts.

One run of a campaign is flown again by ``campaign replay``, with its page and its log.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
import json
import math
import os
from pathlib import Path
import sys

import numpy as np
from tqdm import tqdm

from spacerobot_id.cli.terminal import coloured, compiling_notice, doing, output_folder
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.trajectory.plan_file import plan_text
from spacerobot_id.lab.campaign.analysis.requirements import Judgement, Verdict
from spacerobot_id.lab.campaign.campaign_file import (
    Campaign,
    campaign_from_inputs,
    campaign_inputs,
    campaign_names,
    CampaignInputs,
    KEYS,
)
from spacerobot_id.lab.campaign.draws.distributions import PARAMETERS
from spacerobot_id.lab.campaign.draws.key_names import DRAWN
from spacerobot_id.lab.campaign.execution import (
    Execution,
    finished_run,
    FinishedRun,
    prepared,
)
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.lab.campaign.result_folder import (
    claim,
    columns_of,
    kept_inputs,
    kept_plan,
    kept_row,
    PAGE,
    PLAN,
    ResultFolder,
    Row,
    RUNS,
    SUMMARY,
    TIMINGS,
)
from spacerobot_id.lab.campaign.run import (
    flown_run,
    FlownRun,
    library,
    planned,
)
from spacerobot_id.lab.faults import FAULTS
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.model import write_robot
from spacerobot_id.whole_file import write_whole

_TONES = {Verdict.PASSED: 'good', Verdict.FAILED: 'bad', Verdict.UNDECIDED: 'warning'}


def campaign_tables() -> str:
    """Return the tables of docs/campaigns.md: keys of the file, what can be drawn, metrics."""
    laws = [(f'`{kind}`', ', '.join(names)) for kind, names in PARAMETERS.items()]
    laws += [('`choice`', 'values, weights'), ('`covariance`', 'mean, matrix')]
    parts = [
        (
            'Keys of a campaign file',
            ('key', 'meaning'),
            [(f'`{key}`', description) for key, (_, description) in KEYS.items()],
        ),
        ('Distributions', ('name', 'parameters'), laws),
        (
            'What can be drawn',
            ('key', 'unit', 'is'),
            [
                (f'`{key}`'.replace('|', '\\|'), unit, description)
                for key, (unit, description) in DRAWN.items()
            ],
        ),
        (
            'Faults of messages',
            ('fault', 'is', 'size in'),
            [
                (f'`{each.key}`', each.description, '' if each.size is None else each.size.unit)
                for each in FAULTS
            ],
        ),
        (
            'What can be required',
            ('metric', 'unit', 'is'),
            [(f'`{name}`', each.unit, each.description) for name, each in METRICS.items()],
        ),
    ]
    return '\n\n'.join(f'### {title}\n\n{_table(head, rows)}' for title, head, rows in parts)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Run a qualification campaign: robots, sensors and starts are drawn, flown, identified '
        'and judged against their own truth, on Dask. A folder that has runs already is gone on '
        'with. "campaign replay FOLDER INDEX" repeats one run with its page and its log; '
        '"campaign keys CAMPAIGN.yaml" prints everything that can be drawn of it, "campaign keys" '
        'all keys of campaign files, as Markdown.'
    )
    parser.add_argument(
        'campaign',
        nargs='+',
        metavar='CAMPAIGN.yaml',
        help='file, or the name of a campaign that comes with the package: '
        f'{", ".join(campaign_names())}',
    )
    parser.add_argument(
        '--out', type=output_folder, metavar='FOLDER', help='folder of the results'
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        '--workers',
        type=int,
        metavar='N',
        help='processes of a cluster on this computer; as many as it has processors by default, '
        'none and no Dask if 0',
    )
    where.add_argument('--scheduler', metavar='ADDRESS', default='', help='of a Dask cluster')
    parser.add_argument('--runs', type=int, metavar='N', help='runs at most, in place of the file')
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run a campaign, repeat a run of one, or print what can be drawn."""
    command, *others = options.campaign
    if command == 'replay':
        return _replay(others, options)
    if command == 'keys':
        return _print_keys(others)
    if others:
        raise ConfigurationError(f'campaign: one file at a time, got {" ".join(options.campaign)}')
    if options.out is None:
        raise ConfigurationError('--out: the folder of the results is missing')
    return _run(command, options)


def _run(name: str, options: argparse.Namespace) -> int:
    library('pyarrow')
    if options.workers != 0:
        library('distributed')
    inputs = campaign_inputs(name)
    if options.runs is not None:
        if options.runs < 1:
            raise ConfigurationError(f'--runs: must be above zero, got {options.runs}')
        inputs = replace(inputs, runs=options.runs)
    campaign = campaign_from_inputs(inputs)
    claim(options.out, inputs)
    folder = ResultFolder(options.out, columns_of(campaign), campaign.runs, campaign.batch)
    with folder.held():
        work = replace(inputs, plan=_plan(campaign, options.out))
        execution = Execution(campaign, folder)
        if execution.finished < execution.count:
            with _runs(work, options) as runs, _bar(execution) as bar:
                execution.run(runs, bar)
        with doing('writing the tables and the page'):
            table = folder.combine(execution.count)
            not_applied = _write_page(campaign, execution, table)
        summary = _summary(campaign, execution, options, not_applied)
    text = json.dumps(summary, indent=2, allow_nan=False)
    write_whole(options.out / SUMMARY, text + '\n')
    print(json.dumps(summary, allow_nan=False) if options.json else _text(summary, execution))
    failed = any(each.verdict is Verdict.FAILED for each in execution.judgements())
    return 1 if failed or not_applied else 0


def _write_page(campaign: Campaign, execution: Execution, table: Path) -> tuple[str, ...]:
    """Write the page of a campaign beside its table; return keys that were not applied."""
    from spacerobot_id.lab.campaign.analysis.calibration import applied
    from spacerobot_id.lab.campaign.analysis.page import campaign_page
    from spacerobot_id.lab.campaign.result_folder import load_results
    from spacerobot_id.report.page.render import write_page

    results, judgements = load_results(table), execution.judgements()
    seconds = float(np.nansum(load_results(table.with_name(TIMINGS))['seconds']))
    proof = applied(campaign.draws.dispersions, results)
    page = campaign_page(campaign, results, judgements, proof, str(table.parent), seconds)
    write_page(page, table.with_name(PAGE))
    return tuple(each.key for each in proof if not each.is_applied)


def _plan(campaign: Campaign, folder: Path) -> str:
    """Return the text of the plan of all runs; empty if each is planned for alone."""
    if campaign.plan.each_run:
        return ''
    known = campaign.inputs.plan or kept_plan(folder)
    if known is None:
        with doing('planning'):
            known = plan_text(planned(campaign))
    write_whole(folder / PLAN, known)
    return known


@contextmanager
def _runs(
    work: CampaignInputs, options: argparse.Namespace
) -> Iterator[Callable[[Iterator[int]], Iterator[FinishedRun]]]:
    """Return what runs indices: this process, a cluster on this computer, or another one."""
    if options.workers == 0:
        yield partial(map, partial(finished_run, work))
        return
    from spacerobot_id.lab.campaign.cluster import dask_runs, local_or_remote_client

    workers = options.workers or os.cpu_count() or 1
    if workers < 0:
        raise ConfigurationError(f'--workers: must not be negative, got {workers}')
    if not options.scheduler:  # each worker would compile it alone
        notice = compiling_notice()
        notice.start()
        try:
            finished_run(work, 0)
        finally:
            notice.cancel()
    with local_or_remote_client(workers, options.scheduler) as client:
        print(f'dashboard: {client.dashboard_link}', file=sys.stderr, flush=True)
        if not client.nthreads():
            print(
                'warning: the scheduler has no workers yet; runs begin when one joins it',
                file=sys.stderr,
                flush=True,
            )
        if any(threads > 1 for threads in client.nthreads().values()):
            print(
                'warning: workers with several threads: start them with --nthreads 1, runs do '
                'not share a process well',
                file=sys.stderr,
            )
        yield partial(dask_runs, client, work)


@contextmanager
def _bar(execution: Execution) -> Iterator[Callable[[], None]]:
    """Show a progress bar."""
    with tqdm(desc='runs', unit=' runs', file=sys.stderr, disable=None) as bar:

        def show() -> None:
            bar.total = execution.count
            if execution.failed:
                bar.set_postfix_str(f'{execution.failed} failed', refresh=False)
            bar.update(execution.finished - bar.n)

        yield show


def _print_keys(names: Sequence[str]) -> int:
    """Print everything that can be drawn of a campaign; of none, the tables of the docs."""
    if not names:
        print(campaign_tables())
        return 0
    if len(names) > 1:
        raise ConfigurationError('campaign keys: one campaign file at a time')
    campaign = campaign_from_inputs(campaign_inputs(names[0]))
    width = max(len(name) for name in campaign.keys)
    for name, key in campaign.keys.items():
        print(f'{name:<{width}}  {key.nominal:12.6g}  {key.unit}')
    return 0


def _summary(
    campaign: Campaign,
    execution: Execution,
    options: argparse.Namespace,
    not_applied: Sequence[str],
) -> dict[str, object]:
    """Return what a campaign came to as plain values."""
    return {
        'campaign': campaign.inputs.source,
        'digest': campaign.inputs.digest,
        'runs': execution.finished,
        'budget': campaign.runs,
        'failed': execution.failed,
        'not_applied': list(not_applied),
        'requirements': [_judgement(each) for each in execution.judgements()],
        'folder': str(options.out),
    }


def _judgement(judgement: Judgement) -> dict[str, object]:
    requirement = judgement.requirement
    return {
        'name': requirement.name,
        'require': requirement.text,
        'share': requirement.share,
        'confidence': requirement.confidence,
        'verdict': judgement.verdict.value,
        'kept': judgement.kept,
        'runs': judgement.runs,
        'bounds': list(judgement.bounds),
    }


def _text(summary: dict[str, object], execution: Execution) -> str:
    """Return the result for people: verdicts first."""
    lines = []
    if summary['not_applied']:
        text = f'not to be used: not applied as asked: {", ".join(summary["not_applied"])}'
        lines.append(coloured(text, 'bad'))
    for each in execution.judgements():
        requirement = each.requirement
        text = coloured(f'{each.verdict.value}: {requirement.name}', _TONES[each.verdict])
        lines.append(
            f'{text}\n  {requirement.text} in at least {100.0 * requirement.share:g} % of runs: '
            f'{each.kept} of {each.runs}, so {100.0 * each.bounds[0]:.2f} to '
            f'{100.0 * each.bounds[1]:.2f} %'
        )
    failed = f', {summary["failed"]} of them without an outcome' if summary['failed'] else ''
    lines.append(f'{summary["runs"]} of {summary["budget"]} runs{failed}')
    lines.append(f'written: {summary["folder"]}/{PAGE}; beside it {RUNS} and {TIMINGS}')
    return '\n'.join(lines)


_SHOWN = ('mass_error', 'com_error', 'inertia_error', 'median_error', 'chi_square', 'changes')


def _replay(arguments: Sequence[str], options: argparse.Namespace) -> int:
    """Fly one run again; write its log, its true robot and its page, and print what it came to.

    Raises
    ------
    ConfigurationError
        If there is no such folder or run, or the run came to something else than is kept of it.
    """
    if len(arguments) != 2 or not arguments[1].isdigit():
        raise ConfigurationError('campaign replay: a FOLDER and the INDEX of a run are needed')
    folder, index = Path(arguments[0]), int(arguments[1])
    campaign, columns = prepared(replace(kept_inputs(folder), plan=kept_plan(folder) or ''))
    if index >= campaign.runs:
        raise ConfigurationError(
            f'campaign replay: {folder} has runs 0 to {campaign.runs - 1}, no {index}'
        )
    out = options.out or folder / 'replay' / f'{index:06d}'
    if (out / 'log').exists():
        raise ConfigurationError(f'--out: {out} has the log of a run already')
    with doing(f'flying run {index}'):
        run, flown = flown_run(campaign, index)
    row = columns.row(run)
    out.mkdir(parents=True, exist_ok=True)
    if flown is not None:
        _write(flown, campaign, out, f'{folder.name}, run {index}')
    write_whole(out / 'run.json', json.dumps(row, indent=2) + '\n')
    kept = kept_row(folder, index, campaign.batch)
    is_same = kept is None or kept == dict(row)
    print(json.dumps(row) if options.json else _run_text(row, kept, out, is_same=is_same))
    if run.error and not options.json:
        print(f'failed: {run.error}')
    return 0 if is_same else 1


def _write(flown: FlownRun, campaign: Campaign, out: Path, source: str) -> None:
    """Write the log of a run, its true robot and its page."""
    from spacerobot_id.estimation.batch.identify import identify
    from spacerobot_id.report.page.render import write_page
    from spacerobot_id.report.result_files import Subject, Truth
    from spacerobot_id.report.result_page import result_page

    write_bag(out / 'log', flown.streams)
    write_robot(flown.truth.robot, out / 'true_robot.urdf')
    settings, log = campaign.identify, flown.recorded.log
    result = identify(log.measurement, flown.recorded.method, settings.recursion).with_log(log)
    subject = Subject(
        result=result,
        record=log.measurement,
        used=len(log.measurement),
        source=source,
        streams=flown.recorded.streams,
        command=('spacerobot-id', 'campaign', 'replay', *source.split(', run ')),
        truth=Truth('the robot that was drawn', flown.truth.values),
    )
    write_page(result_page(subject), out / 'report.html')


def _run_text(row: Row, kept: Row | None, out: Path, *, is_same: bool) -> str:
    """Return what a run came to, for people."""
    lines = [f'run {row["index"]}: {row["error"] or "flown and identified"}']
    for name in _SHOWN:
        if row[name] is not None and math.isfinite(row[name]):
            lines.append(f'  {name:<15} {row[name]:.6g}')
    if row['not_applied']:
        lines.append(f'  not flown with what was drawn: {row["not_applied"]}')
    if kept is None:
        lines.append('not among the runs that are kept')
    else:
        lines.append(
            'the same as is kept of it, to the last bit'
            if is_same
            else 'NOT the same as is kept of it: another version, processor or library?'
        )
    lines.append(f'written: {out}')
    return '\n'.join(lines)
