"""Fourier series and quintic: rest at both ends, derivatives, bounds that hold, limits kept."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.family.quintic_family import FourierQuinticFamily
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.model import JointLimits

SEEDS = st.integers(0, 2**32 - 1)
LIMITS = (
    JointLimits(-1.0, 2.0, velocity=0.3, acceleration=0.2),
    JointLimits(-np.inf, np.inf, velocity=0.5),
)


def random_family(seed, limits=LIMITS):
    rng = np.random.default_rng(seed)
    return FourierQuinticFamily(
        ('first', 'second'),
        limits,
        rng.uniform(10.0, 40.0),
        int(rng.integers(1, 6)),
        rng.uniform(-0.2, 0.2, 2),
        rng.uniform(-0.2, 0.2, 2),
    )


def random_motion(seed, size=0.3):
    family = random_family(seed)
    return family.motion_of(size * np.random.default_rng(seed).normal(size=family.size))


@settings(deadline=None)
@given(SEEDS)
def test_each_is_the_derivative_of_the_one_before(seed):
    """Central differences of positions and rates give rates and accelerations."""
    motion, step = random_motion(seed), 1e-4
    times = np.random.default_rng(seed).uniform(step, motion.duration - step, 20)
    now, ahead, behind = (motion.sample(times + shift) for shift in (0.0, step, -step))
    rate = (ahead.position - behind.position) / (2.0 * step)
    acceleration = (ahead.velocity - behind.velocity) / (2.0 * step)
    np.testing.assert_allclose(now.velocity, rate, atol=1e-6)
    np.testing.assert_allclose(now.acceleration, acceleration, atol=1e-6)


@settings(deadline=None)
@given(SEEDS)
def test_it_goes_from_rest_to_rest(seed):
    """Just within both ends it is where it is to be, without rate and acceleration."""
    motion, moment = random_motion(seed), 1e-7
    at = motion.sample([moment, motion.duration - moment])
    np.testing.assert_allclose(at.position, [motion.start, motion.end], atol=1e-9)
    np.testing.assert_allclose(at.velocity, 0.0, atol=1e-5)
    np.testing.assert_allclose(at.acceleration, 0.0, atol=1e-4)


def test_outside_it_rests():
    motion = random_motion(0)
    at = motion.sample([-3.0, 0.0, motion.duration, motion.duration + 9.0])
    np.testing.assert_array_equal(at.position, np.repeat([motion.start, motion.end], 2, axis=0))
    np.testing.assert_array_equal(at.velocity, 0.0)
    np.testing.assert_array_equal(at.acceleration, 0.0)


def test_the_series_is_that_of_the_paper():
    """What is left of a motion without its series is a polynomial of the fifth order (Eq. 23)."""
    motion = random_motion(4)
    times = np.linspace(0.0, motion.duration, 50)
    phases = times[:, None] * motion.frequencies
    series = (np.sin(phases) / motion.frequencies) @ motion.rate_cosines.T
    series -= (np.cos(phases) / motion.frequencies) @ motion.rate_sines.T
    left = motion.sample(times).position - series
    fit = np.polynomial.Polynomial.fit(times, left[:, 0], 5)
    np.testing.assert_allclose(fit(times), left[:, 0], atol=1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_no_moment_is_beyond_the_extent(seed):
    """At random times; and the bounds are tight, to a thousandth of the way."""
    motion = random_motion(seed)
    extent = motion.extent()
    times = np.random.default_rng(seed).uniform(0.0, motion.duration, 5000)
    at = motion.sample(times)
    assert (at.position >= extent.lowest).all()
    assert (at.position <= extent.highest).all()
    assert (np.abs(at.velocity) <= extent.velocity).all()
    assert (np.abs(at.acceleration) <= extent.acceleration).all()
    np.testing.assert_allclose(np.abs(at.velocity).max(axis=0), extent.velocity, rtol=1e-2)
    np.testing.assert_allclose(at.position.max(axis=0), extent.highest, atol=1e-2)


@settings(deadline=None)
@given(SEEDS)
def test_coefficients_and_motion_are_one(seed):
    family = random_family(seed)
    coefficients = np.random.default_rng(seed).normal(size=family.size)
    motion = family.motion_of(coefficients)
    assert isinstance(motion, FourierQuintic)
    series = np.concatenate([motion.rate_cosines.ravel(), motion.rate_sines.ravel()])
    np.testing.assert_array_equal(series, coefficients)


@settings(deadline=None)
@given(SEEDS)
def test_shrunk_motions_keep_the_limits(seed):
    """Wherever in the box a search goes; what keeps the limits is left as it is."""
    family = random_family(seed)
    box = family.bounds
    drawn = np.random.default_rng(seed).uniform(box.lb, box.ub)
    kept = family.keep(drawn)
    extent = family.motion(kept).extent()
    for place, limit in enumerate(LIMITS):
        assert extent.lowest[place] >= limit.lower - 1e-9
        assert extent.highest[place] <= limit.upper + 1e-9
        assert extent.velocity[place] <= limit.velocity + 1e-9
        assert extent.acceleration[place] <= limit.acceleration + 1e-9
    np.testing.assert_allclose(family.keep(kept, 0.999), 0.999 * kept, atol=1e-12)


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(PlanningError, match=r'second: needs a velocity'):
        random_family(1, (LIMITS[0], JointLimits())).draw(np.random.default_rng(1))
    narrow = JointLimits(1.0, 2.0, velocity=0.3)
    with pytest.raises(PlanningError, match=r'first: its limits do not let it'):
        random_family(1, (narrow, LIMITS[1])).draw(np.random.default_rng(1))
    with pytest.raises(PlanningError, match='duration'):
        FourierQuintic(('a',), 0.0, np.ones((1, 1)), np.ones((1, 1)), [0.0], [0.0])
    with pytest.raises(PlanningError, match='rate_cosines'):
        FourierQuintic(('a',), 1.0, np.ones((2, 1)), np.ones((1, 1)), [0.0], [0.0])
    with pytest.raises(PlanningError, match='harmonic'):
        FourierQuinticFamily(('a',), LIMITS[:1], 1.0, 0, np.zeros(1), np.zeros(1))
