"""``spacerobot-id topics``: what a log or a running bed publishes, and an adapter for it."""

import argparse
from collections.abc import Sequence
import json
import subprocess
import sys

from spacerobot_id.cli.terminal import output_file
from spacerobot_id.exceptions import ConfigurationError, MeasurementError
from spacerobot_id.measurement.adapters.observation import ObservedTopic, topics_of_bag
from spacerobot_id.measurement.adapters.proposal import could_be, presets_for, proposal
from spacerobot_id.whole_file import write_whole

_STARTING = 60.0
"""Time beyond the wanted one that it may take, s."""

_MOST_FIELDS = 40
"""Fields of a topic that are printed."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'List topics, their types, rates, stamps and fields, and propose an adapter for '
        'identify --adapter and the parameter adapter of the estimator.'
    )
    parser.add_argument('bag', nargs='?', metavar='BAG', help='rosbag2 folder, or .bag of ROS 1')
    parser.add_argument('--live', action='store_true', help='subscribe to running nodes instead')
    parser.add_argument(
        '--seconds', type=float, default=5.0, metavar='S', help='for how long; 5 by default'
    )
    parser.add_argument('--fields', action='store_true', help='list the fields of every topic')
    parser.add_argument(
        '--out',
        type=output_file,
        metavar='YAML',
        help='file for the adapter, which is printed else',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.set_defaults(run=run, error=parser.error)


def run(options: argparse.Namespace) -> int:
    """List and propose; return 1 where there is no topic."""
    if bool(options.bag) == options.live:
        options.error('either BAG or --live is needed')
    topics = _live(options.seconds) if options.live else topics_of_bag(options.bag)
    text, presets = proposal(topics), presets_for(topics)
    if options.out and not text:
        raise ConfigurationError('--out: no topic looks like one that a robot is identified from')
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.out, text)
    if options.json:
        listed = [each.to_dict() | {'could_be': could_be(each)} for each in topics]
        print(json.dumps({'topics': listed, 'presets': presets, 'adapter': text}))
        return 0 if topics else 1
    if not topics:
        print('spacerobot-id: no topics', file=sys.stderr)
        return 1
    _print_table(topics)
    if options.fields:
        _print_fields(topics)
    if presets:
        print(f'\nPresets for these types: {", ".join(presets)} (--adapter {presets[0]})')
    if options.out:
        print(f'\nwritten: {options.out}')
        return 0
    print(f'\n{text}' if text else '\nNo topic looks like one that a robot is identified from.')
    return 0


def _live(seconds: float) -> tuple[ObservedTopic, ...]:
    """Return the topics that are there now; a node of its own subscribes to them.

    Raises
    ------
    MeasurementError
        If the node fails; the message has the reason.
    """
    command = [sys.executable, '-m', 'spacerobot_id.nodes', 'topics', '--ros-args', '-p']
    command.append(f'seconds:={float(seconds)}')
    try:
        completed = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + _STARTING, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f'--live: the node did not end in {error.timeout:g} s') from error
    if completed.returncode:
        lines = completed.stderr.strip().splitlines() or ['no output']
        raise MeasurementError(f'--live: the node failed: {lines[-1]}')
    return tuple(ObservedTopic(**each) for each in json.loads(completed.stdout.splitlines()[-1]))


def _print_table(topics: Sequence[ObservedTopic]) -> None:
    """Print a line for each topic."""
    head = ('topic', 'type', 'messages', 'Hz', 'stamps', 'could be')
    rows = [head]
    for each in topics:
        proposed = ', '.join(could_be(each)) or each.missing or '-'
        rate = f'{each.rate:.1f}' if each.rate else '-'
        count = f'{each.count} of {each.stated}' if each.stated else str(each.count)
        rows.append((each.topic, each.kind, count, rate, _stamps(each), proposed))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        cells = [
            cell.rjust(width) if place in (2, 3) else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        print('  '.join([*cells, row[-1]]).rstrip())


def _stamps(topic: ObservedTopic) -> str:
    """Return where the stamps are and whose clock they are by."""
    if not topic.stamp:
        return '-' if topic.missing else 'receipt only'
    unit = f' ({topic.stamp_unit})' if topic.stamp_unit else ''
    if topic.lag is None:
        return f'{topic.stamp}{unit}, a clock of its own'
    return f'{topic.stamp}{unit}, {1e3 * topic.lag:.1f} ms before receipt'


def _print_fields(topics: Sequence[ObservedTopic]) -> None:
    """Print the fields of each topic."""
    for each in topics:
        print(f'\n{each.topic}: {each.missing or each.kind}')
        for path, what in list(each.fields.items())[:_MOST_FIELDS]:
            print(f'  {path}: {what}')
        if len(each.fields) > _MOST_FIELDS:
            print(f'  and {len(each.fields) - _MOST_FIELDS} more')
