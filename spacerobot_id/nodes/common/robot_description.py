"""The prior model of a node: from a file, or from the topic ``robot_description``."""

from dataclasses import dataclass
import hashlib
from pathlib import Path

from rclpy.wait_for_message import wait_for_message
from std_msgs.msg import String

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import load_robot, robot_from_urdf_string, RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.settings import DescriptionSettings
from spacerobot_id.settings.yaml_file import read_text_file

TOPIC = 'robot_description'
"""Topic of a URDF, as robot_state_publisher has it, and what stands for it in place of a path."""


@dataclass(frozen=True, eq=False)
class DescribedRobot:
    """A robot and what it was read from.

    Parameters
    ----------
    model : RobotModel
        The robot.
    digest : str
        Hash of the URDF and of its YAML file.
    """

    model: RobotModel
    digest: str


def described_robot(
    node: ManagedNode, robot: str, settings: DescriptionSettings
) -> DescribedRobot:
    """Return the robot that the parameters of a node name.

    A description on the topic is taken once, when the node is configured; how long that waits for
    one in the settings.

    Parameters
    ----------
    node : ManagedNode
        Node, for its topic and its log.
    robot : str
        Path of a URDF, or ``robot_description``.
    settings : DescriptionSettings
        How it is read.

    Raises
    ------
    ConfigurationError
        If there is no path, or no description is published in time.
    DescriptionError
        If the description makes no robot.
    """
    if not robot:
        raise ConfigurationError(
            f'robot: the path of a URDF is needed, or {TOPIC} for that of the topic'
        )
    free_base = settings.free_base or None
    if robot != TOPIC:
        path = Path(robot)
        beside = Path(settings.yaml) if settings.yaml else path.with_suffix('.yaml')
        with node.warnings_logged():
            model = load_robot(path, settings.yaml or None, free_base)
        parts = [file.read_bytes() for file in (path, beside) if file.exists()]
        return DescribedRobot(model, _digest(parts))
    text = _published(node, settings.timeout)
    yaml_text = _text(settings.yaml) if settings.yaml else None
    with node.warnings_logged():
        model = robot_from_urdf_string(text, TOPIC, yaml_text, settings.yaml, free_base)
    return DescribedRobot(model, _digest([text.encode(), (yaml_text or '').encode()]))


def _published(node: ManagedNode, timeout: float) -> str:
    """Return the text of the last description on the topic."""
    name = node.resolve_topic_name(TOPIC)
    node.get_logger().info(f'waiting for a URDF on {name}')
    found, message = wait_for_message(
        String, node, TOPIC, qos_profile=qos.latched(), time_to_wait=timeout
    )
    if not found:
        raise ConfigurationError(
            f'robot: nothing was published on {name} within {timeout:g} s; only latched '
            '(transient local) publishers are received'
        )
    return str(message.data)


def _text(path: str) -> str:
    try:
        return read_text_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'robot_yaml: {path}: cannot be read: {error}') from error


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b'\0'.join(parts)).hexdigest()
