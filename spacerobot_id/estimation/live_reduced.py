"""Angular momentum alone, and equations of motion, while a robot moves."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_fit import (
    absorb_angular_momentum,
    angular_momentum_output_error,
    best_angular_momentum_start,
)
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.changed_body import ChangedBody
from spacerobot_id.estimation.equations_of_motion import (
    differentiated_motion,
    equations_of_motion_rows,
)
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.reduced_estimate import reduced_estimate
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.model import InertialParameters


class _OfReducedParameters:
    """What both methods have in common: no mass, no links, no search for changes."""

    problem: AngularMomentumProblem
    rejected = 0
    changes = 0

    def estimate(self) -> Estimate:
        """Return what is known now; it is computed once for every state."""
        return self._estimate

    @cached_property
    def _estimate(self) -> Estimate:
        raise NotImplementedError

    def is_moving(self, block: Measurement) -> NDArray[np.bool_]:
        """Return in which samples a joint or a wheel moves, shape (N,)."""
        return self.problem.is_moving(block)

    def robot(self, q: NDArray[np.float64]) -> InertialParameters | None:
        """Return None: the total mass does not show."""
        return None

    def inertia(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        return self.problem.inertia(self.estimate().values, q)

    def links(self, relative_std: float) -> ConsistentParameters | None:
        """Return None: without the total mass there are no links."""
        return None

    def changed(self) -> tuple[ChangedBody, ...]:
        """Return nothing: changes are not looked for."""
        return ()


@dataclass(frozen=True, eq=False)
class LiveAngularMomentum(_OfReducedParameters):
    """Output error of the gyro, re-linearised as the samples grow.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot, noise and known momentum.
    settings : RecursionSettings
        Prior and growth; outliers and changes are not looked for.
    prior : SquareRootInformation
        What the description says.
    known : SquareRootInformation
        Prior, and what samples say that are no longer kept.
    information : SquareRootInformation
        Everything.
    centre : ndarray, shape (u,)
        Unknowns that new samples are linearised about.
    gram : ndarray, shape (k, k)
        ``Y^T Y`` of the regressor at the measured rates.
    recorded : tuple of Measurement
        Samples kept.
    samples, linearised : int
        Samples absorbed, and how many when all were last linearised.
    """

    problem: AngularMomentumProblem
    settings: RecursionSettings
    prior: SquareRootInformation
    known: SquareRootInformation
    information: SquareRootInformation
    centre: NDArray[np.float64]
    gram: NDArray[np.float64]
    recorded: tuple[Measurement, ...] = ()
    samples: int = 0
    linearised: int = 0

    @classmethod
    def begin(
        cls, problem: AngularMomentumProblem, settings: RecursionSettings
    ) -> 'LiveAngularMomentum':
        """Return the state before the first sample: the prior."""
        prior = problem.prior(settings.prior_relative_std)
        k = len(problem.reduced)
        return cls(problem, settings, prior, prior, prior, prior.values(), np.zeros((k, k)))

    def absorb(self, block: Measurement) -> 'LiveAngularMomentum':
        """Return the state after new samples, all linearised anew if that is due."""
        block = self.problem.complete(block[self.is_moving(block)])
        if not len(block):
            return self
        grown = replace(
            self,
            information=absorb_angular_momentum(
                self.problem, block, self.centre, self.information
            ),
            gram=self.gram + self.problem.gram(block),
            recorded=(*self.recorded, block),
            samples=self.samples + len(block),
        )._without_oldest()
        is_due = grown.samples >= (1.0 + self.settings.growth) * self.linearised
        return grown._fitted(self.settings.iterations) if is_due else grown

    def refined(self) -> 'LiveAngularMomentum':
        """Return the state with the batch fit over all samples kept."""
        return self._fitted(20) if self.recorded else self

    @cached_property
    def _estimate(self) -> Estimate:
        return reduced_estimate(
            self.problem, self.information, self.prior, self.gram, self.samples
        )

    def _fitted(self, iterations: int) -> 'LiveAngularMomentum':
        samples = Measurement.concatenate(self.recorded)
        start = best_angular_momentum_start(self.problem, samples, self.centre, self.known)
        fit = angular_momentum_output_error(self.problem, samples, start, self.known, iterations)
        return replace(
            self,
            information=fit.information,
            centre=fit.values,
            recorded=(samples,),
            linearised=self.samples,
        )

    def _without_oldest(self) -> 'LiveAngularMomentum':
        """Return the state with no more samples kept than allowed, those dropped made known."""
        if sum(len(block) for block in self.recorded) <= self.settings.most_samples:
            return self
        samples = Measurement.concatenate(self.recorded)
        half = len(samples) - self.settings.most_samples // 2
        known = absorb_angular_momentum(self.problem, samples[:half], self.centre, self.known)
        return replace(self, known=known, recorded=(samples[half:],))


@dataclass(frozen=True, eq=False)
class LiveEquationsOfMotion(_OfReducedParameters):
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
