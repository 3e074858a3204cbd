"""The robot that a command works with: its URDF, its YAML file, its base."""

import argparse
from pathlib import Path
import warnings

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import load_robot, RobotModel


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
