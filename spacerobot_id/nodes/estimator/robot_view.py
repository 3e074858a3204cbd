"""What of an estimate can be looked at: URDFs and ellipsoids of the prior and of the estimate."""

from collections.abc import Iterator, Mapping

from builtin_interfaces.msg import Time
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
from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.model import RobotModel, urdf_from_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import string_message

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
