"""Identification of a whole log at once, by any of the methods."""

from dataclasses import dataclass, fields
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.batch_output_error import (
    fit_output_error,
    quality_of,
    state_quality,
)
from spacerobot_id.estimation.change_detection import changeable_links
from spacerobot_id.estimation.estimate import Estimate, estimate_from_information
from spacerobot_id.estimation.fit_quality import FitQuality
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.least_squares import (
    ordinary_least_squares,
    weighted_least_squares,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.output_error_rows import output_error_rows, output_misfit
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.exceptions import ConfigurationError, EstimationError

_BADLY_PREDICTED = 1.2
"""Chi-square per output beyond which held-out samples are worth a word."""


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

    @property
    def has_true_intervals(self) -> bool:
        """Whether its standard deviations cover its errors: not where the regressor is noisy."""
        return self in (
            Method.OUTPUT_ERROR,
            Method.ANGULAR_MOMENTUM,
            Method.ANGULAR_MOMENTUM_AND_TORQUES,
        )


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
    quality : FitQuality, optional
        How well it explains the samples that it is made of.
    """

    estimate: Estimate
    values: NDArray[np.float64]
    rejected: int
    changes: int
    quality: FitQuality | None = None


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

    @property
    def is_worse_than_noise(self) -> bool:
        """Whether the misfit is more than the stated noise and chance explain."""
        chance = np.sqrt(2.0 / max(self.samples * len(self.rms), 1))
        return not self.chi_square <= max(_BADLY_PREDICTED, 1.0 + 5.0 * chance)


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
    ConfigurationError
        If the method knows no unknowns beside the parameters and there are some, or a link that
        can change is not there.
    """
    if method.has_reduced_parameters:
        raise EstimationError(f'{method.value} has reduced parameters: see identify_reduced')
    check_method(problem, method, settings)
    moving = int(problem.is_moving(measurement).sum())
    if 6 * moving < len(problem.unknowns):
        raise EstimationError(
            f'{moving} samples in which something moves are too few for '
            f'{len(problem.unknowns)} unknowns'
        )
    if method is Method.OUTPUT_ERROR:
        return _result(fit_output_error(problem, measurement, settings))
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
    values = information.values()
    return BatchIdentification(estimate, values, 0, 0, quality_of(problem, measurement, values))


def check_method(problem: MomentumProblem, method: Method, settings: RecursionSettings) -> None:
    """Raise ConfigurationError if a method or a robot does not know what it is told.

    Parameters
    ----------
    problem, method, settings
        As for ``identify_batch``.
    """
    changeable_links(problem, settings.change)
    names = [each.name for each in fields(problem.nuisance) if each.name != 'walk_segment']
    told = [name for name in names if getattr(problem.nuisance, name)]
    if told and method is not Method.OUTPUT_ERROR:
        raise ConfigurationError(
            f'{", ".join(told)}: {method.value} knows no unknowns beside the parameters; '
            'output_error does'
        )


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


def _result(state: Identification) -> BatchIdentification:
    """Return the result that a state holds."""
    return BatchIdentification(
        state.estimate(),
        state.information.values(),
        state.rejected,
        state.changes,
        state_quality(state),
    )
