"""Cycloid: Eqs. 28 and 29 of [Naveen 2024], rest to rest, with the peaks that limits rely on."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.excitation.trajectory.cycloids import PEAK_ACCELERATION, PEAK_RATE, unit_cycloid

PHASES = np.linspace(0.0, 1.0, 2001)


@settings(deadline=None)
@given(st.floats(0.0, 1.0))
def test_it_is_that_of_the_paper(phase):
    """Position and rate as Eqs. 28 and 29 write them, for a way and a duration of one."""
    cycloid = unit_cycloid(phase)
    angle = 2.0 * np.pi * phase
    assert cycloid.position == pytest.approx(phase - np.sin(angle) / (2.0 * np.pi), abs=1e-15)
    assert cycloid.rate == pytest.approx(1.0 - np.cos(angle), abs=1e-15)


def test_it_starts_and_ends_at_rest():
    """From 0 to 1 with neither rate nor acceleration at the ends."""
    ends = unit_cycloid([0.0, 1.0])
    np.testing.assert_allclose(ends.position, [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(ends.rate, 0.0, atol=1e-15)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-14)


@settings(deadline=None)
@given(st.floats(0.01, 0.99))
def test_each_is_the_derivative_of_the_one_before(phase):
    """Central differences of position and rate give rate and acceleration."""
    step = 1e-5
    now, ahead, behind = (unit_cycloid(phase + shift) for shift in (0.0, step, -step))
    assert (ahead.position - behind.position) / (2 * step) == pytest.approx(now.rate, abs=1e-8)
    assert (ahead.rate - behind.rate) / (2 * step) == pytest.approx(now.acceleration, abs=1e-7)


def test_it_never_goes_back():
    """The position grows from one phase to the next: the direction is one all the way."""
    assert (np.diff(unit_cycloid(PHASES).position) >= 0.0).all()


def test_its_peaks_are_those_that_limits_rely_on():
    """Twice the mean rate, 2 pi times it in acceleration; reached and not passed."""
    cycloid = unit_cycloid(PHASES)
    assert cycloid.rate.max() == pytest.approx(PEAK_RATE, rel=1e-12)
    assert np.abs(cycloid.acceleration).max() == pytest.approx(PEAK_ACCELERATION, rel=1e-12)


@pytest.mark.parametrize(('phase', 'position'), [(-3.0, 0.0), (1.5, 1.0), (np.inf, 1.0)])
def test_outside_it_rests(phase, position):
    """Before the interval at the start, after it at the end."""
    cycloid = unit_cycloid(phase)
    assert cycloid.position == pytest.approx(position)
    assert cycloid.rate == pytest.approx(0.0, abs=1e-15)
    assert cycloid.acceleration == pytest.approx(0.0, abs=1e-14)
