"""What messages show of a fault is what was asked for, and one that did not happen is seen."""

import math

from hypothesis import given, settings
from hypothesis import strategies as some
import pytest
from reference_logs import streams
from robots import dual_arm_prior

from spacerobot_id.lab.faults import (
    as_found,
    BY_KEY,
    FAULTS,
    faults_of,
    injected,
    Occurrence,
    SENSORS,
    tolerances,
)
from spacerobot_id.measurement.log_record import readings_in_order

MODEL = dual_arm_prior()
MESSAGES = tuple(readings_in_order(MODEL, streams('dual_arm')))
FIRST, LAST = MESSAGES[0].arrival, MESSAGES[-1].arrival
SIZES = {'F2 extra': 3.0, 'F8 wrap': 99.0, 'F9 noise': 3.0, 'F7 length': 0.02, 'F10 turned': 0.2,
         'F30 push': 0.01}  # fmt: skip
"""Sizes that show, in SI units; of others 0.5 s."""


def rate_of(occurrence):
    """Return the messages per second that a fault may hit."""
    return sum(isinstance(m.reading, occurrence.kinds) for m in MESSAGES) / (LAST - FIRST)


def asked(fault, **others):
    """Return a fault for some seconds within the log."""
    size = {} if fault.size is None else {'size': SIZES.get(fault.key, 0.5)}
    return Occurrence(fault, FIRST + 5.0, 8.0, **size, **others)


def found(occurrence, seed=0):
    changed = injected(MODEL, MESSAGES, occurrence, seed)
    return as_found(MODEL, MESSAGES, changed, occurrence)


@pytest.mark.parametrize('fault', faults_of(MESSAGES), ids=lambda each: each.key)
def test_messages_show_what_was_asked(fault):
    occurrence = asked(fault)
    shown, allowed = found(occurrence), tolerances(occurrence, rate_of(occurrence))
    assert shown.share
    for field in ('begin', 'duration', 'share'):
        wanted = getattr(occurrence, field)
        assert getattr(shown, field) == pytest.approx(wanted, abs=allowed[field]), field
    if fault.size is not None and fault.size.read is not None:
        assert shown.size == pytest.approx(occurrence.size, abs=allowed['size'])


@pytest.mark.parametrize('key', ['F4 NaN velocity', 'F6 not finite', 'F13 duplicate', 'F21 loss'])
@pytest.mark.parametrize('share', [0.1, 0.5])
def test_a_share_of_the_messages_is_hit(key, share):
    occurrence = asked(BY_KEY[key], share=share)
    shown, allowed = found(occurrence), tolerances(occurrence, rate_of(occurrence))
    assert shown.share == pytest.approx(share, abs=allowed['share'])
    assert 0.0 < allowed['share'] < 0.5


@settings(max_examples=30, deadline=None)
@given(
    some.sampled_from([each for each in FAULTS if not each.kinds or len(each.kinds) > 2]),
    some.sampled_from(sorted(SENSORS)),
    some.floats(0.0, 10.0),
    some.integers(0, 100),
)
def test_one_stream_alone_can_be_hit(fault, stream, after, seed):
    size = {} if fault.size is None else {'size': 0.5}
    occurrence = Occurrence(fault, FIRST + after, 3.0, stream=stream, **size)
    changed = injected(MODEL, MESSAGES, occurrence, seed)
    others = [m for m in MESSAGES if not isinstance(m.reading, SENSORS[stream])]
    assert [m for m in changed if not isinstance(m.reading, SENSORS[stream])] == others
    assert as_found(MODEL, MESSAGES, changed, occurrence).share


def test_a_fault_that_did_not_happen_is_seen():
    late = Occurrence(BY_KEY['F21 loss'], LAST + 10.0)
    assert found(late).share == 0.0
    assert math.isnan(found(late).begin)
    occurrence = asked(BY_KEY['F17 back'])
    nothing = as_found(MODEL, MESSAGES, MESSAGES, occurrence)
    assert nothing.share == 0.0


def test_a_fault_of_another_size_or_time_is_seen():
    """As if the injection had its own numbers: what is read back is what messages show."""
    occurrence = asked(BY_KEY['F16 skew imu/data'])
    other = Occurrence(occurrence.fault, FIRST + 9.0, 2.0, size=0.1)
    shown = as_found(MODEL, MESSAGES, injected(MODEL, MESSAGES, other), occurrence)
    assert shown.size == pytest.approx(0.1)
    assert shown.begin - FIRST == pytest.approx(9.0, abs=0.2)
    assert shown.duration == pytest.approx(2.0, abs=0.2)
    assert shown.share == pytest.approx(0.25, abs=0.05)


def test_messages_that_say_the_same_are_no_fault():
    """Copies of messages count by their numbers, not as objects."""
    copies = [type(m)(m.arrival, type(m.reading)(**vars(m.reading))) for m in MESSAGES]
    assert not as_found(MODEL, MESSAGES, copies, asked(BY_KEY['F21 loss'])).share
