"""Faults of a campaign: put into the messages of a flight, found in them again by their names."""

import numpy as np
import pytest
from reference_logs import streams
from robots import dual_arm_prior

from spacerobot_id.lab.campaign.run import with_faults
from spacerobot_id.lab.faults import BY_KEY, Occurrence

MODEL, LOG = dual_arm_prior(), streams('dual_arm')
BEGIN = float(LOG.joints.arrivals[0]) + 1.0


def test_times_are_counted_from_the_begin_of_the_motion():
    gap = {'gap': Occurrence(BY_KEY['F22 base_pose'], 2.0, 3.0)}
    made, found = with_faults(MODEL, LOG, gap, BEGIN, 3)
    after = made.pose.arrivals - BEGIN
    assert not ((after >= 2.0) & (after < 5.0)).any()
    assert found['gap'].begin == pytest.approx(2.0, abs=0.1)
    assert found['gap'].duration == pytest.approx(3.0, abs=0.2)
    np.testing.assert_array_equal(made.joints.positions, LOG.joints.positions)
    assert made.true_pose is LOG.true_pose


def test_several_faults_of_one_stream_are_told_apart():
    faults = {
        'gap': Occurrence(BY_KEY['F22 imu/data'], 2.0, 1.0),
        'late': Occurrence(BY_KEY['F16 skew imu/data'], 5.0, 2.0, size=0.03),
    }
    _, found = with_faults(MODEL, LOG, faults, BEGIN, 3)
    assert found['gap'].begin == pytest.approx(2.0, abs=0.1)
    assert (found['late'].begin, found['late'].size) == pytest.approx((5.0, 0.03), abs=0.1)


def test_the_same_seed_hits_the_same_messages():
    fault = {'gap': Occurrence(BY_KEY['F21 loss'], 0.0, share=0.3)}
    first, second, other = (with_faults(MODEL, LOG, fault, BEGIN, k)[0] for k in (1, 1, 2))
    np.testing.assert_array_equal(first.imu.stamps, second.imu.stamps)
    assert not np.array_equal(first.imu.stamps, other.imu.stamps)


def test_without_faults_streams_are_as_they_were():
    assert with_faults(MODEL, LOG, {}, BEGIN, 0) == (LOG, {})
