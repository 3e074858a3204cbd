"""The robot that a command works with: its URDF, its YAML file, its base."""

import argparse
from dataclasses import replace
from pathlib import Path
import warnings

import numpy as np

from spacerobot_id.cli.terminal import above_zero
from spacerobot_id.exceptions import ConfigurationError, DescriptionWarning
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.model import is_yaml, load_robot, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import AT_REST, KnownMomentum


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
        '--robot' if as_option else 'robot',
        metavar='ROBOT.urdf',
        help=f'{what}; or a YAML file with a DH table',
        **required,
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
    if options.robot_yaml is None and not (is_yaml(options.robot) or beside.exists()):
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
