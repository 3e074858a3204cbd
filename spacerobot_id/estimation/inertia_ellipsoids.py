"""Links and the whole robot as ellipsoids of uniform density, with what is uncertain of them.

An ellipsoid of the same mass and inertia shows where mass is better than numbers do. Its half
axes follow from the principal moments: ``a_k^2 = 5 (I_i + I_j - I_k) / (2 m)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.kinematics import link_poses
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import parameter_transform
from spacerobot_id.regressor import MinimalParameters

_STEP = 1e-6
"""Step of differences by parameters, as a share of their size."""


@dataclass(frozen=True, eq=False)
class InertiaEllipsoid:
    """The ellipsoid of uniform density that has the mass and the inertia of a body.

    Parameters
    ----------
    centre : ndarray, shape (3,)
        Centre of mass in the body's frame, m.
    axes : ndarray, shape (3, 3)
        Rotation from its principal axes, by increasing moments, to the body's.
    half_axes : ndarray, shape (3,)
        Half axes along these, m.
    squared_std : ndarray, shape (3,)
        Standard deviations of their squares, which are linear in the inertia, m^2.
    """

    centre: NDArray[np.float64]
    axes: NDArray[np.float64]
    half_axes: NDArray[np.float64]
    squared_std: NDArray[np.float64]

    def half_axes_at(self, deviations: float) -> NDArray[np.float64]:
        """Return the half axes so many standard deviations away, zero where none are left, m."""
        squared = self.half_axes**2 + deviations * self.squared_std
        return np.sqrt(np.maximum(squared, 0.0))


def inertia_ellipsoid(body: InertialParameters, covariance: ArrayLike) -> InertiaEllipsoid | None:
    """Return the ellipsoid of a body; None if no body can have its parameters.

    Parameters
    ----------
    body : InertialParameters
        Parameters.
    covariance : array_like, shape (10, 10)
        Covariance of the ten parameters.
    """
    if not body.is_physical():
        return None
    axes = np.linalg.eigh(body.inertia_about_com)[1]
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    squared = _squared_half_axes(body.vector, axes)
    sizes = np.sqrt(np.diag(covariance)) + _STEP * np.abs(body.vector).max()
    slope = np.stack(
        [
            (_squared_half_axes(body.vector + step, axes) - squared) / _STEP
            for step in _STEP * np.diag(sizes)
        ],
        axis=1,
    )
    slope = slope / sizes
    variance = np.einsum('ki,ij,kj->k', slope, np.asarray(covariance), slope)
    return InertiaEllipsoid(body.com, axes, np.sqrt(squared), np.sqrt(np.maximum(variance, 0.0)))


def _squared_half_axes(
    vector: NDArray[np.float64], axes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the squares of the half axes along some axes, to first order, m^2."""
    body = InertialParameters.from_vector(vector)
    moments = np.einsum('ik,ij,jk->k', axes, body.inertia_about_com, axes)
    return 2.5 * (moments.sum() - 2.0 * moments) / body.mass


def link_covariance(
    prior: RobotModel, minimal: MinimalParameters, covariance: ArrayLike, relative_std: float
) -> NDArray[np.float64]:
    """Return the covariance of all standard parameters, given that of the minimal ones.

    What the data do not show of links stays as uncertain as the prior has it.

    Parameters
    ----------
    prior : RobotModel
        Prior model.
    minimal : MinimalParameters
        Its p minimal parameters.
    covariance : array_like, shape (p, p)
        Covariance of their estimate.
    relative_std : float
        How far the prior may be wrong, as a share.

    Returns
    -------
    ndarray, shape (10 (n + 1), 10 (n + 1))
        Covariance of the standard parameters.
    """
    spread = np.diag(standard_std(prior, relative_std) ** 2)
    shared = minimal.grouping @ spread
    gain = np.linalg.solve(shared @ minimal.grouping.T, shared).T
    return spread - gain @ shared + gain @ np.asarray(covariance) @ gain.T


def link_ellipsoids(
    model: RobotModel, covariance: NDArray[np.float64]
) -> Mapping[str, InertiaEllipsoid]:
    """Return the ellipsoids of the links, in the axes of the description, by name.

    Parameters
    ----------
    model : RobotModel
        Robot with n + 1 links; those that no body can be are left out.
    covariance : ndarray, shape (10 (n + 1), 10 (n + 1))
        Covariance of its standard parameters.
    """
    found = {}
    for index, link in enumerate(model.links):
        own = slice(10 * index, 10 * index + 10)
        turn = parameter_transform(link.R_UL, np.zeros(3))
        body = link.inertial.expressed_in(link.R_UL, np.zeros(3))
        ellipsoid = inertia_ellipsoid(body, turn @ covariance[own, own] @ turn.T)
        if ellipsoid is not None:
            found[link.name] = ellipsoid
    return found


def whole_ellipsoid(
    model: RobotModel, covariance: NDArray[np.float64], q: ArrayLike
) -> InertiaEllipsoid | None:
    """Return the ellipsoid of the whole robot as it stands, in the base's frame.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    covariance : ndarray, shape (10 (n + 1), 10 (n + 1))
        Covariance of its standard parameters.
    q : array_like, shape (n,)
        Joint positions, rad or m.
    """
    poses = link_poses(model, np.asarray(q, dtype=float)[None])
    carried = np.hstack(
        [
            parameter_transform(axes[..., 0].T, origin[:, 0])
            for axes, origin in zip(poses.axes, poses.origins, strict=True)
        ]
    )
    body = InertialParameters.from_vector(carried @ model.parameters)
    return inertia_ellipsoid(body, carried @ covariance @ carried.T)


def unseen_links(model: RobotModel, minimal: MinimalParameters, estimate: Estimate) -> set[str]:
    """Return the names of the links of which no parameter is identified."""
    unseen = estimate.not_identified()
    seen = {
        int(column) // 10
        for column, name in zip(minimal.columns, minimal.names, strict=True)
        if name not in unseen
    }
    return {link.name for index, link in enumerate(model.links) if index not in seen}
