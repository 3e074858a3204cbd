"""Encoder glitches: readings that jump and come back are removed and counted, motion is kept."""

from dataclasses import replace

from air_bearing import air_bearing
from bed_logs import BEDS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from logs import servicer_log_with_poses
import numpy as np
import pytest
from robots import servicer

from spacerobot_id.estimation.batch.identify import identify
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import settings_from_mapping
from spacerobot_id.measurement.joint_glitches import glitches, JointGlitches
from spacerobot_id.measurement.streams.joint_stream import JointStream

ROBOT = replace(servicer(), noise=replace(servicer().noise, base_position=1e-5))
JOINTS = ROBOT.joint_names


def taken(stamps, positions, position_std=1e-4):
    """Return the rows of a log that come through, in order, and the joints of each glitch."""
    judge, kept, removed = JointGlitches(position_std, 1.0), [], []
    for stamp, row in zip(stamps, positions, strict=True):
        empty = np.full(len(row), np.nan)
        reading = JointStream(float(stamp), float(stamp), JOINTS[: len(row)], row, empty, empty)
        kept += [each.stamp for each in judge.take(reading, row)]
        removed += [each.tolist() for each in judge.removed]
    return np.searchsorted(stamps, kept), removed


def passes(stamps, positions):
    """Return whether all but the first readings would be taken at once."""
    judge, empty = JointGlitches(1e-4, 1.0), np.full(positions.shape[1], np.nan)
    for stamp, row in zip(stamps[:2], positions[:2], strict=True):
        judge.take(
            JointStream(float(stamp), float(stamp), JOINTS[: len(row)], row, empty, empty), row
        )
    return judge.would_pass(stamps[2:], positions[2:]) is not None


def swings(rate, seconds=12.0, amplitude=0.8, noise=0.0, seed=0):
    """Return stamps and positions of three joints that swing."""
    times = np.arange(0.0, seconds, 1.0 / rate)
    q = amplitude * np.sin(np.add(np.outer(times, [1.0, 1.7, 0.4]), [0.1, 0.5, 2.0]))
    return 1000.0 + times, q + noise * np.random.default_rng(seed).standard_normal(q.shape)


@settings(max_examples=60, deadline=None)
@given(
    rate=st.sampled_from([10.0, 30.0, 100.0, 1000.0]),
    noise=st.sampled_from([0.0, 1e-4, 1e-2]),
    step=st.sampled_from([0.0, 1.5e-3, 8e-3]),
    seed=st.integers(0, 1000),
)
def test_motion_has_no_glitches(rate, noise, step, seed):
    """Neither noise beyond what is stated nor steps of an encoder are glitches."""
    stamps, q = swings(rate, noise=noise, seed=seed)
    q = np.round(q / step) * step if step else q
    assert passes(stamps, q)
    rows, removed = taken(stamps, q)
    assert np.array_equal(rows, np.arange(len(stamps)))
    assert not removed


@settings(max_examples=60, deadline=None)
@given(
    rate=st.sampled_from([10.0, 50.0, 1000.0]),
    length=st.integers(1, 3),
    joint=st.integers(0, 2),
    size=st.floats(0.8, 6.0),
    side=st.sampled_from([-1.0, 1.0]),
)
def test_a_jump_and_back_is_removed_by_name(rate, length, joint, size, side):
    """Up to three readings in a row; nothing else is lost, and the order stays."""
    stamps, q = swings(rate)
    begin = len(q) // 2
    q[begin : begin + length, joint] += side * size
    assert not passes(stamps, q)
    rows, removed = taken(stamps, q)
    assert np.array_equal(rows, np.delete(np.arange(len(stamps)), slice(begin, begin + length)))
    assert removed == [[joint]] * length


