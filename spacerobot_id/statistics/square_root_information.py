"""Recursive least squares in square-root information form.

Information is kept as an upper triangular factor ``R`` and a target ``z``: the estimate solves
``R x = z``, its covariance is ``R^-1 R^-T``. New rows are absorbed by an orthogonal
transformation, so that the information matrix ``R^T R`` cannot lose symmetry or definiteness, and
digits are those of the factor, not of its square (Bierman, Factorization Methods for Discrete
Sequential Estimation, 1977).

A loop over the few rows works on all samples; LAPACK would be called for each, and not know that
half of each matrix is zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular


def solved_lower(lower: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solutions of ``L x = b`` by forward substitution.

    Parameters
    ----------
    lower : ndarray, shape (N, k, k)
        Lower triangles; nothing above their diagonals is looked at.
    right : ndarray, shape (N, k) or (N, k, c)
        Right-hand sides.

    Returns
    -------
    ndarray
        Solutions, of the shape of the right-hand sides.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a triangle is singular.
    """
    rows = np.ascontiguousarray(np.moveaxis(lower, 0, -1))
    solved = np.array(np.moveaxis(right, 0, -1), dtype=float, order='C')
    for row in range(len(rows)):
        if not rows[row, row].all():
            raise np.linalg.LinAlgError('the root of a covariance is singular')
        for other in range(row):
            solved[row] -= rows[row, other] * solved[other]
        solved[row] /= rows[row, row]
    return np.ascontiguousarray(np.moveaxis(solved, -1, 0))


