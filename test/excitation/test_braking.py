"""Ending a motion early: to rest, without asking more of actuators than the motion does."""

import numpy as np
import pytest

from spacerobot_id.excitation.trajectory.cycloids import (
    ExcitationPlan,
    PEAK_ACCELERATION,
    PEAK_RATE,
)
from spacerobot_id.excitation.trajectory.stop import LONGEST_DELAY, stop_early

PHASES = np.linspace(0.0, 1.0, 51)
TIMES = np.linspace(0.0, 1.0, 201)
CYCLOID = ExcitationPlan(('joint',), np.array([[0.0], [1.0]]), np.ones(1))


def braked(phase, chosen):
    """Return position, rate and acceleration of the quintic from a phase of the cycloid."""
    start, duration = CYCLOID.sample([phase]), chosen.duration
    powers = np.arange(3)
    begin = [
        start.position[0, 0],
        start.velocity[0, 0] * duration,
        0.5 * start.acceleration[0, 0] * duration**2,
    ]
    at_end = np.array([np.ones(3), [3.0, 4.0, 5.0], [6.0, 12.0, 20.0]])
    wanted = np.array([chosen.position[0], 0.0, 0.0])
    known = np.array([sum(begin), powers @ begin, 2.0 * begin[2]])
    path = np.polynomial.Polynomial([*begin, *np.linalg.solve(at_end, wanted - known)])
    return path(TIMES), path.deriv()(TIMES) / duration, path.deriv(2)(TIMES) / duration**2


@pytest.mark.parametrize('delay', [0.0, 0.01, 0.05])
def test_it_keeps_the_limits_that_the_cycloid_keeps(delay):
    """At every phase and delay: rates, accelerations and positions of the cycloid, to 2 %."""
    for phase in PHASES:
        chosen = stop_early(CYCLOID, phase, delay)
        assert chosen.load <= 1.02
        for late in np.linspace(0.0, min(delay, 1.0 - phase), 5):
            position, rate, acceleration = braked(phase + late, chosen)
            assert np.abs(rate).max() <= 1.02 * PEAK_RATE
            assert np.abs(acceleration).max() <= 1.02 * PEAK_ACCELERATION
            assert position.min() >= -1e-3
            assert position.max() <= 1.0 + 1e-3


def test_it_is_at_rest_within_the_duration_of_the_cycloid():
    """And between where it is and the end of the cycloid."""
    for phase in PHASES:
        chosen = stop_early(CYCLOID, phase, 0.05)
        assert 0.0 < chosen.duration <= 1.0 + 1e-12
        here = CYCLOID.sample([phase]).position[0, 0]
        assert here - 1e-12 <= chosen.position[0] <= 1.0


def test_a_command_later_than_reckoned_with_is_taken_as_late_as_that():
    late, latest = (stop_early(CYCLOID, 0.4, delay) for delay in (5.0, LONGEST_DELAY))
    assert (late.duration, late.position, late.load) == (
        latest.duration,
        latest.position,
        latest.load,
    )
    assert latest.load < 1.05


@pytest.mark.parametrize('phase', [0.0, 1.0])
def test_what_rests_stays_where_it_is(phase):
    """Seen at rest, and braked at once."""
    chosen = stop_early(CYCLOID, phase, 0.0)
    assert chosen.position[0] == pytest.approx(phase, abs=1e-9)
    assert chosen.load == pytest.approx(0.0, abs=1e-9)
