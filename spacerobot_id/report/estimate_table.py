"""An estimate as a table for people."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.report.metrics import estimate_errors
from spacerobot_id.report.page.numbers import beside, number, percent


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
    width = max(len(name) for name in names)
    head = f'{"parameter":<{width}}  {"unit":<7} {"true":>11} {"estimate":>11}'
    head += f' {"std":>9} {"error":>9}'
    lines = [head, '-' * len(head)]
    rows = zip(names, units, np.asarray(values), np.asarray(std), true, relative, strict=True)
    for name, unit, value, deviation, truth, error in rows:
        lines.append(
            f'{name:<{width}}  {unit:<7} {beside(truth, deviation):>11} '
            f'{beside(value, deviation):>11} {number(deviation, 3):>9} {percent(error):>9}'
        )
    return '\n'.join(lines)
