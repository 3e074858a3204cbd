"""One stream of stamped samples: order, bounds, and what is refused."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_array_equal
import pytest

from spacerobot_id.measurement import Stream, Verdict

STEP = 0.01
KEPT = (Verdict.ACCEPTED, Verdict.CLOCK_JUMPED)
ANY_STAMP = st.one_of(
    st.floats(0.0, 20.0),
    st.integers(0, 2000).map(lambda count: count * STEP),
    st.sampled_from([0.0, -1.0, 1e-9, 1e9, 2.0**31, np.nan, np.inf, -np.inf]),
)


def steady(begin, count):
    """Return stamps at 100 Hz."""
    return begin + STEP * np.arange(count)


def filled(stamps, **settings):
    """Return a stream into which samples went whose value is their stamp."""
    stream = Stream(1, **settings)
    for stamp in stamps:
        stream.push(stamp, [stamp])
    return stream


def samples_until_kept(stream, stamps):
    """Push samples; return how many it took until one was kept."""
    for count, stamp in enumerate(stamps, 1):
        if stream.push(stamp, [stamp]) in KEPT:
            return count
    raise AssertionError('none was kept')


@given(st.lists(ANY_STAMP, max_size=200))
def test_whatever_comes_stamps_ascend_and_every_sample_is_counted(stamps):
    """Any order of any stamps: what is buffered ascends strictly, values stay with stamps."""
    stream = filled(stamps, capacity=50)
    assert len(stream) <= 50
    assert (np.diff(stream.stamps) > 0.0).all()
    assert_array_equal(stream.values[:, 0], stream.stamps)
    assert stream.counts.total() == len(stamps)
    assert len(stream.values) == len(stream.stamps) == len(stream)


@given(st.integers(1, 40), st.integers(0, 100))
def test_the_buffer_is_bounded_and_drops_are_counted(capacity, count):
    """The newest are kept, in order."""
    stamps = steady(1.0, count)
    stream = filled(stamps, capacity=capacity)
    assert_array_equal(stream.stamps, stamps[max(0, count - capacity) :])
    assert stream.dropped == max(0, count - capacity)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_F13_duplicates_change_nothing(repeated):
    """Each sample may come twice: the buffer is the same as without that."""
    stamps = steady(1.0, len(repeated))
    stream = filled(np.repeat(stamps, 1 + np.array(repeated)))
    assert_array_equal(stream.stamps, stamps)
    assert stream.counts[Verdict.DUPLICATE] == sum(repeated)


@given(st.integers(2, 60), st.integers(1, 30))
def test_F14_one_out_of_order_is_dropped_and_counted(count, late):
    """A sample that was overtaken by some is dropped, the others go on."""
    stamps = steady(1.0, count)
    stream = filled(stamps)
    assert stream.push(stamps[-1] - (late - 0.5) * STEP, [0.0]) is Verdict.OUT_OF_ORDER
    assert stream.push(stamps[-1] + STEP, [0.0]) is Verdict.ACCEPTED
    assert_array_equal(stream.stamps[:-1], stamps)


def test_F5_a_second_publisher_behind_does_not_take_over():
    """Samples that alternate with others half a second behind them: the first ones stay."""
    stream = filled(np.ravel(np.transpose([steady(2.0, 100), steady(1.5, 100)])))
    assert_array_equal(stream.stamps, steady(2.0, 100))
    assert stream.counts[Verdict.OUT_OF_ORDER] == 100


@pytest.mark.parametrize('stamp', [0.0, -3.0])
def test_F15_zero_stamp_is_refused(stamp):
    """Zero means that nobody stamped it; so before the first sample and after."""
    stream = Stream(1)
    assert stream.push(stamp, [1.0]) is Verdict.ZERO_STAMP
    stream.push(1.0, [1.0])
    assert stream.push(stamp, [1.0]) is Verdict.ZERO_STAMP
    assert_array_equal(stream.stamps, [1.0])


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_F6_what_is_not_finite_is_refused(bad):
    """In the stamp or in any value."""
    stream = Stream(2)
    assert stream.push(bad, [1.0, 2.0]) is Verdict.NOT_FINITE
    assert stream.push(1.0, [bad, 2.0]) is Verdict.NOT_FINITE
    assert stream.push(1.0, [1.0, bad]) is Verdict.NOT_FINITE
    assert len(stream) == 0
    assert stream.last is None
    assert stream.latest == -np.inf


@given(st.floats(1.5, 1e9), st.booleans())
def test_F16_one_far_stamp_is_an_error_and_the_stream_goes_on(far, in_future):
    """Far in the past or in the future: refused, and the next good one is taken."""
    stamps = steady(1e9 + 10.0, 20)
    stream = filled(stamps)
    stray = stamps[-1] + far if in_future else stamps[-1] - far
    assert stream.push(stray, [0.0]) in (Verdict.FAR_STAMP, Verdict.ZERO_STAMP)
    assert stream.push(stamps[-1] + STEP, [0.0]) is Verdict.ACCEPTED
    assert len(stream) == 21


def test_F16_far_stamps_that_do_not_follow_each_other_are_errors():
    """Far ones in any number, each far from the one before or the same again."""
    stream = filled(steady(10.0, 20))
    for stray in (1e6, 5e5, 1e7, 1e7, 3.0):
        assert stream.push(stray, [0.0]) is Verdict.FAR_STAMP
    assert stream.push(10.0 + 20 * STEP, [0.0]) is Verdict.ACCEPTED


@given(st.floats(-99.0, 1000.0).filter(lambda jump: abs(jump) > 0.02))
def test_F17_work_is_resumed_within_10_samples_of_a_jump(jump):
    """Back or forward, a little or far."""
    stream = filled(steady(100.0, 30))
    after = steady(100.3 + jump, 40)
    assert samples_until_kept(stream, after) <= 10


@pytest.mark.parametrize('jump', [-50.0, -1.005, -1.0, -0.5, -0.2, 1.5, 50.0])
def test_F17_after_a_jump_nothing_of_before_is_left(jump):
    """The buffer is cleared once; no step in it is longer than the time between two samples."""
    stream = filled(steady(100.0, 30))
    for stamp in steady(100.3 + jump, 30):
        stream.push(stamp, [stamp])
    assert stream.counts[Verdict.CLOCK_JUMPED] == 1
    assert np.diff(stream.stamps).max() < 1.5 * STEP
    assert len(stream) >= 25


def test_F17_a_bag_that_loops_is_followed_every_time():
    """Half a second again and again: five samples of each turn are lost, no more."""
    stream = filled(np.tile(steady(100.0, 50), 10))
    assert stream.counts[Verdict.CLOCK_JUMPED] == 9
    assert stream.counts[Verdict.ACCEPTED] == 50 + 9 * 45


def test_F22_a_stream_that_returns_after_a_pause_is_taken_again():
    """A short pause goes on, a long one is like a jump; both within two samples."""
    stream = filled(steady(1.0, 10))
    assert samples_until_kept(stream, steady(1.9, 10)) == 1
    assert samples_until_kept(stream, steady(60.0, 10)) == 2
    assert_array_equal(stream.stamps, [60.01])


@given(st.integers(2, 50), st.floats(0.0, 1.0))
def test_dropping_keeps_what_is_needed_to_interpolate(count, share):
    """Before a stamp: the last older one stays. Through a stamp: none does."""
    stamps = steady(1.0, count)
    cut = stamps[0] + share * (stamps[-1] - stamps[0])
    stream = filled(stamps)
    stream.drop_before(cut)
    assert stream.stamps[0] <= cut
    assert len(stream.stamps) == 1 or stream.stamps[1] > cut
    stream.drop_through(cut)
    assert_array_equal(stream.stamps, stamps[stamps > cut])


def test_clearing_keeps_the_counters():
    """And the next sample may have any stamp."""
    stream = filled([1.0, 1.0, 1.01])
    stream.clear()
    assert len(stream) == 0
    assert stream.counts[Verdict.DUPLICATE] == 1
    assert stream.push(0.5, [0.0]) is Verdict.ACCEPTED