def inverse_lower(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverses of lower triangles, shape (N, k, k); see ``solved_lower``."""
    unit = np.broadcast_to(np.eye(lower.shape[-1]), lower.shape)
    return solved_lower(lower, unit)


_CHANCE = 5.0
"""Standard deviations by which a sum of squares may exceed its expectation by chance."""

_EXCITED = 1e-2
"""Gain of new rows, in standard deviations, above which a direction counts as excited."""

_BLOCK = 6
"""Rows over columns of the blocks that rows are reduced in."""


@dataclass(frozen=True, eq=False)
class SquareRootInformation:
    """What is known of p parameters.

    Parameters
    ----------
    factor : ndarray, shape (p, p)
        Upper triangular ``R``.
    target : ndarray, shape (p,)
        ``z``.
    residual : float
        Sum of squares that no choice of parameters explains.
    rows : int
        Number of rows absorbed.
    """

    factor: NDArray[np.float64]
    target: NDArray[np.float64]
    residual: float = 0.0
    rows: int = 0

    @classmethod
    def nothing(cls, parameters: int) -> 'SquareRootInformation':
        """Return no knowledge of some parameters."""
        return cls(np.zeros((parameters, parameters)), np.zeros(parameters))

    @classmethod
    def from_prior(
        cls, values: NDArray[np.float64], covariance: NDArray[np.float64]
    ) -> 'SquareRootInformation':
        """Return a normal prior as information.

        Parameters
        ----------
        values : ndarray, shape (p,)
            Mean.
        covariance : ndarray, shape (p, p)
            Covariance, positive definite.
        """
        scale = np.sqrt(np.diag(covariance))
        lower = np.linalg.cholesky(covariance / np.outer(scale, scale))
        inverse = solve_triangular(lower, np.diag(1.0 / scale), lower=True)
        factor = np.linalg.qr(inverse, mode='r')
        return cls(factor, factor @ values)

    def absorb(
        self,
        matrix: NDArray[np.float64],
        right: NDArray[np.float64],
        count: int | None = None,
    ) -> 'SquareRootInformation':
        """Return the knowledge after rows ``matrix @ x = right`` with unit noise.

        Parameters
        ----------
        matrix : ndarray, shape (r, p)
            Rows, divided by the standard deviation of their noise.
        right : ndarray, shape (r,)
            Right-hand side, likewise.
        count : int, optional
            How many of the rows count; all by default.
        """
        known = len(self.target)
        triangle = _triangle(
            np.column_stack([self.factor, self.target]), np.column_stack([matrix, right])
        )
        return SquareRootInformation(
            factor=triangle[:known, :known],
            target=triangle[:known, known],
            residual=self.residual + float(np.sum(triangle[known:, known] ** 2)),
            rows=self.rows + (len(right) if count is None else count),
        )

    def walked(self, std: NDArray[np.float64]) -> 'SquareRootInformation':
        """Return the knowledge after the last parameters have taken a random step.

        What they were before is integrated out; of the others nothing is lost.

        Parameters
        ----------
        std : ndarray, shape (v,)
            Standard deviations of the steps of the last v parameters.
        """
        count, walking = len(self.target), len(std)
        staying = count - walking
        stacked = np.zeros((count + walking, count + walking + 1))
        stacked[:count, :walking] = self.factor[:, staying:]
        stacked[:count, walking:count] = self.factor[:, :staying]
        stacked[:count, -1] = self.target
        stacked[count:, :walking] = -np.diag(1.0 / std)
        stacked[count:, count:-1] = np.diag(1.0 / std)
        triangle = np.linalg.qr(stacked, mode='r')[walking:, walking:]
        return SquareRootInformation(triangle[:, :-1], triangle[:, -1], self.residual, self.rows)

    def forgotten(self, matrix: NDArray[np.float64], share: float) -> 'SquareRootInformation':
        """Return the knowledge with less of it in the directions that new rows speak of.

        Information is discounted only where it is about to be replaced, so that without
        excitation nothing is lost (directional forgetting, Cao and Schwartz, 2000).

        Parameters
        ----------
        matrix : ndarray, shape (r, p)
            Rows about to be absorbed, with unit noise.
        share : float
            Share of the information that is kept, between 0 and 1.
        """
        _, gains, directions = np.linalg.svd(self.whitened(matrix), full_matrices=False)
        excited = directions[gains > _EXCITED]
        discount = (1.0 - np.sqrt(share)) * excited.T
        factor = np.linalg.qr(
            np.column_stack([self.factor, self.target])
            - discount @ (excited @ np.column_stack([self.factor, self.target])),
            mode='r',
        )
        return SquareRootInformation(
            factor[:, :-1], factor[:, -1], share * self.residual, self.rows
        )

    def of_first(self, count: int) -> 'SquareRootInformation':
        """Return what is known of the first parameters, the others integrated out."""
        others = len(self.target) - count
        stacked = np.column_stack([self.factor[:, count:], self.factor[:, :count], self.target])
        triangle = np.linalg.qr(stacked, mode='r')[others:, others:]
        return SquareRootInformation(
            triangle[:count, :-1], triangle[:count, -1], self.residual, self.rows
        )

    def whitened(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows in units of the standard deviations: ``matrix @ R^-1``."""
        return solve_triangular(self.factor.T, matrix.T, lower=True).T

    def with_unit_residual(self) -> 'SquareRootInformation':
        """Return the same estimate with its covariance scaled to what the residual shows.

        Without more rows than parameters there is no residual, and nothing changes.
        """
        freedom = self.rows - len(self.target)
        if freedom <= 0 or self.residual <= 0.0:
            return self
        scale = np.sqrt(freedom / self.residual)
        return SquareRootInformation(
            scale * self.factor, scale * self.target, float(freedom), self.rows
        )

    def noise_variance(self) -> float:
        """Return the variance that the residual shows, where 1 was stated; no less than that.

        A residual that chance can explain shows nothing.
        """
        freedom = self.rows - len(self.target)
        if freedom <= 0 or self.residual <= freedom + _CHANCE * np.sqrt(2.0 * freedom):
            return 1.0
        return self.residual / freedom

    def with_noise(
        self, variance: float, sure: 'SquareRootInformation | None' = None
    ) -> 'SquareRootInformation':
        """Return the same estimate with the covariance that a larger noise leaves.

        Parameters
        ----------
        variance : float
            Variance of the noise of the rows, where 1 was stated; at least 1.
        sure : SquareRootInformation, optional
            What is part of the information and no matter of noise, such as a prior.
        """
        parts = [self.factor / np.sqrt(variance)]
        if sure is not None:
            parts.append(np.sqrt(1.0 - 1.0 / variance) * sure.factor)
        factor = np.linalg.qr(np.vstack(parts), mode='r')
        return SquareRootInformation(
            factor, factor @ self.values(), self.residual / variance, self.rows
        )

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return the sum of squares at some parameters."""
        return self.residual + float(np.sum((self.factor @ values - self.target) ** 2))

    def least_cost(self, first: NDArray[np.float64]) -> float:
        """Return the least sum of squares over the last parameters, the first ones given."""
        right = self.target - self.factor[:, : len(first)] @ first
        rest = self.factor[:, len(first) :]
        best = np.linalg.lstsq(rest, right, rcond=None)[0]
        return self.residual + float(np.sum((right - rest @ best) ** 2))

    def deviations(self, step: NDArray[np.float64]) -> float:
        """Return the root mean square of a change of the parameters in standard deviations."""
        return float(np.linalg.norm(self.factor @ step) / np.sqrt(len(step)))

    def values(self) -> NDArray[np.float64]:
        """Return the estimate, shape (p,); of least norm where the information is singular.

        Raises
        ------
        numpy.linalg.LinAlgError
            If it is not finite.
        """
        if not (np.isfinite(self.factor).all() and np.isfinite(self.target).all()):
            raise np.linalg.LinAlgError('the information is not finite')
        scale, scaled = self._scaled()
        return np.linalg.lstsq(scaled, self.target, rcond=1e-13)[0] / scale

    def covariance(self) -> NDArray[np.float64]:
        """Return the covariance, shape (p, p); infinite where the information is singular."""
        count = len(self.target)
        if not self.has_full_rank():
            return np.full((count, count), np.inf)
        root = self.covariance_root()
        return root @ root.T

    def covariance_root(self) -> NDArray[np.float64]:
        """Return ``R^-1``, whose product with its transpose is the covariance, shape (p, p).

        Raises
        ------
        numpy.linalg.LinAlgError
            If the information is singular.
        """
        return solve_triangular(self.factor, np.eye(len(self.target)))

    def rank(self) -> int:
        """Return the number of combinations of parameters that the information determines."""
        singular = np.linalg.svd(self._scaled()[1], compute_uv=False)
        return int(np.sum(singular > 1e-12 * max(singular[0], np.finfo(float).tiny)))

    def has_full_rank(self) -> bool:
        """Return whether the information determines all parameters."""
        return self.rank() == len(self.target)

    def _scaled(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return column norms, and the factor with columns of unit norm."""
        norms = np.linalg.norm(self.factor, axis=0)
        scale = np.where(norms > 0.0, norms, 1.0)
        return scale, self.factor / scale


def log_determinant(factor: NDArray[np.float64]) -> float:
    """Return the logarithm of the determinant of the information ``R^T R`` of a factor."""
    return 2.0 * float(np.sum(np.log(np.abs(np.diag(factor)))))


def _triangle(known: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the triangular factor of a triangle with many rows below it.

    Rows are first reduced in blocks that stay in the cache of the processor, several times as
    high as wide (tall-skinny QR, Demmel et al., 2012).
    """
    width = rows.shape[1]
    count, left = divmod(len(rows), _BLOCK * width)
    parts = [known, rows[len(rows) - left :]]
    if count > 1:
        blocks = rows[: len(rows) - left].reshape(count, -1, width)
        parts.append(np.linalg.qr(blocks, mode='r').reshape(-1, width))
    else:
        parts[1] = rows
    return np.linalg.qr(np.vstack(parts), mode='r')
