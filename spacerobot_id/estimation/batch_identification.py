"""Identification of a whole log at once, by any of the methods."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.change_detection import standing_out
from spacerobot_id.estimation.estimate import Estimate, estimate_from_information
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.least_squares import (
    ordinary_least_squares,
    weighted_least_squares,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.outlier_gate import is_settled
from spacerobot_id.estimation.output_error_rows import output_error_rows, output_misfit
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.recursive_identification import (
    absorb,
    begin_identification,
    recorded,
    refine,
)
from spacerobot_id.exceptions import EstimationError

_BLOCK = 200
"""Samples taken at a time, so that a change of the robot is seen where it happens."""


_ROUNDS = 5
"""Most times that outliers are looked for anew."""

_MOST_OUTLIERS = 0.2
"""Share of samples beyond which what stands out is no outlier."""


class Method(Enum):
    """How parameters are estimated."""

    OUTPUT_ERROR = 'output_error'
    WEIGHTED_LEAST_SQUARES = 'weighted_least_squares'
    LEAST_SQUARES = 'least_squares'
    ANGULAR_MOMENTUM = 'angular_momentum'
    ANGULAR_MOMENTUM_LEAST_SQUARES = 'angular_momentum_least_squares'
    ANGULAR_MOMENTUM_AND_TORQUES = 'angular_momentum_and_torques'
    EQUATIONS_OF_MOTION = 'equations_of_motion'
    EQUATIONS_OF_MOTION_FOURIER = 'equations_of_motion_fourier'

    @property
    def has_reduced_parameters(self) -> bool:
        """Whether it needs no velocity of the base, and tells reduced parameters."""
        return self.value.startswith(('angular_momentum', 'equations_of_motion'))


@dataclass(frozen=True, eq=False)
class BatchIdentification:
    """Result of a log.

    Parameters
    ----------
    estimate : Estimate
        Parameters and uncertainty.
    values : ndarray, shape (u,)
        All unknowns.
    rejected : int
        Samples refused because they did not fit.
    changes : int
        Times the robot was found changed; the estimate is that after the last.
    """

    estimate: Estimate
    values: NDArray[np.float64]
    rejected: int
    changes: int


@dataclass(frozen=True, eq=False)
class Validation:
    """How an estimate predicts samples that it has not seen.

    Parameters
    ----------
    samples : int
        Number of samples.
    rms : ndarray, shape (6,)
        Root mean square of the misfit of the outputs that are compared.
    chi_square : float
        Sum of squares per output, in units of the noise; near one where all is well.
    """

    samples: int
    rms: NDArray[np.float64]
    chi_square: float


def identify_batch(
    problem: MomentumProblem,
    measurement: Measurement,
    method: Method = Method.OUTPUT_ERROR,
    settings: RecursionSettings = RecursionSettings(),
) -> BatchIdentification:
    """Return the estimate of a whole log.

    Parameters
    ----------
    problem : MomentumProblem
        Robot, noise and unknowns.
    measurement : Measurement
        Samples in the order of time.
    method : Method
        How; those of reduced parameters are in ``identify_reduced``.
    settings : RecursionSettings
        Prior and gate; as the node has them.

    Raises
    ------
    EstimationError
        If there are too few samples in which something moves, or the method needs a base
        velocity that is not measured.
    """
    if method.has_reduced_parameters:
        raise EstimationError(f'{method.value} has reduced parameters: see identify_reduced')
    moving = int(problem.is_moving(measurement).sum())
    if 6 * moving < len(problem.unknowns):
        raise EstimationError(
            f'{moving} samples in which something moves are too few for '
            f'{len(problem.unknowns)} unknowns'
        )
    if method is Method.OUTPUT_ERROR:
        return _by_output_error(problem, measurement, settings)
    if problem.from_pose:
        raise EstimationError(f'{method.value} needs a measured base velocity')
    solve = ordinary_least_squares if method is Method.LEAST_SQUARES else weighted_least_squares
    information = solve(problem, measurement)
    estimate = estimate_from_information(
        problem,
        information,
        Prior(problem, settings.prior_relative_std, settings.prior_mass_std),
        problem.gram(measurement),
        len(measurement),
    )
    return BatchIdentification(estimate, information.values(), 0, 0)


def validate(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> Validation:
    """Return how unknowns predict other samples.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        N samples that were not used.
    values : ndarray, shape (u,)
        Unknowns.
    """
    error = output_misfit(problem, measurement, values)
    rows = output_error_rows(problem, measurement, values)
    whitened = rows.right - rows.matrix @ values
    return Validation(
        len(measurement), np.sqrt(np.mean(error**2, axis=0)), float(np.mean(whitened**2))
    )


def _by_output_error(
    problem: MomentumProblem, measurement: Measurement, settings: RecursionSettings
) -> BatchIdentification:
    """Return the output-error estimate, outliers left out.

    One robot is fitted to all samples. Where that does not fit, the samples are taken in the
    order of time as the live estimator does, which finds out when the robot has changed.
    """
    moving = measurement[problem.is_moving(measurement)]
    state = refine(recorded(problem, moving, settings))
    good = np.ones(len(moving), dtype=bool)
    for _ in range(_ROUNDS if settings.change.gate else 0):
        out = standing_out(problem, moving, state.information, settings.change.gate)
        if np.array_equal(out, ~good) or out.mean() > _MOST_OUTLIERS:
            break
        good = ~out
        state = refine(recorded(problem, moving[good], settings))
    if not is_settled(state.information):
        state = begin_identification(problem, settings)
        for begin in range(0, len(moving), _BLOCK):
            state = absorb(state, moving[begin : begin + _BLOCK])
        state = refine(state)
        return _result(state, state.rejected)
    return _result(state, int(np.sum(~good)))


def _result(state: Identification, rejected: int) -> BatchIdentification:
    """Return the result that a state holds."""
    return BatchIdentification(
        state.estimate(), state.information.values(), rejected, state.changes
    )
