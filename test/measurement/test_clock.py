"""Simulated time that does not go on is distinguished from time that does."""

from spacerobot_id.measurement.monitors.statistics import ClockMonitor


def test_F19_a_simulated_clock_that_stands_still_is_news_once_and_so_is_its_return():
    monitor = ClockMonitor()
    news = [monitor.look(now, is_simulated=True) for now in (1, 1, 1, 2, 3)]
    assert news == [False, True, False, True, False]
    assert not monitor.is_still


def test_F19_a_simulated_clock_that_never_came_stands_still():
    monitor = ClockMonitor()
    assert monitor.look(0, is_simulated=True)
    assert monitor.is_still


def test_F19_another_clock_never_stands_still():
    monitor = ClockMonitor()
    assert not any(monitor.look(5, is_simulated=False) for _ in range(3))
