"""What a fit by momentum balance found: of each flight, and of all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.balance_problem import Problem, Solved
from spacerobot_id.methods.balance.equations.flight_rows import Weights
from spacerobot_id.methods.balance.equations.linear_balance import Balance, LinearFlight
from spacerobot_id.methods.balance.equations.states import Trajectory
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.methods.solution import FreedEquations, in_part
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance


@dataclass(frozen=True, eq=False)
class Begun:
    """Information from an earlier fit on the first segments of a flight.

    Parameters
    ----------
    trajectory : Trajectory
        States and pushes.
    pushes : ndarray, shape (G,)
        Factors of the deviations of pushes.
    rows : dict
        Those of rows, where they are not one, by kind, stamp and component.
    """

    trajectory: Trajectory
    pushes: NDArray[np.float64]
    rows: dict[tuple[int, float, int], float]

    def weights(self, flight: Flight, rows: LinearFlight) -> Weights:
        """Return factors for all pushes and rows of a flight, one where nothing is known."""
        pushes, known = np.ones(len(rows.seconds)), self.pushes[: len(rows.seconds)]
        pushes[: len(known)] = known
        return pushes, row_weights(flight, rows, self.rows)


def suspect_readings(
    flight: Flight, rows: LinearFlight, weights: NDArray[np.float64]
) -> dict[tuple[int, float, int], float]:
    """Return the factors of rows, (K,), where they are not one, by what is read in these."""
    if (weights == 1.0).all():
        return {}
    keys = reading_keys(flight, rows)
    return {key: each for key, each in zip(keys, weights.tolist(), strict=True) if each != 1.0}


def row_weights(
    flight: Flight, rows: LinearFlight, known: dict[tuple[int, float, int], float]
) -> NDArray[np.float64]:
    """Return the factors of rows, (K,), by what is read in these; one where none is known."""
    if not known:
        return np.ones(len(rows.kind))
    return np.array([known.get(key, 1.0) for key in reading_keys(flight, rows)])


def reading_keys(flight: Flight, rows: LinearFlight) -> list[tuple[int, float, int]]:
    """Return kind, stamp and component of each row of a flight."""
    stamps = [flight.readings[name].stamps for name in READINGS]
    return [
        (kind, float(stamps[kind][number]), component)
        for kind, (number, component) in zip(rows.kind.tolist(), rows.places.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class FlightFit:
    """Where the iteration ended for one flight.

    Parameters
    ----------
    flight : Flight
        Its inputs and readings.
    trajectory : Trajectory
        Its states and pushes.
    linear : LinearFlight
        Its rows about these.
    weights : tuple of ndarray
        Factors of the deviations of pushes (G,) and rows (K,), one or more.
    values : ndarray, shape (u,)
        Unknowns: those common to all flights, and its own.
    """

    flight: Flight
    trajectory: Trajectory
    linear: LinearFlight
    weights: Weights
    values: NDArray[np.float64]

    def begun(self, segment: int) -> Begun:
        """Return what is to be known of it from a segment on."""
        suspect = suspect_readings(self.flight, self.linear, self.weights[1])
        return Begun(self.trajectory[segment:], self.weights[0][segment:], suspect)

    def whitened(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what is left of the readings in deviations of their noise, shape (K,)."""
        scales = np.array(sizes.scales)[self.linear.kind]
        return self.linear.rows[:, -1] / (scales * self.weights[1])


@dataclass(frozen=True, eq=False)
class BalanceFit:
    """Where the iteration ended.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns.
    information : SquareRootInformation
        Information of prior and flights on them.
    sizes : NoiseSizes
        Noise that the data were found to have.
    flights : sequence of FlightFit
        Each flight.
    fitted : float
        Degrees of freedom of the readings that states, pushes and unknowns have taken.
    problem : Problem
        Rows, linear about where the iteration ended.
    solved : Solved
        What follows from them.
    iterations : int
        Steps taken.
    converged : bool
        Whether the last one was small.
    found_sizes : bool
        Whether the sizes of noise were looked for rather than given.
    begun_squares : float
        Sum of squares linear about where it began, noise as it was to begin with.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    sizes: NoiseSizes
    flights: Sequence[FlightFit]
    fitted: float
    problem: Problem
    solved: Solved
    iterations: int = 0
    converged: bool = False
    found_sizes: bool = True
    begun_squares: float = 0.0

    @property
    def surprise(self) -> float:
        """Minus twice the logarithm of the marginal likelihood, but for a constant."""
        return self.problem.surprise(self.solved)

    def freed_equations(self, freed: 'MomentumBalance') -> FreedEquations:
        """Return what the readings say of the unknowns of a method with more, about the fit.

        In either half of one flight, or in each of several, where states and noise stay as found.

        Parameters
        ----------
        freed : MomentumBalance
            The method with more unknowns, which are zero here.
        """
        known = self.problem.method.unknowns.names
        names, count = list(freed.unknowns.names), len(self.flights)
        own = [names.index(name) for name in known]
        new = np.setdiff1d(np.arange(len(names)), own)
        begins = [[0, len(each.linear.seconds) // 2] for each in self.flights]
        linear = []
        for each, parts in zip(self.flights, begins, strict=True):
            values = np.zeros(len(names))
            values[own] = each.values
            found = Balance(freed, each.flight, values).linear(each.trajectory)
            linear.append(found.with_parts(own, new, parts if count == 1 else [0]))
        border = self.problem.border
        if border is not None:
            wide = np.zeros((len(border), 2 * len(new)))
            border = np.hstack([border[:, :-1], wide, border[:, -1:]])
        problem = replace(self.problem, linear=linear, border=border)
        each = [problem.equations_of(index, self.sizes) for index in range(count)]
        if count > 1:
            each = [in_part(rows, len(own), index, count) for index, rows in enumerate(each)]
        of_flight = freed.is_of_flight[new]
        return FreedEquations(np.vstack(each), self.problem.prior, count > 1, of_flight)
