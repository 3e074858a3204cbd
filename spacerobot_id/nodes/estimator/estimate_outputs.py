"""What the estimator publishes of its estimate, and what it logs when that changes.

Messages have the tensor about the centre of mass, the core has it about the origin of the frame.
"""

from collections.abc import Iterator, Mapping, Sequence
import re

from builtin_interfaces.msg import Time
from geometry_msgs.msg import InertiaStamped
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from std_msgs.msg import ColorRGBA, String
from visualization_msgs.msg import Marker, MarkerArray

from spacerobot_id.estimation.inertia_ellipsoids import (
    InertiaEllipsoid,
    link_covariance,
    link_ellipsoids,
    unseen_links,
    whole_ellipsoid,
)
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.model import InertialParameters, RobotModel, urdf_from_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.live_result import LiveResult
from spacerobot_id.nodes.messages import (
    array_from_vector3,
    stamp_from_seconds,
    string_message,
    vector3_from_array,
)

INTERVAL = 1.96
"""Standard deviations to either side that 95 % are within."""

COLOURS = {'prior': (0.45, 0.55, 0.85), 'estimate': (0.10, 0.65, 0.30), 'unseen': (0.6, 0.6, 0.6)}
"""Red, green and blue of the description, of what is estimated, and of what is not."""

_OPACITY = {'centre': 1.0, 'inner': 0.6, 'outer': 0.15}


def ellipsoid_markers(
    ellipsoids: Mapping[str, InertiaEllipsoid], name: str, unseen: frozenset[str] = frozenset()
) -> MarkerArray:
    """Return three markers of each ellipsoid, fixed to its frame, whatever the time.

    Two ellipsoids, the half axes at both ends of their 95 % intervals, are a shell as thick as
    these; a sphere is the centre of mass.

    Parameters
    ----------
    ellipsoids : mapping of str to InertiaEllipsoid
        Ellipsoids by the frames that they are in.
    name : str
        Namespace of the markers, that ends in ``prior`` or ``estimate``.
    unseen : frozenset of str
        Frames whose ellipsoids are grey.
    """
    return MarkerArray(
        markers=[
            marker
            for number, (frame, each) in enumerate(ellipsoids.items())
            for marker in _markers(frame, each, name, number, is_seen=frame not in unseen)
        ]
    )


def _markers(
    frame: str, ellipsoid: InertiaEllipsoid, name: str, number: int, *, is_seen: bool
) -> Iterator[Marker]:
    """Yield the centre of mass, and the inner and the outer side of the shell."""
    inner, outer = (ellipsoid.half_axes_at(sign * INTERVAL) for sign in (-1.0, 1.0))
    sizes = {
        'centre': np.full(3, 0.1 * ellipsoid.half_axes.min()),
        'inner': np.maximum(inner, 1e-3 * ellipsoid.half_axes),  # viewers warn of zero
        'outer': outer,
    }
    kind = name.rpartition('/')[2] if is_seen else 'unseen'
    for part, half_axes in sizes.items():
        marker = Marker(ns=f'{name}/{part}', id=number, type=Marker.SPHERE, frame_locked=True)
        marker.header.frame_id, marker.header.stamp = frame, Time()
        place, turn = marker.pose.position, marker.pose.orientation
        place.x, place.y, place.z = map(float, ellipsoid.centre)
        quaternion = Rotation.from_matrix(ellipsoid.axes).as_quat()
        turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
        marker.scale.x, marker.scale.y, marker.scale.z = map(float, 2.0 * half_axes)
        red, green, blue = COLOURS[kind]
        marker.color = ColorRGBA(r=red, g=green, b=blue, a=_OPACITY[part])
        yield marker


class RobotView:
    """Latched topics for viewers: ``~/robot_description``, ``~/markers`` and those of the prior.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes.
    prior : RobotModel
        Prior model.
    relative_std : float
        How far it may be wrong, as a share.
    """

    def __init__(self, node: ManagedNode, prior: RobotModel, relative_std: float) -> None:
        self._prior, self._relative_std = prior, relative_std
        self._last: RobotModel | None = None
        self._description = node.create_publisher(String, '~/robot_description', qos.latched())
        self._markers = node.create_publisher(MarkerArray, '~/markers', qos.latched())
        described = node.create_publisher(String, '~/prior/robot_description', qos.latched())
        described.publish(string_message(urdf_from_robot(prior)))
        self._of_prior = robot_markers(
            prior,
            np.diag(standard_std(prior, relative_std) ** 2),
            np.zeros(len(prior.joints)),
            'prior',
        )
        self._markers.publish(self._of_prior)

    def publish(self, result: Result) -> None:
        """Publish a result whose links can exist and fit, unless it is what was published last.

        Parameters
        ----------
        result : Result
            Result with links.
        """
        model, minimal = result.links.model, result.method.minimal
        if model is self._last:
            return
        self._last = model
        self._description.publish(string_message(urdf_from_robot(model)))
        covariance = link_covariance(
            self._prior, minimal, result.estimate.covariance, self._relative_std
        )
        unseen = frozenset(unseen_links(model, minimal, result.estimate))
        found = robot_markers(model, covariance, result.positions, 'estimate', unseen)
        self._markers.publish(MarkerArray(markers=[*self._of_prior.markers, *found.markers]))


def robot_markers(
    model: RobotModel,
    covariance: NDArray[np.float64],
    q: NDArray[np.float64],
    name: str,
    unseen: frozenset[str] = frozenset(),
) -> MarkerArray:
    """Return the markers of the links of a robot, and of the whole as it stands.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    covariance : ndarray, shape (10 (n + 1), 10 (n + 1))
        Covariance of its standard parameters.
    q : ndarray, shape (n,)
        Joint positions, rad or m.
    name : str
        ``prior`` or ``estimate``.
    unseen : frozenset of str
        Links that are grey.
    """
    links = ellipsoid_markers(link_ellipsoids(model, covariance), f'links/{name}', unseen)
    whole = whole_ellipsoid(model, covariance, q)
    if whole is None:
        return links
    of_whole = ellipsoid_markers({model.links[0].name: whole}, f'whole/{name}')
    return MarkerArray(markers=[*links.markers, *of_whole.markers])


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
