"""The momentum of a robot while it moves: by output error, or by least squares to compare."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.changed_body import changed_bodies, ChangedBody
from spacerobot_id.estimation.estimate import (
    Estimate,
    estimate_from_information,
    whole_robot_estimate,
)
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.least_squares import weighted_least_squares
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import ordinary_rows, weighted_rows
from spacerobot_id.estimation.physical_consistency import (
    ConsistentParameters,
    physically_consistent_parameters,
)
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.recursive_identification import absorb, refine
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.model import InertialParameters


class _OfMinimalParameters:
    """What all methods with minimal parameters have in common."""

    problem: MomentumProblem

    def estimate(self) -> Estimate:
        """Return what is known now; it is computed once for every state."""
        return self._estimate

    @cached_property
    def _estimate(self) -> Estimate:
        raise NotImplementedError

    def is_moving(self, block: Measurement) -> NDArray[np.bool_]:
        """Return in which samples something moves, shape (N,)."""
        return self.problem.is_moving(block)

    def robot(self, q: NDArray[np.float64]) -> InertialParameters | None:
        """Return the whole robot at joint positions."""
        return whole_robot_estimate(self.problem, self.estimate(), q)

    def inertia(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""
        return self.robot(q).inertia_about_com

    def links(self, relative_std: float) -> ConsistentParameters | None:
        """Return links that can exist and fit."""
        found = self.estimate()
        return physically_consistent_parameters(
            self.problem, found.values, found.covariance, relative_std
        )


@dataclass(frozen=True, eq=False)
class LiveMomentum(_OfMinimalParameters):
    """Momentum output error.

    Parameters
    ----------
    state : Identification
        State of the recursion.
    """

    state: Identification

    looks_for_changes = True

    @property
    def problem(self) -> MomentumProblem:
        """Robot and noise."""
        return self.state.problem

    @property
    def samples(self) -> int:
        """Samples absorbed."""
        return self.state.samples

    @property
    def rejected(self) -> int:
        """Samples refused because they did not fit."""
        return self.state.rejected

    @property
    def changes(self) -> int:
        """Times that the robot was found changed."""
        return self.state.changes

    def absorb(self, block: Measurement) -> 'LiveMomentum':
        """Return the state after new samples."""
        return LiveMomentum(absorb(self.state, block))

    def refined(self) -> 'LiveMomentum':
        """Return the state with the batch fit over all samples kept."""
        return LiveMomentum(refine(self.state))

    @cached_property
    def _estimate(self) -> Estimate:
        return self.state.estimate()

    def changed(self) -> tuple[ChangedBody, ...]:
        """Return what came or went at the last change, by link."""
        return changed_bodies(self.state)


@dataclass(frozen=True, eq=False)
class LiveLeastSquares(_OfMinimalParameters):
    """Least squares on the momentum regressor, row after row: what papers compare with.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise; the base's velocity is measured.
    prior : Prior
        What the description says; the estimate makes no use of it.
    weighted : bool
        Whether rows are weighted by the noise of the rates; weights are those of the description
        until a refinement takes them anew.
    information : SquareRootInformation
        Rows absorbed.
    gram : ndarray, shape (p, p)
        ``G^T G`` of the regressor at the measured rates.
    recorded : tuple of Measurement
        Samples kept.
    most_samples : int
        Samples kept for a refinement, the newest.
    samples : int
        Samples absorbed.
    """

    problem: MomentumProblem
    prior: Prior
    weighted: bool
    information: SquareRootInformation
    gram: NDArray[np.float64]
    recorded: tuple[Measurement, ...] = ()
    most_samples: int = 60_000
    samples: int = 0

    rejected = 0
    changes = 0
    looks_for_changes = False

    @classmethod
    def begin(
        cls, problem: MomentumProblem, settings: RecursionSettings, *, weighted: bool
    ) -> 'LiveLeastSquares':
        """Return the state before the first sample."""
        prior = Prior(problem, settings.prior_relative_std, settings.prior_mass_std)
        p = len(problem.minimal)
        nothing = SquareRootInformation.nothing(p)
        return cls(problem, prior, weighted, nothing, np.zeros((p, p)), (), settings.most_samples)

    def absorb(self, block: Measurement) -> 'LiveLeastSquares':
        """Return the state after new samples."""
        block = block[self.is_moving(block)]
        if not len(block):
            return self
        described = self.prior.mean[: len(self.problem.minimal)]
        rows = (
            weighted_rows(self.problem, block, described)
            if self.weighted
            else ordinary_rows(self.problem, block)
        )
        recorded = Measurement.concatenate((*self.recorded, block))[-self.most_samples :]
        return replace(
            self,
            information=self.information.absorb(rows.matrix, rows.right),
            gram=self.gram + self.problem.gram(block),
            recorded=(recorded,),
            samples=self.samples + len(block),
        )

    def refined(self) -> 'LiveLeastSquares':
        """Return the state with the weights of all samples kept taken anew."""
        if not self.weighted or not self.recorded or self.information.rank() < len(self.gram):
            return self
        return replace(self, information=weighted_least_squares(self.problem, self.recorded[0]))

    @cached_property
    def _estimate(self) -> Estimate:
        """What is known now: nothing before there are as many rows as parameters."""
        known = self.information if self.weighted else self.information.with_unit_residual()
        return estimate_from_information(self.problem, known, self.prior, self.gram, self.samples)

    def changed(self) -> tuple[ChangedBody, ...]:
        """Return nothing: least squares does not look for changes."""
        return ()
