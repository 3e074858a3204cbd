"""Seed parameters: Eqs. 30 and 31, and limits as bounds and linear constraints (33 to 37)."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.excitation.family.cycloid_family import (
    CycloidFamily,
    draw_direction_combinations,
)
from spacerobot_id.excitation.family.seed_family import (
    knots_from_seeds,
    SeedFamily,
)
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, largest_range
from spacerobot_id.model import JointLimits

SEEDS = st.integers(0, 2**32 - 1)


def random_seeds(seed, joints=3, intervals=4):
    rng = np.random.default_rng(seed)
    directions = draw_direction_combinations(joints, intervals, rng)
    return rng.normal(size=joints), rng.uniform(0.1, 1.0, joints), directions


@settings(deadline=None)
@given(SEEDS)
def test_knots_follow_the_paper(seed):
    """Each interval starts where the last ended and goes the range, one way or the other."""
    start, reach, directions = random_seeds(seed)
    knots = knots_from_seeds(start, reach, directions)
    expected = [start]
    for signs in directions:
        expected.append(expected[-1] + np.where(signs > 0, reach, -reach))
    np.testing.assert_allclose(knots, expected, atol=1e-14)


@settings(deadline=None)
@given(st.floats(0.01, 10.0), st.floats(0.01, 10.0), st.floats(0.1, 10.0))
def test_the_largest_range_reaches_the_tighter_limit(velocity, acceleration, interval):
    """A cycloid over it has the largest rate or acceleration allowed, and neither above (36)."""
    limits = JointLimits(velocity=velocity, acceleration=acceleration)
    reach = largest_range(limits, interval)
    plan = ExcitationPlan(('joint',), np.array([[0.0], [reach]]), np.array([interval]))
    motion = plan.sample(np.linspace(0.0, interval, 1001))
    shares = (
        np.abs(motion.velocity).max() / velocity,
        np.abs(motion.acceleration).max() / acceleration,
    )
    assert max(shares) == pytest.approx(1.0, rel=1e-5)


@settings(deadline=None)
@given(SEEDS)
def test_the_constraint_is_that_of_all_knots(seed):
    """Seeds meet the linear constraint if and only if every knot is within the limits (33)."""
    start, reach, directions = random_seeds(seed)
    rng = np.random.default_rng(seed + 1)
    limits = [JointLimits(-bound, bound) for bound in rng.uniform(0.5, 3.0, 3)]
    cycloids = CycloidFamily(('a', 'b', 'c'), limits, len(directions), 1.0, np.full(3, np.nan))
    (constraint,) = SeedFamily(cycloids, directions).constraints
    values = constraint.A @ np.concatenate([start, reach / cycloids.largest])
    met = (constraint.lb <= values).all() and (values <= constraint.ub).all()
    largest = np.abs(knots_from_seeds(start, reach, directions)).max(axis=0)
    assert met == (largest <= [limit.upper for limit in limits]).all()
