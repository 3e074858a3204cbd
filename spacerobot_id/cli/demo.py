"""``spacerobot-id demo``: the three nodes live, driven as mission software would drive them."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
import json
import math
from pathlib import Path
import sys
from threading import Timer
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spacerobot_id.cli.processes import node_processes, NodeFailedError, NodeProcesses
from spacerobot_id.cli.terminal import coloured, compiling_notice, output_folder, seed
from spacerobot_id.model import load_robot, RobotModel, shipped_file
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.report.metrics import error_values, estimate_errors
from spacerobot_id.report.page.content import beside, number, percent
from spacerobot_id.report.page.render import add_sections
from spacerobot_id.report.sections.truth import truth_section
from spacerobot_id.whole_file import write_whole

_DUAL_ARM, _AIR_BEARING = 'config/robots/naveen_dual_arm', 'config/robots/air_bearing'
"""Robots of the package."""

_COLUMNS = ('name', 'unit', 'value', 'std', 'true')
"""Keys of the rows of the result."""

_PATIENCE = 900.0
"""Time in which planning, motion and refining are to be done, s: machines may be busy."""

_CONNECTING = 10.0
"""Time that nodes take to find each other where nothing has to be compiled, s."""

_REPORTED = 10.0
"""Time between two lines on what goes on where standard error is no terminal, s."""

_LOST = 0.05
"""Share of the samples of the motion above which their loss is reported."""

_SAVED, _PAGE = 'estimate.json', 'estimate.html'


def estimate_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of parameters with truth and error, one line each.

    Parameters
    ----------
    rows : sequence of mapping
        Name, unit, value, standard deviation and true value of each parameter.
    """
    columns = {key: [row[key] for row in rows] for key in _COLUMNS}
    relative = estimate_errors(*(columns[key] for key in ('value', 'std', 'true'))).relative
    width = max(map(len, columns['name']))
    head = f'{"parameter":<{width}}  {"unit":<7} {"true":>11} {"estimate":>11}'
    head += f' {"std":>9} {"error":>9}'
    lines = [head, '-' * len(head)]
    for name, unit, value, std, true, error in zip(*columns.values(), relative, strict=True):
        lines.append(
            f'{name:<{width}}  {unit:<7} {beside(true, std):>11} {beside(value, std):>11} '
            f'{number(std, 3):>9} {percent(error):>9}'
        )
    return '\n'.join(lines)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Start simulator, planner and estimator, identify the simulated robot over '
        'topics and services, and compare the estimate with the truth.'
    )
    robots = 'config/robots/naveen_dual_arm'
    parser.add_argument(
        '--robot',
        default=None,
        help=f'true robot, for the simulator ({_DUAL_ARM}.urdf); planar: one on an air-bearing '
        f'table, whose thrusters fire ({_AIR_BEARING}.urdf)',
    )
    parser.add_argument(
        '--prior', default=None, help=f'prior of planner and estimator ({robots}_prior.urdf)'
    )
    parser.add_argument(
        '--out', type=output_folder, default='out/demo', help='folder (%(default)s)'
    )
    parser.add_argument(
        '--real-time-factor',
        type=float,
        default=2.0,
        help='speed of time, lowered where the machine does not keep it (%(default)s)',
    )
    parser.add_argument('--seed', type=seed, default=0, help='of plan and noise (%(default)s)')
    parser.add_argument('--all', action='store_true', help='print all parameters')
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the demonstration; return 0 if it came to a result."""
    is_planar = options.robot == 'planar'
    stem = _AIR_BEARING if is_planar else _DUAL_ARM
    parameters = str(shipped_file('config/air_bearing.yaml')) if is_planar else None
    true_path = str(shipped_file(f'{stem}.urdf'))
    true_path = true_path if options.robot in (None, 'planar') else options.robot
    display = _Display(quiet=options.json)
    display.waiting.start()
    page = options.out / _PAGE
    page.unlink(missing_ok=True)
    try:
        with node_processes(options.out) as nodes:
            _start_nodes(nodes, options, stem, true_path, parameters)
            mission = {'robot': true_path, 'timeout': _PATIENCE}
            if not parameters:  # a fit of all that came does not fall behind
                mission |= {'real_time_factor': options.real_time_factor}
            for line in nodes.lines('mission', mission):
                event = json.loads(line)
                display.show(event)
                if event['event'] == 'moved' and parameters:
                    nodes.end('simulator')  # a fit of all that came has nothing more to wait for
            _wait_for(page, display, nodes)
    finally:
        display.clear()
    if display.result is None:
        print(f'spacerobot-id: {display.failure}', file=sys.stderr)
        return 1
    result = _finished(display, true_path)
    write_whole(options.out / 'result.json', json.dumps(result, indent=2) + '\n')
    if page.exists():
        _add_truth(page, display.result, result, Path(true_path).name)
    print(json.dumps(result) if options.json else _text(result, options))
    return 0


def _wait_for(page: Path, display: '_Display', nodes: NodeProcesses) -> None:
    """Wait for the estimator's page, if it is asked to write one; no longer than it lives."""
    deadline = time.monotonic() + _PATIENCE
    is_saved = display.result is not None and display.result['saved'] is not None
    with suppress(NodeFailedError):
        while is_saved and not page.exists() and time.monotonic() < deadline:
            nodes.check(but='mission')
            time.sleep(0.1)


