"""The options of commands that identify a robot from a log, and what they read and find."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
import sys

from spacerobot_id.cli.robot_options import add_robot_options
from spacerobot_id.cli.terminal import coloured, holdout
from spacerobot_id.estimation.batch.identify import (
    identify,
    log_from_streams,
    needs_of_log,
    RecordedLog,
    samples_fitted,
)
from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import (
    IdentifySettings,
)
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter, preset_names
from spacerobot_id.measurement.adapters.conversion import own_topics
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.log_record import LogRecord
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.measurement.streams.log_streams import BagStreams, SENSED_TOPICS
from spacerobot_id.methods.registry import current_name, DEFAULT, method_names
from spacerobot_id.model import RobotModel, write_robot
from spacerobot_id.report.result_files import Subject

_BETWEEN = 100.0
"""Time between the logs of several flights, s: their clocks have nothing to do with each other."""


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
    """Return the log in a rosbag2 folder.

    Parameters
    ----------
    bag : str
        The folder.
    robot : RobotModel
        Description of the robot.
    settings : IdentifySettings
        Method and alignment.
    options : argparse.Namespace
        Options of ``add_log_options``.
    """
    robot, streams = log_streams(bag, robot, settings, options)
    return log_from_streams(robot, streams, settings)


def log_streams(
    bag: str, robot: RobotModel, settings: IdentifySettings, options: argparse.Namespace
) -> tuple[RobotModel, BagStreams]:
    """Return the robot as the adapter equips it, and the streams that are wanted and there."""
    needs = needs_of_log(robot, settings)
    adapter = _wanted(log_adapter(options).for_robot(robot), needs)
    asked = [each.partition(':=')[2] for each in options.topic]
    return adapter.equipped(robot), read_bag(bag, _needed(needs), adapter, asked)


def identified_log(options: argparse.Namespace, robot: RobotModel) -> Subject:
    """Return what the log shows of the robot."""
    settings = identify_settings(options)
    if len(options.bags) > 1 and not settings.method_type().fits_several_flights:
        raise ConfigurationError(
            f'--method: {settings.method} fits one bag; several are for momentum_balance'
        )
    logs = [recorded_log(bag, robot, settings, options) for bag in options.bags]
    recorded, log = logs[0], _joined([each.log for each in logs])
    record = log.measurement
    result = identify(record, recorded.method, settings.recursion, options.holdout).with_log(log)
    streams = tuple(each for recorded in logs for each in recorded.streams)
    source = ', '.join(Path(bag).name for bag in options.bags)
    return Subject(result, record, samples_fitted(record, options.holdout), source, streams)


def _joined(logs: Sequence[LogRecord]) -> LogRecord:
    """Return logs as one, each a good while after the one before."""
    first, *others = logs
    for log in others:
        begin = first.measurement.times[-1] + _BETWEEN
        later = log.measurement.shifted(begin - log.measurement.times[0])
        first = replace(
            first,
            measurement=Record.concatenate([first.measurement, later]),
            rejected=first.rejected + log.rejected,
            reordered=first.reordered + log.reordered,
            messages=first.messages + log.messages,
            notes=first.notes + log.notes,
        )
    return first


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


def write_identified(identified: Subject, path: Path) -> str | None:
    """Write the identified robot; return the path, None if physics refuses it or nothing fits.

    Raises
    ------
    ConfigurationError
        If the method finds no links.
    """
    links = identified.result.links
    if links is None:
        raise ConfigurationError(
            f'--out-urdf: {identified.result.method.name} finds no links: it does not show '
            f'{identified.result.method.gauge}'
        )
    if links.contradicts_data or identified.has_failed:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_robot(links.model, path)
    return str(path)


def log_adapter(options: argparse.Namespace) -> Adapter:
    """Return how the topics of the bag become our streams.

    Raises
    ------
    ConfigurationError
        If there is no such adapter, or it has no topic that one is given for.
    """
    adapter = load_adapter(options.adapter) if options.adapter else own_topics(SENSED_TOPICS)
    names = tuple(each.topic.strip('/') for each in adapter.sources)
    given = {}
    for remapping in options.topic:
        name, separator, topic = remapping.partition(':=')
        if not separator or name.strip('/') not in names:
            raise ConfigurationError(
                f'--topic: {remapping!r} is no NAME:=TOPIC with NAME one of {", ".join(names)}'
            )
        given[name.strip('/')] = topic
    prefix = f'/{options.namespace.strip("/")}' if options.namespace.strip('/') else ''
    return adapter.remapped({name: given.get(name, f'{prefix}/{name}') for name in names})


def _wanted(adapter: Adapter, needs: StreamNeeds) -> Adapter:
    """Return an adapter with what a method uses."""
    unused = ('base_wrench', 'applied_wrench') * (not needs.wrench)
    unused += ('thruster_commands',) * (not needs.thrust)
    return adapter.giving(adapter.kinds - set(unused))


def _needed(needs: StreamNeeds) -> tuple[str, ...]:
    """Return the names of the streams without which a log cannot be read."""
    streams = {'joints': needs.joints, 'imu': needs.gyro, 'pose': needs.pose}
    return tuple(name for name, need in streams.items() if need is Need.NEEDED)
