"""Fourier motions: Eq. 20 of [Ekal 2019], rest at both ends, limits that are never passed."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.family.periodic_family import FourierFamily
from spacerobot_id.excitation.trajectory.command_check import extent_of
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.model import JointLimits

PERIOD = 10.0
NAMES = ('one', 'two')


LIMITS = (
    JointLimits(-0.5, 0.6, velocity=0.4),
    JointLimits(velocity=2.0, acceleration=1.5),
)


def family(harmonics=3, cycles=2):
    return FourierFamily(NAMES, LIMITS, PERIOD, np.array([0.2, -1.0]), harmonics, cycles)


def drawn(seed, **options):
    within = family(**options)
    numbers = np.random.default_rng(seed).uniform(-1.0, 1.0, within.shape)
    return within, numbers, within.kept_motion(numbers)


def test_it_is_the_series_of_the_paper():
    """Eq. 20 written out, term by term."""
    _, _, motion = drawn(1, harmonics=2)
    w, t = 2.0 * np.pi / PERIOD, 3.7
    a, b = motion.rate_cosines, motion.rate_sines
    position = motion.offset + sum(
        a[k - 1] / (w * k) * np.sin(w * k * t) - b[k - 1] / (w * k) * np.cos(w * k * t)
        for k in (1, 2)
    )
    velocity = sum(a[k - 1] * np.cos(w * k * t) + b[k - 1] * np.sin(w * k * t) for k in (1, 2))
    acceleration = sum(
        -a[k - 1] * w * k * np.sin(w * k * t) + b[k - 1] * w * k * np.cos(w * k * t)
        for k in (1, 2)
    )
    sample = motion.sample([t])
    np.testing.assert_allclose(sample.position[0], position, rtol=1e-12)
    np.testing.assert_allclose(sample.velocity[0], velocity, rtol=1e-12)
    np.testing.assert_allclose(sample.acceleration[0], acceleration, rtol=1e-12)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_every_cycle_begins_and_ends_at_rest(seed, harmonics):
    """At the start position, without rate and acceleration, however the numbers are."""
    within, _, motion = drawn(seed, harmonics=harmonics)
    ends = motion.sample(PERIOD * np.arange(motion.cycles + 1))
    np.testing.assert_allclose(ends.position, np.tile(within.start, (3, 1)), atol=1e-12)
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-11)
    assert motion.is_at_rest_at_its_ends


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_it_keeps_every_limit(seed, harmonics):
    """Samples between those behind the extent are within the extent, and that within limits."""
    _, _, motion = drawn(seed, harmonics=harmonics)
    within = extent_of(LIMITS)
    extent, sample = motion.extent(), motion.sample(np.linspace(0.0, PERIOD, 3989))
    rounding = 1e-9
    assert (sample.position >= extent.lowest - rounding).all()
    assert (sample.position <= extent.highest + rounding).all()
    assert (np.abs(sample.velocity) <= extent.velocity + rounding).all()
    assert (np.abs(sample.acceleration) <= extent.acceleration + rounding).all()
    assert (extent.lowest >= within.lowest - rounding).all()
    assert (extent.highest <= within.highest + rounding).all()
    assert (extent.velocity <= within.velocity + rounding).all()
    assert (extent.acceleration <= within.acceleration + rounding).all()


def test_the_extent_is_tight():
    """No more than 0.2 % beyond what the motion reaches."""
    _, _, motion = drawn(5, harmonics=4)
    extent, sample = motion.extent(), motion.sample(np.linspace(0.0, PERIOD, 20_001))
    np.testing.assert_allclose(extent.velocity, np.abs(sample.velocity).max(axis=0), rtol=2e-3)
    np.testing.assert_allclose(
        extent.acceleration, np.abs(sample.acceleration).max(axis=0), rtol=2e-3
    )
    np.testing.assert_allclose(
        extent.highest - extent.lowest, np.ptp(sample.position, axis=0), rtol=2e-3
    )


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_kept_numbers_need_no_scaling(seed):
    """They lie within the bounds and give the motion that the limits leave."""
    within, numbers, motion = drawn(seed)
    kept = within.keep(numbers.ravel())
    again = within.motion(kept)
    np.testing.assert_allclose(again.rate_cosines, motion.rate_cosines, atol=1e-9)
    np.testing.assert_allclose(again.rate_sines, motion.rate_sines, atol=1e-9)
    assert (np.abs(kept) <= within.bounds.ub).all()


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 19.9))
def test_each_is_the_derivative_of_the_one_before(seed, time):
    """Central differences of position and rate give rate and acceleration."""
    motion, step = drawn(seed)[2], 1e-4
    behind, now, ahead = (motion.sample([time + shift]) for shift in (-step, 0.0, step))
    np.testing.assert_allclose(
        (ahead.position - behind.position) / (2 * step), now.velocity, atol=1e-7
    )
    np.testing.assert_allclose(
        (ahead.velocity - behind.velocity) / (2 * step), now.acceleration, atol=1e-7
    )


def test_it_repeats_itself_and_rests_outside():
    """One cycle is the next; before the start and after the end nothing moves."""
    _, _, motion = drawn(3)
    first, second = motion.sample([1.3, 7.7]), motion.sample([1.3 + PERIOD, 7.7 + PERIOD])
    np.testing.assert_allclose(first.position, second.position, atol=1e-12)
    outside = motion.sample([-1.0, motion.duration + 1.0])
    np.testing.assert_allclose(outside.position, motion.sample([0.0, 0.0]).position, atol=1e-12)
    assert not outside.velocity.any()
    assert not outside.acceleration.any()


def test_one_that_moves_at_its_ends_says_so():
    """Without the demand of rest the rates at the ends are what they are."""
    moves = PeriodicFourierMotion(NAMES, PERIOD, np.zeros(2), np.ones((3, 2)), np.ones((3, 2)))
    assert not moves.is_at_rest_at_its_ends


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'start': np.array([0.7, -1.0])}, 'one: starts at 0.7'),
        ({'limits': (LIMITS[0], JointLimits())}, 'two: needs'),
        ({'harmonics': 1}, 'too few'),
    ],
)
def test_demands_that_cannot_be_met_are_named(change, message):
    with pytest.raises(PlanningError, match=message):
        replace(family(), **change)


@pytest.mark.parametrize(
    'change',
    [
        {'period': 0.0},
        {'period': np.nan},
        {'cycles': 0},
        {'offset': np.zeros(3)},
        {'rate_cosines': np.zeros((3, 3)), 'rate_sines': np.zeros((3, 3))},
    ],
)
def test_a_motion_that_makes_no_sense_is_refused(change):
    good = PeriodicFourierMotion(NAMES, PERIOD, np.zeros(2), np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(PlanningError):
        replace(good, **change)
