"""Links, and all that hangs on them, as rigid bodies in the base's frame.

Everything is about the base's origin and in base axes, so that bodies add up by their numbers
and need no transform. Components come first, samples last.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import cross_components, link_poses, LinkPoses
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class Bodies:
    """Rigid bodies, or the rates of change of bodies: one per link.

    Parameters
    ----------
    inertia : ndarray, shape (n + 1, 3, 3, N)
        Inertia matrices about the base's origin, in base axes, kg m^2.
    moment : ndarray, shape (n + 1, 3, N)
        First moments of mass from the base's origin, in base axes, kg m.
    mass : ndarray, shape (n + 1,) or (n + 1, N)
        Masses, kg; by samples where these are of several robots.
    """

    inertia: NDArray[np.float64]
    moment: NDArray[np.float64]
    mass: NDArray[np.float64]

    def momentum(self, link: int, twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the momentum of one body that moves with a twist, shape (6, N)."""
        linear, angular, moment = twist[:3], twist[3:], self.moment[link]
        spin = np.einsum('cdn,dn->cn', self.inertia[link], angular)
        return np.concatenate(
            [
                self.mass[link] * linear + cross_components(angular, moment),
                spin + cross_components(moment, linear),
            ]
        )

    def matrix(self, link: int) -> NDArray[np.float64]:
        """Return the matrix from twist to momentum of one body, shape (6, 6, N)."""
        matrix = np.zeros((6, 6, self.moment.shape[-1]))
        crossed = np.moveaxis(skew(self.moment[link].T), 0, -1)
        matrix[[0, 1, 2], [0, 1, 2]] = self.mass[link]
        matrix[:3, 3:], matrix[3:, :3] = -crossed, crossed
        matrix[3:, 3:] = self.inertia[link]
        return matrix

    def rate(self, twists: NDArray[np.float64]) -> 'Bodies':
        """Return how fast the bodies change in the base's frame as they move with twists.

        Parameters
        ----------
        twists : ndarray, shape (n + 1, 6, N)
            Twists of the bodies against the base, about its origin: m/s and rad/s.

        Returns
        -------
        Bodies
            Rates of inertia (kg m^2/s) and first moment (kg m/s); that of mass is zero.
        """
        linear, angular = twists[:, :3], twists[:, 3:]
        mass = self.mass.reshape(len(self.mass), 1, -1)
        moment = _cross_rows(angular, self.moment) + mass * linear
        # Half of each is what the columns do, the other half, transposed, what the rows do.
        columns = _cross_columns(angular, self.inertia)
        columns -= self.moment[:, :, None] * linear[:, None]
        inertia = columns + columns.swapaxes(1, 2)
        trace = 2.0 * np.einsum('lcn,lcn->ln', linear, self.moment)
        inertia[:, [0, 1, 2], [0, 1, 2]] += trace[:, None]
        return Bodies(inertia, moment, np.zeros_like(self.mass))

    def composite(self, model: RobotModel) -> 'Bodies':
        """Return each link together with all that hangs on it, summed from the tips."""
        inertia, moment, mass = self.inertia.copy(), self.moment.copy(), self.mass.copy()
        for link in range(len(model.links) - 1, 0, -1):
            parent = model.tree_joints[link - 1].parent
            inertia[parent] += inertia[link]
            moment[parent] += moment[link]
            mass[parent] += mass[link]
        return Bodies(inertia, moment, mass)


def link_bodies(model: RobotModel, poses: LinkPoses) -> Bodies:
    """Return the links in the base's frame, each alone."""
    count, samples = len(model.links), poses.origins.shape[-1]
    inertia, moment = np.empty((count, 3, 3, samples)), np.empty((count, 3, samples))
    for index, link in enumerate(model.links):
        body, axes, origin = link.inertial, poses.axes[index], poses.origins[index]
        turned = (body.first_moment @ axes.reshape(3, -1)).reshape(3, samples)
        half_turned = (body.inertia @ axes.reshape(3, -1)).reshape(3, 3, samples)
        inertia[index] = np.einsum('acn,adn->cdn', axes, half_turned)
        inertia[index] += shifted(body.mass, turned, origin)
        moment[index] = turned + body.mass * origin
    return Bodies(inertia, moment, np.array([link.inertial.mass for link in model.links]))


def composite_bodies(model: RobotModel, poses: LinkPoses) -> Bodies:
    """Return each link together with all that hangs on it, in the base's frame."""
    return link_bodies(model, poses).composite(model)


def centre_of_mass(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the centre of mass of the whole robot in the base's frame ([Wilde 2018] Eq. 14).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 3)
        Positions in base axes from the base's origin, m.
    """
    bodies = link_bodies(model, link_poses(model, q))
    return bodies.moment.sum(axis=0).T / bodies.mass.sum()


def shifted(
    mass: float | NDArray[np.float64], moment: NDArray[np.float64], offset: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what moving the reference point by an offset adds to an inertia matrix.

    Parameters
    ----------
    mass : float or ndarray, broadcastable to (..., N)
        Mass, kg.
    moment : ndarray, shape (3, ..., N)
        First moment from the point before, kg m.
    offset : ndarray, broadcastable to (3, ..., N)
        The point before, from the one after, m.

    Returns
    -------
    ndarray, shape (3, 3, ..., N)
        What is added, kg m^2.
    """
    scale = np.einsum('c...,c...->...', offset, 2.0 * moment + mass * offset)
    mixed = offset[:, None] * (moment + mass * offset)[None]
    added = -mixed - moment[:, None] * offset[None]
    for diagonal in range(3):
        added[diagonal, diagonal] += scale
    return added


def _cross_rows(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products of vectors of all links, shape (n + 1, 3, N)."""
    return cross_components(a.swapaxes(0, 1), b.swapaxes(0, 1)).swapaxes(0, 1)


def _cross_columns(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products with the columns of matrices, shape (n + 1, 3, 3, N)."""
    return cross_components(a.swapaxes(0, 1)[:, :, None], b.swapaxes(0, 1)).swapaxes(0, 1)