@pytest.mark.parametrize('rate', [10.0, 100.0])
def test_a_jump_that_stays_is_kept(rate):
    """An angle that wraps, or a new zero, is no glitch: every reading comes through."""
    stamps, q = swings(rate)
    q[len(q) // 2 :, 1] += 2.0 * np.pi
    rows, removed = taken(stamps, q)
    assert np.array_equal(rows, np.arange(len(stamps)))
    assert not removed


def test_after_a_clock_jumped_back_glitches_are_removed_again():
    """Not only when it has come to where it was."""
    stamps, q = swings(100.0)
    half = len(q) // 2
    stamps[half:] -= 500.0
    q[half + 200, 1] += 1.0
    empty, judge, removed = np.full(3, np.nan), JointGlitches(1e-4, 1.0), []
    for stamp, row in zip(stamps, q, strict=True):
        judge.take(JointStream(float(stamp), float(stamp), JOINTS[:3], row, empty, empty), row)
        removed += [each.tolist() for each in judge.removed]
    assert removed == [[1]]


def test_stamps_in_bursts_lose_no_reading():
    """Stamps of receipt, two nearly at once: rates between them are absurd, the motion is not."""
    stamps, q = swings(20.0)
    stamps[1::2] = stamps[::2] + 1e-4
    rows, removed = taken(stamps, q)
    assert np.array_equal(rows, np.arange(len(stamps)))
    assert not removed


def test_many_glitches_are_removed():
    """A tenth of the readings of each joint."""
    stamps, q = swings(100.0)
    hit = np.random.default_rng(1).random(q.shape) < 0.03
    hit[:60] = hit[-5:] = False
    rows, removed = taken(stamps, np.where(hit, q + 1.0, q))
    assert len(removed) == np.count_nonzero(hit.any(axis=1))
    assert not hit[rows].any()


def test_after_a_pause_nothing_is_expected():
    """Readings after a gap start again, wherever the joints are."""
    stamps, q = swings(50.0)
    half = len(q) // 2
    stamps[half:] += 5.0
    q[half:] += 1.0
    rows, removed = taken(stamps, q)
    assert np.array_equal(rows, np.arange(len(stamps)))
    assert not removed


def test_glitches_of_a_log_are_counted_by_joint_and_leave_the_rest_as_it_is():
    """The samples are those of the log without the readings that jumped."""
    log = servicer_log_with_poses(1200)
    column = log.joints.names.index(JOINTS[2])
    rows = [300, 301, 700]
    positions = log.joints.positions.copy()
    positions[rows, column] += 0.7
    spoiled = replace(log, joints=replace(log.joints, positions=positions))
    whole, found = record_from_log(ROBOT, log), record_from_log(ROBOT, spoiled)
    assert found.rejected == {f'joint_states: encoder glitch of {JOINTS[2]}': 3}
    missing = ~np.isin(whole.measurement.times, found.measurement.times)
    assert np.array_equal(whole.measurement.times[missing], log.joints.stamps[rows])
    kept = whole.measurement.q[~missing]
    assert np.abs(found.measurement.q - kept).max() < 1e-3


def test_momentum_balance_is_as_without_the_glitches():
    """An arm on a table, 2 % of its readings off by 0.5 rad: left in they move all by far."""
    chosen = {'method': 'momentum_balance', 'planar': True, 'known_mass': 15.4, 'strength': 0.3}
    setting, robot = settings_from_mapping(chosen), air_bearing(prior=True)
    log = BEDS['px4_spacecraft']().own
    method, positions = setting.method_for(robot), log.joints.positions.copy()
    rng = np.random.default_rng(4)
    hit = np.arange(60, len(positions) - 5)[rng.random(len(positions) - 65) < 0.02]
    positions[hit, rng.integers(0, 3, len(hit))] += 0.5
    found = []
    for q in (log.joints.positions, positions):
        streams = replace(log, joints=replace(log.joints, positions=q))
        record = record_from_log(robot, streams, setting.alignment, method.needs)
        found.append(identify(record.measurement, method, setting.recursion, with_links=False))
    counts = record.rejected.items()
    assert sum(count for reason, count in counts if 'encoder glitch' in reason) == len(hit)
    clean, glitched = (each.estimate for each in found)
    assert found[1].is_usable
    off = np.abs(glitched.values - clean.values) / clean.std
    assert off.max() < 0.5


@settings(max_examples=40, deadline=None)
@given(
    rate=st.sampled_from([10.0, 30.0, 100.0]),
    noise=st.sampled_from([0.0, 1e-4, 1e-2]),
    step=st.sampled_from([0.0, 1.5e-3]),
    seed=st.integers(0, 1000),
)
@example(rate=100.0, noise=1e-2, step=0.0, seed=231)
def test_of_a_whole_motion_no_reading_is_a_glitch(rate, noise, step, seed):
    """Neither noise beyond what is stated nor steps of an encoder, a new zero, or bursts are."""
    stamps, q = swings(rate, noise=noise, seed=seed)
    q = np.round(q / step) * step if step else q
    q[len(q) // 2 :, 1] += 2.0 * np.pi
    assert not glitches(stamps, q, 1e-4).any()
    stamps[1::2] = stamps[::2] + 1e-4
    assert not glitches(stamps, q, 1e-4).any()


@settings(max_examples=40, deadline=None)
@given(
    rate=st.sampled_from([30.0, 100.0]),
    size=st.sampled_from([0.3, 1.0]),
    seed=st.integers(0, 1000),
)
def test_among_the_first_readings_of_a_motion_glitches_are_found(rate, size, seed):
    """The first and the last among them; no other reading is lost."""
    stamps, q = swings(rate, noise=1e-4, seed=seed)
    hit = np.random.default_rng(seed).choice(len(q) // 20, len(q) // 200, replace=False) * 20
    hit = np.union1d(hit, [0, len(q) - 1])
    q[hit, seed % 3] += size
    assert set(np.flatnonzero(glitches(stamps, q, 1e-4))) == set(hit)
