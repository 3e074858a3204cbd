"""What a fit with local states found: of each flight, and of all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.problem import Problem, Solved
from spacerobot_id.methods.blocks import Blocks, NoiseSizes, SegmentStates, Stretch, Weights
from spacerobot_id.methods.solution import ExtendedEquations, in_part
from spacerobot_id.methods.states_method import StatesMethod
from spacerobot_id.statistics.square_root_information import SquareRootInformation

ReadingWeights = dict[tuple[int, float, int], float]
"""Factors of the deviations of readings, where they are not one, by kind, stamp and component."""


@dataclass(frozen=True, eq=False)
class Begun:
    """Information from an earlier fit on the first segments of a flight.

    Parameters
    ----------
    trajectory : SegmentStates
        States and disturbances.
    bumps : ndarray, shape (G,)
        Factors of the deviations of bumps.
    rows : dict
        Those of readings, where they are not one.
    """

    trajectory: SegmentStates
    bumps: NDArray[np.float64]
    rows: ReadingWeights

    def weights(self, blocks: Blocks) -> Weights:
        """Return factors for all bumps and rows of a flight, one where nothing is known."""
        bumps, known = np.ones(len(blocks.seconds)), self.bumps[: len(blocks.seconds)]
        bumps[: len(known)] = known
        return bumps, row_weights(blocks, self.rows)


def reduced_weights(blocks: Blocks, weights: NDArray[np.float64]) -> ReadingWeights:
    """Return the factors of rows, (K,), where they are not one, by what is read in these."""
    if (weights == 1.0).all():
        return {}
    pairs = zip(blocks.keys, weights.tolist(), strict=True)
    return {key: each for key, each in pairs if each != 1.0}


def row_weights(blocks: Blocks, known: ReadingWeights) -> NDArray[np.float64]:
    """Return the factors of rows, (K,), by what is read in these; one where none is known."""
    if not known:
        return np.ones(len(blocks.kind))
    return np.array([known.get(key, 1.0) for key in blocks.keys])


@dataclass(frozen=True, eq=False)
class FlightFit:
    """Where the iteration ended for one flight.

    Parameters
    ----------
    flight : Stretch
        Its inputs and readings.
    trajectory : SegmentStates
        Its states and disturbances.
    blocks : Blocks
        Its rows about these.
    weights : tuple of ndarray
        Factors of the deviations of bumps (G,) and rows (K,), one or more.
    values : ndarray, shape (u,)
        Unknowns: those common to all flights, and its own.
    """

    flight: Stretch
    trajectory: SegmentStates
    blocks: Blocks
    weights: Weights
    values: NDArray[np.float64]

    def begun(self, segment: int) -> Begun:
        """Return what is to be known of it from a segment on."""
        suspect = reduced_weights(self.blocks, self.weights[1])
        return Begun(self.trajectory[segment:], self.weights[0][segment:], suspect)

    def whitened(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what is left of the readings in deviations of their noise, shape (K,)."""
        return self.blocks.rows[:, -1] / (sizes.scales[self.blocks.kind] * self.weights[1])


@dataclass(frozen=True, eq=False)
class StatesFit:
    """Where the iteration ended.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    values : ndarray, shape (u,)
        Unknowns.
    information : SquareRootInformation
        Information of prior and flights on them.
    flights : sequence of FlightFit
        Each flight.
    taken : float
        Degrees of freedom of the readings that states, disturbances and unknowns have taken.
    problem : Problem
        Rows, linear about where the iteration ended.
    solved : Solved
        What follows from them.
    iterations : int
        Steps taken.
    converged : bool
        Whether the last one was small.
    has_found_sizes : bool
        Whether the sizes of noise were looked for rather than given.
    begun_squares : float
        Sum of squares linear about where it began, noise as it was to begin with.
    """

    method: StatesMethod
    values: NDArray[np.float64]
    information: SquareRootInformation
    flights: Sequence[FlightFit]
    taken: float
    problem: Problem
    solved: Solved
    iterations: int = 0
    converged: bool = False
    has_found_sizes: bool = True
    begun_squares: float = 0.0

    @property
    def sizes(self) -> NoiseSizes:
        """Noise that the data were found to have."""
        return self.solved.sizes

    @property
    def first_sizes(self) -> NoiseSizes | None:
        """Sizes that another fit of more samples starts from; None where they were given."""
        return self.sizes if self.has_found_sizes else None

    @cached_property
    def surprise(self) -> float:
        """Minus twice the logarithm of the marginal likelihood, but for a constant."""
        return self.problem.surprise(self.solved)

    @property
    def given_back(self) -> float:
        """Factor by which residuals are smaller than noise, as it is fitted to."""
        read = sum(len(own.blocks.kind) for own in self.flights)
        return float(np.sqrt(read / max(read - self.taken, 1.0)))

    def extended_equations(self, extended: StatesMethod) -> ExtendedEquations:
        """Return what the readings say of the unknowns of a method with more, about the fit.

        In either half of one flight, or in each of several, where states and noise stay as found.

        Parameters
        ----------
        extended : StatesMethod
            The method with more unknowns, which are zero here.
        """
        names, count = list(extended.unknowns.names), len(self.flights)
        own = [names.index(name) for name in self.method.unknowns.names]
        new = np.setdiff1d(np.arange(len(names)), own)
        begins = [[0, len(each.blocks.seconds) // 2] for each in self.flights]
        blocks = []
        for each, parts in zip(self.flights, begins, strict=True):
            values = np.zeros(len(names))
            values[own] = each.values
            found = extended.linear(each.flight, values, each.trajectory)
            blocks.append(found.with_parts(own, new, parts if count == 1 else [0]))
        marginal = self.problem.marginal
        if marginal is not None:
            wide = np.zeros((len(marginal), 2 * len(new)))
            marginal = np.hstack([marginal[:, :-1], wide, marginal[:, -1:]])
        problem = replace(self.problem, blocks=blocks, marginal=marginal)
        each = [problem.equations_of(index, self.sizes) for index in range(count)]
        if count > 1:
            each = [in_part(rows, len(own), index, count) for index, rows in enumerate(each)]
        of_flight = extended.is_of_flight[new]
        return ExtendedEquations(np.vstack(each), self.problem.prior, count > 1, of_flight)
