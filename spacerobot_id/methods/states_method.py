"""A method whose motion has states of its own: it says what a flight is, all else is common.

Between readings the motion is integrated, and what disturbs it is random. States and disturbances
are eliminated segment by segment (``estimation.states``); the method gives rows and transitions.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import Blocks, NoiseSizes, Onward, SegmentStates, Stretch
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import FittedFlight, FittedStates, FoundNoise, Residuals
from spacerobot_id.statistics.square_root_information import SquareRootInformation


class Brought(NamedTuple):
    """How a body that comes or goes changes a state (n, c) and the unknowns (u, c).

    By c numbers of unit deviation, the first ones of the momentum that it brings or takes.
    """

    of_state: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]
    momenta: int


class StatesMethod(Method):
    """A method with local states."""

    solves_at_once: ClassVar[bool] = True
    fits_several_flights: ClassVar[bool] = True
    per_flight: ClassVar[tuple[str, ...]] = ()
    """Groups of unknowns that each flight has of its own."""

    first_outputs: ClassVar[tuple[int, ...]] = (0,)
    """First of the outputs that each kind of readings has."""

    searched: ClassVar[tuple[str, ...]] = ()
    """Settings of unknowns that are far from linear: looked for before a fit begins."""

    first_fit: ClassVar[float] = 5.0
    """Time of motion before the first fit, s."""

    refit_interval: ClassVar[float] = 1.0
    """Time after which the latest samples are fitted again, s; if zero, all are as they grow."""

    refit_growth: ClassVar[float] = 0.3
    """Share by which samples grow before all are fitted again."""

    lookback: ClassVar[float] = 3.0
    """Time of samples before a segment that its readings need, s."""

    may_be_undisturbed: ClassVar[bool] = False
    """Whether disturbances are looked for only where data ask for them."""

    @property
    def states(self) -> 'StatesMethod':
        """Itself."""
        return self

    @property
    def is_of_flight(self) -> NDArray[np.bool_]:
        """Which unknowns each flight has of its own, shape (u,)."""
        found = np.zeros(len(self.unknowns), dtype=bool)
        for key, place in self.unknowns.places.items():
            found[place] = key in self.per_flight
        return found

    # A flight.

    @abstractmethod
    def flights(self, record: Record, *, live: bool = False) -> list[Stretch]:
        """Return the flights that a record is of.

        Parameters
        ----------
        record : Record
            Samples.
        live : bool
            Whether more samples come: then those too short for a fit are returned, too, but for
            a latest one.

        Raises
        ------
        EstimationError
            If there are too few readings.
        """

    def begun(
        self,
        flights: Sequence[Stretch],
        start: NDArray[np.float64],
        *,
        held: bool,
        goes_on: bool,
    ) -> tuple[list[Stretch], list[NDArray[np.float64]]]:
        """Return flights and unknowns to start from, those that are far from linear looked for.

        Parameters
        ----------
        flights : sequence of Stretch
            Flights.
        start : ndarray, shape (u,)
            Unknowns to start from.
        held : bool
            Whether those of the first flight stay as they are.
        goes_on : bool
            Whether the first flight goes on from an earlier fit.
        """
        return list(flights), [start.copy() for _ in flights]

    @abstractmethod
    def trajectory(self, flight: Stretch, values: NDArray[np.float64]) -> SegmentStates:
        """Return states to start from, without disturbances."""

    @abstractmethod
    def linear(
        self, flight: Stretch, values: NDArray[np.float64], trajectory: SegmentStates
    ) -> Blocks:
        """Return the rows of all readings, linear about unknowns and a trajectory.

        Raises
        ------
        ValueError, numpy.linalg.LinAlgError
            If no motion follows from these.
        """

    @abstractmethod
    def moved(
        self,
        trajectory: SegmentStates,
        states: NDArray[np.float64],
        disturbances: NDArray[np.float64],
    ) -> SegmentStates:
        """Return a trajectory after moves of states (G, n) and disturbances (G, v)."""

    @abstractmethod
    def difference(self, before: SegmentStates, after: SegmentStates) -> NDArray[np.float64]:
        """Return what moves the first state of one trajectory to that of another, shape (n,)."""

    @abstractmethod
    def onward(
        self,
        flight: Stretch,
        values: NDArray[np.float64],
        blocks: Blocks,
        segment: int,
        before: Onward | None,
    ) -> Onward:
        """Return where a flight goes on from when all before a segment is marginalised.

        Parameters
        ----------
        flight, values, blocks
            As fitted.
        segment : int
            The segment.
        before : Onward, optional
            Where the flight itself goes on from.
        """

    def reading_rows(self, record: Record, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what all readings of N samples show of the unknowns, states known, (N k, u).

        They may be of several motions, one after the other, whose times begin again.
        """
        begins, found = np.flatnonzero(np.diff(record.times) <= 0.0) + 1, []
        for samples in np.split(np.arange(len(record)), begins):
            (flight,) = self.flights(record[samples])
            blocks = self.linear(flight, values, self.trajectory(flight, values))
            found.append(blocks.rows[:, -1 - len(values) : -1])
        return np.concatenate(found)

    # What is random.

    @abstractmethod
    def first_sizes(self, flights: Sequence[Stretch]) -> NoiseSizes:
        """Return sizes of noise to start from."""

    def released(self, sizes: NoiseSizes) -> NoiseSizes:
        """Return sizes with disturbances that are held back while the unknowns are far off."""
        return sizes

    def roughness(self, flights: Sequence[Stretch]) -> float:
        """Return how far readings of the first kind are off a smooth curve, over their noise."""
        return 1.0

    @property
    def read_std(self) -> NDArray[np.float64]:
        """Standard deviations of readings of the first numbers of a state, shape (r,)."""
        return np.zeros(0)

    def brought(self, own: FittedFlight, segment: int, settings: ChangeSettings) -> Brought | None:
        """Return how a body that comes or goes at a segment changes state and unknowns.

        None if none can.
        """
        return None

    # Unknowns that take a flight of some length, such as clocks.

    def time_needed(self, flight: Stretch) -> float:
        """Return how long a flight has to last, s, for unknowns that are far from linear."""
        return 0.0

    def looks_for(self, start: NDArray[np.float64]) -> bool:
        """Return whether a fit that starts from some unknowns looks for these."""
        return False

    def shortage(self, length: float, needed: float) -> tuple[str, ...]:
        """Return a message if a flight is shorter than is needed, s; empty if not."""
        return ()

    # What is found.

    def found_noise(self, fit: FittedStates) -> tuple[FoundNoise, ...]:
        """Return the sizes of noise that a fit found."""
        found = zip(fit.sizes.kinds, fit.sizes.values.tolist(), strict=True)
        return tuple(FoundNoise(kind.name, '', size, kind.most) for kind, size in found)

    def notes(self, fit: FittedStates) -> tuple[str, ...]:
        """Return notes on a fit, a sentence each."""
        return ()

    def left(self, record: Record, fit: FittedStates) -> Residuals:
        """Return what a fit leaves over of samples.

        What states and disturbances have taken of the noise is given back, to all readings alike.
        """
        white = np.full((len(record), self.outputs), np.nan)
        misfit = white.copy()
        for own in fit.flights:
            blocks = own.blocks
            column = np.array(self.first_outputs)[blocks.kind] + blocks.component
            at = np.searchsorted(record.times, blocks.stamps), column
            white[at], misfit[at] = fit.given_back * own.whitened(fit.sizes), blocks.misfit
        return Residuals(white, misfit)

    def condition(
        self, values: NDArray[np.float64], information: SquareRootInformation
    ) -> float | None:
        """Return the condition number of a fit; that of its information if None."""
        return None

    def record_at_rest(self) -> Record | None:
        """Return samples by which kernels are compiled; None if there are none."""
        return None

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return none: excitation is judged by the fit itself."""
        return np.zeros((0, self.unknowns.parameters))
