"""Robots that a prior may stand for: how they are drawn, counted and planned for."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
from robots import dual_arm, dual_arm_prior

from spacerobot_id.excitation import plan_excitation
from spacerobot_id.excitation.constraint.limit_set import actuator_limits, limit_set, LimitSettings
from spacerobot_id.excitation.motion_search import Found, MotionSearch
from spacerobot_id.excitation.objective.criteria import ConditionCriterion
from spacerobot_id.excitation.objective.objective import draw_robot, Objective, soft_maximum
from spacerobot_id.excitation.planner import make_family
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.task import planning_task
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase
from spacerobot_id.regressor import minimal_parameters


def search(robots: list[RobotModel]) -> MotionSearch:
    """Return a search of short motions for robots."""
    prior, settings = robots[0], PlannerSettings(intervals=20, interval=1.0)
    limits = actuator_limits(prior)
    names = prior.joint_names + prior.wheel_names
    return MotionSearch(
        make_family(settings, names, limits, settings.interval, np.zeros(len(names))),
        Objective(MomentumInformation(robots, minimal_parameters(prior)), ConditionCriterion()),
        lambda spacing: limit_set(PlannedBase(prior), settings.limits, limits, spacing),
        lambda motion: (),
    )


def score(robot: RobotModel, found: Found) -> float:
    """Return the smoothed logarithm of the condition number of a robot."""
    judge = search([robot])
    judge.finish(found.parameters)
    return judge.best.score


def test_a_motion_is_followed_for_all_robots():
    """It does more for those for which one for the prior alone does least."""
    prior, rng = dual_arm_prior(), np.random.default_rng(1)
    robots = [prior, *(draw_robot(prior, 0.5, rng) for _ in range(6))]
    alone, together = search([prior]), search(robots)
    for each in (alone, together):
        each.run(PlannerSettings(draws=5, restarts=1, iterations=15), np.random.default_rng(0))
    of_alone = np.array([score(robot, alone.best) for robot in robots])
    of_together = np.array([score(robot, together.best) for robot in robots])
    assert soft_maximum(of_together)[0] < soft_maximum(of_alone)[0] - 0.1
    np.testing.assert_allclose(together.best.score, soft_maximum(of_together)[0], rtol=1e-9)


def largest_rates(robots, motion):
    """Return how fast the base of each robot turns at most, rad/s."""
    samples = motion.sample(np.linspace(0.0, motion.duration, 2000))
    return np.array(
        [np.linalg.norm(PlannedBase(each).twist(samples)[:, 3:], axis=1).max() for each in robots]
    )


def test_limits_of_the_base_hold_for_all_robots_that_are_planned_for():
    """For the prior alone they hold for few others; with draws for most, the true one too."""
    prior, limit = dual_arm_prior(), 0.01
    few = PlannerSettings(
        intervals=8, interval=2.0, draws=10, restarts=1, iterations=15, prior_draws=12
    )
    few = replace(few, limits=LimitSettings(base_rate=limit))
    start = np.zeros(len(prior.joints) + len(prior.wheels))
    drawn = planning_task(prior, start, few).with_drawn_robots(np.random.default_rng(0)).drawn
    assert len(drawn) == 12
    rng = np.random.default_rng(99)
    others = [dual_arm(), *(draw_robot(prior, few.prior_spread, rng) for _ in range(20))]
    alone = plan_excitation(prior, start, replace(few, prior_draws=0))
    together = plan_excitation(prior, start, few)
    assert largest_rates(drawn, alone.plan).max() > 1.1 * limit
    assert largest_rates([prior, *drawn], together.plan).max() <= limit * (1.0 + 1e-3)
    without, with_draws = largest_rates(others, alone.plan), largest_rates(others, together.plan)
    assert without[0] > limit >= with_draws[0]  # the true robot
    assert np.mean(without <= limit) < 0.5
    assert np.mean(with_draws <= limit) > 0.6
    assert [use.name for use in together.limits].count('base: rate') == 1


def test_the_more_starts_the_lower_the_score_over_all_robots():
    """Halving keeps what is best for all robots, from more motions than are followed on."""
    prior, rng = dual_arm_prior(), np.random.default_rng(2)
    robots = [prior, draw_robot(prior, 0.5, rng)]
    few, many = search(robots), search(robots)
    few.run(PlannerSettings(draws=6, restarts=0), np.random.default_rng(0))
    many.run(PlannerSettings(draws=6, restarts=5, iterations=2), np.random.default_rng(0))
    assert many.best.score < few.best.score


def test_no_spread_leaves_the_robot_as_it_is():
    """Masses, centres and inertias."""
    prior = dual_arm_prior()
    same = draw_robot(prior, 0.0, np.random.default_rng(0))
    for drawn, link in zip(same.links, prior.links, strict=True):
        np.testing.assert_allclose(drawn.inertial.vector, link.inertial.vector, atol=1e-12)


@given(arrays(float, st.integers(1, 9), elements=st.floats(-5.0, 5.0)))
def test_hard_robots_count_more(scores):
    """Between the mean and the largest; the shares are its slopes, the largest the hardest's."""
    value, shares = soft_maximum(scores)
    assert scores.mean() - 1e-9 <= value <= scores.max() + 1e-9
    assert shares[scores.argmax()] == shares.max()
    step = 1e-5
    for place, share in enumerate(shares):
        moved = step * np.eye(len(scores))[place]
        slope = (soft_maximum(scores + moved)[0] - soft_maximum(scores - moved)[0]) / (2.0 * step)
        assert abs(slope - share) < 1e-6
