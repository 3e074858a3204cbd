"""An estimate as a table for people."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.report.metrics import estimate_errors


def estimate_table(
    names: Sequence[str],
    units: Sequence[str],
    values: ArrayLike,
    std: ArrayLike,
    true: ArrayLike,
) -> str:
    """Return a table of parameters with truth and error, one line each.

    Parameters
    ----------
    names, units : sequence of str
        Of p parameters.
    values, std, true : array_like, shape (p,)
        Estimates, standard deviations and true values.
    """
    relative = estimate_errors(values, std, true).relative
    digits = _digits(np.asarray(std, dtype=float))
    width = max(len(name) for name in names)
    head = f'{"parameter":<{width}}  {"unit":<7} {"true":>11} {"estimate":>11}'
    head += f' {"std":>9} {"error":>9}'
    lines = [head, '-' * len(head)]
    rows = zip(names, units, np.asarray(values), np.asarray(std), true, relative, strict=True)
    for name, unit, value, deviation, truth, error in rows:
        lines.append(
            f'{name:<{width}}  {unit:<7} {truth:>11.{digits}f} {value:>11.{digits}f} '
            f'{deviation:>9.{digits}f} '
            f'{100.0 * error:>+8.2f}%'
        )
    return '\n'.join(lines)


def _digits(std: NDArray[np.float64]) -> int:
    """Return the decimals that show the smallest standard deviation, three to six."""
    smallest = std[std > 0.0].min(initial=1.0)
    return int(np.clip(1 - np.floor(np.log10(smallest)), 3, 6))
