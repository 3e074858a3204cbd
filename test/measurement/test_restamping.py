"""Stamps of receipt: even frames are found where they are, and nothing else is touched."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.measurement.signal.restamping import restamped

FRAME, TICK = 0.1, 0.05


def motion(times):
    return np.column_stack([np.sin(0.8 * times), np.cos(0.5 * times), 0.0 * times])


def received(seed, lost=0.0):
    """Return true times of frames, and stamps that come late by up to half a tick."""
    rng = np.random.default_rng(seed)
    true = 3.035 + FRAME * np.arange(300)
    stamps = TICK * np.ceil((true + rng.uniform(0.0, 0.025, len(true))) / TICK)
    there = rng.random(len(true)) >= lost
    stamps, rows = np.unique(stamps[there], return_index=True)
    return true[there][rows], stamps


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_frames_are_even_again(seed):
    """Their distances to a thousandth; what is common to all is a delay."""
    true, stamps = received(seed)
    even = restamped(stamps, motion(true))
    late = even - true
    assert np.ptp(late) < 0.4 * TICK
    assert -0.001 < late.mean() < 0.1


@pytest.mark.parametrize(
    ('rate', 'tick', 'transport'),
    [(30.0, 0.01, 0.01), (10.0, 0.01, 0.03), (10.0, 0.05, 0.04), (100.0, 0.001, 0.005)],
)
def test_frames_are_as_far_apart_as_the_earliest_receipts_say(rate, tick, transport):
    """Ticks of a share of a frame: a regression over all would be off by milliseconds."""
    rng = np.random.default_rng(3)
    true = 3.035 + np.arange(600) / rate
    stamps = tick * np.ceil((true + rng.uniform(0.0, transport, len(true))) / tick)
    stamps, rows = np.unique(stamps, return_index=True)
    even = restamped(stamps, 0.1 * motion(true[rows]))
    assert np.ptp(even - true[rows]) < 1e-9


@pytest.mark.parametrize('lost', [0.0, 0.05])
def test_receipts_without_ticks(lost):
    """Transports of up to 40 ms, another clock: some tenths of a millisecond from end to end."""
    rng = np.random.default_rng(4)
    true = 3.035 + FRAME * np.arange(600)
    stamps = (1.0 + 5e-5) * (true + rng.uniform(0.0, 0.04, len(true)))
    there = rng.random(len(true)) >= lost
    even = restamped(stamps[there], 0.1 * motion(true[there]))
    late = even - (1.0 + 5e-5) * true[there]
    assert np.ptp(late) < 0.8e-3
    assert np.abs(late).max() < 1e-3


def test_lost_frames_leave_gaps():
    true, stamps = received(1, lost=0.1)
    even = restamped(stamps, motion(true))
    assert np.ptp(even - true) < 0.02
    np.testing.assert_allclose(np.diff(even) / FRAME, np.round(np.diff(true) / FRAME), atol=0.01)


@pytest.mark.parametrize(
    ('lost', 'transport'), [(1, 0.04), (3, 0.04), (6, 0.04), (1, 0.08), (3, 0.08)]
)
def test_a_few_lost_frames_are_counted(lost, transport):
    """Receipts late by nearly a frame, or more: where one is lost is seen by the motion alone."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        true = 0.033 + FRAME * np.arange(220)
        true = np.delete(true, rng.choice(np.arange(20, 200), lost, replace=False))
        stamps = TICK * np.ceil((true + rng.uniform(0.0, transport, len(true))) / TICK)
        for row in range(1, len(stamps)):
            stamps[row] = max(stamps[row], stamps[row - 1] + TICK)
        noise = 5e-6 * rng.normal(size=(len(true), 3))
        even = restamped(stamps, 0.05 * motion(true + 5e-4 * rng.normal(size=len(true))) + noise)
        assert np.ptp(even - true) < 0.03


def test_what_does_not_move_does_not_hide_the_frames():
    """The height above a table, which is noise along any times."""
    true, stamps = received(2)
    noise = 1e-5 * np.random.default_rng(2).normal(size=(len(true), 4))
    moving = np.hstack([0.1 * motion(true)[:, :2], np.zeros((len(true), 2))])
    even = restamped(stamps, moving + noise)
    assert np.ptp(even - true) < 0.4 * TICK
    assert restamped(stamps, np.zeros_like(noise)) is None


@pytest.mark.parametrize(
    'stamps',
    [
        3.0 + FRAME * np.arange(300),
        3.0 + FRAME * np.arange(300) + 5e-4 * np.random.default_rng(0).uniform(size=300),
        3.0 + FRAME * np.arange(300) + 0.02 * np.random.default_rng(0).uniform(size=300),
        3.0 + np.cumsum(np.random.default_rng(0).uniform(0.05, 0.15, 300)),
        TICK * np.cumsum(np.random.default_rng(0).integers(1, 4, 300)),
        FRAME * np.arange(10),
    ],
)
def test_true_stamps_stay(stamps):
    """Even and nearly even ones, true uneven ones, also on a grid, and too few to tell."""
    assert restamped(stamps, motion(stamps)) is None
