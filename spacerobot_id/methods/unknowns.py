"""All that is estimated: parameters, constants beside them, and what walks.

An unknown that walks is constant within a segment of time and takes a random step to the next; it
is not kept for the past.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All u unknowns: p parameters, then constants, then what walks.

    Parameters
    ----------
    names, units : tuple of str
        Of all u unknowns.
    std : ndarray, shape (u - p,)
        Prior standard deviations of those beside the parameters; their means are zero.
    walk : ndarray, shape (v,)
        Random walks of the last v unknowns, per root second.
    places : dict of str to slice
        Where each group beside the parameters stands.
    segment : float
        Time within which unknowns that walk stand still, s.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    std: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    walk: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    places: dict[str, slice] = field(default_factory=dict)
    segment: float = 1.0

    def __len__(self) -> int:
        """Return the number of unknowns."""
        return len(self.names)

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return len(self.names) - len(self.std)

    @property
    def constants(self) -> int:
        """Number of unknowns that do not walk."""
        return len(self.names) - len(self.walk)

    def part(self, values: NDArray[np.float64], name: str, size: int) -> NDArray[np.float64]:
        """Return a group of unknowns, zero where they are known to be."""
        return values[self.places[name]] if name in self.places else np.zeros(size)


@dataclass(frozen=True, eq=False)
class UnknownGroup:
    """Unknowns that belong together, such as the three axes of a bias.

    Parameters
    ----------
    name : str
        Name of the group.
    names : sequence of str
        Names within it; empty for a single one that is called after the group.
    units : sequence of str
        Units.
    std : float or ndarray
        Prior standard deviations.
    walk : float or ndarray, optional
        Random walks per root second; constant if None.
    """

    name: str
    names: Sequence[str]
    units: Sequence[str]
    std: float | NDArray[np.float64]
    walk: float | NDArray[np.float64] | None = None


def laid_out(
    names: Sequence[str],
    units: Sequence[str],
    groups: Sequence[UnknownGroup] = (),
    segment: float = 1.0,
) -> Unknowns:
    """Return parameters and groups as unknowns, those that walk last.

    Parameters
    ----------
    names, units : sequence of str
        Of the p parameters.
    groups : sequence of UnknownGroup
        What is unknown beside them; one without names, as of the wheels of a robot that has none,
        has no place.
    segment : float
        Time within which what walks stands still, s.
    """
    ordered = sorted(groups, key=lambda group: group.walk is not None)  # stable
    ordered = [group for group in ordered if group.names]
    all_names, all_units = list(names), list(units)
    std: list[float] = []
    walk: list[float] = []
    places: dict[str, slice] = {}
    for group in ordered:
        count = len(group.names)
        places[group.name] = slice(len(all_names), len(all_names) + count)
        all_names += [f'{group.name}.{name}' if name else group.name for name in group.names]
        all_units += group.units
        std += np.broadcast_to(group.std, count).tolist()
        if group.walk is not None:
            walk += np.broadcast_to(group.walk, count).tolist()
    return Unknowns(
        tuple(all_names), tuple(all_units), np.array(std), np.array(walk), places, segment
    )
