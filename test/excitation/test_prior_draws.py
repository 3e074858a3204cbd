"""Robots that a prior may stand for: how they are drawn, counted and planned for."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
from robots import dual_arm_prior

from spacerobot_id.excitation.constraint.actuator_limits import actuator_limits
from spacerobot_id.excitation.constraint.limit_set import limit_set
from spacerobot_id.excitation.family.families import make_family
from spacerobot_id.excitation.objective.condition_criteria import ConditionCriterion
from spacerobot_id.excitation.objective.objective import Objective
from spacerobot_id.excitation.objective.prior_draws import draw_robot, soft_maximum
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search.motion_search import Found, MotionSearch, SearchEffort
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
        each.run(SearchEffort(draws=5, restarts=1, iterations=15), np.random.default_rng(0))
    of_alone = np.array([score(robot, alone.best) for robot in robots])
    of_together = np.array([score(robot, together.best) for robot in robots])
    assert soft_maximum(of_together)[0] < soft_maximum(of_alone)[0] - 0.1
    np.testing.assert_allclose(together.best.score, soft_maximum(of_together)[0], rtol=1e-9)


def test_the_more_starts_the_lower_the_score_over_all_robots():
    """Halving keeps what is best for all robots, from more motions than are followed on."""
    prior, rng = dual_arm_prior(), np.random.default_rng(2)
    robots = [prior, draw_robot(prior, 0.5, rng)]
    few, many = search(robots), search(robots)
    few.run(SearchEffort(draws=6, restarts=0), np.random.default_rng(0))
    many.run(SearchEffort(draws=6, restarts=5, iterations=2), np.random.default_rng(0))
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
