"""Rates, gaps and delays of the messages of a log."""

from collections import Counter
from dataclasses import replace

from logs import servicer_log
import numpy as np
import pytest

from spacerobot_id.measurement import VelocitySource
from spacerobot_id.measurement.log_record import LogRecord, stream_summaries, StreamSummary


def test_what_came_when_is_counted():
    """A gyro at 50 Hz, ten of its messages lost in a row, each 30 ms late, three not used."""
    log = servicer_log()
    kept = np.r_[0:500, 510 : len(log.imu.stamps)]
    imu = replace(
        log.imu,
        stamps=log.imu.stamps[kept],
        arrivals=log.imu.stamps[kept] + 0.03,
        angular_velocity=log.imu.angular_velocity[kept],
    )
    rejected = Counter({'imu/data: is frozen': 3, 'joint_states: not finite': 1})
    record = LogRecord(None, rejected, VelocitySource.TWIST)
    summaries = {each.topic: each for each in stream_summaries(replace(log, imu=imu), record)}
    assert set(summaries) == {'joint_states', 'imu/data', 'base_twist'}
    gyro = summaries['imu/data']
    assert gyro.messages == len(kept)
    assert gyro.rejected == {'is frozen': 3}
    assert gyro.rate == pytest.approx(50.0)
    assert gyro.longest_gap == pytest.approx(0.22)
    assert gyro.missing == 10
    assert gyro.delays == pytest.approx(np.full(len(kept), 0.03))
    assert summaries['joint_states'].missing == 0


def test_where_stamps_are_not_kept_rates_are_not_known():
    live = StreamSummary('imu/data', 12)
    assert np.isnan(live.rate)
    assert np.isnan(live.longest_gap)
