"""Whether a machine keeps the pace of simulated time."""

from dataclasses import replace

import pytest

from spacerobot_id.nodes.mission.node import Pace, Progress, SLOWEST, WINDOW

RATE = 100.0


def judged(kept, used, asked=2.0, seconds=20):
    """Return the paces and reasons of a mission, judged every second."""
    pace, changes = Pace(asked, RATE), []
    for wall in range(seconds):
        simulated = 3.0 + kept * wall
        progress = Progress(50.0 + wall, simulated, 1.0 + simulated, int(used * simulated * RATE))
        pace, reason = pace.judged(progress)
        changes += [(pace.factor, reason)] if reason else []
    return pace, changes


@pytest.mark.parametrize(('kept', 'used'), [(2.0, 1.0), (1.8, 0.95), (2.0, 0.85)])
def test_a_machine_that_keeps_up_is_left_alone(kept, used):
    """With some jitter, too."""
    assert judged(kept, used)[0].factor == 2.0


def test_a_machine_that_keeps_half_goes_on_at_half():
    assert judged(1.0, 1.0)[1] == [(1.0, '1 is what it keeps')]


def test_samples_that_are_lost_are_a_reason_as_well():
    """Once for each window, as long as they are lost."""
    pace, changes = judged(2.0, 1.0 / 3.0, seconds=int(WINDOW) + 1)
    assert changes == [(1.0, '33 % of the samples are used')]
    assert pace.factor == 1.0


def test_it_does_not_go_slower_without_an_end():
    pace, changes = judged(0.01, 0.1, seconds=60)
    assert pace.factor == SLOWEST
    assert [factor for factor, _ in changes] == [1.0, 0.5, 0.25]


def test_a_motion_that_begins_anew_is_judged_anew():
    """A plan after a plan starts at zero."""
    pace, _ = Pace(2.0, RATE).judged(Progress(0.0, 60.0, 60.0, 6000))
    pace, reason = pace.judged(Progress(WINDOW, 1.0, 61.0, 6100))
    assert not reason
    assert replace(pace, since=None) == Pace(2.0, RATE)