def _add_truth(page: Path, event: dict[str, Any], result: dict[str, Any], source: str) -> None:
    """Put the errors against the truth into the estimator's page."""
    true = np.array([row['true'] for row in result['parameters']])
    values, names, units = np.array(event['values']), event['names'], event['units']
    found = values, _covariance(event)
    add_sections(page, [truth_section(names, units, *found, true, source, _seen(event))])


def _seen(event: dict[str, Any]) -> NDArray[np.bool_]:
    """Return which parameters are identified, shape (p,)."""
    return ~np.isin(event['names'], event['not_identified'])


def _covariance(event: dict[str, Any]) -> NDArray[np.float64]:
    """Return the covariance that the estimator answered, shape (p, p)."""
    count = len(event['values'])
    return np.reshape(event['covariance'], (count, count))


def _start_nodes(
    nodes: NodeProcesses,
    options: argparse.Namespace,
    stem: str,
    true_path: str,
    parameters: str | None,
) -> None:
    """Start the three nodes, with a file of parameters for robots that have their own."""
    prior = options.prior or str(shipped_file(f'{stem}_prior.urdf'))
    simulator = {'real_time_factor': options.real_time_factor, 'seed': options.seed}
    nodes.start('simulator', {'robot': true_path, **simulator}, parameters)
    nodes.start('planner', {'robot': prior, 'seed': options.seed}, parameters)
    saved = {'save_file': str((options.out / _SAVED).resolve())}
    nodes.start('estimator', {'robot': prior, **saved}, parameters)


@dataclass
class _Display:
    """Shows the events of the mission, and keeps the result.

    Parameters
    ----------
    quiet : bool
        Whether nothing is printed.
    """

    quiet: bool
    result: dict[str, Any] | None = None
    failure: str = 'the mission ended without a result'
    bar: tqdm | None = None
    reported: float = -math.inf
    begin: float = field(default_factory=time.monotonic)
    waiting: Timer = field(default_factory=lambda: compiling_notice(_CONNECTING))

    def show(self, event: dict[str, Any]) -> None:
        """Take one event of the mission."""
        match event['event']:
            case 'connected':
                self.waiting.cancel()
                self._print('simulator, planner and estimator are up')
            case 'progress':
                self._progress(event['planner'], event['estimate'])
            case 'planned':
                self._print(
                    f'planned a motion of {event["duration"]:.0f} s in '
                    f'{event["plan_seconds"]:.1f} s, cost {event["cost"]:.3g}'
                )
            case 'slowed':
                self._print(
                    f'this machine does not keep {event["before"]:g} times real time '
                    f'({event["reason"]}): going on at {event["factor"]:g}'
                )
            case 'moved':
                self._print('motion complete, refining')
            case 'failed':
                self.failure = event['reason']
            case 'result':
                self.result = event

    def clear(self) -> None:
        """Wait for nothing any longer, and end the progress bar."""
        self.waiting.cancel()
        if self.bar is not None:
            self.bar.close()

    def _progress(self, planner: dict[str, Any], estimate: dict[str, Any]) -> None:
        """Show how planning and estimate get on."""
        if planner['state'] == 'planning' and time.monotonic() - self.reported > _REPORTED:
            self._print(f'planning: {planner["evaluations"]} motions tried')
        if planner['state'] != 'running' or not estimate:
            return
        elapsed, duration = planner['elapsed'], planner['duration']
        share = 100.0 * (estimate['median_relative_std'] if estimate['rank'] else math.inf)
        if not self.quiet and sys.stderr.isatty():
            if self.bar is None:
                self.bar = tqdm(total=duration, desc='moving', unit='s', file=sys.stderr)
            self.bar.set_postfix_str(f'std {share:.3g} %', refresh=False)
            self.bar.update(elapsed - self.bar.n)
        elif time.monotonic() - self.reported > _REPORTED:
            self._print(
                f'{elapsed:5.0f} of {duration:.0f} s  {estimate["samples"]:6d} samples  rank '
                f'{estimate["rank"]:2d}  median standard deviation {share:8.3f} %'
            )

    def _print(self, text: str) -> None:
        """Print a line with the time since the start."""
        if not self.quiet:
            self.reported = time.monotonic()
            tqdm.write(f'[{self.reported - self.begin:6.1f} s] {text}')
            sys.stdout.flush()


