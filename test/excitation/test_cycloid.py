"""Cycloid: Eqs. 28 and 29 of [Naveen 2024], rest to rest, with the peaks that limits rely on.

With a plateau, too: what holds for the paper's holds for any share at constant rate.
"""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.excitation.trajectory.cycloids import (
    LARGEST_PLATEAU,
    PEAK_ACCELERATION,
    peak_acceleration,
    PEAK_RATE,
    peak_rate,
    unit_cycloid,
)

PHASES = np.linspace(0.0, 1.0, 2001)
PLATEAUS = (0.0, 0.25, 0.5, LARGEST_PLATEAU)


@settings(deadline=None)
@given(st.floats(0.0, 1.0))
def test_it_is_that_of_the_paper(phase):
    """Position and rate as Eqs. 28 and 29 write them, for a way and a duration of one."""
    cycloid = unit_cycloid(phase)
    angle = 2.0 * np.pi * phase
    assert cycloid.position == pytest.approx(phase - np.sin(angle) / (2.0 * np.pi), abs=1e-15)
    assert cycloid.velocity == pytest.approx(1.0 - np.cos(angle), abs=1e-15)


@pytest.mark.parametrize('plateau', PLATEAUS)
def test_it_starts_and_ends_at_rest(plateau):
    """From 0 to 1 with neither rate nor acceleration at the ends."""
    ends = unit_cycloid([0.0, 1.0], plateau)
    np.testing.assert_allclose(ends.position, [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-15)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-14)


@settings(deadline=None)
@given(st.floats(0.01, 0.99))
def test_each_is_the_derivative_of_the_one_before(phase):
    """Central differences of position and rate give rate and acceleration."""
    step = 1e-5
    now, ahead, behind = (unit_cycloid(phase + shift) for shift in (0.0, step, -step))
    assert (ahead.position - behind.position) / (2 * step) == pytest.approx(now.velocity, abs=1e-8)
    assert (ahead.velocity - behind.velocity) / (2 * step) == pytest.approx(
        now.acceleration, abs=1e-7
    )


@settings(deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.0, 0.8))
def test_beside_a_plateau_too(phase, plateau):
    """The rate is continuous, the acceleration has corners where the plateau begins and ends."""
    step = 1e-5
    now, ahead, behind = (unit_cycloid(phase + shift, plateau) for shift in (0.0, step, -step))
    rate = (ahead.position - behind.position) / (2.0 * step)
    acceleration = (ahead.velocity - behind.velocity) / (2.0 * step)
    assert rate == pytest.approx(now.velocity, abs=1e-7)
    jerk = 2.0 * np.pi * peak_acceleration(plateau) / (1.0 - plateau)
    assert acceleration == pytest.approx(now.acceleration, abs=1e-7 + jerk * step)


@pytest.mark.parametrize('plateau', PLATEAUS)
def test_on_its_plateau_the_rate_is_constant_and_largest(plateau):
    """For that share of the interval, in its middle."""
    inside = np.abs(PHASES - 0.5) <= 0.5 * plateau
    on_plateau = unit_cycloid(PHASES[inside], plateau)
    np.testing.assert_allclose(on_plateau.velocity, 2.0 / (1.0 + plateau), rtol=1e-12)
    np.testing.assert_allclose(on_plateau.acceleration, 0.0, atol=1e-11)
    outside = unit_cycloid(PHASES[np.abs(PHASES - 0.5) > 0.5 * plateau + 1e-9], plateau)
    assert (outside.velocity < 2.0 / (1.0 + plateau)).all()


@pytest.mark.parametrize('plateau', PLATEAUS)
def test_it_never_goes_back(plateau):
    """The position grows from one phase to the next: the direction is one all the way."""
    assert (np.diff(unit_cycloid(PHASES, plateau).position) >= 0.0).all()


def test_its_peaks_are_those_that_limits_rely_on():
    """Twice the mean rate, 2 pi times it in acceleration; reached and not passed."""
    cycloid = unit_cycloid(PHASES)
    assert cycloid.velocity.max() == pytest.approx(PEAK_RATE, rel=1e-12)
    assert np.abs(cycloid.acceleration).max() == pytest.approx(PEAK_ACCELERATION, rel=1e-12)
    assert (peak_rate(), peak_acceleration()) == (PEAK_RATE, PEAK_ACCELERATION)


@pytest.mark.parametrize('plateau', PLATEAUS)
def test_peaks_with_a_plateau_are_those_that_limits_rely_on(plateau):
    """Reached and not passed; the corner of the ramps is a sample."""
    phases = np.append(PHASES, 0.25 * (1.0 - plateau))
    cycloid = unit_cycloid(phases, plateau)
    assert cycloid.velocity.max() == pytest.approx(peak_rate(plateau), rel=1e-12)
    assert np.abs(cycloid.acceleration).max() == pytest.approx(
        peak_acceleration(plateau), rel=1e-12
    )


@pytest.mark.parametrize(('phase', 'position'), [(-3.0, 0.0), (1.5, 1.0), (np.inf, 1.0)])
def test_outside_it_rests(phase, position):
    """Before the interval at the start, after it at the end."""
    cycloid = unit_cycloid(phase)
    assert cycloid.position == pytest.approx(position)
    assert cycloid.velocity == pytest.approx(0.0, abs=1e-15)
    assert cycloid.acceleration == pytest.approx(0.0, abs=1e-14)
