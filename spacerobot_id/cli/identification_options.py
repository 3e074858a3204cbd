"""The options of commands that identify a robot from a log."""

import argparse
from pathlib import Path
import sys

from spacerobot_id.cli.option_types import holdout
from spacerobot_id.cli.recorded_log import add_log_options, recorded_log
from spacerobot_id.estimation import identify_log, LogIdentification, Method
from spacerobot_id.estimation.identify_settings import IdentifySettings
from spacerobot_id.model import RobotModel, write_robot


def add_identification_options(parser: argparse.ArgumentParser) -> None:
    """Add the bag, the robot, how the log is read, and how much of it is held out."""
    parser.add_argument('bag', metavar='BAG', help='rosbag2 folder, mcap or sqlite3')
    parser.add_argument(
        '--robot', required=True, metavar='ROBOT.urdf', help='prior model of the robot'
    )
    add_log_options(parser)
    parser.add_argument(
        '--holdout',
        type=holdout,
        default=0.0,
        metavar='SHARE',
        help='share of the end kept for validation, 0 to 0.9',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def identified_log(
    options: argparse.Namespace, robot: RobotModel, settings: IdentifySettings
) -> LogIdentification:
    """Return what the log tells of the robot."""
    recorded = recorded_log(options.bag, robot, settings, options)
    method = Method(options.method)
    return identify_log(
        recorded.problem, recorded.log, method, settings.recursion, options.holdout
    )


def show_warnings(result: LogIdentification) -> None:
    """Print what is to be said of a result to standard error."""
    for said in result.warnings():
        print(f'warning: {said}', file=sys.stderr)


def has_failed(result: LogIdentification) -> bool:
    """Return whether nothing fits; methods that are there to be compared may be as bad as that."""
    return result.method is Method.OUTPUT_ERROR and not result.is_usable


def write_identified(result: LogIdentification, path: Path) -> str | None:
    """Write the identified robot; return the path, None if physics refuses it or nothing fits."""
    if result.links.contradicts_data or has_failed(result):
        return None
    write_robot(result.links.model, path)
    return str(path)
