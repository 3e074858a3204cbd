"""What commands share: the robot that they work with, types of options, text on the terminal.

argparse names the option of a bad one; the exit code is 2.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
import os
from pathlib import Path
import sys
from threading import Timer
import warnings

import numpy as np

from spacerobot_id.exceptions import ConfigurationError, DescriptionWarning
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.model import load_robot, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import AT_REST, KnownMomentum
from spacerobot_id.whole_file import unwritable, unwritable_folder

COMPILING = 'compiling the simulation: less than a minute, once'


def compiling_notice(patience: float = 3.0) -> Timer:
    """Return a timer that prints the notice on standard error, unless it is cancelled before.

    Parameters
    ----------
    patience : float
        Time until the notice, s.
    """
    notice = Timer(patience, print, [COMPILING], {'file': sys.stderr, 'flush': True})
    notice.daemon = True
    return notice


_CODES = {'good': '32', 'warning': '33', 'bad': '31'}
"""Colours of statements by their tone (ECMA-48)."""

_CLEARED = '\r\x1b[2K'


def coloured(text: str, tone: str) -> str:
    """Return text in the colour of a tone where standard output is a terminal.

    Parameters
    ----------
    text : str
        Text.
    tone : str
        good, warning, bad, or any other for none.
    """
    is_plain = 'NO_COLOR' in os.environ or not sys.stdout.isatty()
    code = None if is_plain else _CODES.get(tone)
    return text if code is None else f'\x1b[1;{code}m{text}\x1b[0m'


@contextmanager
def doing(text: str) -> Iterator[None]:
    """Show what is being done while it is, where standard error is a terminal."""
    is_shown = sys.stderr.isatty()
    if is_shown:
        print(f'{text} ...', end='', file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if is_shown:
            print(_CLEARED, end='', file=sys.stderr, flush=True)


_TINY, _HUGE = sys.float_info.min, sys.float_info.max


def seed(text: str) -> int:
    """Return the seed of a random generator."""
    return _number(text, int, 0, None, 'a whole number from 0 on')


def holdout(text: str) -> float:
    """Return the share of a log that is held out."""
    return _number(text, float, 0.0, 0.9, 'between 0 and 0.9')


def above_zero(text: str) -> float:
    """Return a number above zero that is not infinite."""
    return _number(text, float, _TINY, _HUGE, 'a number above zero')


def output_file(text: str) -> Path:
    """Return the path of a file to write, in a folder that is there or can be made."""
    if fault := unwritable(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def output_folder(text: str) -> Path:
    """Return the path of a folder to write to, which is there or can be made."""
    if fault := unwritable_folder(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def _number(
    text: str, kind: type, least: float, most: float | None, description: str
) -> int | float:
    """Return a number within its bounds."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not value >= least or (most is not None and value > most):
        raise argparse.ArgumentTypeError(f'{text!r} is not {description}')
    return value


def add_robot_options(
    parser: argparse.ArgumentParser,
    what: str,
    *,
    as_option: bool = False,
    is_needed: bool = True,
) -> None:
    """Add the URDF, as an argument or as the option ``--robot``, and how it is read."""
    required = {'required': is_needed} if as_option else {}
    parser.add_argument(
        '--robot' if as_option else 'robot', metavar='ROBOT.urdf', help=what, **required
    )
    parser.add_argument(
        '--robot-yaml',
        metavar='YAML',
        help='wheels, limits and noise of the robot (ROBOT.yaml beside the URDF, if it is there)',
    )
    parser.add_argument(
        '--free-base',
        metavar='LINK',
        help='link that floats, where the URDF holds it to a world (as in URDF and YAML file)',
    )


def described_robot(options: argparse.Namespace) -> RobotModel:
    """Return the robot that the options name.

    Raises
    ------
    DescriptionError
        If it cannot be read.
    """
    robot = load_robot(options.robot, options.robot_yaml, options.free_base)
    beside = Path(options.robot).with_suffix('.yaml')
    if options.robot_yaml is None and not beside.exists():
        warnings.warn(
            DescriptionWarning(
                options.robot,
                robot.name,
                'has no YAML file beside it: no reaction wheels, no noise of sensors, and limits '
                'as the URDF states them',
            ),
            stacklevel=2,
        )
    return robot


def add_momentum_options(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add ``--angular-momentum``, with a meaning in its help, and ``--attitude``."""
    parser.add_argument(
        '--angular-momentum',
        type=float,
        nargs=3,
        metavar=('HX', 'HY', 'HZ'),
        help=f'about the centre of mass in inertial axes, N m s: {meaning}',
    )
    parser.add_argument(
        '--attitude',
        type=float,
        nargs=4,
        default=(0.0, 0.0, 0.0, 1.0),
        metavar=('X', 'Y', 'Z', 'W'),
        help='quaternion of the base at the start',
    )


def add_mass_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--known-mass``."""
    parser.add_argument(
        '--known-mass',
        type=above_zero,
        metavar='KG',
        help='total mass of the prior model as it was weighed (known_mass of --config of plan)',
    )


def with_known_mass(settings: PlannerSettings, mass: float | None) -> PlannerSettings:
    """Return settings of a plan with the mass that was weighed, kg; as they are if None."""
    if mass is None:
        return settings
    counted = settings.counted
    prior = replace(counted.prior, known_mass=mass)
    return replace(settings, counted=replace(counted, prior=prior))


def known_momentum(
    options: argparse.Namespace, stated: KnownMomentum | None = None
) -> KnownMomentum | None:
    """Return the momentum that was given, or stated in a file; None if none was.

    Raises
    ------
    ConfigurationError
        If a number is not finite, or the quaternion is zero; names the option.
    """
    for name in ('angular_momentum', 'attitude'):
        values = getattr(options, name)
        if values is not None and not np.isfinite(values).all():
            option = name.replace('_', '-')
            raise ConfigurationError(f'--{option}: must be finite, got {values}')
    if not np.any(options.attitude):
        raise ConfigurationError('--attitude: four zeros are no quaternion')
    if options.angular_momentum is None and stated is None:
        return None
    known = stated or AT_REST
    given = options.angular_momentum or known.angular_momentum
    return replace(known, angular_momentum=tuple(given), attitude=tuple(options.attitude))
