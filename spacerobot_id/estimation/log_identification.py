"""All that a log tells of a robot: beforehand, from the fit, of its links, and held out."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch_identification import (
    BatchIdentification,
    check_method,
    identify_batch,
    Method,
    validate,
    Validation,
)
from spacerobot_id.estimation.excitation_report import excitation_report, ExcitationReport
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.log_measurement import LogMeasurement
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.output_error_rows import output_error_rows
from spacerobot_id.estimation.physical_consistency import (
    ConsistentParameters,
    physically_consistent_parameters,
)
from spacerobot_id.exceptions import EstimationError


@dataclass(frozen=True, eq=False)
class LogIdentification:
    """Result of a log.

    Parameters
    ----------
    problem : MomentumProblem
        Prior robot, noise and unknowns.
    method : Method
        How it was estimated.
    log : LogMeasurement
        All samples, and what was not used.
    used : int
        Samples from the begin that were fitted; the others are held out.
    before : ExcitationReport
        What the motion shows, before any fit.
    found : BatchIdentification
        The estimate.
    links : ConsistentParameters
        Links nearest to the prior that can exist and fit.
    validation : Validation or None
        How the estimate predicts what was held out, if anything was.
    """

    problem: MomentumProblem
    method: Method
    log: LogMeasurement
    used: int
    before: ExcitationReport
    found: BatchIdentification
    links: ConsistentParameters
    validation: Validation | None

    @property
    def is_usable(self) -> bool:
        """Whether the estimate says something of the robot, if with intervals to be scaled."""
        return self.found.quality.is_usable

    def warnings(self) -> tuple[str, ...]:
        """Return what is to be said before anyone takes the numbers, a sentence each."""
        said = self.found.quality.warnings() + self.log.warnings()
        if self.method is not Method.OUTPUT_ERROR and not self.found.quality.is_white:
            said += (f'{self.method.value} is biased by noise in the rates; output_error is not',)
        if self.validation is not None and self.validation.is_worse_than_noise:
            said += (
                f'{self.validation.samples} samples held out are predicted worse than the stated '
                f'noise explains: chi-square {self.validation.chi_square:.4g} per output',
            )
        return said

    def residuals(self) -> NDArray[np.float64]:
        """Return measured less predicted outputs of all samples in standard deviations.

        Shape (N, 6), or (N, 3) for a planar robot; the outputs are those of ``output_misfit``.
        """
        values, measurement = self.found.values, self.log.measurement
        rows = output_error_rows(self.problem, measurement, values)
        return (rows.right - rows.matrix @ values).reshape(len(measurement), -1)


def identify_log(
    problem: MomentumProblem,
    log: LogMeasurement,
    method: Method,
    settings: RecursionSettings,
    holdout: float = 0.0,
) -> LogIdentification:
    """Return what a log tells of a robot.

    Parameters
    ----------
    problem : MomentumProblem
        Prior robot, noise and unknowns.
    log : LogMeasurement
        Aligned samples.
    method : Method
        How; none of those of reduced parameters.
    settings : RecursionSettings
        Prior and gate.
    holdout : float
        Share of the samples, at the end, kept for validation.

    Raises
    ------
    EstimationError
        If there are too few samples in which something moves, the method needs a base velocity
        that is not measured, or an unknown momentum poses that are not there.
    ConfigurationError
        If the method or the robot does not know what the settings name.
    """
    check_method(problem, method, settings)
    log = _with_poses(log) if problem.nuisance.needs_attitude else log
    used = len(log.measurement) - round(holdout * len(log.measurement))
    seen, unseen = log.measurement[:used], log.measurement[used:]
    relative = settings.prior_relative_std
    before = excitation_report(problem, seen, relative, settings.prior_mass_std)
    found = identify_batch(problem, seen, method, settings)
    estimate = found.estimate
    links = physically_consistent_parameters(
        problem, estimate.values, estimate.covariance, relative
    )
    validation = validate(problem, unseen, found.values) if len(unseen) else None
    return LogIdentification(problem, method, log, used, before, found, links, validation)


def _with_poses(log: LogMeasurement) -> LogMeasurement:
    """Return a log with those samples that have a pose, which an unknown momentum needs."""
    measurement = log.measurement
    there = np.isfinite(measurement.attitude).all(axis=1)
    there &= np.isfinite(measurement.position).all(axis=1)
    if not there.any():
        raise EstimationError('an unknown momentum needs base_pose, which is not in the log')
    rejected = log.rejected + Counter({'joint_states: no poses around it': int(np.sum(~there))})
    return replace(log, measurement=measurement[there], rejected=rejected)
