"""Standard deviations by how far flights scatter about their common fit, whatever the noise is.

Those of the fit hold as long as its noise is modelled rightly. Flights that differ by more, as
those of a table that was levelled again, or of thrusters that depend on the pressure left, show
it by the scatter of their scores (a sandwich clustered by flight: Liang and Zeger, 1986), each
score enlarged by what the fit has taken of it (Bell and McCaffrey, 2002: CR2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_FEWEST = 3
"""Flights from which on scatter is reported."""

_TAKEN = 0.9
"""Share of what is known of a direction from which on it is known from one flight alone."""

_FALSE_ALARM = 1e-3
"""Probability that flights as modelled are reported to scatter more."""


@dataclass(frozen=True, eq=False)
class FlightScatter:
    """How far flights scatter.

    Parameters
    ----------
    std : ndarray, shape (u,)
        Standard deviations of the unknowns by the scatter of flights.
    ratio : ndarray, shape (u,)
        The same over those of the fit.
    freedom : ndarray, shape (u,)
        Degrees of freedom of their squares, Satterthwaite's.
    """

    std: NDArray[np.float64]
    ratio: NDArray[np.float64]
    freedom: NDArray[np.float64]

    @property
    def is_larger(self) -> NDArray[np.bool_]:
        """Which standard deviations are larger than those of the fit beyond chance, (u,)."""
        chance = chdtri(self.freedom, _FALSE_ALARM / len(self.ratio)) / self.freedom
        return self.ratio**2 > chance

    def sentences(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return notes on it, by the names of the unknowns."""
        larger = np.flatnonzero(self.is_larger)
        worst = larger[np.argsort(-self.ratio[larger])]
        found = [f'{names[row]} {self.ratio[row]:.1f}' for row in worst]
        if not found:
            return ()
        return (
            'flights scatter more than their noise explains: standard deviations by flights are '
            f'those stated times {", ".join(found)}; intervals of these are too narrow',
        )


def flight_scatter(fit: StatesFit) -> FlightScatter | None:
    """Return how far the flights of a fit scatter; None of too few, or of a fit that goes on.

    Parameters
    ----------
    fit : StatesFit
        A fit of several flights, converged.
    """
    if len(fit.flights) < _FEWEST or fit.problem.marginal is not None:
        return None
    equations = [fit.problem.equations_of(index, fit.sizes) for index in range(len(fit.flights))]
    return scatter_of(fit.solved.information, equations)


def scatter_of(
    information: SquareRootInformation, equations: Sequence[NDArray[np.float64]]
) -> FlightScatter:
    """Return how far flights scatter about their joint estimate.

    With ``L L^T`` the information of prior and flights, each flight's score ``g`` in units of
    ``L`` has the covariance ``S - S^2`` where ``S`` is its share of the information, so that
    ``(I - S)^-1/2 g`` has ``S``. Directions known from one flight alone count as modelled,
    and so does the prior.

    Parameters
    ----------
    information : SquareRootInformation
        Information of prior and flights on the u unknowns.
    equations : sequence of ndarray, shape (K, u + 1)
        Rows and right-hand sides of each flight, of unit noise.
    """
    values = information.values()
    middle, shares = np.eye(len(values)), []
    for each in equations:
        rows = information.whitened(each[:, :-1])
        share, score = rows.T @ rows, rows.T @ (each[:, -1] - each[:, :-1] @ values)
        taken, axes = np.linalg.eigh(share)
        left = np.maximum(1.0 - taken, 1.0 - _TAKEN)
        score = axes.T @ score / np.sqrt(left)
        as_modelled = taken * np.maximum(1.0 - (1.0 - taken) / left, 0.0)
        middle += axes @ (np.outer(score, score) + np.diag(as_modelled)) @ axes.T - share
        shares.append(share)
    root = information.covariance_root()
    std = np.sqrt(np.einsum('ij,jk,ik->i', root, middle, root))
    of_fit = np.sqrt(np.einsum('ij,ij->i', root, root))
    weights = [np.einsum('ij,jk,ik->i', root, share, root) / of_fit**2 for share in shares]
    freedom = 1.0 / np.maximum(np.sum(np.square(weights), axis=0), 1e-12)
    return FlightScatter(std, std / of_fit, freedom)
