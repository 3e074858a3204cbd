"""What of an estimate can be looked at: URDFs and ellipsoids of the prior and of the estimate."""

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from spacerobot_id.estimation.inertia_ellipsoids import (
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
from spacerobot_id.nodes.messages.markers import ellipsoid_markers
from spacerobot_id.nodes.messages.pieces import string_message


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
