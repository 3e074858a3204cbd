"""The options of commands that read a log, and what they read."""

import argparse
from dataclasses import dataclass

from spacerobot_id.data import VelocitySource
from spacerobot_id.data.bag_reader import read_bag
from spacerobot_id.data.bag_streams import TOPICS
from spacerobot_id.estimation import (
    load_identify_settings,
    LogMeasurement,
    measurement_from_log,
    MomentumProblem,
)
from spacerobot_id.estimation.identify_settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel

_TOPIC_NAMES = {topic.removeprefix('/'): name for name, topic in TOPICS.items()}


@dataclass(frozen=True, eq=False)
class RecordedLog:
    """A log, and what is to be identified from it.

    Parameters
    ----------
    log : LogMeasurement
        Aligned samples, and what was not used.
    problem : MomentumProblem
        Robot, noise and unknowns.
    """

    log: LogMeasurement
    problem: MomentumProblem


def add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a log is read."""
    parser.add_argument(
        '--config', metavar='YAML', help='settings: keys of the estimator, or its parameter file'
    )
    parser.add_argument(
        '--topic',
        action='append',
        default=[],
        metavar='NAME:=TOPIC',
        help='topic in the bag of joint_states, imu/data, base_pose or base_twist, the last two '
        'stamped or odometry, base_wrench or applied_wrench; repeatable',
    )
    parser.add_argument('--namespace', default='', help='of the topics in the bag')


def identify_settings(options: argparse.Namespace) -> IdentifySettings:
    """Return the settings that the options name."""
    return load_identify_settings(options.config) if options.config else IdentifySettings()


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
        What is unknown beside the parameters.
    options : argparse.Namespace
        Options of ``add_log_options``.
    """
    wanted = {name: topic for name, topic in log_topics(options).items() if 'wrench' not in name}
    streams = read_bag(bag, topics=wanted)
    log = measurement_from_log(robot, streams, settings.alignment, settings.source)
    problem = MomentumProblem.from_model(
        robot,
        settings.nuisance,
        from_pose=log.source is VelocitySource.POSE,
        planar=settings.planar,
    ).with_gyro_noise(settings.gyro_noise or streams.imu.noise)
    return RecordedLog(log, problem.since(float(log.measurement.times[0])))


def log_topics(options: argparse.Namespace) -> dict[str, str]:
    """Return the topics of the bag by the name of their stream."""
    prefix = f'/{options.namespace.strip("/")}' if options.namespace.strip('/') else ''
    topics = {name: f'{prefix}{topic}' for name, topic in TOPICS.items() if 'true' not in name}
    for remapping in options.topic:
        name, separator, topic = remapping.partition(':=')
        if not separator or _TOPIC_NAMES.get(name.strip('/')) not in topics:
            raise ConfigurationError(
                f'--topic: {remapping!r} is no NAME:=TOPIC with NAME one of '
                f'{", ".join(TOPICS[stream].removeprefix("/") for stream in topics)}'
            )
        topics[_TOPIC_NAMES[name.strip('/')]] = topic
    return topics
