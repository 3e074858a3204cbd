"""The objective of a plan: what a method's sensors show along a motion, judged by a criterion."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.objective.criteria import (
    ConditionCriterion,
    Criterion,
    DeterminantCriterion,
    DeviationCriterion,
    NormalisedConditionCriterion,
    Score,
    standard_deviations,
)
from spacerobot_id.excitation.planner_settings import CriterionName, PlanCriterionSettings
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    parameter_scale,
    ShownMotion,
)
from spacerobot_id.model import InertialParameters, RobotModel


@dataclass(frozen=True, eq=False)
class Known:
    """What an estimator knows of the minimal parameters already.

    Parameters
    ----------
    values : ndarray, shape (p,)
        Estimates.
    information : ndarray, shape (p, p)
        Inverse of their covariance.
    """

    values: NDArray[np.float64]
    information: NDArray[np.float64]


def make_criterion(
    settings: PlanCriterionSettings, source: InformationSource, known: Known | None = None
) -> Criterion:
    """Return a criterion.

    Parameters
    ----------
    settings : PlanCriterionSettings
        Which, and its weights.
    source : InformationSource
        Parameters, and the robot that deviations are relative to.
    known : Known, optional
        What is known already; the deviation criterion adds it to what a motion shows.

    Raises
    ------
    PlanningError
        If a parameter of interest is unknown; names it.
    """
    if settings.name is CriterionName.DEVIATION:
        return DeviationCriterion(
            source.scale,
            interest(settings.of_interest, source.names),
            settings.worst_share,
            None if known is None else known.information,
        )
    return {
        CriterionName.CONDITION: ConditionCriterion(),
        CriterionName.SCALED_CONDITION: ConditionCriterion(is_scaled=True),
        CriterionName.CONDITION_AND_SIGNAL: ConditionCriterion(
            signal_weight=settings.signal_weight
        ),
        CriterionName.NORMALISED_CONDITION: NormalisedConditionCriterion(settings.level_weight),
        CriterionName.DETERMINANT: DeterminantCriterion(),
    }[settings.name]


def known_well_enough(
    source: InformationSource, known: Known, relative_std: float, of_interest: tuple[str, ...] = ()
) -> bool:
    """Return whether every parameter of interest is known better than is wanted.

    Parameters
    ----------
    source : InformationSource
        Parameters of the robot.
    known : Known
        Estimates and their information.
    relative_std : float
        Standard deviation wanted, relative to the size of each parameter.
    of_interest : tuple of str
        Links or minimal parameters; all if empty.
    """
    std = standard_deviations(known.information)
    counts = interest(of_interest, source.names) > 0.0
    return bool(
        np.all((std <= relative_std * parameter_scale(source.units, known.values))[counts])
    )


def interest(of_interest: tuple[str, ...], names: tuple[str, ...]) -> NDArray[np.float64]:
    """Return 1 for every parameter that counts, 0 for others, shape (p,).

    Parameters
    ----------
    of_interest : tuple of str
        Names of links or parameters; all count if empty.
    names : tuple of str
        Names of the p parameters.
    """
    links = [name.rpartition('.')[0] for name in names]
    for name in of_interest:
        if name not in names and name not in links:
            raise PlanningError(f'{name}: of interest, but no link and no minimal parameter')
    if not of_interest:
        return np.ones(len(names))
    return np.array(
        [
            float(name in of_interest or link in of_interest)
            for name, link in zip(names, links, strict=True)
        ]
    )


_POWER = 4.0
"""Exponent of the mean over robots: those for which a motion does least count most."""


def draw_robot(model: RobotModel, spread: float, rng: np.random.Generator) -> RobotModel:
    """Return a robot like another, each link of which differs on its own.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    spread : float
        Standard deviation of the logarithms of masses and inertias, and of the centres of mass
        as a share of the link's radius of gyration.
    rng : numpy.random.Generator
        Source of the draw.
    """
    links = []
    for link in model.links:
        body = link.inertial
        heavier, wider, *shift = spread * rng.normal(size=5)
        if not body.mass > 0.0:
            links.append(link)
            continue
        about_com = body.inertia_about_com
        gyration = np.sqrt(np.abs(np.trace(about_com)) / body.mass)
        drawn = InertialParameters.from_com(
            body.mass * np.exp(heavier),
            body.com + gyration * np.array(shift),
            about_com * np.exp(heavier + 2.0 * wider),
        )
        links.append(replace(link, inertial=drawn))
    return replace(model, links=links)


def soft_maximum(scores: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return a mean of scores that counts high ones more, and the share of each."""
    powers = np.exp(_POWER * (scores - scores.max()))
    return float(scores.max() + np.log(powers.mean()) / _POWER), powers / powers.sum()


_SAMPLES = 300
"""Random states at which a source is asked what it can show at all."""

_SHOWN = 0.5
"""Share of its prior deviation that a parameter has left, at most, if motion shows it."""

_NEW = 0.95
"""Share of its prior deviation that the best seen parameter has left if a motion shows nothing."""

_MUCH = 1e12
"""Length of the motion that is taken, s: all that can show does."""


def visible_parameters(source: InformationSource) -> NDArray[np.bool_]:
    """Return which parameters states drawn at random show beside the description, shape (p,)."""
    rng, robot = np.random.default_rng(0), source.models[0]
    actuators = len(robot.joints) + len(robot.wheels)
    motion = PlannedMotion(
        np.arange(float(_SAMPLES)),
        rng.uniform(-np.pi, np.pi, (_SAMPLES, actuators)),
        rng.normal(size=(_SAMPLES, actuators)),
        np.zeros((_SAMPLES, actuators)),
    )
    weights = np.full(_SAMPLES, _MUCH / _SAMPLES)
    shown = source.information(motion, weights).matrix
    scale = 1.0 / np.sqrt(np.diag(source.prior))
    eigenvalues, vectors = np.linalg.eigh(shown * np.outer(scale, scale))
    # In the units of the prior: what is left of each deviation, direction by direction.
    rounding = len(scale) * np.finfo(float).eps * eigenvalues[-1]
    left = np.where(eigenvalues > rounding, 0.0, 1.0)
    return np.sqrt(np.sum(vectors**2 * left, axis=1)) < _SHOWN


def shows_something(source: InformationSource, shown: NDArray[np.float64]) -> bool:
    """Return whether a motion shows any parameter better than the description states it.

    Parameters
    ----------
    source : InformationSource
        Parameters of the robot as it is described.
    shown : ndarray, shape (p, p)
        Information of the motion.
    """
    std = standard_deviations(shown, source.prior)
    return bool(np.any(std * np.sqrt(np.diag(source.prior)) < _NEW))


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
