"""``spacerobot-id bench``: whether this computer keeps up with a robot."""

import argparse
from dataclasses import asdict
import json
import os
import platform

import numpy as np

from spacerobot_id.cli.robot_options import add_robot_options, described_robot
from spacerobot_id.cli.terminal import above_zero
from spacerobot_id.flight.computing_load import computing_load, ComputingLoad


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Measure what planning, simulating and estimating cost on one core of this '
        'computer, along a motion planned for the robot: whether it keeps up on board. Messaging '
        'is not counted; a topic at 1 kHz takes about a quarter of a core in Python.'
    )
    add_robot_options(parser, 'model of the robot')
    parser.add_argument(
        '--rate',
        type=above_zero,
        metavar='HZ',
        help='of joint states, gyro and base velocity (as in the description)',
    )
    parser.add_argument(
        '--duration',
        type=above_zero,
        default=30.0,
        metavar='S',
        help='of the motion, s (%(default)s)',
    )
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    robot = described_robot(options)
    load = computing_load(robot, options.rate or robot.noise.rate, options.duration)
    if options.json:
        print(json.dumps({'robot': robot.name, **asdict(load)}))
    else:
        print(_text(robot.name, load))
    return 0


def _text(name: str, load: ComputingLoad) -> str:
    """Return the result for people."""
    estimator = load.estimator
    rows = {
        'planning, with little effort': f'{load.planning:.2f} s',
        'momentum regressor': f'{1e6 * load.regressor:.2f} us per sample',
        'simulation': f'{load.simulation:.1f} times as fast as real time',
        f'estimator at {load.rate:g} Hz': f'{100.0 * estimator.whole:.1f} % of a core',
        '  taking samples in': f'{100.0 * estimator.intake:.1f} %',
        '  in its busiest 10 s': f'{100.0 * estimator.busiest:.1f} %',
        '  fit of all samples at the end': f'{estimator.refining:.2f} s',
    }
    width = max(map(len, rows))
    return '\n'.join(
        [
            f'{name}: {load.parameters} minimal parameters, a motion of {load.duration:.0f} s; '
            'times of one core, messaging not counted',
            *(f'{what:<{width}}  {cost}' for what, cost in rows.items()),
            f'{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, '
            f'numpy {np.__version__}',
        ]
    )
