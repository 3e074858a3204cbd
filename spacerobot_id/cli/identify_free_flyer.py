"""``spacerobot-id identify`` for free-flyers: base and grasped object as one body."""

import argparse
import json

from spacerobot_id.cli.identification_json import (
    finite,
    identifiability_as_json,
    parameters_as_json,
)
from spacerobot_id.cli.recorded_log import log_topics
from spacerobot_id.data.bag_reader import read_bag
from spacerobot_id.estimation import Estimate
from spacerobot_id.estimation.free_flyer_identification import (
    free_flyer_record,
    FreeFlyerMethod,
    identify_free_flyer,
)
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel

_BIASED = (
    'WARNING: noise in the regressor makes this method biased; the standard deviations leave that '
    'out'
)


def run_free_flyer(options: argparse.Namespace, robot: RobotModel) -> int:
    """Identify the body of a free-flyer and print it; return 0.

    Parameters
    ----------
    options : argparse.Namespace
        Options of ``identify``.
    robot : RobotModel
        Robot without its load.

    Raises
    ------
    ConfigurationError
        If an option does not go with these methods.
    """
    method = FreeFlyerMethod(options.method)
    if options.out_urdf:
        raise ConfigurationError(f'--out-urdf: {options.method} finds one body, not its links')
    if options.holdout:
        raise ConfigurationError(f'--holdout: {options.method} does not take it')
    streams = read_bag(options.bag, needed=('pose',), topics=log_topics(options))
    record = free_flyer_record(robot, streams)
    estimate = identify_free_flyer(robot, record, method, options.period)
    result = _as_json(method, estimate)
    print(json.dumps(result, allow_nan=False) if options.json else _as_text(result))
    return 0


def _as_json(method: FreeFlyerMethod, estimate: Estimate) -> dict[str, object]:
    """Return the result as plain values."""
    return {
        'method': method.value,
        'body': parameters_as_json(estimate),
        'identifiability': identifiability_as_json(estimate),
        'intervals_hold': method is FreeFlyerMethod.FREE_FLYER,
        'samples': estimate.samples,
        'residual': finite(estimate.residual()),
    }


def _as_text(result: dict) -> str:
    """Return the result as a page of text."""
    residual = result['residual']
    fit = '' if residual is None else f', chi-square per degree of freedom {residual:.4g}'
    lines = [
        f'{result["method"]}: {result["samples"]} samples{fit}',
        'base and grasped object as one body, about the origin of the base',
        *([] if result['intervals_hold'] else [_BIASED]),
        '',
        f'{"parameter":<9}  {"unit":<7} {"estimate":>12} {"std":>10}',
    ]
    for name, unit, value, std in zip(*result['body'].values(), strict=True):
        shown = 'unknown' if std is None else f'{std:.4g}'
        lines.append(f'{name:<9}  {unit:<7} {value:>12.5f} {shown:>10}')
    return '\n'.join(lines)
