"""``spacerobot-id campaign replay``: one run of a campaign again, with its page and its log."""

import argparse
from collections.abc import Sequence
import json
import math
from pathlib import Path

from spacerobot_id.cli.terminal import doing
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.campaign_file import Campaign
from spacerobot_id.lab.campaign.execution import prepared, Work
from spacerobot_id.lab.campaign.result_folder import kept_inputs, kept_plan, kept_row, Row
from spacerobot_id.lab.campaign.run import flown_run, FlownRun, identify_settings, RunError
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.model import write_robot
from spacerobot_id.whole_file import write_whole

_SHOWN = ('mass_error', 'com_error', 'inertia_error', 'median_error', 'chi_square', 'changes')


def replay(arguments: Sequence[str], options: argparse.Namespace) -> int:
    """Fly one run again; write its log, its true robot and its page, and print what it came to.

    Raises
    ------
    ConfigurationError
        If there is no such folder or run, or the run came to something else than is kept of it.
    """
    if len(arguments) != 2 or not arguments[1].isdigit():
        raise ConfigurationError('campaign replay: a FOLDER and the INDEX of a run are needed')
    folder, index = Path(arguments[0]), int(arguments[1])
    work = Work(kept_inputs(folder), kept_plan(folder) or '')
    ready = prepared(work)
    if index >= ready.campaign.runs:
        raise ConfigurationError(
            f'campaign replay: {folder} has runs 0 to {ready.campaign.runs - 1}, no {index}'
        )
    out = options.out or folder / 'replay' / f'{index:06d}'
    if (out / 'log').exists():
        raise ConfigurationError(f'--out: {out} has the log of a run already')
    failed = flown = None
    try:
        with doing(f'flying run {index}'):
            flown = flown_run(ready.campaign, ready.plan, index)
        run = flown.run
    except RunError as error:
        run, failed = error.run, error
    row = ready.columns.row(run)
    out.mkdir(parents=True, exist_ok=True)
    if flown is not None:
        _write(flown, ready.campaign, out, f'{folder.name}, run {index}')
    write_whole(out / 'run.json', json.dumps(row, indent=2) + '\n')
    kept = kept_row(folder, index, ready.columns, ready.campaign.batch)
    is_same = kept is None or kept == dict(row)
    print(json.dumps(row) if options.json else _text(row, kept, out, is_same=is_same))
    if failed is not None and not options.json:
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
    settings, log = identify_settings(campaign), flown.recorded.log
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


def _text(row: Row, kept: Row | None, out: Path, *, is_same: bool) -> str:
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
