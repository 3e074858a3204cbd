"""Links that can exist: the standard parameters nearest to the description that fit the data.

The minimal parameters leave open how sums divide between links. Among all standard parameters
with every link's pseudo-inertia positive definite, those are taken that are nearest to the prior
in the log-determinant divergence of the pseudo-inertias (Lee, Wensing and Park, Geometric Robot
Dynamic Identification, 2020) and reproduce the minimal parameters within their covariance. The
problem is convex and smooth inside the cone; it is solved by Newton's method along the central
path: the divergence counts as much as the misfit at first, then less and less until it has its own
weight. Where no robot that can exist fits, the path shows it on its way: at a weight w, misfit and
pull to the prior exceed their least sum by at most w times the order of the barrier (Boyd and
Vandenberghe, Convex Optimization, 2004, Section 11.2.2).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import chdtri

from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.methods.method import Method
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import PSEUDO_INERTIA_BASIS
from spacerobot_id.regressor import minimal_parameters, MinimalParameters

_FLOOR = 1e-3
"""Least eigenvalue of a prior's pseudo-inertia as a share of its largest."""

_CONVERGED = 1e-8
"""Decrease of the cost by a step that ends the search."""

_LESS = 0.1
"""Factor by which the weight of the divergence falls along the path."""

_CENTRED = 0.05
"""Decrease of the cost by a step, in units of the weight, that is near enough to the path."""

_NEAR = 0.95
"""Share of a misfit that is known to stay, which ends the path: the data contradict physics."""

_DEPENDENT = 1e-10
"""Diagonal of a triangle over its largest at which equations of unit columns are dependent."""

_CONFIDENCE = 0.999
"""Confidence at which data and physics are reported to disagree."""


@dataclass(frozen=True, eq=False)
class ConsistentParameters:
    """A robot whose links can all exist.

    Parameters
    ----------
    model : RobotModel
        Robot with physically consistent links.
    misfit : float
        Chi-square of its minimal parameters against the estimated ones.
    allowed : float
        Misfit beyond which the data contradict physics.
    """

    model: RobotModel
    misfit: float
    allowed: float

    @property
    def contradicts_data(self) -> bool:
        """Whether no robot that can exist fits the data within their covariance."""
        return self.misfit > self.allowed


def consistent_links(
    method: Method, estimate: Estimate, relative_std: float
) -> ConsistentParameters | None:
    """Return the links nearest to the prior that can exist and fit.

    None if the method does not show links, or the data leave parameters open altogether.

    Parameters
    ----------
    method : Method
        Prior model, and its minimal parameters if it finds them.
    estimate : Estimate
        Estimated parameters.
    relative_std : float
        How far the prior may be wrong, as a share: the less, the nearer to it.
    """
    if method.minimal is None or not np.isfinite(estimate.covariance).all():
        return None
    found = np.append(estimate.values, [each.value for each in estimate.others])
    model, minimal = method.described(found), method.minimal
    if model is not method.model:
        minimal = minimal_parameters(model)
    return physically_consistent_parameters(
        model, minimal, estimate.values, estimate.covariance, relative_std
    )


def physically_consistent_parameters(
    model: RobotModel,
    minimal: MinimalParameters,
    values: NDArray[np.float64],
    covariance: NDArray[np.float64],
    relative_std: float = 1.0,
    iterations: int = 400,
) -> ConsistentParameters:
    """Return the robot nearest to the prior whose links can exist and that fits the data.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    minimal : MinimalParameters
        Its p minimal parameters.
    values : ndarray, shape (p,)
        Estimated minimal parameters.
    covariance : ndarray, shape (p, p)
        Their covariance.
    relative_std : float
        How far the prior may be wrong, as a share: the less, the nearer to it.
    iterations : int
        Most Newton steps.

    Returns
    -------
    ConsistentParameters
        Robot, and whether the data contradict physics.
    """
    allowed = float(chdtri(len(values), 1.0 - _CONFIDENCE))
    search = _Search.of(model, minimal, values, covariance, relative_std)
    point = search.along_path(allowed, iterations)
    return ConsistentParameters(model.with_parameters(point), search.misfit(point), allowed)