def _finished(display: _Display, true_path: str) -> dict[str, Any]:
    """Return the result beside the truth."""
    event = display.result
    robot = load_robot(true_path)
    true = minimal_parameters(robot).values(robot)
    rows = zip(event['names'], event['units'], event['values'], event['std'], true, strict=True)
    return {
        'robot': robot.name,
        'parameters': [
            dict(zip(_COLUMNS, (*row[:4], float(row[4])), strict=True)) for row in rows
        ],
        'thrusters': _thrusters(event, robot),
        **error_values(event['values'], _covariance(event), true, _seen(event)),
        'valid': event['valid'],
        'defects': event['defects'],
        'condition_number': event['condition_number'],
        'samples': event['samples'],
        'samples_due': event['samples_due'],
        'rank': event['rank'],
        'chi_square': event['chi_square'],
        'not_identified': event['not_identified'],
        'rejected': event['rejected'],
        'changes': event['changes'],
        'plan_seconds': event['plan_seconds'],
        'motion_seconds': event['motion_seconds'],
        'wall_seconds': time.monotonic() - display.begin,
    }


def _thrusters(event: dict[str, Any], robot: RobotModel) -> list[dict[str, Any]]:
    """Return what was found of thrusters beside the truth; nothing if that is not looked for."""
    if not robot.thrusters:
        return []
    valves = robot.actuators.valves
    true = {
        f'strength.{each.name}': valves.strength.get(each.name, 0.0) for each in robot.thrusters
    }
    true |= {'strength_loss': valves.strength_loss}
    units = dict.fromkeys(true, '1') | {'dead_time': 's', 'delay.wrench': 's'}
    true |= {'dead_time': valves.dead_time, 'delay.wrench': valves.delay}
    found = zip(event['other_names'], event['other_values'], event['other_std'], strict=True)
    return [
        dict(zip(_COLUMNS, (name, units[name], value, std, true[name]), strict=True))
        for name, value, std in found
        if name in true
    ]


def _text(result: dict[str, Any], options: argparse.Namespace) -> str:
    """Return the result for people."""
    seen = len(result['parameters']) - len(result['not_identified'])
    tone = 'good' if result['valid'] else 'bad'
    verdict = 'usable' if result['valid'] else f'not to be used: {"; ".join(result["defects"])}'
    low, high = result['normalised_squared_error_bounds']
    condition = result['condition_number']
    conditioned = '' if condition is None else f'condition number {condition:.1f}, '
    lost = 1.0 - result['samples'] / result['samples_due']
    lines = [
        *([estimate_table(result['parameters']), ''] if options.all else []),
        coloured(f'{result["robot"]}: {verdict}', tone),
        f'{seen} of {len(result["parameters"])} parameters identified from {result["samples"]} '
        f'samples, {conditioned}chi-square {result["chi_square"]:.3f}',
        *(
            [
                f'{100 * lost:.0f} % of {result["samples_due"]} samples of the motion are lost: '
                'a lower --real-time-factor loses fewer'
            ]
            if lost > _LOST and not result['thrusters']
            else []
        ),
        f'errors: median {100 * result["median_relative_error"]:.3f} %, largest '
        f'{100 * result["max_relative_error"]:.2f} %; {100 * result["coverage_95"]:.0f} % of the '
        'true values inside their 95 % intervals',
        f'all together: normalised squared error {result["normalised_squared_error"]:.4g} of '
        f'{result["normalised_squared_error_of"]}; chance allows {low:.4g} to {high:.4g}',
        *([f'\n{_thruster_table(result)}\n'] if result['thrusters'] else []),
        f'planned in {result["plan_seconds"]:.1f} s, moved for {result["motion_seconds"]:.1f} s, '
        f'all in {result["wall_seconds"]:.1f} s',
        f'written: {options.out / _PAGE}; beside it {_SAVED}, result.json, tables and logs',
        *([] if options.all else ['all parameters: demo --all']),
    ]
    return '\n'.join(lines)


def _thruster_table(result: dict[str, Any]) -> str:
    """Return what was found of thrusters, in thousandths: as it is, with its error in std."""
    head = (
        f'{"thrusters":<22}  {"unit":<4} {"true":>8} {"estimate":>9} {"std":>7} {"error/std":>10}'
    )
    lines = [head, '-' * len(head)]
    for row in result['thrusters']:
        score = (row['value'] - row['true']) / row['std']
        lines.append(
            f'{row["name"]:<22}  {row["unit"]:<4} {row["true"]:>8.3f} {row["value"]:>9.3f} '
            f'{row["std"]:>7.3f} {score:>+10.2f}'
        )
    return '\n'.join(lines)
