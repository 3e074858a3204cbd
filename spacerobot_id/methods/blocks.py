"""What a method whose motion has local states returns: rows by segment, and how states follow.

Beside the unknowns that all segments share, each has a state and disturbances of its own. How a
state follows from the next one, from the disturbances and from the unknowns is exact. Random are
disturbances and what a state begins with, each of a kind whose size is found from the data.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing import Self

FIXED = -1
"""Kind of what has a standard deviation that no size changes."""

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Factors of the deviations of the bumps of segments (G,) and of rows (K,), one or more."""


@dataclass(frozen=True)
class Kind:
    """A kind of noise.

    Parameters
    ----------
    name : str
        Its name.
    least, most : float
        Bounds of its size.
    is_reading : bool
        Whether it is of readings: its size is a factor of what is stated for them.
    is_white : bool
        Whether it is a disturbance that is independent from segment to segment, which a flight
        may be without.
    """

    name: str
    least: float = 0.0
    most: float = np.inf
    is_reading: bool = False
    is_white: bool = False


@dataclass(frozen=True, eq=False)
class NoiseSizes:
    """Sizes of noise by kind.

    Parameters
    ----------
    kinds : tuple of Kind
        The k kinds: of disturbances first, then of readings.
    values : ndarray, shape (k,)
        Their sizes.
    memory : float, optional
        Time in which lasting disturbances fade, s; None if there are none.
    """

    kinds: tuple[Kind, ...]
    values: NDArray[np.float64]
    memory: float | None = None

    def __getitem__(self, name: str) -> float:
        """Return the size of a kind."""
        return float(self.values[self.place(name)])

    def place(self, name: str) -> int:
        """Return the place of a kind."""
        return [each.name for each in self.kinds].index(name)

    @property
    def are_readings(self) -> NDArray[np.bool_]:
        """Which kinds are of readings, shape (k,)."""
        return np.array([each.is_reading for each in self.kinds])

    @property
    def scales(self) -> NDArray[np.float64]:
        """Sizes of the kinds of readings, in their order."""
        return self.values[self.are_readings]

    @property
    def logarithms(self) -> NDArray[np.float64]:
        """Logarithms of all sizes, shape (k,)."""
        return np.log(self.values)

    def with_values(self, values: NDArray[np.float64]) -> 'NoiseSizes':
        """Return other sizes of the same kinds, (k,), the memory as it is."""
        return replace(self, values=values)

    def changed(self, sizes: dict[str, float]) -> 'NoiseSizes':
        """Return the sizes with those of some kinds changed."""
        values = self.values.copy()
        for name, size in sizes.items():
            values[self.place(name)] = size
        return self.with_values(values)

    def with_scales(self, scales: float | NDArray[np.float64]) -> 'NoiseSizes':
        """Return the sizes with other ones of readings."""
        values = self.values.copy()
        values[self.are_readings] = scales
        return self.with_values(values)

    def alone(self, share: float) -> 'NoiseSizes':
        """Return the sizes with a share of those of disturbances."""
        return self.with_values(np.where(self.are_readings, self.values, share * self.values))


class Terms(NamedTuple):
    """Random numbers of G segments, m of each.

    Values that are zero in the mean, standard deviations, infinite where nothing is known, and
    places of their kinds, ``FIXED`` where the deviation is; each of shape (G, m).
    """

    value: NDArray[np.float64]
    std: NDArray[np.float64]
    kind: NDArray[np.int64]

    @classmethod
    def of(cls, segments: int, count: int, std: float) -> 'Terms':
        """Return numbers with the same fixed deviation, to be filled in."""
        shape = segments, count
        kind = np.full(shape, FIXED)
        return cls(np.zeros(shape), np.full(shape, std), kind)

    def put(
        self,
        at: tuple[slice, slice],
        value: NDArray[np.float64] | float,
        std: NDArray[np.float64] | float,
        kind: NDArray[np.int64] | int,
    ) -> None:
        """Fill in some of them."""
        self.value[at], self.std[at], self.kind[at] = value, std, kind

    @property
    def rows(self) -> NDArray[np.float64]:
        """Reciprocal deviations, and right-hand sides of their rows, shape (G, m, 2)."""
        return np.stack([1.0 / self.std, -self.value / self.std], axis=2)


class Noise(NamedTuple):
    """Disturbances of segments (G, v), what states begin with (G, n), for some sizes of noise.

    And the logarithm of the determinant of states by disturbances.
    """

    disturbances: Terms
    beginnings: Terms
    logarithm: float


