"""Information of parameters beside which others are unknown: these are marginalised."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class Marginal:
    """Information of p parameters, c unknowns beside them marginalised (Schur complement).

    Parameters
    ----------
    matrix : ndarray, shape (p, p)
        Information: inverse of the covariance of the parameters among all p + c unknowns.
    gain : ndarray, shape (p, c)
        What an error of each unknown beside them is taken for, in information of the parameters.
    """

    matrix: NDArray[np.float64]
    gain: NDArray[np.float64]

    @classmethod
    def of(cls, joint: NDArray[np.float64], beside: NDArray[np.float64]) -> 'Self':
        """Return it for what is shown of all unknowns together.

        Parameters
        ----------
        joint : ndarray, shape (p + c, p + c)
            Information of all of them.
        beside : ndarray, shape (c,)
            Prior information of the last c, each on its own: inverse variances, above zero.
        """
        p = len(joint) - len(beside)
        if not len(beside):
            return cls(joint, np.zeros((p, 0)))
        own = joint[p:, p:] + np.diag(beside)
        lengths = np.sqrt(np.diag(own))
        lower = np.linalg.cholesky(own / np.outer(lengths, lengths))
        across = solve_triangular(lower, joint[p:, :p] / lengths[:, None], lower=True)
        gain = solve_triangular(lower, across, lower=True, trans='T') / lengths[:, None]
        return cls(joint[:p, :p] - across.T @ across, gain.T)

    def pull_back(self, by: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return derivatives by the information of all unknowns.

        Parameters
        ----------
        by : ndarray, shape (p, p)
            Derivatives of a number by the matrix, symmetric.

        Returns
        -------
        ndarray, shape (p + c, p + c)
            Symmetric.
        """
        across = -by @ self.gain
        return np.block([[by, across], [across.T, -self.gain.T @ across]])
