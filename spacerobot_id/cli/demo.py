"""``spacerobot-id demo``: the three nodes live, driven as mission software would drive them."""

import argparse
from dataclasses import dataclass, field, replace
import json
from pathlib import Path
import sys
from threading import Timer
import time
from typing import Any

import numpy as np

from spacerobot_id.cli.compiling import compiling_notice
from spacerobot_id.cli.option_types import seed
from spacerobot_id.cli.processes import node_processes, NodeProcesses
from spacerobot_id.model import load_robot, RobotModel, shipped_file
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.report.estimate_plot import estimate_figure
from spacerobot_id.report.estimate_table import estimate_table
from spacerobot_id.report.metrics import estimate_errors

_DUAL_ARM, _AIR_BEARING = 'config/robots/naveen_dual_arm', 'config/robots/air_bearing'
"""Robots of the package."""

_COLUMNS = ('name', 'unit', 'value', 'std', 'true')
"""Keys of the rows of the result."""

_PATIENCE = 900.0
"""Time in which planning, motion and refining are to be done, s: machines may be busy."""

_CONNECTING = 10.0
"""Time that nodes take to find each other where nothing has to be compiled, s."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Start simulator, planner and estimator, identify the simulated robot over '
        'topics and services, and compare the estimate with the truth.'
    )
    parser.add_argument(
        '--robot',
        default=None,
        help=f'true robot, for the simulator ({_DUAL_ARM}.urdf); planar: one on an air-bearing '
        f'table, whose thrusters fire ({_AIR_BEARING}.urdf)',
    )
    parser.add_argument(
        '--prior', default=None, help='what planner and estimator are told (..._prior.urdf)'
    )
    parser.add_argument('--out', type=Path, default=Path('out/demo'), help='folder (%(default)s)')
    parser.add_argument(
        '--real-time-factor', type=float, default=2.0, help='speed of time (%(default)s)'
    )
    parser.add_argument('--seed', type=seed, default=0, help='of plan and noise (%(default)s)')
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the demonstration; return 0 if it came to a result."""
    given = _shipped(_AIR_BEARING if options.robot == 'planar' else _DUAL_ARM)
    true_path = given.true if options.robot in (None, 'planar') else options.robot
    given = replace(given, true=true_path, prior=options.prior or given.prior)
    display = _Display(quiet=options.json)
    display.waiting.start()
    try:
        with node_processes(options.out) as nodes:
            _start_nodes(nodes, options, given)
            for line in nodes.lines('mission', {'robot': true_path, 'timeout': _PATIENCE}):
                event = json.loads(line)
                display.show(event)
                if event['event'] == 'moved' and given.parameters:
                    nodes.end('simulator')  # a fit of all that came has nothing more to wait for
    finally:
        display.waiting.cancel()
    if display.result is None:
        print(f'spacerobot-id: {display.failure}', file=sys.stderr)
        return 1
    result = _finished(display, true_path)
    (options.out / 'result.json').write_text(json.dumps(result, indent=2) + '\n')
    _draw(options.out / 'estimate.png', result, display.history)
    print(json.dumps(result) if options.json else _text(result, options.out))
    return 0


@dataclass(frozen=True)
class _Robots:
    """What the simulator is given, and what planner and estimator are.

    Parameters
    ----------
    true, prior : str
        Paths of URDFs.
    parameters : str, optional
        Path of a file of parameters of the three nodes.
    """

    true: str
    prior: str
    parameters: str | None = None


def _shipped(stem: str) -> _Robots:
    """Return a robot of the package, with the parameters of its nodes if it has its own."""
    true, prior = (str(shipped_file(f'{stem}{end}.urdf')) for end in ('', '_prior'))
    if stem != _AIR_BEARING:
        return _Robots(true, prior)
    return _Robots(true, prior, str(shipped_file('config/air_bearing.yaml')))


def _start_nodes(nodes: NodeProcesses, options: argparse.Namespace, given: _Robots) -> None:
    """Start the three nodes."""
    simulator = {'real_time_factor': options.real_time_factor, 'seed': options.seed}
    nodes.start('simulator', {'robot': given.true, **simulator}, given.parameters)
    nodes.start('planner', {'robot': given.prior, 'seed': options.seed}, given.parameters)
    nodes.start('estimator', {'robot': given.prior}, given.parameters)


