"""Predicted readings against measured ones, and linear equations in the unknowns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.statistics.square_root_information import SquareRootInformation


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear equations ``matrix @ x = right``.

    Parameters
    ----------
    matrix : ndarray, shape (r, u)
        Coefficients.
    right : ndarray, shape (r,)
        Right-hand side.
    """

    matrix: NDArray[np.float64]
    right: NDArray[np.float64]

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
        spread = information.whitened(self.matrix).reshape(len(error), outputs, -1)
        covariance = np.eye(outputs) + spread @ np.swapaxes(spread, -1, -2)
        solved = np.linalg.solve(covariance, error[..., None])[..., 0]
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
        Lower root of the covariance of the misfit.
    """

    error: NDArray[np.float64]
    slope: NDArray[np.float64]
    noise_factor: NDArray[np.float64]

    def whitened(self) -> NDArray[np.float64]:
        """Return the misfit in standard deviations, shape (N, k)."""
        return np.linalg.solve(self.noise_factor, self.error[..., None])[..., 0]

    def rows(self, values: NDArray[np.float64]) -> Rows:
        """Return rows with unit noise, in the unknowns and not in their change.

        Parameters
        ----------
        values : ndarray, shape (u,)
            Unknowns that the slope is taken at.
        """
        right = self.error + self.slope @ values
        both = np.concatenate([self.slope, right[..., None]], axis=-1)
        whitened = np.linalg.solve(self.noise_factor, both)
        return Rows(whitened[..., :-1].reshape(-1, len(values)), whitened[..., -1].ravel())

    def cost(self) -> float:
        """Return minus twice the log-likelihood of the readings, but for a constant.

        The sum of squared errors, weighted by their covariance, and of the logarithms of its
        determinant. Without the latter a robot with a base next to weightless would seem to fit
        everything, because it turns the noise of the joint rates into an uncertain prediction.
        """
        logarithms = np.log(np.diagonal(self.noise_factor, axis1=-2, axis2=-1))
        return float(np.sum(self.whitened() ** 2) + 2.0 * np.sum(logarithms))
