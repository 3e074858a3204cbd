"""The duration asked for is the duration of the motion; a motion that shows nothing is refused."""

from dataclasses import replace

import numpy as np
import pytest
from robots import servicer
from small_robot import small_robot

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import LimitSettings, plan_excitation, PlannerSettings
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.motion_search import whole_intervals

QUICK = PlannerSettings(draws=2, restarts=0, harmonics=3)


@pytest.mark.parametrize('family', FamilyName)
@pytest.mark.parametrize('duration', [7.3, 10.9])
@pytest.mark.parametrize('interval', [0.0, 2.0])
def test_the_duration_is_met(family, duration, interval):
    """Whole intervals fill it, within every limit; Fourier motions have none."""
    settings = replace(QUICK, family=family, duration=duration, interval=interval)
    planned = plan_excitation(small_robot(), np.zeros(5), settings)
    assert planned.plan.duration == pytest.approx(duration, rel=1e-12)
    assert planned.limits[0].share <= 1.0 + 1e-6


def test_intervals_are_stretched_and_never_cut():
    """As many as fit; the last may be too long by rounding."""
    assert whole_intervals(10.9, 3.5) == 3
    assert whole_intervals(3 * 0.1, 0.1) == 3
    assert whole_intervals(0.5, 2.0) == 1
    cycloids = plan_excitation(
        small_robot(), np.zeros(5), replace(QUICK, duration=7.3, interval=2.0)
    )
    np.testing.assert_allclose(cycloids.plan.durations, 7.3 / 3)


def test_too_many_intervals_are_refused():
    """Before anything of their size is made."""
    with pytest.raises(PlanningError, match=r'60 s are more than 10000 intervals of 1e-09 s'):
        plan_excitation(small_robot(), np.zeros(5), replace(QUICK, duration=60.0, interval=1e-9))


@pytest.mark.parametrize('planar', [False, True])
def test_a_motion_that_shows_nothing_is_refused(planar):
    """In a millisecond the servicer cannot move enough; in a second it shows something."""
    settings = replace(QUICK, duration=0.001, limits=LimitSettings(planar=planar))
    model = servicer()
    start = np.zeros(len(model.joints) + len(model.wheels))
    with pytest.raises(PlanningError, match=r'0\.001 s shows no parameter better'):
        plan_excitation(model, start, settings)
    plan_excitation(model, start, replace(settings, duration=1.0))
