"""Counters of a topic: every message counts, every change is logged once."""

from collections import Counter

import pytest

from spacerobot_id.measurement.monitors.statistics import TopicStatistics


class Log(list):
    """A logger that remembers."""

    def info(self, text):
        self.append(('info', text))

    def warning(self, text):
        self.append(('warning', text))


@pytest.fixture(name='log')
def new_log():
    return Log()


@pytest.fixture(name='monitor')
def new_monitor(log):
    return TopicStatistics('imu/data', log)


def test_every_message_is_counted(monitor):
    for reason in ('a', 'b', 'a'):
        monitor.accept()
        monitor.reject(reason)
    assert monitor.accepted == 3
    assert monitor.rejected == Counter(a=2, b=1)
    assert monitor.summary() == {
        'accepted': '3',
        'rejected': '3',
        'missing': '0',
        'rejected: a': '2',
        'rejected: b': '1',
    }


def test_a_fault_is_said_once_and_not_per_message(monitor, log):
    for _ in range(1000):
        monitor.reject('has no stamp')
    assert log == [('warning', 'imu/data: rejected: has no stamp')]
    assert monitor.reason == 'has no stamp'


def test_faults_that_alternate_with_good_messages_do_not_flood_the_log(monitor, log):
    """Every second message bad, for two reasons: each is logged once, and never 'good again'."""
    for count in range(1000):
        monitor.accept()
        monitor.reject('one' if count % 2 else 'other')
    assert [level for level, _ in log] == ['warning', 'warning']


def test_the_end_of_a_fault_is_said_and_its_return_is_news(monitor, log):
    for _ in range(2):
        monitor.reject('has no stamp')
        for _ in range(100):
            monitor.accept()
        assert monitor.reason == ''
    assert log == 2 * [
        ('warning', 'imu/data: rejected: has no stamp'),
        ('info', 'imu/data: good again'),
    ]


def test_good_messages_are_not_worth_a_word(monitor, log):
    for _ in range(100):
        monitor.accept()
    assert log == []


def test_F25_what_is_missing_between_stamps_is_counted(monitor):
    """At a kilohertz with jitter: lost samples count, late ones and the rejected do not."""
    stamps = [1000.0 + 1e-3 * (k + 0.05 * (k % 2)) for k in range(1000)]
    for k, stamp in enumerate(stamps):
        if k == 300:
            monitor.reject('has NaN or infinity')
        elif k == 400 or 500 <= k < 520:
            continue
        else:
            monitor.accept(stamp)
    assert monitor.missing == 21


def test_F25_what_is_missing_is_counted_when_most_is_lost(monitor):
    """Four of five, for ten seconds."""
    for k in range(1100):
        if k < 100 or k % 5 == 0:
            monitor.accept(1000.0 + 0.01 * k)
    assert monitor.missing == 4 * 199


def test_F25_a_jump_of_the_clock_is_no_loss(monitor):
    for k in range(200):
        monitor.accept(1000.0 + 0.01 * k)
    monitor.accept(None)
    for k in range(200):
        monitor.accept(5000.0 + 0.01 * k)
    assert monitor.missing == 0