@dataclass
class _Display:
    """Shows what the mission says, and keeps the result.

    Parameters
    ----------
    quiet : bool
        Whether nothing is printed.
    """

    quiet: bool
    result: dict[str, Any] | None = None
    failure: str = 'the mission ended without a result'
    history: list[tuple[float, float, float]] = field(default_factory=list)
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
                    f'{event["plan_seconds"]:.1f} s, cost {event["cost"]:.0f}'
                )
            case 'moved':
                self._print('motion complete, refining')
            case 'failed':
                self.failure = event['reason']
            case 'result':
                self.result = event

    def _progress(self, planner: dict[str, Any], estimate: dict[str, Any]) -> None:
        """Print and keep how planning and estimate get on."""
        if planner['state'] == 'planning':
            self._print(f'planning: {planner["evaluations"]} motions tried')
        if planner['state'] != 'running' or not estimate:
            return
        shares = estimate['median_relative_std'], estimate['worst_relative_std']
        condition = estimate['condition_number']
        said = f'{planner["elapsed"]:5.0f} of {planner["duration"]:.0f} s  '
        said += f'{estimate["samples"]:6d} samples  rank {estimate["rank"]:2d}  '
        if condition is not None:
            said += f'condition {condition:>9.4g}  '
        if estimate['rank']:
            self.history.append((planner['elapsed'], *shares))
            said += f'std median {100 * shares[0]:8.3f} %  worst {100 * shares[1]:10.2f} %'
        self._print(said.rstrip())

    def _print(self, text: str) -> None:
        """Print a line with the time since the start."""
        if not self.quiet:
            print(f'[{time.monotonic() - self.begin:6.1f} s] {text}', flush=True)


def _finished(display: _Display, true_path: str) -> dict[str, Any]:
    """Return the result beside the truth."""
    event = display.result
    robot = load_robot(true_path)
    true = minimal_parameters(robot).values(robot)
    columns = event['names'], event['units'], event['values'], event['std'], true.tolist()
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]
    seen = [row for row in rows if row['name'] not in event['not_identified']]
    errors = estimate_errors(*([row[key] for row in seen] for key in ('value', 'std', 'true')))
    return {
        'robot': robot.name,
        'valid': event['valid'],
        'defects': event['defects'],
        'parameters': rows,
        'thrusters': _thrusters(event, robot),
        'median_relative_error': errors.median,
        'max_relative_error': errors.largest,
        'coverage_95': errors.coverage,
        'condition_number': event['condition_number'],
        'samples': event['samples'],
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


def _identified(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the parameters that the data show."""
    hidden = result['not_identified']
    return [row for row in result['parameters'] if row['name'] not in hidden]


def _columns(rows: list[dict[str, Any]]) -> dict[str, list]:
    """Return names, units, values, std and truth as lists."""
    keys = {'names': 'name', 'units': 'unit', 'values': 'value', 'std': 'std', 'true': 'true'}
    return {column: [row[key] for row in rows] for column, key in keys.items()}


def _draw(path: Path, result: dict[str, Any], history: list[tuple[float, float, float]]) -> None:
    """Write the picture of the result."""
    columns = _columns(_identified(result))
    columns.pop('units')
    figure = estimate_figure(**columns, history=np.array(history).reshape(-1, 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def _text(result: dict[str, Any], folder: Path) -> str:
    """Return the result for people."""
    hidden, defects = result['not_identified'], result['defects']
    condition = result['condition_number']
    said = [f'condition number {condition:.1f}'] if condition is not None else []
    said += [f'planned in {result["plan_seconds"]:.1f} s']
    said += [
        f'moved for {result["motion_seconds"]:.1f} s',
        f'all in {result["wall_seconds"]:.1f} s',
    ]
    return (
        f'\n{estimate_table(**_columns(_identified(result)))}\n'
        + (f'not identified: {", ".join(hidden)}\n' if hidden else '')
        + (f'\n{_thruster_table(result)}\n' if result['thrusters'] else '')
        + (f'not to be used: {"; ".join(defects)}\n' if defects else '')
        + '\n'
        f'median error {100 * result["median_relative_error"]:.3f} %, largest '
        f'{100 * result["max_relative_error"]:.2f} %, '
        f'{100 * result["coverage_95"]:.0f} % of the true values inside their 95 % intervals\n'
        f'{result["samples"]} samples, {", ".join(said)}\n'
        f'written: {folder / "result.json"}, {folder / "estimate.png"}'
    )


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
