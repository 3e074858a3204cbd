"""``spacerobot-id inject-faults``: a log replayed with every fault that it can carry."""

import argparse
from collections.abc import Iterator, Sequence
import json
import math
from pathlib import Path
import sys

from spacerobot_id.cli.log_options import add_log_options, identify_settings, log_streams
from spacerobot_id.cli.robot_options import add_robot_options, described_robot
from spacerobot_id.cli.terminal import coloured, doing, output_folder, seed
from spacerobot_id.estimation.result import finite
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.lab.faults import Fault
from spacerobot_id.lab.faults.cells import Cell, FaultInjection, Verdict
from spacerobot_id.lab.faults.fault_table import (
    fault_page,
    headline,
    short_table,
    whole_table,
)
from spacerobot_id.lab.faults.replay import Replay
from spacerobot_id.report.page.render import write_page
from spacerobot_id.whole_file import write_csv, write_whole

_VERDICTS = ('valid', 'joint', 'worst', 'parameter')
_COLUMNS = ['fault', 'strength', 'unit', 'begin', 'noticed', 'after']
_COLUMNS += [f'{who}_{key}' for who in ('live', 'batch') for key in _VERDICTS]
_COLUMNS += ['harmed_and_valid']

_WIDEST = 60
"""Width of a column of text on a terminal."""


def cell_values(cell: Cell) -> dict[str, object]:
    """Return a cell as plain values; numbers that are not finite become None."""
    notice = cell.notice
    return {
        'fault': cell.fault,
        'words': cell.description,
        'strength': 'until the end' if math.isinf(cell.strength) else cell.strength,
        'unit': cell.unit,
        'begin': cell.begin,
        'noticed': None if notice is None else notice.how,
        'after': None if notice is None else finite(notice.after),
        'live': _verdict_values(cell.live),
        'batch': None if cell.batch is None else _verdict_values(cell.batch),
        'harmed_and_valid': cell.falsely_valid,
    }


def _rows(cells: Sequence[Cell]) -> Iterator[Sequence[object]]:
    """Yield a table of all cells, the heads of its columns first."""
    yield _COLUMNS
    for cell in cells:
        values = cell_values(cell)
        for name in ('live', 'batch'):
            verdict = values[name] or {}
            values |= {f'{name}_{key}': value for key, value in verdict.items()}
        yield [values.get(name) for name in _COLUMNS]


def _verdict_values(verdict: Verdict) -> dict[str, object]:
    return {
        'valid': verdict.is_valid,
        'defects': list(verdict.defects),
        'samples': verdict.samples,
        'joint': finite(verdict.harm.joint),
        'worst': finite(verdict.harm.worst),
        'parameter': verdict.harm.parameter,
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Replay a log through the live estimator with each fault of sensors and messages that it '
        'can carry, in three strengths, from the start and from the middle: whether it is '
        'noticed, what it does to the estimate, and whether that is called valid. Writes '
        'faults.html, faults.json and faults.csv.'
    )
    parser.add_argument('bag', metavar='BAG', help='rosbag2 folder, mcap or sqlite3')
    add_robot_options(parser, 'prior model of the robot', as_option=True)
    add_log_options(parser)
    parser.add_argument(
        '--fault',
        action='append',
        default=[],
        metavar='NAME',
        help='inject this one only, by number or name, such as F30 or "F21 loss"; repeatable',
    )
    parser.add_argument(
        '--batch', action='store_true', help='add the verdict of identify; takes longer'
    )
    parser.add_argument('--seed', type=seed, default=0, help='of the faults (%(default)s)')
    parser.add_argument(
        '--out', type=output_folder, default='out/inject_faults', help='folder (%(default)s)'
    )
    parser.add_argument('--all', action='store_true', help='print every case')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Replay and write; return 1 where a harmed estimate is called valid.

    Raises
    ------
    ConfigurationError
        If the log cannot carry a fault that is named.
    EstimationError
        If the clean log has no estimate that is valid.
    """
    injection = _injection(options)
    for name in options.fault:
        if not injection.faults([name]):
            can = ', '.join(each.key for each in injection.faults())
            raise ConfigurationError(f'--fault: {name!r} is none that this log can carry: {can}')
    with doing('replaying the clean log'):
        clean = injection.clean(with_batch=options.batch)
    if clean.result.defects:
        reasons = '; '.join(clean.result.reasons)
        raise EstimationError(f'{options.bag}: even without faults it is not valid: {reasons}')
    faults = injection.faults(options.fault)
    cells = _cells(injection, clean, faults)
    left = len(faults) - len({cell.fault for cell in cells})
    if left:
        print(f'interrupted, {left} of {len(faults)} faults not replayed', file=sys.stderr)
    files = _written(injection, cells, clean, options)
    if options.json:
        print(json.dumps({'cells': [cell_values(each) for each in cells], 'files': files}))
    else:
        print(_text(cells, files, everything=options.all))
    return int(left > 0 or any(cell.falsely_valid for cell in cells))


def _injection(options: argparse.Namespace) -> FaultInjection:
    """Return the log, ready to be spoilt."""
    settings = identify_settings(options)
    robot, streams = log_streams(options.bag, described_robot(options), settings, options)
    return FaultInjection.of_streams(robot, streams, settings, options.seed)


def _cells(injection: FaultInjection, clean: Replay, faults: Sequence[Fault]) -> list[Cell]:
    """Return what faults do, those before an interruption, with progress on terminals.

    Raises
    ------
    KeyboardInterrupt
        If interrupted before anything is there.
    """
    cells: list[Cell] = []
    try:
        for number, fault in enumerate(faults, 1):
            with doing(f'{number} of {len(faults)}: {fault.key}'):
                cells += list(injection.cells(clean, [fault]))  # all of a fault, or none
    except KeyboardInterrupt:
        if not cells:
            raise
    return cells


def _written(
    injection: FaultInjection, cells: Sequence[Cell], clean: Replay, options: argparse.Namespace
) -> list[str]:
    """Write page, JSON and CSV; return the files."""
    options.out.mkdir(parents=True, exist_ok=True)
    page, values, table = (options.out / f'faults.{end}' for end in ('html', 'json', 'csv'))
    samples = clean.result.estimate.samples
    source = Path(options.bag).resolve().name
    write_page(fault_page(injection.model.name, source, cells, samples), page)
    content = json.dumps([cell_values(cell) for cell in cells], indent=1, allow_nan=False)
    write_whole(values, content + '\n')
    write_csv(table, _rows(cells))
    return [str(each) for each in (page, values, table)]


def _text(cells: Sequence[Cell], files: Sequence[str], *, everything: bool) -> str:
    """Return the verdict, and a table."""
    tone, verdict = headline(cells)
    head, rows = whole_table(cells) if everything else short_table(cells)
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(head, *rows, strict=True)]
    lines = [
        '  '.join(cell[:width].ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    ]
    more = '' if everything else '\nall cases: inject-faults --all'
    table = '\n'.join(line.rstrip() for line in lines)
    return f'{coloured(verdict, tone.value)}\n{table}{more}\nwritten: {", ".join(files)}'
