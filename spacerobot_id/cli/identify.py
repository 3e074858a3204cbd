"""``spacerobot-id identify``: inertial parameters from a recorded motion."""

import argparse
from collections import Counter
import json
import math
from pathlib import Path

import numpy as np

from spacerobot_id.cli.excitation_lines import excitation_as_json, excitation_lines
from spacerobot_id.cli.identify_reduced import run_reduced
from spacerobot_id.cli.recorded_log import add_log_options, identify_settings, recorded_log
from spacerobot_id.data import Measurement
from spacerobot_id.estimation import (
    BatchIdentification,
    ConsistentParameters,
    excitation_report,
    identify_batch,
    Method,
    physically_consistent_parameters,
    validate,
    Validation,
)
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import load_robot, write_robot


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        'identify',
        help='identify a robot from a recorded motion',
        description='Identify the inertial parameters of a robot from a rosbag2 folder.',
    )
    parser.add_argument('bag', metavar='BAG', help='rosbag2 folder, mcap or sqlite3')
    parser.add_argument(
        '--robot', required=True, metavar='ROBOT.urdf', help='prior model of the robot'
    )
    parser.add_argument(
        '--method',
        choices=[each.value for each in Method],
        default=Method.OUTPUT_ERROR.value,
        help='%(default)s by default; those of angular_momentum and equations_of_motion need no '
        'velocity of the base and do not tell the total mass',
    )
    parser.add_argument(
        '--angular-momentum',
        type=float,
        nargs=3,
        metavar=('HX', 'HY', 'HZ'),
        help='known angular momentum about the centre of mass in inertial axes, N m s',
    )
    add_log_options(parser)
    parser.add_argument(
        '--holdout', type=float, default=0.0, help='share of the end kept for validation, 0 to 0.9'
    )
    parser.add_argument('--out-urdf', metavar='FILE', help='write the identified robot')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and print; return 1 where physics refuses the URDF that was asked for."""
    if not 0.0 <= options.holdout <= 0.9:
        raise ConfigurationError(f'--holdout: {options.holdout} is not between 0 and 0.9')
    robot = load_robot(options.robot)
    settings = identify_settings(options)
    if Method(options.method).has_reduced_parameters:
        return run_reduced(options, robot, settings)
    recorded = recorded_log(options.bag, robot, settings, options)
    log, problem = recorded.log, recorded.problem
    seen, unseen = _split(log.measurement, options.holdout)
    recursion = settings.recursion
    before = excitation_report(
        problem, seen, recursion.prior_relative_std, recursion.prior_mass_std
    )
    found = identify_batch(problem, seen, Method(options.method), recursion)
    links = physically_consistent_parameters(
        problem,
        found.estimate.values,
        found.estimate.covariance,
        recursion.prior_relative_std,
    )
    validation = validate(problem, unseen, found.values) if len(unseen) else None
    result = _as_json(options.method, found, links, log.rejected, validation)
    result['identifiability']['before'] = excitation_as_json(before)
    if options.out_urdf:
        if links.contradicts_data:
            result['urdf'] = None
        else:
            write_robot(links.model, Path(options.out_urdf))
            result['urdf'] = options.out_urdf
    if options.json:
        print(json.dumps(result, allow_nan=False))
    else:
        print('\n'.join([*excitation_lines(before, all_of_them=False), '', _as_text(result)]))
    return 1 if options.out_urdf and links.contradicts_data else 0


def _split(measurement: Measurement, holdout: float) -> tuple[Measurement, Measurement]:
    """Return what is used and what is kept for validation."""
    count = len(measurement) - round(holdout * len(measurement))
    return measurement[:count], measurement[count:]


def _as_json(
    method: str,
    found: BatchIdentification,
    links: ConsistentParameters,
    rejected: Counter,
    validation: Validation | None,
) -> dict[str, object]:
    """Return the result as plain values."""
    estimate = found.estimate
    condition = estimate.condition_number()
    return {
        'method': method,
        'minimal': {
            'names': list(estimate.names),
            'units': list(estimate.units),
            'values': estimate.values.tolist(),
            'std': [_finite(value) for value in estimate.std],
        },
        'others': [
            {'name': each.name, 'unit': each.unit, 'value': each.value, 'std': each.std}
            for each in estimate.others
        ],
        'links': [
            {
                'name': link.name,
                'mass': float(link.inertial.mass),
                'com': (link.R_UL @ link.inertial.com).tolist(),
                'inertia': (link.R_UL @ link.inertial.inertia_about_com @ link.R_UL.T).tolist(),
                'physically_consistent': link.inertial.is_physical(),
            }
            for link in links.model.links
        ],
        'contradicts_physics': links.contradicts_data,
        'identifiability': {
            'rank': estimate.rank,
            'total': len(estimate.names),
            'condition_number': _finite(condition),
            'not_identified': list(estimate.not_identified()),
        },
        'samples': estimate.samples,
        'rejected': {**rejected, 'samples that did not fit': found.rejected},
        'changes': found.changes,
        'residual': _finite(estimate.residual()),
        'validation': None
        if validation is None
        else {
            'samples': validation.samples,
            'rms': validation.rms.tolist(),
            'chi_square': validation.chi_square,
        },
    }


def _finite(value: float) -> float | None:
    """Return a number that JSON knows."""
    return float(value) if math.isfinite(value) else None


def _as_text(result: dict) -> str:
    """Return the result as a page of text."""
    minimal, identifiability = result['minimal'], result['identifiability']
    width = max(len(name) for name in minimal['names'])
    condition = identifiability['condition_number']
    lines = [
        f'{result["method"]}: {result["samples"]} samples, rank {identifiability["rank"]} of '
        f'{identifiability["total"]}, condition number '
        f'{"infinite" if condition is None else format(condition, ".4g")}, '
        f'chi-square per degree of freedom {result["residual"]:.4g}',
        *(f'rejected: {reason}: {count}' for reason, count in result['rejected'].items() if count),
        '',
        f'{"parameter":<{width}}  {"unit":<7} {"estimate":>12} {"std":>10}',
    ]
    unseen = set(identifiability['not_identified'])
    for name, unit, value, std in zip(*minimal.values(), strict=True):
        note = '  not identified' if name in unseen else ''
        shown = 'unknown' if std is None else f'{std:.4f}'
        lines.append(f'{name:<{width}}  {unit:<7} {value:>12.4f} {shown:>10}{note}')
    lines += ['', *_other_lines(result), *_link_lines(result)]
    if result['validation']:
        rms = ', '.join(f'{value:.2g}' for value in result['validation']['rms'])
        lines.append(f'validation on {result["validation"]["samples"]} samples: RMS {rms}')
    return '\n'.join(lines)


def _other_lines(result: dict) -> list[str]:
    """Return a line for each unknown beside the parameters."""
    return [
        f'{each["name"]}: {each["value"]:.6g} +- {each["std"]:.2g} {each["unit"]}'
        for each in result['others']
    ]


def _link_lines(result: dict) -> list[str]:
    """Return a line for each link."""
    if result['contradicts_physics']:
        return ['no links that can exist fit these data within their covariance']
    lines = ['links nearest to the prior that can exist and fit']
    for link in result['links']:
        com = ', '.join(f'{value:.4f}' for value in np.array(link['com']))
        lines.append(f'  {link["name"]}: {link["mass"]:.3f} kg, centre of mass ({com}) m')
    return lines
