"""``spacerobot-id plan``: an exciting motion within every limit, as a file and as a page."""

import argparse
from dataclasses import replace
import json
import sys
import time

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spacerobot_id.cli.robot_options import (
    add_mass_option,
    add_momentum_options,
    add_robot_options,
    described_robot,
    known_momentum,
    with_known_mass,
)
from spacerobot_id.cli.terminal import output_file, seed
from spacerobot_id.estimation.result import finite
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.family.motion_family import family_named, family_names, name_of
from spacerobot_id.excitation.planner import plan_excitation, PlannedExcitation
from spacerobot_id.excitation.planner_node_settings import load_plan_request, PlanRequest
from spacerobot_id.excitation.planner_settings import CriterionName, PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.trajectory.plan_file import save_plan
from spacerobot_id.methods.registry import current_name, method_names
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import check_value, own_parameters

_MOST_LIMITS = 4
"""Limits that are printed, the closest first; with --all and in the JSON object are all."""

_NOT_ALL = (
    'this motion of {:.3g} s does not show all parameters, so that no fit finds them by it alone: '
    'it needs more time, or wider limits'
)
"""Warning about a motion along which the parameters cannot be identified separately."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Plan the motion that shows the inertial parameters best, within every limit '
        'of the robot and of the settings.'
    )
    add_robot_options(parser, 'prior model of the robot')
    parser.add_argument(
        '--config', metavar='YAML', help='settings: keys of the planner, or its parameter file'
    )
    parser.add_argument(
        '--method',
        type=current_name,
        choices=method_names(),
        help='what the motion is for (that of --config; momentum, or angular_momentum with '
        '--angular-momentum)',
    )
    parser.add_argument(
        '--criterion',
        choices=[each.value for each in CriterionName],
        help='what a motion is judged by (deviation)',
    )
    parser.add_argument(
        '--family',
        choices=family_names(),
        help='motions to choose from (automatic)',
    )
    parser.add_argument(
        '--duration',
        type=float,
        metavar='S',
        help='of the motion, s, met exactly: as many intervals as fit are stretched to fill it',
    )
    parser.add_argument('--seed', type=seed, metavar='N', help='the same seed, the same plan (0)')
    parser.add_argument(
        '--start',
        metavar='POSITIONS',
        default='zero',
        help='where joints and wheels are, rad or m, with commas between; "zero" (default), or '
        '"free" to let the planner choose',
    )
    add_momentum_options(parser, 'plan for angular momentum alone')
    add_mass_option(parser)
    parser.add_argument(
        '--out', type=output_file, required=True, metavar='PLAN.yaml', help='file to write'
    )
    parser.add_argument('--no-page', action='store_true', help='write no page beside it')
    parser.add_argument('--all', action='store_true', help='print all limits')
    parser.add_argument('--json', action='store_true', help='print the result as one JSON object')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Plan, write, print."""
    stated = load_plan_request(options.config) if options.config else PlanRequest()
    momentum = known_momentum(options, stated.momentum)
    method = replace(
        stated, method=options.method or stated.method, momentum=momentum
    ).chosen_method
    settings = _settings(options, stated.settings)
    page = None if options.no_page else options.out.with_suffix('.html')
    if options.out == page:
        raise ConfigurationError(f'--out: {page} is the name of the page beside the plan')
    robot = described_robot(options)
    start = _start(options.start, robot)
    begin = time.perf_counter()
    # No bar where standard error is no terminal: a file would fill with it.
    with tqdm(desc='planning', unit=' evaluations', file=sys.stderr, disable=None) as bar:

        def progress(evaluations: int, cost: float) -> bool:
            bar.set_postfix_str(f'cost {cost:.4g}', refresh=False)
            bar.update(evaluations - bar.n if evaluations > bar.n else 1)
            return False

        planned = plan_excitation(
            robot, start, settings, progress, method=method, momentum=momentum
        )
    seconds = time.perf_counter() - begin
    if not np.isfinite(planned.std).any():
        print(f'warning: {_NOT_ALL.format(planned.plan.duration)}', file=sys.stderr)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save_plan(planned.plan, options.out)
    if page is not None:
        from spacerobot_id.report.page.render import write_page
        from spacerobot_id.report.plan_page import plan_page

        write_page(plan_page(robot, planned, method, momentum), page)
    result = _result(robot, method, planned, seconds)
    result |= {'plan': str(options.out), 'page': None if page is None else str(page)}
    most = None if options.all else _MOST_LIMITS
    print(json.dumps(result, allow_nan=False) if options.json else _text(result, most))
    return 0


