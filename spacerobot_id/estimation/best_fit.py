"""The best of several momentum output error fits, where one alone may end in a wrong valley.

Early data show the ratios of the parameters and hardly the scale; far from the truth the
likelihood has valleys that lead nowhere. A fit that does not explain its data by the stated noise
is therefore begun again from elsewhere.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.momentum_output_error import (
    known_information,
    momentum_output_error,
    OutputErrorFit,
    posterior_cost,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import weighted_rows
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.square_root_information import SquareRootInformation

_CHANCE = 5.0
"""Standard deviations by which a sum of squares may exceed its expectation by chance."""


def best_fit(
    problem: MomentumProblem,
    measurement: Measurement,
    candidates: Sequence[NDArray[np.float64]],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
    iterations: int = 20,
    tolerance: float = 1e-3,
    begun: SquareRootInformation | None = None,
) -> OutputErrorFit:
    """Return the fit from the best of some starts, or the best fit if that explains too little.

    Parameters
    ----------
    problem, measurement, prior, known, iterations, tolerance
        As for ``momentum_output_error``.
    candidates : sequence of ndarray, shape (u,)
        Unknowns to start from, the likeliest first. Weighted least squares about the last is one
        more: biased, but linear, so that it cannot be led astray. It knows no other unknowns;
        where there are any, it is left out.
    begun : SquareRootInformation, optional
        All information linear about the first candidate, where it is there already.

    Raises
    ------
    ValueError
        If from none of the candidates anything can be predicted.
    """
    best: OutputErrorFit | None = None
    for start in _starts(problem, measurement, candidates, prior, known):
        fit = momentum_output_error(
            problem, measurement, start, prior, known, iterations, tolerance, begun
        )
        begun = None
        if np.isfinite(fit.cost) and (best is None or fit.cost < best.cost):
            best = fit
        if best is not None and explains(best.information):
            break
    if best is None:
        raise ValueError('none of the candidates is a robot that can be')
    return best


def _starts(
    problem: MomentumProblem,
    measurement: Measurement,
    candidates: Sequence[NDArray[np.float64]],
    prior: Prior | None,
    known: SquareRootInformation | None,
) -> Iterator[NDArray[np.float64]]:
    """Yield what to start from, the last only made when it is wanted."""
    yield from candidates
    if len(problem.unknowns) == len(problem.minimal) and not problem.from_pose:
        start = _least_squares(problem, measurement, candidates[-1], prior, known)
        if np.isfinite(posterior_cost(problem, measurement, start, prior, known)):
            yield start


def explains(information: SquareRootInformation) -> bool:
    """Return whether the stated noise explains what the parameters leave of the data."""
    freedom = information.rows - len(information.target)
    return information.residual <= freedom + _CHANCE * np.sqrt(2.0 * max(freedom, 1))


def _least_squares(
    problem: MomentumProblem,
    measurement: Measurement,
    about: NDArray[np.float64],
    prior: Prior | None,
    known: SquareRootInformation | None,
) -> NDArray[np.float64]:
    """Return weighted least squares on the regressor at the measured rates."""
    information = known_information(about, prior, known)
    rows = weighted_rows(problem, measurement, about)
    return information.absorb(rows.matrix, rows.right).values()
