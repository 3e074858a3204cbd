"""Criteria V1 and V2 of papers/003, and the search for a motion of the base."""

from dataclasses import replace

import numpy as np
import pytest

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import (
    condition_criterion,
    CriterionSettings,
    FreeFlyerCriterion,
    FreeFlyerLimits,
    information_criterion,
    plan_free_flyer,
    pose_family,
    weighted_regressor,
)

FAMILY = pose_family(FreeFlyerLimits(), 10.0, cycles=10)


def drawn(seed):
    return FAMILY.motion(np.random.default_rng(seed).uniform(-0.5, 0.5, FAMILY.shape))


def test_V1_is_the_condition_number_less_the_levels():
    """Eq. 21 with equal weights, on the samples of one cycle."""
    settings = CriterionSettings(samples=80, level_weight=3.0, torque_std=0.1)
    motion = drawn(1)
    planned = motion.sample((np.arange(80) + 0.5) * 10.0 / 80)
    singular = np.linalg.svd(weighted_regressor(planned, settings), compute_uv=False)
    level = np.sqrt((planned.position**2).mean(axis=0)).sum()
    assert condition_criterion(motion, settings) == pytest.approx(
        singular[0] / singular[-1] - 3.0 * level
    )


def test_V2_is_the_determinant_of_the_information():
    """Eq. 22 by way of the determinant itself."""
    settings = CriterionSettings(force_std=0.5, torque_std=0.05)
    motion = drawn(2)
    planned = motion.sample((np.arange(60) + 0.5) * 10.0 / 60)
    matrix = weighted_regressor(planned, settings)
    sign, log = np.linalg.slogdet(matrix.T @ matrix)
    assert sign == 1.0
    assert information_criterion(motion, settings) == pytest.approx(-log, rel=1e-9)


@pytest.mark.parametrize('criterion', FreeFlyerCriterion)
def test_the_search_improves_on_where_it_starts(criterion):
    """Better than every random motion of the same family, within the same limits."""
    judge = {
        FreeFlyerCriterion.CONDITION: condition_criterion,
        FreeFlyerCriterion.INFORMATION: information_criterion,
    }[criterion]
    planned = plan_free_flyer(FAMILY, criterion, seed=3, iterations=30)
    assert planned.cost == pytest.approx(judge(planned.motion))
    assert planned.cost < min(judge(drawn(seed)) for seed in range(20))
    assert planned.motion.is_at_rest_at_its_ends
    extent = planned.motion.extent()
    assert (extent.highest <= FAMILY.highest + 1e-9).all()
    assert (extent.acceleration <= FAMILY.acceleration + 1e-9).all()


def test_each_criterion_is_best_at_its_own():
    """V1 plans a smaller condition number, V2 more information."""
    by_condition, by_information = (
        plan_free_flyer(FAMILY, criterion, seed=5, iterations=40)
        for criterion in FreeFlyerCriterion
    )
    assert by_condition.condition < by_information.condition
    assert information_criterion(by_information.motion) < information_criterion(
        by_condition.motion
    )


def test_without_levels_the_best_motion_is_tiny():
    """What the paper saw: the condition number alone does not ask for a motion worth flying."""
    levels = [
        np.sqrt(
            np.mean(
                plan_free_flyer(FAMILY, settings=settings, seed=1)
                .motion.sample(np.linspace(0.0, 10.0, 100))
                .position
                ** 2
            )
        )
        for settings in (CriterionSettings(), CriterionSettings(level_weight=0.0))
    ]
    assert levels[1] < levels[0]


def test_a_motion_that_does_not_show_everything_is_refused():
    """Angles that cannot move leave the inertia unseen."""
    small = np.array([1.0, 1.0, 1.0, 1e-14, 1e-14, 1e-14])
    still = replace(FAMILY, velocity=FAMILY.velocity * small)
    with pytest.raises(PlanningError, match='ten parameters'):
        plan_free_flyer(still, iterations=1)