def _settings(options: argparse.Namespace, settings: PlannerSettings) -> PlannerSettings:
    """Return the settings of a file with those of the command line in their place."""
    if options.criterion:
        name = CriterionName(options.criterion)
        settings = replace(
            settings,
            criterion=replace(settings.criterion, name=name),
            base=replace(settings.base, criterion=None),
        )
    if options.family:
        settings = replace(settings, family=family_named(options.family))
    if options.duration is not None:
        if not options.duration > 0.0:
            raise ConfigurationError(f'--duration: must be above zero, got {options.duration}')
        try:
            check_value(own_parameters(SearchParameters)['duration'], options.duration)
        except ConfigurationError as error:
            raise ConfigurationError(f'--{error}') from error
        base = replace(settings.base, period=options.duration / settings.base.cycles)
        settings = replace(settings, duration=options.duration, base=base)
    if options.seed is not None:
        settings = replace(settings, seed=options.seed)
    return with_known_mass(settings, options.known_mass)


def _start(text: str, robot: RobotModel) -> NDArray[np.float64]:
    """Return where the motion starts."""
    count = len(robot.joints) + len(robot.wheels)
    if text in ('zero', 'free'):
        return np.full(count, 0.0 if text == 'zero' else np.nan)
    try:
        start = np.array([float(each) for each in text.split(',')])
    except ValueError:
        start = np.empty(0)
    if len(start) != count:
        names = ', '.join(robot.joint_names + robot.wheel_names)
        raise ConfigurationError(f'--start: {count} numbers are needed, of {names}, got {text!r}')
    return start


def _result(
    robot: RobotModel,
    method: str,
    planned: PlannedExcitation,
    seconds: float,
) -> dict[str, object]:
    """Return the result as plain values."""
    relative = float(np.nanmedian(planned.relative_std))
    return {
        'robot': robot.name,
        'method': method,
        'family': name_of(planned.family),
        'criterion': planned.criterion.value,
        'cost': finite(planned.cost),
        'condition_number': finite(planned.condition),
        'duration': planned.plan.duration,
        'seconds': seconds,
        'evaluations': planned.evaluations,
        'counted': list(planned.counted),
        'median_relative_std': finite(relative),
        'std': dict(zip(planned.names, map(finite, planned.std.tolist()), strict=True)),
        'limits': [
            {'name': use.name, 'share': use.share, 'active': use.is_active}
            for use in planned.limits
        ],
    }


def _text(result: dict[str, object], most: int | None) -> str:
    """Return the result for people."""
    median, cost = result['median_relative_std'], result['cost']
    unseen = [name for name, std in result['std'].items() if std is None]
    lines = [
        f'{result["robot"]}: a motion of {result["duration"]:.1f} s, {result["family"]}, planned '
        f'in {result["seconds"]:.1f} s with {result["evaluations"]} evaluations',
        f'  {result["criterion"]}: {"without bound" if cost is None else f"{cost:.4g}"}',
    ]
    if median is not None:
        lines.append(f'  predicted standard deviation, median: {100.0 * median:.3f} %')
    if result['counted']:
        lines.append(f'  unknown beside the parameters: {", ".join(result["counted"])}')
    if len(unseen) == len(result['std']):
        lines.append('  not shown: all parameters together')
    elif unseen:
        lines.append(f'  not shown: {", ".join(unseen)}')
    lines.append('  limits, the closest first')
    width = max(len(limit['name']) for limit in result['limits'][:most])
    for limit in result['limits'][:most]:
        active = '  active' if limit['active'] else ''
        lines.append(f'    {limit["name"]:<{width}}  {100.0 * limit["share"]:6.1f} %{active}')
    hidden = len(result['limits'][most or len(result['limits']) :])
    if hidden:
        lines.append(f'    and {hidden} more: plan --all')
    beside = '' if result['page'] is None else f', {result["page"]}'
    lines.append(f'written: {result["plan"]}{beside}')
    return '\n'.join(lines)
