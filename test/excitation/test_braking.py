"""Ending a motion early: to rest, without asking more of actuators than the motion does."""

import numpy as np
import pytest

from spacerobot_id.excitation.trajectory.cycloids import (
    ExcitationPlan,
    PEAK_ACCELERATION,
    PEAK_RATE,
)
from spacerobot_id.excitation.trajectory.stop import shortest_stop
from spacerobot_id.kinematics.trajectory_motion import JointMotion

PHASES = np.linspace(0.0, 1.0, 51)
TIMES = np.linspace(0.0, 1.0, 201)
LATE = 0.5
"""Phase from which on it may be at rest sooner, and gentler, by its own end than by any stop.

A controller that knows no accelerations begins to brake at once, one that does goes on as before:
no place between the ends of the cycloid suits both.
"""
CYCLOID = ExcitationPlan(('joint',), np.array([[0.0], [1.0]]), np.ones(1))


def stop_early(phase, delay):
    """Return the stop from the cycloid that was seen at a phase, taken up within a delay."""
    by_then = CYCLOID.sample(phase + np.linspace(0.0, delay, 5))
    starts = JointMotion(by_then.position, by_then.velocity, by_then.acceleration)
    section = CYCLOID.section(phase)
    return shortest_stop(starts, section.extent, (0.05, section.longest))


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
        chosen = stop_early(phase, delay)
        if not chosen.keeps:
            assert LATE < phase < 0.75
            continue
        for late in np.linspace(0.0, min(delay, 1.0 - phase), 5):
            position, rate, acceleration = braked(phase + late, chosen)
            assert np.abs(rate).max() <= 1.02 * PEAK_RATE
            assert np.abs(acceleration).max() <= 1.02 * PEAK_ACCELERATION
            assert position.min() >= -1e-3
            assert position.max() <= 1.0 + 1e-3


def test_it_is_at_rest_within_the_duration_of_the_cycloid():
    """And between where it is and the end of the cycloid."""
    for phase in PHASES:
        chosen = stop_early(phase, 0.05)
        assert 0.0 < chosen.duration <= 1.0 + 1e-12
        if not chosen.keeps or chosen.duration > 1.0 - phase:
            continue  # it is over sooner by itself
        here = CYCLOID.sample([phase]).position[0, 0]
        assert here - 1e-12 <= chosen.position[0] <= 1.0


def test_a_controller_that_knows_no_accelerations_keeps_the_limits_too():
    """A cubic begins with an acceleration of its own: it takes longer where that is large."""
    for phase in PHASES:
        chosen = stop_early(phase, 0.0)
        if not chosen.keeps:
            continue
        start, duration = CYCLOID.sample([phase]), chosen.duration
        way, rate = chosen.position[0] - start.position[0, 0], start.velocity[0, 0]
        for first in (6.0 * way - 4.0 * rate * duration, -6.0 * way + 2.0 * rate * duration):
            assert abs(first) <= 1.02 * PEAK_ACCELERATION * duration**2


@pytest.mark.parametrize('phase', [0.0, 1.0])
def test_what_rests_stays_where_it_is(phase):
    """Seen at rest, and braked at once."""
    chosen = stop_early(phase, 0.0)
    assert chosen.position[0] == pytest.approx(phase, abs=1e-9)
    assert chosen.load == pytest.approx(0.0, abs=1e-9)
