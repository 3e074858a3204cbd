"""Angular momentum alone while a robot moves."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_fit import (
    absorb_angular_momentum,
    angular_momentum_output_error,
    best_angular_momentum_start,
)
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.angular_momentum_rows import angular_output_error_rows
from spacerobot_id.estimation.change_detection import Doubt, NO_DOUBT, row_chi_squares
from spacerobot_id.estimation.changed_body import ChangedBody
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.outlier_gate import explains_doubt, gated
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.reduced_estimate import reduced_estimate
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.model import InertialParameters

_LEAST_GROWTH = 0.3
"""Growth of the samples before which they are not linearised anew: every time takes a full fit."""


class OfReducedParameters:
    """What methods with reduced parameters have in common: no mass, no links."""

    problem: AngularMomentumProblem
    rejected = 0
    changes = 0
    looks_for_changes = False

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
        """Return nothing: without links it cannot be told what came or went."""
        return ()


@dataclass(frozen=True, eq=False)
class LiveAngularMomentum(OfReducedParameters):
    """Output error of the gyro, re-linearised as the samples grow.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot, noise and known momentum.
    settings : RecursionSettings
        Prior, growth and gate.
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
    noise : float
        Variance of the noise when all were last linearised, where 1 is stated; at least 1.
    rejected : int
        Samples refused so far because they did not fit.
    changes : int
        Times the robot was found changed; any of its parameters may be another then.
    doubt : Doubt
        Samples refused lately, in case the robot has changed.
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
    noise: float = 1.0
    rejected: int = 0
    changes: int = 0
    doubt: Doubt = NO_DOUBT

    looks_for_changes = True

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
        kind = LiveAngularMomentum
        state, block = gated(self, block, kind._fitting, kind._reconciled, kind._changed)
        return state._taken(block) if len(block) else state

    def _taken(self, block: Measurement) -> 'LiveAngularMomentum':
        """Return the state with a block in it, all linearised anew if that is due."""
        grown = replace(
            self,
            information=absorb_angular_momentum(
                self.problem, block, self.centre, self.information
            ),
            gram=self.gram + self.problem.gram(block),
            recorded=(*self.recorded, block),
            samples=self.samples + len(block),
        )._without_oldest()
        return grown._fitted(self.settings.iterations) if grown._is_due() else grown

    def _is_due(self) -> bool:
        """Return whether all samples are to be linearised anew."""
        growth = self.samples / max(self.linearised, 1) - 1.0
        if growth >= self.settings.growth:
            return True
        step = self.information.values() - self.centre
        return growth >= _LEAST_GROWTH and self.information.deviations(step) > 1.0

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
            noise=fit.information.noise_variance(),
        )

    def _fitting(self, samples: Measurement) -> NDArray[np.bool_]:
        """Return which samples fit what is known."""
        rows = angular_output_error_rows(self.problem, samples, self.centre)
        limit = self.noise * chdtri(3, self.settings.change.gate)
        return row_chi_squares(rows, 3, self.information) <= limit

    def _reconciled(self, good: Measurement) -> 'LiveAngularMomentum | None':
        """Return the state that explains the refused samples beside all others, or None."""
        doubtful = self.doubt.samples()
        samples = Measurement.concatenate([*self.recorded, good, doubtful])
        joint = replace(
            self,
            recorded=(samples[np.argsort(samples.times, kind='stable')],),
            gram=self.gram + self.problem.gram(good) + self.problem.gram(doubtful),
            samples=self.samples + len(good) + len(doubtful),
            rejected=self.rejected - len(doubtful),
            doubt=NO_DOUBT,
        ).refined()
        return joint if explains_doubt(joint, self, LiveAngularMomentum._fitting) else None

    def _changed(self, taken: int) -> 'LiveAngularMomentum':
        """Return the state of another robot, as far from this one as from its description.

        A body in any link shows in many of the reduced parameters; a bias of the gyro stays known.
        """
        count = len(self.problem.reduced)
        covariance = self.prior.covariance()
        found = self.information.with_noise(self.noise)
        covariance[count:, count:] = found.covariance()[count:, count:]
        known = SquareRootInformation.from_prior(self.information.values(), covariance)
        return replace(
            self,
            known=known,
            information=known,
            centre=known.values(),
            gram=np.zeros_like(self.gram),
            recorded=(),
            samples=0,
            linearised=0,
            rejected=self.rejected - taken,
            changes=self.changes + 1,
            doubt=NO_DOUBT,
        )

    def _without_oldest(self) -> 'LiveAngularMomentum':
        """Return the state with no more samples kept than allowed, those dropped made known."""
        if sum(len(block) for block in self.recorded) <= self.settings.most_samples:
            return self
        samples = Measurement.concatenate(self.recorded)
        half = len(samples) - self.settings.most_samples // 2
        known = absorb_angular_momentum(self.problem, samples[:half], self.centre, self.known)
        return replace(self, known=known, recorded=(samples[half:],))
