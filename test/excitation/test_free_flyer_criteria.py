"""Criteria V1 and V2 of [Ekal 2019], and plans for a base that moves itself."""

from dataclasses import replace

from build_robots import ROBOTS
import numpy as np
import pytest

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import (
    load_plan,
    plan_excitation,
    plan_from_file,
    PlanCriterionSettings,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.family.periodic_family import pose_family
from spacerobot_id.excitation.objective.criteria import (
    DeterminantCriterion,
    NormalisedConditionCriterion,
)
from spacerobot_id.excitation.planner_settings import BasePlanSettings, CriterionName
from spacerobot_id.excitation.task import planning_task
from spacerobot_id.excitation.trajectory.command_check import extent_of
from spacerobot_id.kinematics import POSE_COORDINATES, pose_motion
from spacerobot_id.methods.information.free_flyer import FreeFlyerInformation
from spacerobot_id.model import load_robot
from spacerobot_id.regressor import newton_euler_regressor

ROBOT = load_robot(ROBOTS / 'space_cobot.urdf')
FAMILY = pose_family(FreeFlyerLimits(), 10.0, cycles=10)
V1 = PlanCriterionSettings(CriterionName.NORMALISED_CONDITION, level_weight=10.0)
V2 = PlanCriterionSettings(CriterionName.DETERMINANT)
QUICK = PlannerSettings(draws=5, restarts=1, iterations=20)


def drawn(seed):
    return FAMILY.kept_motion(np.random.default_rng(seed).uniform(-0.5, 0.5, FAMILY.shape))


def one_cycle(motion, samples):
    return motion.sample((np.arange(samples) + 0.5) * 10.0 / samples)


def rows_of(planned, force_std=1.0, torque_std=1.0):
    """Return the rows of the regressor over their noise, stacked."""
    rows = newton_euler_regressor(
        pose_motion(planned.position, planned.velocity, planned.acceleration)
    )
    rows[:, :3] /= force_std
    rows[:, 3:] /= torque_std
    return rows.reshape(-1, 10)


def shown(planned, **stds):
    """Return what samples show if each counts once."""
    weights = np.full(len(planned.times), 1.0 / ROBOT.noise.rate)
    return FreeFlyerInformation([ROBOT], **stds).information(planned, weights)


def planned_by(criterion, settings=QUICK, **base):
    """Return a plan of a base by its criterion, by that of the settings if None."""
    base = BasePlanSettings(criterion=criterion, **base)
    return plan_excitation(ROBOT, settings=replace(settings, base=base), method='free_flyer')


def test_V1_is_the_condition_number_less_the_levels():
    """Eq. 21 with equal weights, on the samples of one cycle."""
    planned = one_cycle(drawn(1), 80)
    singular = np.linalg.svd(rows_of(planned, torque_std=0.1), compute_uv=False)
    level = np.sqrt((planned.position**2).mean(axis=0)).sum()
    cost = NormalisedConditionCriterion(3.0).cost(shown(planned, torque_std=0.1))
    assert cost == pytest.approx(singular[0] / singular[-1] - 3.0 * level)


def test_V2_is_the_determinant_of_the_information():
    """Eq. 22 by way of the determinant itself."""
    planned = one_cycle(drawn(2), 60)
    matrix = rows_of(planned, 0.5, 0.05)
    sign, log = np.linalg.slogdet(matrix.T @ matrix)
    assert sign == 1.0
    cost = DeterminantCriterion().cost(shown(planned, force_std=0.5, torque_std=0.05))
    assert cost == pytest.approx(-log, rel=1e-9)


@pytest.mark.parametrize('settings', [V1, V2], ids=['V1', 'V2'])
def test_the_search_improves_on_where_it_starts(settings):
    """Better than every random motion of the same family, within the same limits."""
    planned = planned_by(settings)
    criterion = {V1: NormalisedConditionCriterion(10.0), V2: DeterminantCriterion()}[settings]
    source, weights = FreeFlyerInformation([ROBOT]), np.full(96, 10.0 / 96)
    costs = [
        criterion.cost(source.information(one_cycle(each, 96), weights))
        for each in (planned.plan, *map(drawn, range(20)))
    ]
    assert planned.cost == pytest.approx(costs[0])
    assert planned.cost < min(costs[1:])
    assert planned.plan.is_at_rest_at_its_ends
    assert planned.plan.duration == 100.0
    assert planned.limits[0].share <= 1.0 + 1e-6
    extent, within = planned.plan.extent(), extent_of(FAMILY.limits)
    assert (extent.highest <= within.highest + 1e-9).all()
    assert (extent.acceleration <= within.acceleration + 1e-9).all()


def test_each_criterion_is_best_at_its_own():
    """V1 plans a smaller condition number, V2 more information."""
    by_condition, by_information = map(planned_by, (V1, V2))
    task = planning_task(ROBOT, None, QUICK, method='free_flyer')
    assert by_condition.condition < by_information.condition
    of_condition, of_information = (
        np.linalg.slogdet(task.promise(each.plan).information)[1]
        for each in (by_condition, by_information)
    )
    assert of_information > of_condition


def test_without_levels_the_best_motion_is_smaller():
    """What the paper saw: the condition number alone does not ask for a motion worth flying."""
    plans = [planned_by(replace(V1, level_weight=weight)).plan for weight in (10.0, 0.0)]
    large, small = (np.mean(one_cycle(each, 100).position ** 2) for each in plans)
    assert small < large


@pytest.mark.parametrize('name', CriterionName)
def test_every_criterion_plans_for_a_base(name):
    """That of the planner's settings where the base has none of its own; all parameters show."""
    few = replace(QUICK, draws=2, iterations=2, criterion=PlanCriterionSettings(name))
    planned = planned_by(None, few)
    assert planned.criterion is name
    assert np.isfinite(planned.std).all()


@pytest.mark.parametrize('family', [each for each in FamilyName if each.value != 'automatic'])
def test_plans_of_a_base_are_of_every_family_and_load_again(tmp_path, family):
    """Within its limits, about where the base starts; the file gives the same motion."""
    few = replace(QUICK, family=family, draws=2, iterations=2, interval=3.0)
    base = {'period': 60.0, 'cycles': 1}
    planned = planned_by(None, few, **base)
    save_plan(planned.plan, tmp_path / 'plan.yaml')
    loaded = load_plan(tmp_path / 'plan.yaml')
    times = np.linspace(0.0, planned.plan.duration, 50)
    assert loaded.names == POSE_COORDINATES
    np.testing.assert_array_equal(
        loaded.sample(times).position, planned.plan.sample(times).position
    )
    settings = replace(few, base=BasePlanSettings(**base))
    again = plan_from_file(ROBOT, None, tmp_path / 'plan.yaml', settings, method='free_flyer')
    np.testing.assert_allclose(again.std, planned.std)
    assert again.limits[0].share <= 1.0 + 1e-6


def test_a_motion_that_does_not_show_everything_is_refused():
    """Angles that cannot move leave the inertia unseen."""
    still = FreeFlyerLimits(angular_rate=1e-14, angular_acceleration=1e-14)
    with pytest.raises(PlanningError, match='ten parameters'):
        planned_by(V1, replace(QUICK, draws=1, restarts=0), limits=still)
