"""``spacerobot-id identify``: inertial parameters from a recorded motion."""

import argparse
import json
from pathlib import Path

from spacerobot_id.cli.excitation_lines import excitation_lines
from spacerobot_id.cli.identification_json import identification_as_json
from spacerobot_id.cli.identification_options import (
    add_identification_options,
    has_failed,
    identified_log,
    show_warnings,
    write_identified,
)
from spacerobot_id.cli.identify_free_flyer import run_free_flyer
from spacerobot_id.cli.identify_reduced import run_reduced
from spacerobot_id.cli.recorded_log import identify_settings
from spacerobot_id.estimation import Method
from spacerobot_id.estimation.free_flyer_identification import FreeFlyerMethod
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import load_robot


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        'identify',
        help='identify a robot from a recorded motion',
        description='Identify the inertial parameters of a robot from a rosbag2 folder.',
    )
    add_identification_options(parser)
    parser.add_argument(
        '--method',
        choices=[each.value for each in (*Method, *FreeFlyerMethod)],
        default=Method.OUTPUT_ERROR.value,
        help='%(default)s by default; those of angular_momentum and equations_of_motion need no '
        'velocity of the base and do not tell the total mass; those of free-flyers need base_pose '
        'and base_wrench',
    )
    parser.add_argument(
        '--angular-momentum',
        type=float,
        nargs=3,
        metavar=('HX', 'HY', 'HZ'),
        help='known angular momentum about the centre of mass in inertial axes, N m s',
    )
    parser.add_argument(
        '--period', type=float, metavar='S', help='of the motion, for harmonic_least_squares'
    )
    parser.add_argument('--out-urdf', metavar='FILE', help='write the identified robot')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Identify and print; return 1 where nothing fits or physics refuses the URDF asked for."""
    is_free_flyer = options.method in {each.value for each in FreeFlyerMethod}
    is_reduced = not is_free_flyer and Method(options.method).has_reduced_parameters
    if options.angular_momentum is not None and not is_reduced:
        raise ConfigurationError(
            f'--angular-momentum: {options.method} does not take it; an unknown one is estimated '
            'with angular_momentum in the file of --config'
        )
    robot = load_robot(options.robot)
    if is_free_flyer:
        return run_free_flyer(options, robot)
    settings = identify_settings(options)
    if is_reduced:
        return run_reduced(options, robot, settings)
    identified = identified_log(options, robot, settings)
    result = identification_as_json(identified)
    if options.out_urdf:
        result['urdf'] = write_identified(identified, Path(options.out_urdf))
    if options.json:
        show_warnings(identified)
        print(json.dumps(result, allow_nan=False))
    else:
        said = [f'WARNING: {each}' for each in result['warnings']]
        before = excitation_lines(identified.before, all_of_them=False)
        print('\n'.join([*said, *before, '', _as_text(result)]))
    is_refused = options.out_urdf and result['urdf'] is None
    return 1 if is_refused or has_failed(identified) else 0


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
        physics = result['physics']
        return [
            'no links that can exist fit these data within their covariance: the nearest are '
            f'{physics["chi_square"]:.4g} off in chi-square, where {physics["allowed"]:.4g} is '
            'allowed'
        ]
    lines = ['links nearest to the prior that can exist and fit']
    for link in result['links']:
        com = ', '.join(f'{value:.4f}' for value in link['com'])
        lines.append(f'  {link["name"]}: {link["mass"]:.3f} kg, centre of mass ({com}) m')
    return lines