@dataclass(frozen=True, eq=False)
class Blocks(ABC):
    """Rows of all readings of a flight, linear about its states, disturbances and the unknowns.

    Parameters
    ----------
    rows : ndarray, shape (K, v + n + u + 1)
        Slopes of the readings in disturbances and state of their segment and in the unknowns,
        then what is measured less what is predicted; of unit noise where that is as stated.
    misfit : ndarray, shape (K,)
        What is measured less what is predicted, in the reading's own unit.
    kind : ndarray of int, shape (K,)
        Place of their kind among those of readings.
    stamps : ndarray, shape (K,)
        Stamps of the readings as they came, s.
    component : ndarray of int, shape (K,)
        Component of the reading.
    row_edges : ndarray of int, shape (G + 1,)
        Rows of each segment.
    back : ndarray, shape (G - 1, n, v + n + u)
        What disturbances, next state and unknowns change of a state.
    gaps : ndarray, shape (G - 1, n)
        What a state changes because the next begins elsewhere than it ends.
    seconds : ndarray, shape (G,)
        Lengths of the segments.
    bumps : int
        How many of the first disturbances of a segment are large together, if one is.
    free : int
        Numbers of the first state of which nothing is known.
    """

    rows: NDArray[np.float64]
    misfit: NDArray[np.float64]
    kind: NDArray[np.int64]
    stamps: NDArray[np.float64]
    component: NDArray[np.int64]
    row_edges: NDArray[np.int64]
    back: NDArray[np.float64]
    gaps: NDArray[np.float64]
    seconds: NDArray[np.float64]
    bumps: int
    free: int

    @abstractmethod
    def noise(self, sizes: NoiseSizes) -> Noise:
        """Return what is random for some sizes of noise."""

    def transitions(self, _sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return ``back`` for some sizes of noise, which change it where disturbances fade."""
        return self.back

    @property
    def full_weights(self) -> Weights:
        """Factors of a flight whose bumps and rows all count in full."""
        return np.ones(len(self.seconds)), np.ones(len(self.kind))

    @property
    def keys(self) -> list[tuple[int, float, int]]:
        """Kind, stamp and component of each row."""
        columns = self.kind.tolist(), self.stamps.tolist(), self.component.tolist()
        return list(zip(*columns, strict=True))

    def has_readings_of(self, other: 'Blocks') -> bool:
        """Return whether the rows are of the same readings."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ('kind', 'stamps', 'component')
        )

    @property
    def is_finite(self) -> bool:
        """Whether all its numbers are."""
        return all(np.isfinite(each).all() for each in (self.rows, self.back, self.gaps))

    def with_parts(
        self, own: Sequence[int], new: Sequence[int], begins: Sequence[int]
    ) -> 'Blocks':
        """Return the rows with some unknowns apart in each part of the flight.

        Parameters
        ----------
        own, new : sequence of int
            Places of the unknowns that are the same all along, and of those that are not.
        begins : sequence of int
            First segment of each part, in their order.
        """
        part = np.searchsorted(begins, np.arange(len(self.seconds)), side='right') - 1
        before = self.rows.shape[1] - 1 - len(own) - len(new)
        of_row = np.repeat(part, np.diff(self.row_edges))

        def split(matrix: NDArray[np.float64], parts: NDArray[np.intp]) -> NDArray[np.float64]:
            columns = [matrix[..., :before], matrix[..., before + np.array(own)]]
            for each in range(len(begins)):
                is_there = (parts == each).reshape(-1, *[1] * (matrix.ndim - 1))
                columns.append(matrix[..., before + np.array(new)] * is_there)
            return np.concatenate(columns, axis=-1)

        rows = np.hstack([split(self.rows[:, :-1], of_row), self.rows[:, -1:]])
        return replace(self, rows=rows, back=split(self.back, part[:-1]))


class SegmentStates:
    """States at the beginnings of segments, and disturbances within them: arrays by segment."""

    def __getitem__(self, segments: slice) -> 'Self':
        """Return them along some of the segments."""
        return type(self)(*(each[segments] for each in vars(self).values()))

    def begun(self, with_: 'Self') -> 'Self':
        """Return them with the first segments those of others."""
        pairs = zip(vars(with_).values(), vars(self).values(), strict=True)
        return type(self)(
            *(np.concatenate([first[: len(own)], own[len(first) :]]) for first, own in pairs)
        )


class Onward(Protocol):
    """Where a flight goes on from when what came before is marginalised, in a method's form."""

    time: float
    """When, s."""


class Stretch(ABC):
    """A flight as a method sees it, a dataclass."""

    edges: NDArray[np.float64]
    """Times at which segments begin and end, s, shape (G + 1,)."""

    @property
    def length(self) -> float:
        """How long it lasts, s."""
        return float(self.edges[-1] - self.edges[0])

    @abstractmethod
    def going_on(self, onward: Onward | None) -> 'Self':
        """Return the flight from there on; itself if None."""

    def coarser(self, length: float) -> 'Self':
        """Return the flight with segments of about a length (s) where they are shorter."""
        every = max(round(length / float(self.edges[1] - self.edges[0])), 1)
        return replace(self, edges=np.append(self.edges[:-1:every], self.edges[-1]))
