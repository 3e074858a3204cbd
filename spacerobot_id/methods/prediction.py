"""Predicted readings against measured ones, and linear equations in the unknowns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.statistics.square_root_information import (
    inverse_lower,
    solved_lower,
    SquareRootInformation,
)
from spacerobot_id.statistics.white_noise import BandedRoot

_LEAST_SHARE = 1e-10
"""Least eigenvalue of a covariance over its largest, where rounding leaves none."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear equations ``matrix @ x = right``.

    Parameters
    ----------
    matrix : ndarray, shape (r, u)
        Coefficients.
    right : ndarray, shape (r,)
        Right-hand side.
    count : int, optional
        How many of them count, the others are zero; all if None.
    """

    matrix: NDArray[np.float64]
    right: NDArray[np.float64]
    count: int | None = None

    def chi_squares(self, information: SquareRootInformation, outputs: int) -> NDArray[np.float64]:
        """Return how badly each sample's rows fit what is known without them, shape (N,).

        Parameters
        ----------
        information : SquareRootInformation
            What is known of the u unknowns.
        outputs : int
            Rows of a sample, one after the other, with unit noise.
        """
        error = (self.right - self.matrix @ information.values()).reshape(-1, outputs)
        spread = information.whitened(self.matrix).reshape(-1, outputs, self.matrix.shape[1])
        covariance = np.eye(outputs) + spread @ np.swapaxes(spread, -1, -2)
        try:
            solved = np.linalg.solve(covariance, error[..., None])[..., 0]
        except np.linalg.LinAlgError:  # next to nothing is known: rounding hides the noise
            sizes, axes = np.linalg.eigh(covariance)
            along = np.einsum('nij,ni->nj', axes, error)
            return np.sum(along**2 / np.maximum(sizes, 1.0), axis=-1)
        return np.einsum('ni,ni->n', error, solved)


@dataclass(frozen=True, eq=False)
class Prediction:
    """Measured less predicted readings of N samples, to first order in u unknowns.

    Parameters
    ----------
    error : ndarray, shape (N, k)
        Misfit of the k readings of each sample.
    slope : ndarray, shape (N, k, u)
        Slope of the predicted readings in the unknowns; empty where it was not asked for.
    noise_factor : ndarray, shape (N, k, k)
        Lower root of the covariance of the misfit; that of a unit matrix where a reading does
        not count.
    counted : ndarray of bool, shape (N, k), optional
        Which readings count, each once; all if None.
    shared : ndarray, shape (L, N, k, k), optional
        Covariance of the misfits of the samples 1 to L later with that of each; none if None.
    """

    error: NDArray[np.float64]
    slope: NDArray[np.float64]
    noise_factor: NDArray[np.float64]
    counted: NDArray[np.bool_] | None = None
    shared: NDArray[np.float64] | None = None

    @classmethod
    def of_covariance(
        cls,
        error: NDArray[np.float64],
        slope: NDArray[np.float64],
        covariance: NDArray[np.float64],
        variance: NDArray[np.float64] | None = None,
    ) -> 'Prediction':
        """Return a comparison whose noise has a covariance.

        Parameters
        ----------
        error, slope
            As above.
        covariance : ndarray, shape (N, k, k)
            Covariance of the misfit.
        variance : ndarray, shape (N, k), optional
            Infinite for readings that do not count.
        """
        if variance is None or np.isfinite(variance).all():
            return cls(error, slope, _root_of(covariance))
        counted = np.isfinite(variance)
        both = counted[:, :, None] & counted[:, None, :]
        covariance = np.where(both, covariance, np.eye(error.shape[1]))
        return cls(error, slope, _root_of(covariance), counted)

    def whitened(self) -> NDArray[np.float64]:
        """Return the misfit in standard deviations, zero where it does not count, shape (N, k)."""
        error = self.error if self.counted is None else self.error * self.counted
        if self._root is not None:
            return self._root.whitened(error[..., None])[..., 0]
        return solved_lower(self.noise_factor, error)

    def rows(self, values: NDArray[np.float64]) -> Rows:
        """Return rows with unit noise, in the unknowns and not in their change.

        Parameters
        ----------
        values : ndarray, shape (u,)
            Unknowns that the slope is taken at.
        """
        count = None if self.counted is None else int(self.counted.sum())
        if self._root is not None:
            both = np.concatenate([self.slope, self.error[..., None]], axis=-1)
            both = both if self.counted is None else both * self.counted[..., None]
            whitened = self._root.whitened(both).reshape(-1, both.shape[-1])
            matrix, error = whitened[:, :-1], whitened[:, -1]
            return Rows(matrix, error + matrix @ values, count)
        inverse = inverse_lower(self.noise_factor)
        if self.counted is not None:
            inverse = inverse * self.counted[:, None, :]
        matrix = (inverse @ self.slope).reshape(-1, len(values))
        right = (inverse @ self.error[..., None]).ravel() + matrix @ values
        return Rows(matrix, right, count)

    def cost(self) -> float:
        """Return minus twice the log-likelihood of the readings, but for a constant.

        The sum of squared errors, weighted by their covariance, and of the logarithms of its
        determinant. Without the latter a robot with a base next to weightless would seem to fit
        everything, because it turns the noise of the joint rates into an uncertain prediction.
        """
        squares = float(np.sum(self.whitened() ** 2))
        if self._root is not None:
            return squares + self._root.log_determinant()
        logarithms = np.log(np.diagonal(self.noise_factor, axis1=-2, axis2=-1))
        return squares + float(2.0 * np.sum(logarithms))

    @cached_property
    def _root(self) -> BandedRoot | None:
        """Root of the covariance of all samples, where they share noise."""
        if self.shared is None:
            return None
        own = self.noise_factor @ np.swapaxes(self.noise_factor, -1, -2)
        return BandedRoot.of(own, self.shared)


def _root_of(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lower roots of covariances, shape (N, k, k), where rounding leaves any."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        sizes, axes = np.linalg.eigh(covariance)
        sizes = np.maximum(sizes, _LEAST_SHARE * sizes[:, -1:])
        return np.linalg.cholesky((axes * sizes[:, None, :]) @ np.swapaxes(axes, -1, -2))