@dataclass(frozen=True, eq=False)
class _Search:
    """The convex problem: squares of whitened misfits, and divergences from the prior."""

    rows: NDArray[np.float64]
    right: NDArray[np.float64]
    prior: NDArray[np.float64]
    inverses: NDArray[np.float64]
    weight: float

    @classmethod
    def of(
        cls,
        model: RobotModel,
        minimal: MinimalParameters,
        values: NDArray[np.float64],
        covariance: NDArray[np.float64],
        relative_std: float,
    ) -> '_Search':
        scale = np.sqrt(np.diag(covariance))
        lower = np.linalg.cholesky(covariance / np.outer(scale, scale))
        rows = solve_triangular(lower, minimal.grouping / scale[:, None], lower=True)
        right = solve_triangular(lower, values / scale, lower=True)
        prior = np.concatenate([_inside(link.inertial).vector for link in model.links])
        inverses = np.linalg.inv(_pseudo_inertias(prior))
        return cls(rows, right, prior, inverses, 1.0 / relative_std**2)

    def along_path(self, allowed: float, iterations: int) -> NDArray[np.float64]:
        """Return the minimum, or a point that is near to the least misfit if that is too large."""
        point, order = self.prior, 4 * len(self.inverses)
        weight = max(self.misfit(point) / len(self.right), self.weight)
        while True:
            eased = replace(self, weight=weight)
            tolerance = _CENTRED * weight if weight > self.weight else _CONVERGED
            moved = point
            while moved is not None and iterations > 0:
                point, iterations = moved, iterations - 1
                moved = eased.stepped(point, tolerance)
            least = self.misfit(point) - order * weight
            is_lost = least > max(allowed, _NEAR * self.misfit(point))
            if weight <= self.weight or iterations == 0 or is_lost:
                return point
            weight = max(_LESS * weight, self.weight)

    def misfit(self, point: NDArray[np.float64]) -> float:
        """Return the chi-square of the minimal parameters."""
        return float(np.sum(self.residual(point) ** 2))

    def residual(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return whitened misfits of the minimal parameters."""
        return self.rows @ point - self.right

    def cost(self, point: NDArray[np.float64]) -> float:
        """Return the function to minimise; infinite outside of the cone."""
        bodies = _pseudo_inertias(point)
        try:
            lower = np.linalg.cholesky(bodies)
        except np.linalg.LinAlgError:
            return np.inf
        logarithm = 2.0 * np.sum(np.log(np.diagonal(lower, axis1=-2, axis2=-1)))
        divergence = np.sum(self.inverses * bodies) - logarithm
        return 0.5 * float(np.sum(self.residual(point) ** 2) + self.weight * divergence)

    def stepped(self, point: NDArray[np.float64], tolerance: float) -> NDArray[np.float64] | None:
        """Return the point after a damped Newton step, or None where it decreases the cost little.

        The step is that of a least-squares problem, so that the covariance of the data, narrow
        as it may be, is never squared.
        """
        lower = np.linalg.cholesky(_pseudo_inertias(point))
        inverse = np.linalg.inv(lower)[:, None]
        whitened = inverse @ PSEUDO_INERTIA_BASIS @ np.swapaxes(inverse, -1, -2)
        root = np.sqrt(0.5 * self.weight)
        barrier = root * np.swapaxes(whitened.reshape(len(lower), 10, 16), -1, -2)
        pull = root * (np.swapaxes(lower, -1, -2) @ self.inverses @ lower - np.eye(4))
        stacked = np.vstack([self.rows, _block_diagonal(barrier)])
        right = -np.concatenate([self.residual(point), pull.ravel()])
        scale = 1.0 / np.linalg.norm(stacked, axis=0)
        step = scale * _least_squares(stacked * scale, right)
        decrease = float(right @ stacked @ step)
        if decrease < tolerance:
            return None
        before, share = self.cost(point), 1.0
        while share > 1e-12:
            moved = point + share * step
            if self.cost(moved) <= before - 0.1 * share * decrease:
                return moved
            share *= 0.5
        return None


def _least_squares(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what fits equations best; by rows of a triangle, where these have full rank."""
    triangle = np.linalg.qr(np.column_stack([matrix, right]), mode='r')
    count = matrix.shape[1]
    factor, target = triangle[:count, :count], triangle[:count, count]
    sizes = np.abs(np.diag(factor))
    if sizes.min() <= _DEPENDENT * sizes.max():
        return np.linalg.lstsq(matrix, right, rcond=None)[0]
    return solve_triangular(factor, target)


def _pseudo_inertias(point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pseudo-inertias of all links, shape (n + 1, 4, 4)."""
    return np.einsum('lk,kij->lij', point.reshape(-1, 10), PSEUDO_INERTIA_BASIS)


def _inside(body: InertialParameters) -> InertialParameters:
    """Return the nearest parameters well inside the cone of bodies that can exist."""
    length = np.sqrt(max(0.5 * np.trace(body.inertia), 1e-12) / max(body.mass, 1e-9))
    unit = np.diag([1.0, 1.0, 1.0, length])
    eigenvalues, vectors = np.linalg.eigh(unit @ body.pseudo_inertia @ unit)
    lifted = np.maximum(eigenvalues, _FLOOR * max(eigenvalues[-1], 1e-12))
    shape = np.linalg.inv(unit) @ (vectors * lifted) @ vectors.T @ np.linalg.inv(unit)
    second = shape[:3, :3]
    return InertialParameters(shape[3, 3], shape[:3, 3], np.trace(second) * np.eye(3) - second)


def _block_diagonal(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a matrix with blocks on its diagonal."""
    count, rows, columns = blocks.shape
    matrix = np.zeros((count, rows, count, columns))
    matrix[np.arange(count), :, np.arange(count)] = blocks
    return matrix.reshape(count * rows, count * columns)
