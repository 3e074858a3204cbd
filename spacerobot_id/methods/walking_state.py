"""A method whose state is a vector that stays but for random steps: a momentum, a bias that walks.

A method of this kind says what its readings are for given states, and how large the steps are to
begin with; their size is found from the data.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import (
    Blocks,
    Kind,
    Noise,
    NoiseSizes,
    SegmentStates,
    Stretch,
    Terms,
)
from spacerobot_id.methods.states_method import StatesMethod

_KINDS = Kind('walk', is_white=True), Kind('reading', 0.1, 3000.0, is_reading=True)

_PAUSE = 5.0
"""Time without samples that divides two flights, s."""


class ReadingsOfState(NamedTuple):
    """Readings of N samples: measured less predicted (N, k), slopes (N, k, u), (N, k, n), noise.

    The noise is independent, with standard deviations (N, k), infinite where none is read.
    """

    error: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]
    of_state: NDArray[np.float64]
    std: NDArray[np.float64]


class Walk(NamedTuple):
    """Mean and deviation of the first state, and deviations of its steps in a second, (n,)."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    step: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class From:
    """Where samples go on from, and the length of segments, s."""

    time: float
    spacing: float


@dataclass(frozen=True, eq=False)
class Samples(Stretch):
    """Samples of one flight, and the times that segments begin and end at, (G + 1,)."""

    record: Record
    edges: NDArray[np.float64]

    @classmethod
    def of(cls, record: Record, spacing: float) -> 'Samples':
        """Return samples in segments of a length, s."""
        first, last = float(record.times[0]), float(record.times[-1])
        count = max(int((last - first) / spacing), 1)
        return cls(record, np.linspace(first, max(last, first + 1e-9), count + 1))

    def going_on(self, onward: From | None) -> 'Samples':
        """Return the samples from there on; themselves if None."""
        if onward is None:
            return self
        count = int((self.record.times[-1] - onward.time) / onward.spacing + 1e-6)
        return replace(self, edges=onward.time + onward.spacing * np.arange(count + 1))


@dataclass(frozen=True, eq=False)
class Course(SegmentStates):
    """States at the beginnings of segments, and their steps to the next, (G, n)."""

    states: NDArray[np.float64]
    steps: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WalkBlocks(Blocks):
    """Rows of samples whose state walks.

    Parameters
    ----------
    course : Course
        What the rows are linear about.
    walk : Walk
        How it walks.
    """

    course: Course
    walk: Walk

    def noise(self, sizes: NoiseSizes) -> Noise:
        """Return what is random for some sizes of noise."""
        segments, count = self.course.states.shape
        own, first = Terms.of(segments, count, 1.0), Terms.of(segments, count, np.inf)
        std = sizes['walk'] * self.walk.step * np.sqrt(self.seconds[:-1, None])
        own.put((slice(segments - 1), slice(None)), self.course.steps[:-1], std, 0)
        first.value[0], first.std[0] = self.course.states[0] - self.walk.mean, self.walk.std
        return Noise(own, first, 0.0)


class WalkingState(StatesMethod):
    """A method whose state walks."""

    segment: ClassVar[float] = 0.2
    """Length of segments, s: so short that steps within one are small beside the readings' noise,
    as which they count."""

    @abstractmethod
    def walk(self) -> Walk:
        """Return how the state begins and walks."""

    @abstractmethod
    def readings(
        self, record: Record, values: NDArray[np.float64], states: NDArray[np.float64]
    ) -> ReadingsOfState:
        """Compare measured readings with those predicted.

        Parameters
        ----------
        record : Record
            N samples.
        values : ndarray, shape (u,)
            Unknowns.
        states : ndarray, shape (N, n)
            States.
        """

    def flights(self, record: Record, *, live: bool = False) -> list[Samples]:
        """Return the flights that a record is of: one between each two pauses."""
        if len(record) <= len(self.unknowns):
            raise EstimationError(f'{len(record)} samples are too few for {self.name}')
        ends = np.flatnonzero(np.diff(record.times) > _PAUSE) + 1
        parts = np.split(np.arange(len(record)), ends)
        return [Samples.of(record[rows], self.segment) for rows in parts]

    def trajectory(self, flight: Samples, values: NDArray[np.float64]) -> Course:
        """Return states that stay at their mean."""
        states = np.tile(self.walk().mean, (len(flight.edges) - 1, 1))
        return Course(states, np.zeros_like(states))

    def linear(
        self, flight: Samples, values: NDArray[np.float64], trajectory: Course
    ) -> WalkBlocks:
        """Return the rows of all readings, linear about unknowns and a course of states."""
        edges, times = flight.edges, flight.record.times
        record = flight.record[(times >= edges[0]) & (times <= edges[-1])]
        count = trajectory.states.shape[1]
        last = len(edges) - 2
        segment = np.minimum(np.searchsorted(edges, record.times, side='right') - 1, last)
        found = self.readings(record, values, trajectory.states[segment])
        sample, component = np.nonzero(np.isfinite(found.std) & np.isfinite(found.error))
        parts = (found.of_state, found.of_unknowns, found.error[..., None])
        rows = np.hstack([each[sample, component] for each in parts])
        rows /= found.std[sample, component][:, None]
        back = np.zeros((last, count, 2 * count + len(values)))
        back[:, :, :count], back[:, :, count : 2 * count] = -np.eye(count), np.eye(count)
        states = trajectory.states
        return WalkBlocks(
            np.hstack([np.zeros((len(rows), count)), rows]),
            found.error[sample, component],
            np.zeros(len(rows), dtype=int),
            record.times[sample],
            component,
            np.searchsorted(segment[sample], np.arange(last + 2)),
            back,
            states[1:] - states[:-1] - trajectory.steps[:-1],
            np.diff(edges),
            count,
            count,
            trajectory,
            self.walk(),
        )

    def moved(
        self,
        trajectory: Course,
        states: NDArray[np.float64],
        disturbances: NDArray[np.float64],
    ) -> Course:
        """Return a course after moves of states and steps."""
        return Course(trajectory.states + states, trajectory.steps + disturbances)

    def difference(self, before: Course, after: Course) -> NDArray[np.float64]:
        """Return what moves the first state of one course to that of another, shape (n,)."""
        return after.states[0] - before.states[0]

    def onward(
        self,
        flight: Samples,
        values: NDArray[np.float64],
        blocks: Blocks,
        segment: int,
        before: From | None,
    ) -> From:
        """Return where a flight goes on from when all before a segment is marginalised."""
        return From(float(flight.edges[segment]), float(flight.edges[1] - flight.edges[0]))

    def first_sizes(self, flights: Sequence[Samples]) -> NoiseSizes:
        """Return sizes of noise as stated."""
        return NoiseSizes(_KINDS, np.ones(len(_KINDS)))
