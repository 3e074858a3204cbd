"""``spacerobot-id model``: what can be identified of a robot, at all or from a motion."""

import argparse
from dataclasses import asdict
import json
import re
import sys
import textwrap

import numpy as np

from spacerobot_id.cli.log_options import add_log_options, identify_settings, recorded_log
from spacerobot_id.cli.robot_options import add_robot_options, described_robot
from spacerobot_id.estimation.excitation_report import excitation_report, ExcitationReport
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import (
    Identifiability,
    identifiability_table,
    minimal_parameters,
    MinimalParameters,
)
from spacerobot_id.report.page.content import number, of_rounding


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = 'Print what can be identified of a robot, and its minimal parameters.'
    add_robot_options(parser, 'description of the robot')
    motion = parser.add_mutually_exclusive_group()
    motion.add_argument(
        '--log', metavar='BAG', help='print what the motion in a rosbag2 folder shows of each'
    )
    motion.add_argument(
        '--plan', metavar='YAML', help='print what a planned motion will show of each'
    )
    add_log_options(parser)
    parser.add_argument(
        '--formulas',
        choices=('text', 'latex'),
        nargs='?',
        const='text',
        help='print minimal parameters as sums over parameters of links',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the model, or what a motion shows of it."""
    robot = described_robot(options)
    if options.log or options.plan:
        report = _excitation(robot, options)
        if options.json:
            print(json.dumps(report.to_dict(), indent=2, allow_nan=False))
        else:
            print('\n'.join(report.lines(everything=True)))
        return 0
    minimal = minimal_parameters(robot)
    if options.formulas and not options.json:
        print('\n'.join(_formulas(robot, minimal, options.formulas)))
        return 0
    table = identifiability_table(robot)
    if options.json:
        print(json.dumps(_as_json(robot, minimal, table), indent=2))
    else:
        print(_as_text(robot, minimal, table))
    return 0


def _excitation(robot: RobotModel, options: argparse.Namespace) -> ExcitationReport:
    """Return what the motion of a log or of a plan shows."""
    settings = identify_settings(options)
    if options.log:
        recorded = recorded_log(options.log, robot, settings, options)
        method, motion = recorded.method, recorded.log.measurement
        for message in recorded.log.warnings():
            print(f'warning: {message}', file=sys.stderr)
    else:  # imported here: it takes longer than the rest
        from spacerobot_id.excitation import load_plan
        from spacerobot_id.flight.conserved_flight import conserved_flight

        motion = conserved_flight(robot, load_plan(options.plan), robot.noise.rate)
        method = settings.method_for(robot)
    report = excitation_report(method, method.prepared(motion))
    if report is None:
        raise ConfigurationError(f'--method: {method.name} says what a motion shows by its fit')
    return report


def _as_json(
    robot: RobotModel, minimal: MinimalParameters, table: tuple[Identifiability, ...]
) -> dict[str, object]:
    """Return the model as plain values."""
    return {
        'robot': robot.name,
        'links': list(robot.link_names),
        'joints': list(robot.joint_names),
        'mimic_joints': {
            joint.name: asdict(joint.mimic) for joint in robot.tree_joints if joint.mimic
        },
        'massless_links': _massless_links(robot),
        'wheels': list(robot.wheel_names),
        'minimal': {
            'names': list(minimal.names),
            'units': list(minimal.units),
            'values': minimal.values(robot).tolist(),
            'terms': minimal.terms(robot.link_names),
        },
        'identifiability': [asdict(row) for row in table],
    }


def _formulas(robot: RobotModel, minimal: MinimalParameters, kind: str) -> list[str]:
    """Return minimal parameters as sums over parameters of links, as text or LaTeX."""
    found = []
    for name, terms in zip(minimal.names, minimal.terms(robot.link_names), strict=True):
        parts = ''.join(_term(*term, kind) for term in terms)
        whole = parts.removeprefix(' + ') if parts.startswith(' + ') else parts.lstrip()
        if kind == 'latex':
            symbol = rf'\phi_{{\mathrm{{{_escaped(name)}}}}}'
            found.append(rf'{symbol} &= {whole} \\')
        else:
            found += textwrap.wrap(f'{name} = {whole}', 99, subsequent_indent='    ')
    return found if kind == 'text' else [r'\begin{align*}', *found, r'\end{align*}']


def _term(coefficient: float, link: str, parameter: str, kind: str) -> str:
    """Return a term of a sum with its sign."""
    sign, size = ' - ' if coefficient < 0.0 else ' + ', f'{abs(coefficient):.6g}'
    factor = '' if size == '1' else f'{size} '
    if kind == 'text':
        return f'{sign}{factor}{link}.{parameter}'
    letter, index = parameter[0], parameter[1:]
    below = rf'{index}\,' if index else ''
    return rf'{sign}{factor}{letter}_{{{below}\mathrm{{{_escaped(link)}}}}}'


def _escaped(name: str) -> str:
    """Return a name as LaTeX takes it."""
    return re.sub(r'([_#%&$])', r'\\\1', name)


def _as_text(
    robot: RobotModel, minimal: MinimalParameters, table: tuple[Identifiability, ...]
) -> str:
    """Return the model as a page of text."""
    mass = sum(link.inertial.mass for link in robot.links)
    measured = max(len(row.measured) for row in table)
    width = max(len(name) for name in minimal.names)
    lines = [
        f'{robot.name}: {len(robot.links)} links, {len(robot.joints)} joints, '
        f'{len(robot.wheels)} reaction wheels, {number(mass, 5)} kg',
        *_notes(robot),
        '',
        'What can be identified',
        *(
            f'  {row.measured:<{measured}}  {row.rank:>3} of {row.total}: {row.verdict}'
            for row in table
        ),
        '',
        f'{len(minimal)} minimal parameters',
    ]
    rows = zip(minimal.names, minimal.values(robot), minimal.units, strict=True)
    largest = np.abs(minimal.values(robot)).max(initial=0.0)
    lines += [
        f'  {name:<{width}} {number(of_rounding(value, largest), 5):>12}  {unit}'
        for name, value, unit in rows
    ]
    return '\n'.join(lines)


def _massless_links(robot: RobotModel) -> list[str]:
    """Return the links without mass or inertia."""
    return [link.name for link in robot.links if not link.inertial.vector.any()]


def _notes(robot: RobotModel) -> list[str]:
    """Return what is to be known of joints that follow others, and of links without mass."""
    notes = [
        f'  {joint.name} = {joint.mimic.multiplier:g} {joint.mimic.joint} {joint.mimic.offset:+g}'
        for joint in robot.tree_joints
        if joint.mimic
    ]
    notes = ['Joints that follow others', *notes] if notes else []
    if massless := _massless_links(robot):
        notes += [f'Links without mass, about zero in the prior: {", ".join(massless)}']
    return ['', *notes] if notes else []
