"""Faults of messages: what was asked is what the messages show, and a log carries it."""

import numpy as np
import pytest

from spacerobot_id.campaign.draws.faults import (
    Fault,
    FAULTS,
    fits,
    STREAM_NAMES,
    tolerances,
    with_faults,
)
from spacerobot_id.measurement.bag.streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    TwistStream,
)

COUNT, RATE, BEGIN = 1000, 100.0, 1.5


def streams():
    rng = np.random.default_rng(0)
    stamps = 1.0 + np.arange(COUNT) / RATE
    quaternions = rng.normal(size=(COUNT, 4))
    return BagStreams(
        JointStream(stamps, stamps, ('a', 'b'), *rng.normal(size=(2, COUNT, 2))),
        ImuStream(stamps, stamps, 'base', *rng.normal(size=(1, COUNT, 3)), 0.0,
                  rng.normal(size=(COUNT, 3)), quaternions),
        PoseStream(stamps, stamps, 'world', rng.normal(size=(COUNT, 3)), quaternions),
        TwistStream(stamps, stamps, 'base', rng.normal(size=(COUNT, 6))),
    )  # fmt: skip


PAIRS = [(kind, stream) for kind in FAULTS for stream in STREAM_NAMES if fits(kind, stream)]


@pytest.mark.parametrize(('kind', 'stream'), PAIRS)
@pytest.mark.parametrize('share', [1.0, 0.4])
def test_messages_show_what_was_asked(kind, stream, share):
    if kind in ('joint_order', 'out_of_order', 'frozen', 'duplicate_stamp') and share < 1.0:
        share = 1.0  # neighbours hide each other
    size = 0.05 if FAULTS[kind].has_size else 0.0
    fault = Fault(kind, stream, 2.0, 3.0, share, size)
    _, found = with_faults(streams(), {'it': fault}, BEGIN, 3)
    if kind == 'joint_order':
        assert found['it'].messages == COUNT  # of a log, joints have one order
        return
    allowed = tolerances(fault, RATE)
    if kind != 'out_of_order':  # every second one of neighbours that change places
        assert found['it'].share == pytest.approx(share, abs=allowed['share'])
    assert found['it'].begin == pytest.approx(2.0, abs=allowed['begin'])
    assert found['it'].duration == pytest.approx(3.0, abs=allowed['duration'])
    assert found['it'].size == pytest.approx(size, abs=allowed['size'])


def test_a_fault_that_did_not_come_about_is_seen():
    late = Fault('lost', 'base_pose', 100.0, 3.0)
    _, found = with_faults(streams(), {'late': late}, BEGIN, 0)
    assert found['late'].messages == 0
    assert np.isnan(found['late'].begin)


def test_the_same_seed_hits_the_same_messages():
    fault = {'gap': Fault('lost', 'imu/data', share=0.3)}
    first, second, other = (with_faults(streams(), fault, BEGIN, k)[0] for k in (1, 1, 2))
    np.testing.assert_array_equal(first.imu.stamps, second.imu.stamps)
    assert not np.array_equal(first.imu.stamps, other.imu.stamps)
