"""``spacerobot-id identify`` by methods that need no velocity of the base."""

import argparse
from dataclasses import replace
import json

import numpy as np

from spacerobot_id.cli.identification_json import (
    finite,
    identifiability_as_json,
    others_as_json,
    parameters_as_json,
    validation_as_json,
)
from spacerobot_id.cli.recorded_log import recorded_log
from spacerobot_id.estimation import (
    AngularMomentumProblem,
    BatchIdentification,
    identify_reduced,
    Method,
    validate_reduced,
    Validation,
)
from spacerobot_id.estimation.identify_settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel

_BIASED = (
    'WARNING: this method is for comparison. Noise in its regressor makes it biased; the standard '
    'deviations leave that out, and true values may be many of them away'
)


def run_reduced(options: argparse.Namespace, robot: RobotModel, settings: IdentifySettings) -> int:
    """Identify reduced parameters and print them; return 0.

    Parameters
    ----------
    options : argparse.Namespace
        Options of ``identify``.
    robot : RobotModel
        Prior model.
    settings : IdentifySettings
        What the configuration says.

    Raises
    ------
    ConfigurationError
        If a URDF is asked for: without the total mass there is none.
    """
    if options.out_urdf:
        raise ConfigurationError(f'--out-urdf: {options.method} does not tell the total mass')
    reduced = settings.reduced
    if options.angular_momentum is not None:
        reduced = replace(reduced, known_angular_momentum=tuple(options.angular_momentum))
    problem = AngularMomentumProblem.from_model(robot, reduced, settings.nuisance.gyro_bias)
    log = recorded_log(options.bag, robot, settings, options).log
    count = len(log.measurement) - round(options.holdout * len(log.measurement))
    seen, unseen = log.measurement[:count], log.measurement[count:]
    found = identify_reduced(problem, seen, Method(options.method), settings.recursion)
    inertia = problem.inertia(found.estimate.values, seen.q[-1])
    validation = validate_reduced(problem, unseen, found.values) if len(unseen) else None
    result = _as_json(options.method, found, inertia, validation)
    result['rejected'] = dict(log.rejected)
    print(json.dumps(result, allow_nan=False) if options.json else _as_text(result))
    return 0


def _as_json(
    method: str,
    found: BatchIdentification,
    inertia: np.ndarray,
    validation: Validation | None,
) -> dict[str, object]:
    """Return the result as plain values."""
    estimate = found.estimate
    return {
        'method': method,
        'reduced': parameters_as_json(estimate),
        'others': others_as_json(estimate),
        'inertia': inertia.tolist(),
        'identifiability': identifiability_as_json(estimate),
        'samples': estimate.samples,
        'intervals_hold': Method(method).has_true_intervals,
        'residual': finite(estimate.residual()),
        'validation': validation_as_json(validation),
    }


def _as_text(result: dict) -> str:
    """Return the result as a page of text."""
    reduced, shown = result['reduced'], result['identifiability']
    width = max(len(name) for name in reduced['names'])
    lines = [
        f'{result["method"]}: {result["samples"]} samples, rank {shown["rank"]} of '
        f'{shown["total"]}, condition number {_number(shown["condition_number"])}, '
        f'chi-square per degree of freedom {_number(result["residual"])}',
        'a colon stands for what two links share; the total mass does not show',
        *([] if result['intervals_hold'] else [_BIASED]),
        *(f'rejected: {reason}: {count}' for reason, count in result['rejected'].items() if count),
        '',
        f'{"parameter":<{width}}  {"unit":<7} {"estimate":>12} {"std":>10}',
    ]
    unseen = set(shown['not_identified'])
    for name, unit, value, std in zip(*reduced.values(), strict=True):
        note = '  not identified' if name in unseen else ''
        lines.append(f'{name:<{width}}  {unit:<7} {value:>12.4f} {_number(std):>10}{note}')
    lines += [
        f'{each["name"]}: {each["value"]:.6g} +- {each["std"]:.2g} {each["unit"]}'
        for each in result['others']
    ]
    rows = '; '.join(', '.join(f'{value:.3f}' for value in row) for row in result['inertia'])
    lines += ['', f'inertia about the centre of mass at the end, kg m^2: {rows}']
    if result['validation']:
        rms = ', '.join(f'{value:.2g}' for value in result['validation']['rms'])
        lines.append(f'validation on {result["validation"]["samples"]} samples: RMS {rms} rad/s')
    return '\n'.join(lines)


def _number(value: float | None) -> str:
    """Return a number for people."""
    return 'unknown' if value is None else f'{value:.4g}'
