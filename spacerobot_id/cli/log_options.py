"""The options of commands that identify a robot from a log, and what they read and find."""

import argparse
from dataclasses import replace
import sys

from spacerobot_id.api import bag_log, bag_streams, identify_bags, named_topics
from spacerobot_id.cli.robot_options import add_robot_options
from spacerobot_id.cli.terminal import coloured, holdout
from spacerobot_id.estimation.batch.identify import RecordedLog
from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import preset_names
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.methods.registry import current_name, DEFAULT, method_names
from spacerobot_id.model import RobotModel
from spacerobot_id.report.result_files import Subject


def add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of how a log is read, and by which method."""
    parser.add_argument(
        '--config', metavar='YAML', help='settings: keys of the estimator, or its parameter file'
    )
    parser.add_argument(
        '--method',
        type=current_name,
        choices=method_names(),
        help=f'of identification; {DEFAULT} by default, or the one that --config names',
    )
    parser.add_argument(
        '--topic',
        action='append',
        default=[],
        metavar='NAME:=TOPIC',
        help='topic in the bag of joint_states, imu/data, base_pose or base_twist, the last two '
        'stamped or odometry, base_wrench, applied_wrench or thruster_commands, or of those that '
        '--adapter has; repeatable',
    )
    parser.add_argument('--namespace', default='', help='of the topics in the bag')
    parser.add_argument(
        '--adapter',
        default='',
        metavar='FILE|PRESET',
        help='how the messages of the bag are to be read; presets are '
        f'{", ".join(preset_names())}',
    )


def add_identification_options(
    parser: argparse.ArgumentParser, bags: str, *, is_robot_needed: bool = True
) -> None:
    """Add the bags, the robot, how the log is read, and how much of it is held out.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser of a command.
    bags : str
        What bags are to the command.
    is_robot_needed : bool
        Whether there is nothing to do without a robot.
    """
    parser.add_argument('bags', nargs='+', metavar='BAG', help=bags)
    add_robot_options(
        parser, 'prior model of the robot', as_option=True, is_needed=is_robot_needed
    )
    add_log_options(parser)
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
    parser.add_argument(
        '--holdout',
        type=holdout,
        default=0.0,
        metavar='SHARE',
        help='share of the end kept for validation, 0 to 0.9',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def identify_settings(options: argparse.Namespace) -> IdentifySettings:
    """Return the settings that the options name."""
    settings = load_identify_settings(options.config) if options.config else IdentifySettings()
    if options.method:
        settings = replace(settings, method=options.method)
    of_method = settings.of_method
    if getattr(options, 'angular_momentum', None) is not None:
        momentum = replace(
            of_method.momentum, known_angular_momentum=tuple(options.angular_momentum)
        )
        of_method = replace(of_method, momentum=momentum)
    if getattr(options, 'period', None) is not None:
        of_method = replace(of_method, period=options.period)
    return replace(settings, of_method=of_method)


def recorded_log(
    bag: str, robot: RobotModel, settings: IdentifySettings, options: argparse.Namespace
) -> RecordedLog:
    """Return the log in a rosbag2 folder, read as options of ``add_log_options`` say."""
    return bag_log(bag, robot, settings, *_reading(options))


def log_streams(
    bag: str, robot: RobotModel, settings: IdentifySettings, options: argparse.Namespace
) -> tuple[RobotModel, BagStreams]:
    """Return the robot as the adapter equips it, and the streams that are wanted and there."""
    return bag_streams(bag, robot, settings, *_reading(options))


def identified_log(options: argparse.Namespace, robot: RobotModel) -> Subject:
    """Return what the log shows of the robot."""
    settings = identify_settings(options)
    return identify_bags(options.bags, robot, settings, *_reading(options), options.holdout)


def show_warnings(result: Result) -> None:
    """Print the warnings of a result to standard error."""
    for message in result.warnings():
        print(f'warning: {message}', file=sys.stderr)


def verdict_text(subject: Subject) -> str:
    """Return the verdict on a result for people, under a headline."""
    from spacerobot_id.report.result_text import short_text
    from spacerobot_id.report.sections.verdict import headline

    tone, verdict = headline(subject)
    title = f'{subject.result.method.model.name}: {verdict.lower()}'
    return f'{coloured(title, tone.value)}\n{short_text(subject)}'


def _reading(options: argparse.Namespace) -> tuple[Adapter, list[str]]:
    """Return how the topics of the bag become our streams, and those that have to be there.

    Raises
    ------
    ConfigurationError
        If one is not given as NAME:=TOPIC.
    """
    topics = {}
    for remapping in options.topic:
        name, separator, topic = remapping.partition(':=')
        if not separator:
            raise ConfigurationError(f'--topic: {remapping!r} is no NAME:=TOPIC')
        topics[name] = topic
    return named_topics(options.adapter, topics, options.namespace), list(topics.values())
