"""Which columns of a regressor are independent, and how the others depend on them."""

import numpy as np
from numpy.typing import NDArray

_DEPENDENT = 1e-8
"""What is left of a column, as a share, if the others before it say the same."""

_NOTHING = 1e-9
"""Coefficient of a combination that is rounding."""


def independent_columns(
    columns: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the columns that those before them do not make up ([Christidi 2017] Eqs. 19-22).

    Parameters
    ----------
    columns : ndarray, shape (r, c)
        Regressor at random states, stacked.

    Returns
    -------
    kept : ndarray of int, shape (k,)
        Independent columns, the first ones rather than the last.
    grouping : ndarray, shape (k, c)
        ``columns = columns[:, kept] @ grouping``.
    """
    kept = _independent(columns)
    grouping = np.linalg.lstsq(columns[:, kept], columns, rcond=None)[0]
    grouping[np.abs(grouping) < _NOTHING] = 0.0
    return kept, grouping


def _independent(columns: NDArray[np.float64]) -> NDArray[np.intp]:
    basis = np.zeros(columns.shape, order='F')
    kept: list[int] = []
    for place, column in enumerate(columns.T):
        before = basis[:, : len(kept)]
        left = column - before @ (before.T @ column)
        left -= before @ (before.T @ left)
        if np.linalg.norm(left) > _DEPENDENT * np.linalg.norm(column):
            basis[:, len(kept)] = left / np.linalg.norm(left)
            kept.append(place)
    return np.array(kept, dtype=int)
