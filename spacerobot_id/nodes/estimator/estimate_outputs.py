"""What the estimator publishes of its estimate, and what it logs when that changes.

Messages have the tensor about the centre of mass, the core has it about the origin of the frame.
"""

from collections.abc import Sequence
import re

from geometry_msgs.msg import InertiaStamped
import numpy as np
from std_msgs.msg import String

from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.live_result import LiveResult
from spacerobot_id.nodes.estimator.robot_view import RobotView
from spacerobot_id.nodes.messages import (
    array_from_vector3,
    stamp_from_seconds,
    string_message,
    vector3_from_array,
)

_NO_NAME = re.compile(r'[^A-Za-z0-9_]|^(?=\d)')
"""What no part of a topic's name can have."""


def inertia_message(stamp: float, frame_id: str, body: InertialParameters) -> InertiaStamped:
    """Return the message of mass properties: the tensor is about the centre of mass there.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame that the parameters are given in.
    body : InertialParameters
        Parameters about the frame's origin; the mass is not zero.
    """
    message = InertiaStamped()
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    message.inertia.m = float(body.mass)
    message.inertia.com = vector3_from_array(body.com)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = body.inertia_about_com.tolist()
    for name, value in zip(
        ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), (ixx, ixy, ixz, iyy, iyz, izz), strict=True
    ):
        setattr(message.inertia, name, value)
    return message


def inertial_from_message(message: InertiaStamped) -> InertialParameters:
    """Return the mass properties of a message, about the origin of its frame."""
    given = message.inertia
    tensor = [
        [given.ixx, given.ixy, given.ixz],
        [given.ixy, given.iyy, given.iyz],
        [given.ixz, given.iyz, given.izz],
    ]
    return InertialParameters.from_com(given.m, array_from_vector3(given.com), np.array(tensor))


def link_topics(names: Sequence[str]) -> dict[str, str]:
    """Return the topic of each link; empty where it would be that of another."""
    topics = {name: f'~/links/{_NO_NAME.sub("_", name)}/inertia' for name in names}
    by_topic = {topic: name for name, topic in reversed(topics.items())}
    by_topic |= {topic: name for name, topic in topics.items() if not _NO_NAME.search(name)}
    return {name: topic if by_topic[topic] == name else '' for name, topic in topics.items()}


class EstimateOutputs:
    """Latched topics of an estimate.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes.
    model : RobotModel
        Prior model.
    relative_std : float
        How far it may be wrong, as a share.
    """

    def __init__(self, node: ManagedNode, model: RobotModel, relative_std: float) -> None:
        self._logger = node.get_logger()
        self._base = model.links[0].name
        self._contradicted = False
        self._changes = 0
        self._robot = node.create_publisher(InertiaStamped, '~/inertia', qos.latched())
        self._view = RobotView(node, model, relative_std)
        self._parameters = node.create_publisher(String, '~/minimal_parameters', qos.latched())
        topics = link_topics(model.link_names)
        for name, topic in topics.items():
            if topic != f'~/links/{name}/inertia':
                where = f'on {topic}' if topic else 'nowhere, as another has its topic'
                self._logger.warning(
                    f'link {name!r} has a name that no topic can have: it is published {where}'
                )
        self._links = {
            name: node.create_publisher(InertiaStamped, topic, qos.latched())
            for name, topic in topics.items()
            if topic
        }

    def publish(self, state: Identification, report: LiveResult) -> None:
        """Publish an estimate; mass properties only if they show and a body can have them.

        Parameters
        ----------
        state : Identification
            State behind the estimate.
        report : LiveResult
            Estimate, with its links.
        """
        self._parameters.publish(string_message(report.json()))
        self._log_change(state)
        if not report.is_valid:
            return
        robot = report.result.robot
        if robot is not None:
            self._robot.publish(inertia_message(report.stamp, self._base, robot))
        found = report.result.links
        if found is None:
            return
        self._log_contradiction(found)
        if not found.contradicts_data:
            self._publish_links(report.stamp, found.model)
            self._view.publish(report.result)

    def _publish_links(self, stamp: float, model: RobotModel) -> None:
        """Publish the links in the frames that the description gave them."""
        for link in model.links:
            if link.name not in self._links:
                continue
            body = link.inertial.expressed_in(link.R_UL, np.zeros(3))
            self._links[link.name].publish(inertia_message(stamp, link.name, body))

    def _log_change(self, state: Identification) -> None:
        """Announce a robot that has changed (F31)."""
        if state.changes > self._changes:
            self._logger.warning(
                'the samples no longer fit: the robot has changed, as by grasping or releasing, '
                'or a sensor has, as an encoder that slips; what can have changed of the robot is '
                'identified anew'
            )
        self._changes = state.changes

    def _log_contradiction(self, found: ConsistentParameters) -> None:
        """Log when data and physics begin to disagree, or agree again."""
        if found.contradicts_data == self._contradicted:
            return
        self._contradicted = found.contradicts_data
        if self._contradicted:
            self._logger.warning(
                'no links that can exist fit the data: chi-square '
                f'{found.misfit:.3g} beyond {found.allowed:.3g}; links are not published'
            )
        else:
            self._logger.info('links that can exist fit the data')
