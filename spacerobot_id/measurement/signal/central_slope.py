"""Rates of change by central differences: the slope of the polynomial through five samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REACH = 2
"""Samples on each side."""


@dataclass(frozen=True, eq=False)
class CentralSlope:
    """Weights of the samples around each in the rate there.

    Parameters
    ----------
    nodes : ndarray of int, shape (N, 5)
        Places of the samples.
    weights : ndarray, shape (N, 5)
        Their weights, 1/s; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where there are samples enough on both sides, without a hole between them.
    """

    nodes: NDArray[np.intp]
    weights: NDArray[np.float64]
    good: NDArray[np.bool_]

    @classmethod
    def at(cls, times: NDArray[np.float64], longest_step: float) -> 'CentralSlope':
        """Return the weights at some times.

        Lagrange's polynomial is exact to the fourth power of time, so that the slope of a motion
        has no bias to speak of, unlike that of three samples or of a smoothed curve.

        Parameters
        ----------
        times : ndarray, shape (N,)
            Times of the samples, s, strictly increasing.
        longest_step : float
            Largest time between two samples, s: across a hole no polynomial fits.
        """
        count = len(times)
        around = np.arange(count)[:, None] + np.arange(-REACH, REACH + 1)
        good = (around[:, 0] >= 0) & (around[:, -1] < count)
        nodes = np.clip(around, 0, max(count - 1, 0))
        knots = times[nodes] - times[:, None]
        good &= (np.diff(knots, axis=1) <= longest_step).all(axis=1)
        knots[~good] = np.arange(-REACH, REACH + 1)
        weights = np.ones_like(knots)
        for k in range(2 * REACH + 1):
            others = [m for m in range(2 * REACH + 1) if m not in (k, REACH)]
            if k == REACH:
                weights[:, k] = -np.sum(1.0 / knots[:, others], axis=1)
                continue
            for m in others:
                weights[:, k] *= knots[:, m] / (knots[:, m] - knots[:, k])
            weights[:, k] /= knots[:, k]
        return cls(nodes, weights, good)

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rates of values, shape (N, d), likewise."""
        return np.einsum('nk,nkd->nd', self.weights, values[self.nodes])
