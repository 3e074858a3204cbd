"""The angular momentum that reduced parameters give a robot, as that of composite bodies."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import joint_screws, link_poses, LinkPoses, per_joint
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody.composite_body import Bodies, link_bodies
from spacerobot_id.regressor import first_moment_regressor
from spacerobot_id.regressor.reduced_parameters import ReducedParameters


def locked_inertia(
    model: RobotModel, reduced: ReducedParameters, values: ArrayLike, q: ArrayLike
) -> NDArray[np.float64]:
    """Return the matrix from angular velocity and joint rates to angular momentum.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    reduced : ReducedParameters
        Its reduced parameters.
    values : array_like, shape (k,)
        Their values.
    q : array_like, shape (N, n)
        Joint positions.

    Returns
    -------
    ndarray, shape (N, 3, 3 + n)
        ``[D, D_q]`` of [Christidi 2017] Eq. 1: the inertia of the robot about its centre of mass
        with joints locked, and what each joint adds.
    """
    poses = link_poses(model, q)
    bodies = _bodies(model, reduced, np.asarray(values, dtype=float), poses, q).composite(model)
    screws = joint_screws(model, poses)
    matrix = np.empty((3, 2 + len(model.links), poses.origins.shape[-1]))
    matrix[:, :3] = bodies.inertia[0]
    for link in range(1, len(model.links)):
        matrix[:, 2 + link] = bodies.momentum(link, screws[link])[3:]
    return np.moveaxis(per_joint(model, matrix, 1, free=3), -1, 0)


def _bodies(
    model: RobotModel,
    reduced: ReducedParameters,
    values: NDArray[np.float64],
    poses: LinkPoses,
    q: ArrayLike,
) -> Bodies:
    """Return bodies whose angular momentum is that of the links about the centre of mass.

    Of products of minimal parameters, with first moments ``f_i`` and masses ``m_i`` per unit and a
    symmetric matrix of values ``M``: a link that moves with a twist ``v, w`` adds the sum of
    ``M_ij f_i x (m_j v + w x f_j)`` over its own j, as a body of that first moment and inertia
    does.
    """
    minimal, (first, second) = reduced.minimal, reduced.pairs[reduced.kept].T
    is_product, count = second >= 0, len(minimal)
    alone, products = np.zeros(count), np.zeros((count, count))
    alone[first[~is_product]] = values[~is_product]
    first, second = first[is_product], second[is_product]
    products[first, second] = products[second, first] = values[is_product]
    used = products.any(axis=0)
    columns = minimal.columns[used]
    moments = np.moveaxis(first_moment_regressor(model, q, columns), 0, -1)
    levers = np.einsum('apn,pq->aqn', moments, products[np.ix_(used, used)], optimize=True)
    bodies = link_bodies(model.with_parameters(minimal.expand(alone)), poses)
    for link, (inertia, moment) in enumerate(zip(bodies.inertia, bodies.moment, strict=True)):
        own = columns // 10 == link
        crossed = np.einsum('apn,bpn->abn', moments[:, own], levers[:, own])
        inertia -= crossed
        inertia[[0, 1, 2], [0, 1, 2]] += np.trace(crossed)
        moment += levers[:, own & (columns % 10 == MASS)].sum(axis=1)
    return bodies
