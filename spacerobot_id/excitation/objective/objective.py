"""The objective of a plan: what a method's sensors show along a motion, judged by a criterion."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.objective.criteria import Criterion, Score
from spacerobot_id.excitation.objective.prior_draws import soft_maximum
from spacerobot_id.kinematics.planned_motion import PlannedMotion, SampleGradient
from spacerobot_id.methods.information.motion_information import InformationSource, ShownMotion


@dataclass(frozen=True, eq=False)
class Objective:
    """What is to be small, for all robots that the prior may stand for.

    Parameters
    ----------
    source : InformationSource
        What a motion shows, of the prior first and of other robots that it might be.
    criterion : Criterion
        What is made of it; the hardest of the robots counts first of all.
    """

    source: InformationSource
    criterion: Criterion

    def __post_init__(self) -> None:
        if self.source.is_weighted != self.criterion.is_weighted:
            weighted = replace(self.source, is_weighted=self.criterion.is_weighted)
            object.__setattr__(self, 'source', weighted)

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.source.has_gradient

    def of(self, robots: Sequence[int]) -> 'Objective':
        """Return the objective for some of the robots."""
        return replace(self, source=self.source.of(robots))

    def hardest(
        self, motion: PlannedMotion, weights: NDArray[np.float64], count: int
    ) -> 'Objective':
        """Return the objective for the first robot and those for which a motion does least."""
        scores = [score.value for score in self._scores(self.source.shown(motion, weights))]
        return self.of([0, *(1 + np.argsort(scores[1:])[-count:])])

    def cost(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> float:
        """Return the value of the criterion for the first robot.

        Parameters
        ----------
        motion : PlannedMotion
            N samples.
        weights : ndarray, shape (N,)
            Time that each stands for, s.
        """
        return self.criterion.cost(self.source.information(motion, weights))

    def score(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> float:
        """Return a smooth stand-in of the criterion over all robots; arguments as for ``cost``."""
        scores = self._scores(self.source.shown(motion, weights))
        return soft_maximum(np.array([score.value for score in scores]))[0]

    def score_with_gradient(
        self, motion: PlannedMotion, weights: NDArray[np.float64]
    ) -> tuple[float, SampleGradient]:
        """Return the score and its derivatives by the samples; arguments as for ``cost``."""
        shown = self.source.shown(motion, weights)
        scores = self._scores(shown)
        total, shares = soft_maximum(np.array([score.value for score in scores]))
        by = [share * score.by for share, score in zip(shares, scores, strict=True)]
        return total, shown.pull_back(by)

    def score_with_changes(
        self, motions: Sequence[PlannedMotion], weights: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the score of a motion, and how it differs, to first order, for motions nearby.

        Parameters
        ----------
        motions : sequence of PlannedMotion
            The motion, then K others with samples at the same times.
        weights : ndarray, shape (N,)
            Time that each sample stands for, s.

        Returns
        -------
        tuple
            The score, and its changes, shape (K,).
        """
        here, *others = self.source.shown_each(motions, weights)
        scores, changes = self._scores(here), np.zeros(len(others))
        total, shares = soft_maximum(np.array([score.value for score in scores]))
        for robot, (share, score) in enumerate(zip(shares, scores, strict=True)):
            before = here.information(robot)
            for number, other in enumerate(others):
                changes[number] += share * score.by.times(other.information(robot) - before)
        return total, changes

    def _scores(self, shown: ShownMotion) -> list[Score]:
        """Return the scores of all robots."""
        robots = range(len(self.source.models))
        return [self.criterion.score(shown.information(robot)) for robot in robots]
