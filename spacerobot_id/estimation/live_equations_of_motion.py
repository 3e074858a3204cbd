"""Equations of motion while a robot moves."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.equations_of_motion import (
    differentiated_motion,
    equations_of_motion_rows,
)
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.live_reduced import OfReducedParameters
from spacerobot_id.estimation.reduced_estimate import reduced_estimate
from spacerobot_id.estimation.square_root_information import SquareRootInformation


@dataclass(frozen=True, eq=False)
class LiveEquationsOfMotion(OfReducedParameters):
    """Least squares on torques and derived accelerations, row after row.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot; its settings give the window that accelerations are derived from.
    prior : SquareRootInformation
        What the description says.
    data : SquareRootInformation
        Rows absorbed.
    gram : ndarray, shape (k, k)
        ``Y^T Y`` of the regressor.
    longest_step : float
        Largest time between two samples of a window, s.
    tail : Measurement, optional
        Samples that the next accelerations need.
    samples : int
        Samples absorbed.
    """

    problem: AngularMomentumProblem
    prior: SquareRootInformation
    data: SquareRootInformation
    gram: NDArray[np.float64]
    longest_step: float = np.inf
    tail: Measurement | None = None
    samples: int = 0

    @classmethod
    def begin(
        cls,
        problem: AngularMomentumProblem,
        settings: RecursionSettings,
        longest_step: float = np.inf,
    ) -> 'LiveEquationsOfMotion':
        """Return the state before the first sample: the prior; a bias of the gyro is ignored."""
        problem = replace(problem, gyro_bias=0.0)
        k = len(problem.reduced)
        prior = problem.prior(settings.prior_relative_std)
        nothing = SquareRootInformation.nothing(k)
        return cls(problem, prior, nothing, np.zeros((k, k)), longest_step)

    def absorb(self, block: Measurement) -> 'LiveEquationsOfMotion':
        """Return the state after new samples, in the order of time.

        Raises
        ------
        EstimationError
            If torques are not measured.
        """
        seen = block if self.tail is None else Measurement.concatenate([self.tail, block])
        window = self.problem.settings.acceleration_window
        motion = differentiated_motion(self.problem, seen, window, self.longest_step)
        kept = replace(self, tail=seen[-(window - 1) :])
        if not len(motion):
            return kept
        rows = equations_of_motion_rows(self.problem, motion)
        return replace(
            kept,
            data=self.data.absorb(rows.matrix, rows.right),
            gram=self.gram + rows.matrix.T @ rows.matrix,
            samples=self.samples + len(motion),
        )

    def refined(self) -> 'LiveEquationsOfMotion':
        """Return the same: least squares has nothing to linearise anew."""
        return self

    @cached_property
    def _estimate(self) -> Estimate:
        """What is known now; the scatter of the rows' residual is taken for their noise."""
        scaled = self.data.with_unit_residual()
        both = self.prior.absorb(scaled.factor, scaled.target)
        both = replace(both, residual=scaled.residual, rows=scaled.rows + self.prior.rows)
        return reduced_estimate(self.problem, both, self.prior, self.gram, self.samples)
