"""The search of [Ekal 2019] section 4.1: one, from one random start, by the criteria V1 and V2."""

from collections.abc import Mapping
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spacerobot_id.excitation.family.periodic_family import FourierFamily
from spacerobot_id.excitation.objective.condition_criteria import (
    Criterion,
    DeterminantCriterion,
    NormalisedConditionCriterion,
)
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.methods.information.free_flyer import FreeFlyerInformation
from spacerobot_id.model import load_robot, shipped_file

_SAMPLES = 60
"""Samples of one cycle."""


class FreeFlyerCriterion(Enum):
    """What is minimised ([Ekal 2019] Eqs. 21, 22)."""

    CONDITION = 'V1'
    INFORMATION = 'V2'


_CRITERIA: Mapping[FreeFlyerCriterion, Criterion] = {
    FreeFlyerCriterion.CONDITION: NormalisedConditionCriterion(level_weight=10.0),
    FreeFlyerCriterion.INFORMATION: DeterminantCriterion(),
}

WITHOUT_LEVELS = NormalisedConditionCriterion(level_weight=0.0)
"""V1 without its second term: the condition number alone."""


def criterion_of(name: FreeFlyerCriterion) -> Criterion:
    """Return the criterion of the paper that a name stands for."""
    return _CRITERIA[name]


def searched_motion(
    family: FourierFamily, criterion: Criterion, seed: int, iterations: int = 60
) -> PeriodicFourierMotion:
    """Return an exciting motion by one search from one random start.

    Parameters
    ----------
    family : FourierFamily
        Motions to choose from.
    criterion : Criterion
        What is minimised.
    seed : int
        Seed of the start: other seeds end in other local minima.
    iterations : int
        Most iterations of the optimiser.
    """
    costs: dict[bytes, float] = {}

    def cost(numbers: NDArray[np.float64]) -> float:
        found = cost_of(family.motion(numbers), criterion)
        costs[numbers.tobytes()] = found
        return found

    start = np.random.default_rng(seed).uniform(-0.5, 0.5, family.shape)
    lower, upper = family.bounds
    minimize(
        cost,
        start.ravel(),
        method='L-BFGS-B',
        bounds=list(zip(lower.ravel(), upper.ravel(), strict=True)),
        options={'maxiter': iterations, 'eps': 1e-6},
    )
    return family.motion(np.frombuffer(min(costs, key=costs.get)))


def cost_of(motion: PeriodicFourierMotion, criterion: Criterion) -> float:
    """Return the cost of a motion, on equally spaced samples of one cycle."""
    source = _source()
    samples = motion.sample((np.arange(_SAMPLES) + 0.5) * motion.period / _SAMPLES)
    weights = np.full(_SAMPLES, 1.0 / source.models[0].noise.rate)  # rows count once each
    return criterion.cost(source.information(samples, weights))


@cache
def _source() -> FreeFlyerInformation:
    """Return what motions show, whatever the body: the criteria have no part of it."""
    return FreeFlyerInformation([load_robot(shipped_file('config/robots/space_cobot.urdf'))])
