"""Plans of a small robot by seed, frozen, and what becomes of one that is beyond a limit."""

from dataclasses import replace

import numpy as np
import pytest
from small_robot import small_robot_prior

from spacerobot_id.excitation import (
    LimitSettings,
    motion_search,
    plan_excitation,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.planner_settings import CriterionName

QUICK = PlannerSettings(intervals=16, interval=2.0, draws=6, restarts=2, iterations=5, harmonics=3)


@pytest.mark.parametrize(
    ('change', 'cost', 'evaluations', 'mean_log_std'),
    [
        ({}, 2.400468797939759e-05, 50, -10.89816176709776),
        ({'family': FamilyName.SEEDS}, 0.00012569576374840864, 22, -9.177319823156013),
        ({'family': FamilyName.FOURIER_QUINTIC}, 6.810923179191184e-05, 38, -9.806059867107704),
        ({'family': FamilyName.PERIODIC_FOURIER}, 4.937462601365427e-05, 56, -10.161304094000442),
        (
            {'criterion': PlanCriterionSettings(CriterionName.SCALED_CONDITION)},
            24.860248082578792,
            44,
            -10.887989124982445,
        ),
        ({'limits': LimitSettings(planar=True)}, 0.00016627159384813937, 42, -6.891019888712015),
        (
            {'limits': LimitSettings(base_rate=0.02, base_excursion=0.1)},
            0.001555226687228201,
            64,
            -6.835351770437878,
        ),
        ({'prior_draws': 3}, 2.435022497746916e-05, 55, -10.886330683670264),
    ],
)
def test_the_same_seed_gives_the_plan_of_before(change, cost, evaluations, mean_log_std):
    """Cost, number of evaluations, and what is promised, to what rounding leaves."""
    found = plan_excitation(small_robot_prior(), np.zeros(5), replace(QUICK, **change))
    assert found.cost == pytest.approx(cost, rel=1e-4)
    assert abs(found.evaluations - evaluations) <= 2
    assert np.log(found.std).mean() == pytest.approx(mean_log_std, abs=1e-3)


@pytest.mark.parametrize('seed', [0, 1, 3])
def test_a_motion_just_beyond_a_limit_is_followed_on(seed, monkeypatch):
    """With a larger margin it shows more than shrunk about its start."""
    limits = LimitSettings(base_rate=0.02, base_excursion=0.1)
    settings = replace(QUICK, limits=limits, seed=seed)
    found = plan_excitation(small_robot_prior(), np.zeros(5), settings)
    monkeypatch.setattr(motion_search, '_TIGHTENINGS', 0)
    shrunk = plan_excitation(small_robot_prior(), np.zeros(5), settings)
    assert found.limits[0].share <= 1.0
    assert found.cost < 0.99 * shrunk.cost
