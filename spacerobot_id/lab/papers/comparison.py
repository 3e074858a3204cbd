"""Pairs of numbers, the paper's and ours, and the limits that ours has to keep."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError

WIDE = 0.25
"""Distance of a limit from the printed number, as a share, from which a tolerance is wide."""


@dataclass(frozen=True)
class Tolerance:
    """Limits of a number, and why they are where they are.

    Parameters
    ----------
    at_least, at_most : float
        Limits; one of the two may be infinite.
    reason : str
        Why, in a sentence.
    refuses : str
        What the limits refuse, in a sentence; needed where they are wide.

    Raises
    ------
    ConfigurationError
        If there is no limit, none can be kept, or no reason is given.
    """

    at_least: float
    at_most: float
    reason: str
    refuses: str = ''

    def __post_init__(self) -> None:
        if not (np.isfinite(self.at_least) or np.isfinite(self.at_most)):
            raise ConfigurationError('a tolerance has a limit: both of this one are infinite')
        if not self.at_least <= self.at_most:
            raise ConfigurationError(f'no number is in [{self.at_least:g}, {self.at_most:g}]')
        if not self.reason.endswith('.'):
            raise ConfigurationError('a tolerance has a reason, which is a sentence')

    def holds(self, value: float) -> bool:
        """Return whether a number keeps the limits; one that is not finite does not."""
        return bool(np.isfinite(value) and self.at_least <= value <= self.at_most)

    def is_wide(self, printed: float) -> bool:
        """Return whether the limits are far from a printed number."""
        farthest = max(abs(self.at_least - printed), abs(self.at_most - printed))
        return bool(farthest > WIDE * abs(printed)) if printed else not np.isfinite(farthest)

    @property
    def limits(self) -> str:
        """Description of the limits."""
        if not np.isfinite(self.at_most):
            return f'at least {self.at_least:.5g}'
        if not np.isfinite(self.at_least):
            return f'at most {self.at_most:.5g}'
        same = f'{self.at_least:.5g}' == f'{self.at_most:.5g}'
        return 'equal' if same else f'{self.at_least:.5g} to {self.at_most:.5g}'


Rule = Callable[[float], Tolerance]
"""Gives the tolerance that goes with a printed number."""


_LIMITS: Mapping[str, Callable[[float, Any], Sequence[float]]] = {
    'equal': lambda printed, share: _around(printed, share * max(abs(printed), 1e-3)),
    'near': lambda printed, width: _around(printed, width),
    'factor': lambda printed, times: sorted((printed / times, printed * times)),
    'instead': lambda _, number: sorted((number * (1.0 - 1e-4), number * (1.0 + 1e-4))),
    'within': lambda _, limits: limits,
    'from': lambda printed, number: (number, printed),
    'up_to': lambda printed, share: (0.0, share * printed),
    'no_more': lambda printed, share: (-share * abs(printed), share * abs(printed)),
}
"""Limits for a printed number, by what the number of a rule is to it."""


def _around(centre: float, width: float) -> tuple[float, float]:
    return centre - width, centre + width


def rule(kind: str, number: float | Sequence[float], reason: str, refuses: str = '') -> Rule:
    """Return what gives tolerances of one kind.

    Parameters
    ----------
    kind : str
        ``equal`` but for a share of it, ``near`` by a width, within a ``factor`` either way,
        another number ``instead``, ``within`` two limits whatever is printed, ``from`` a number
        to the printed one, ``up_to`` a share of that, ``no_more`` than that in magnitude.
    number : float or sequence of 2 floats
        The share, width, factor, number or limits.
    reason, refuses : str
        Those of the tolerance.
    """
    return lambda printed: Tolerance(*_LIMITS[kind](printed, number), reason, refuses)


def largest_share(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """Return the largest difference over the largest value."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


@dataclass(frozen=True)
class Pair:
    """A number of ours, beside the one that a paper prints where it prints one.

    Parameters
    ----------
    text : str
        What the number is.
    where : str
        Where in the paper: table, figure, equation or section; or what the number belongs to.
    ours : float
        The number that was computed.
    tolerance : Tolerance
        Limits of ours.
    unit : str
        Unit of both; empty if they have none.
    key : str
        Where the printed number is in the published YAML; empty if there is none.
    paper : float, optional
        The printed number.

    Raises
    ------
    ConfigurationError
        If the tolerance is wide and does not state what it refuses.
    """

    text: str
    where: str
    ours: float
    tolerance: Tolerance
    unit: str = ''
    key: str = ''
    paper: float | None = None

    def __post_init__(self) -> None:
        if bool(self.key) != (self.paper is not None):
            raise ConfigurationError(f'{self.text}: a printed number has a key, and only that')
        if self.paper is None or self.tolerance.refuses:
            return
        if self.tolerance.is_wide(self.paper):
            raise ConfigurationError(
                f'{self.text}: limits {self.tolerance.limits} of a number that is printed as '
                f'{self.paper:g} are wide: say what they refuse'
            )

    @property
    def holds(self) -> bool:
        """Whether ours keeps its limits."""
        return self.tolerance.holds(self.ours)


def _plain(cell: Any) -> str | float | None:  # noqa: ANN401  numpy's numbers among them
    return float(cell) if isinstance(cell, (np.generic, bool, int)) else cell


@dataclass(frozen=True)
class ComparisonTable:
    """A table for orientation: what is judged in it stands in pairs too.

    Parameters
    ----------
    title : str
        Which table, and of what.
    heads : sequence of str
        Heads of the columns.
    rows : iterable of iterables
        Cells: texts, numbers, or None where there is nothing; kept as tuples of plain values.
    note : str
        A sentence about all of it; empty if there is none.
    """

    title: str
    heads: Sequence[str]
    rows: Iterable[Iterable[Any]]
    note: str = ''

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_plain, row)) for row in self.rows)
        object.__setattr__(self, 'rows', rows)


@dataclass(frozen=True)
class Reproduction:
    """A published result, computed again.

    Parameters
    ----------
    name : str
        Name of the result, as the command line takes it.
    title : str
        What it is and where it was published.
    pairs : sequence of Pair
        Numbers with their limits.
    files : sequence of Path
        Pictures and tables that were written.
    tables : sequence of ComparisonTable
        Tables for orientation.
    """

    name: str
    title: str
    pairs: Sequence[Pair]
    files: Sequence[Path]
    tables: Sequence[ComparisonTable] = ()

    @property
    def holds(self) -> bool:
        """Whether all pairs hold."""
        return all(pair.holds for pair in self.pairs)

    @property
    def failing(self) -> list[Pair]:
        """The pairs that do not hold."""
        return [pair for pair in self.pairs if not pair.holds]
