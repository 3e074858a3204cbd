"""What goes into a fit and what comes of it: the prior, the solution, its residuals, its past."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_UNEXPLAINED = 4.0
"""Deviations of readings, root mean square, beyond which they are not explained."""


class Prior(Protocol):
    """What is known before any data."""

    mean: NDArray[np.float64]
    """Unknowns, shape (u,)."""

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return the sum of squares at some unknowns; infinite where they cannot be."""

    def linearised(self, values: NDArray[np.float64]) -> SquareRootInformation:
        """Return the prior as information, linear about some unknowns."""


@dataclass(frozen=True, eq=False)
class LinearPrior:
    """A normal prior.

    Parameters
    ----------
    mean : ndarray, shape (u,)
        Mean.
    covariance : ndarray, shape (u, u)
        Covariance, positive definite.
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    def cost(self, values: NDArray[np.float64]) -> float:
        """Return the sum of squares at some unknowns."""
        return self.linearised(values).cost(values)

    def linearised(self, _values: NDArray[np.float64]) -> SquareRootInformation:
        """Return the prior as information."""
        return SquareRootInformation.from_prior(self.mean, self.covariance)


@dataclass(frozen=True)
class FoundNoise:
    """A size of noise that data were found to have, where a method looks for it.

    Parameters
    ----------
    name, unit : str
        Description of what it is of, and its unit.
    value : float
        Size.
    most : float
        Largest size that noise can have; beyond it the inputs are not as they were sent.
    is_of_wrench : bool
        Whether it is what acts beside the wrench that alone moves the robot.
    """

    name: str
    unit: str
    value: float
    most: float = np.inf
    is_of_wrench: bool = False


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a fit.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns that the information is linear about.
    information : SquareRootInformation
        Estimate and covariance.
    iterations : int
        Gauss-Newton steps taken.
    converged : bool
        Whether the last step was small against the standard deviations.
    cost : float
        Minus twice the logarithm of the posterior density at the values, but for a constant.
    condition : float, optional
        Condition number behind it, where it is not that of ``gram``.
    noise : tuple of FoundNoise
        Sizes of noise that were found with them.
    notes : tuple of str
        Notes on them, a sentence each.
    shortages : tuple of str
        What the samples are too few for, a sentence each: until there are more the values may be
        far off.
    residuals : Residuals, optional
        What they leave over of the samples, where the fit knows it anyway.
    fit : FittedStates, optional
        The fit itself with its local states, where it has some.
    std_by_flights : ndarray, shape (u,), optional
        Standard deviations by how far flights scatter, of several flights.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    iterations: int = 0
    converged: bool = True
    cost: float = 0.0
    condition: float | None = None
    noise: tuple[FoundNoise, ...] = ()
    notes: tuple[str, ...] = ()
    shortages: tuple[str, ...] = ()
    residuals: 'Residuals | None' = None
    fit: 'FittedStates | None' = None
    std_by_flights: NDArray[np.float64] | None = None


class FittedFlight(Protocol):
    """A flight as it was fitted, in the forms of its method."""

    flight: Any
    trajectory: Any
    blocks: Any
    values: NDArray[np.float64]

    def whitened(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what is left of the readings in deviations of their noise, shape (K,)."""


class FittedStates(Protocol):
    """A fit with local states."""

    flights: Sequence[FittedFlight]
    has_found_sizes: bool

    @property
    def sizes(self) -> NoiseSizes:
        """Noise that the data were found to have."""

    @property
    def first_sizes(self) -> NoiseSizes | None:
        """Sizes of noise that a fit of more samples starts from; None where they were given."""

    @property
    def surprise(self) -> float:
        """Minus twice the logarithm of the marginal likelihood, but for a constant of the samples.

        By it fits with other unknowns and sizes of noise are compared.
        """

    @property
    def given_back(self) -> float:
        """Factor by which residuals are smaller than noise, as it is fitted to."""

    def extended_equations(self, extended: object) -> 'ExtendedEquations':
        """Return what the readings say of the unknowns of a method with more, about the fit."""


@dataclass(frozen=True, eq=False)
class ExtendedEquations:
    """What the readings of a fit say of its u unknowns and of c more, in each of P parts.

    Parameters
    ----------
    rows : ndarray, shape (K, u + P c + 1)
        Rows of unit noise and their right-hand sides about the fit, local states eliminated.
    known : SquareRootInformation
        What is known of the step of the u unknowns without the readings.
    are_flights : bool
        Whether the parts are flights; two halves of one flight if not.
    of_flight : ndarray of bool, shape (c,)
        Which of the c each flight has of its own.
    """

    rows: NDArray[np.float64]
    known: SquareRootInformation
    are_flights: bool
    of_flight: NDArray[np.bool_]


def in_part(rows: NDArray[np.float64], own: int, part: int, parts: int) -> NDArray[np.float64]:
    """Return rows whose columns after the first ones are in one of some parts, zeros in others.

    Parameters
    ----------
    rows : ndarray, shape (K, own + c + 1)
        Rows, right-hand sides last.
    own : int
        Columns that all parts share.
    part, parts : int
        Which part, of how many.
    """
    count = rows.shape[1] - 1 - own
    wide = np.zeros((len(rows), own + parts * count + 1))
    wide[:, :own], wide[:, -1] = rows[:, :own], rows[:, -1]
    wide[:, own + part * count : own + (part + 1) * count] = rows[:, own:-1]
    return wide


def are_explained(left: NDArray[np.float64]) -> bool:
    """Return whether readings are explained, if roughly.

    Parameters
    ----------
    left : ndarray
        What is left of them in standard deviations of their noise; NaN where one does not count.
    """
    return not np.mean(left[np.isfinite(left)] ** 2) > _UNEXPLAINED**2


@dataclass(frozen=True, eq=False)
class Residuals:
    """Measured less predicted readings of N samples.

    Parameters
    ----------
    values : ndarray, shape (N, k)
        In standard deviations of their noise; NaN where a reading does not count.
    misfit : ndarray, shape (N, k)
        In their own units, likewise.
    fitted : int
        Unknowns that were fitted to these samples alone, such as states along a flight.
    """

    values: NDArray[np.float64]
    misfit: NDArray[np.float64]
    fitted: int = 0
