"""The table of runs as columns of numbers, for everything that looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.campaign.run import library


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of the table of runs, N rows in the order of their indices.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Numbers by name, NaN where a run has none; texts as objects.
    """

    columns: Mapping[str, NDArray]

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.columns['index'])

    def __getitem__(self, name: str) -> NDArray:
        """Return a column."""
        return self.columns[name]

    @property
    def has_outcome(self) -> NDArray[np.bool_]:
        """Which runs have an outcome."""
        return np.array([not error for error in self.columns['error']], dtype=bool)

    def names(self, prefix: str) -> tuple[str, ...]:
        """Return what columns of a prefix are of: ``drawn`` gives all keys."""
        begin = f'{prefix}.'
        return tuple(name[len(begin) :] for name in self.columns if name.startswith(begin))

    def block(self, prefix: str) -> NDArray[np.float64]:
        """Return the columns of a prefix side by side, shape (N, k)."""
        columns = [self.columns[f'{prefix}.{name}'] for name in self.names(prefix)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self), 0))


def load_results(path: Path) -> Results:
    """Return the results in a Parquet file."""
    pyarrow, arrow = library('pyarrow'), library('pyarrow.parquet')
    table = arrow.read_table(path)
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pyarrow.types.is_string(column.type):
            columns[name] = np.array(column.to_pylist(), dtype=object)
        elif pyarrow.types.is_boolean(column.type):
            numbers = column.cast('int8').cast('float64')
            columns[name] = numbers.to_numpy()
        else:
            columns[name] = column.to_numpy()
    return Results(columns)


def thinned(values: NDArray[np.float64], most: int = 400) -> tuple[NDArray, NDArray]:
    """Return values in order and the shares of runs below them, for a curve of so many points.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Values in any order; what is not finite is left out.
    most : int
        Points at most, the least and the largest value among them.
    """
    ordered = np.sort(values[np.isfinite(values)])
    rows = np.arange(len(ordered))
    if len(rows) > most:
        rows = np.unique(np.linspace(0, len(ordered) - 1, most).astype(int))
    return ordered[rows], (rows + 0.5) / max(len(ordered), 1)
