"""A plan's samples: derivatives of one another, through every knot, at rest there and outside."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, SHORTEST_PART

SEEDS = st.integers(0, 2**32 - 1)


def random_knots(seed, intervals=5):
    rng = np.random.default_rng(seed)
    return ExcitationPlan(
        ('first', 'second'),
        rng.normal(size=(intervals + 1, 2)),
        rng.uniform(0.5, 2.0, intervals),
    )


@settings(deadline=None)
@given(SEEDS)
def test_each_is_the_derivative_of_the_one_before(seed):
    """Central differences of positions and velocities give velocities and accelerations."""
    plan, step = random_knots(seed), 1e-5
    times = np.random.default_rng(seed).uniform(0.0, plan.duration, 20)
    now, ahead, behind = (plan.sample(times + shift) for shift in (0.0, step, -step))
    velocity = (ahead.position - behind.position) / (2.0 * step)
    acceleration = (ahead.velocity - behind.velocity) / (2.0 * step)
    np.testing.assert_allclose(now.velocity, velocity, atol=1e-7)
    np.testing.assert_allclose(now.acceleration, acceleration, atol=2e-2)


@settings(deadline=None)
@given(SEEDS)
def test_it_rests_at_every_knot(seed):
    """At the ends of the intervals the positions are the knots, the velocities zero."""
    plan = random_knots(seed)
    times = np.concatenate([[0.0], np.cumsum(plan.durations)])
    motion = plan.sample(times)
    np.testing.assert_allclose(motion.position, plan.knots, atol=1e-12)
    np.testing.assert_allclose(motion.velocity, 0.0, atol=1e-12)
    np.testing.assert_array_equal(motion.times, times)


def test_it_rests_before_and_after():
    """Outside its duration the plan stays at its first and last knots."""
    plan = random_knots(0)
    motion = plan.sample([-5.0, plan.duration + 1e-9, plan.duration + 100.0])
    np.testing.assert_allclose(motion.position, plan.knots[[0, -1, -1]])
    np.testing.assert_allclose(motion.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(motion.acceleration, 0.0, atol=1e-12)


@settings(deadline=None)
@given(SEEDS)
def test_between_knots_it_stays_between_them(seed):
    """No sample is beyond the knots of its interval: knots within limits keep the motion there."""
    plan = random_knots(seed, intervals=1)
    motion = plan.sample(np.linspace(0.0, plan.duration, 200))
    assert (motion.position >= plan.knots.min(axis=0) - 1e-12).all()
    assert (motion.position <= plan.knots.max(axis=0) + 1e-12).all()


@settings(deadline=None)
@given(SEEDS, st.integers(1, 7))
def test_samples_of_intervals_are_samples_at_their_times(seed, per_interval):
    """Each interval gives as many, spread evenly, and the time of each is true."""
    plan = random_knots(seed)
    motion = plan.sample_intervals(per_interval)
    again = plan.sample(motion.times)
    assert len(motion.times) == per_interval * len(plan.durations)
    assert (np.diff(motion.times) > 0.0).all()
    for name in ('position', 'velocity', 'acceleration'):
        np.testing.assert_allclose(getattr(motion, name), getattr(again, name), atol=1e-9)


def test_the_duration_is_the_sum_of_the_intervals():
    """Intervals of different lengths add up."""
    plan = ExcitationPlan(('joint',), np.zeros((4, 1)), np.array([1.0, 0.5, 2.0]))
    assert plan.duration == pytest.approx(3.5)


@settings(deadline=None)
@given(SEEDS)
def test_its_extent_is_where_it_goes(seed):
    """Sampled densely, it reaches its extent and never passes it."""
    plan = random_knots(seed)
    motion, extent = plan.sample(np.linspace(0.0, plan.duration, 20_001)), plan.extent()
    np.testing.assert_allclose(motion.position.min(axis=0), extent.lowest, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(motion.position.max(axis=0), extent.highest, rtol=1e-3, atol=1e-3)
    for largest, bound in (
        (np.abs(motion.velocity).max(axis=0), extent.velocity),
        (np.abs(motion.acceleration).max(axis=0), extent.acceleration),
    ):
        assert (largest <= bound * (1.0 + 1e-12)).all()
        np.testing.assert_allclose(largest, bound, rtol=1e-2)


@pytest.mark.parametrize('durations', [[1.0, 2.0, 0.7], [0.2, 0.2, 0.2, 0.2, 1.0], [0.1]])
def test_parts_are_the_motion_from_rest_to_rest(durations):
    """One after the other the same motion; each long enough to be commanded, but the last."""
    knots = np.random.default_rng(0).uniform(-1.0, 1.0, (len(durations) + 1, 2))
    plan = ExcitationPlan(('a', 'b'), knots, np.array(durations))
    begin, parts = 0.0, plan.parts()
    assert all(part.duration >= SHORTEST_PART for part in parts[:-1])
    for part in parts:
        times = np.linspace(0.0, part.duration, 20)[:-1]
        whole, own = plan.sample(begin + times), part.sample(times)
        for field in ('position', 'velocity', 'acceleration'):
            np.testing.assert_allclose(getattr(own, field), getattr(whole, field), atol=1e-9)
        np.testing.assert_allclose(part.sample([0.0, part.duration]).velocity, 0.0, atol=1e-12)
        begin += part.duration
    assert begin == pytest.approx(plan.duration)
