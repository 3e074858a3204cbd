"""A curve through positions and rates of joints, some of which are lost."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from thruster_flights import Motion

from spacerobot_id.measurement.signal.smooth_path import _outlying, SmoothPath

STDS = 4.4e-4, 2e-3
DURATION = 20.0


class Jerked:
    """Three joints whose jerk is white noise of 1 rad/s^3 for every hundredth of a second."""

    def __init__(self, accelerations):
        self._rates = accelerations.antiderivative()
        self._positions = self._rates.antiderivative()

    @classmethod
    def drawn(cls, rng):
        times = np.arange(-1.0, DURATION + 1.0, 0.01)
        jerk = np.cumsum(rng.normal(size=(len(times), 3)), axis=0) * 0.01
        return cls(CubicSpline(times, jerk))

    def at(self, times):
        return self._positions(times), self._rates(times), None


def rms(errors):
    return np.sqrt(np.mean(errors**2))


def off(keep, *, rates=True, hit=0.0, jerked=False, seed=0):
    """Return the errors of positions and rates of a curve through readings at 50 Hz, (N, 3).

    A share of the rates is hit: off by up to a radian per second. The motion is one of sines, or
    jerked at random.
    """
    rng = np.random.default_rng(seed)
    motion = Jerked.drawn(rng) if jerked else Motion.drawn(3, 0.8, rng)
    times = np.arange(0.0, DURATION, 0.02)
    times = times[keep(times, rng)]
    q, qd, _ = motion.at(times)
    q, qd = (x + std * rng.normal(size=x.shape) for x, std in zip((q, qd), STDS, strict=True))
    qd += (rng.random(qd.shape) < hit) * rng.uniform(-1.0, 1.0, qd.shape)
    path = SmoothPath.through(times, q, qd if rates else None, STDS)
    between = np.arange(times[0] + 0.1, times[-1] - 0.1, 0.002)
    q, qd, _ = motion.at(between)
    found = path.at(between)
    return path, found[0] - q, found[1] - qd


def means(errors, count):
    """Return means of so many errors in a row."""
    whole = len(errors) // count
    return errors[: whole * count].reshape(whole, count, -1).mean(axis=1)


def every_one(times, rng):
    return np.ones(len(times), dtype=bool)


def half(times, rng):
    return rng.random(len(times)) < 0.5


def a_third(times, rng):
    return rng.random(len(times)) < 0.3


def gap(times, rng):
    return (times < 8.0) | (times > 8.5)


@pytest.mark.parametrize('rates', [True, False])
def test_it_is_as_far_off_as_it_says(rates):
    """Of readings that are all there, of motions that are jerked at random."""
    paths, *found = zip(
        *[off(every_one, rates=rates, jerked=True, seed=k) for k in range(8)], strict=True
    )
    position, rate = (np.concatenate(each) for each in found)
    assert rms(position) == pytest.approx(rms(np.array([p.own_std for p in paths])), rel=0.1)
    assert rms(rate) == pytest.approx(rms(np.array([p.own_rate_std for p in paths])), rel=0.1)


@pytest.mark.parametrize('rates', [True, False])
@pytest.mark.parametrize('keep', [every_one, half, a_third])
def test_of_a_smooth_motion_it_is_no_farther_off_than_it_says(keep, rates):
    """And far less than single readings."""
    path, position, rate = off(keep, rates=rates)
    assert rms(position) < 1.1 * np.mean(path.own_std) < 0.55 * STDS[0]
    assert rms(rate) < 1.1 * np.mean(path.own_rate_std) < 0.8 * STDS[1]


@pytest.mark.parametrize('rates', [True, False])
@pytest.mark.parametrize('keep', [every_one, half, a_third])
def test_its_errors_last_as_white_noise_for_poses_says(keep, rates):
    """Of means over a second, ten poses of the base each; of rates no more than that."""
    found = [off(keep, rates=rates, jerked=True, seed=k) for k in range(8)]
    whites = np.array([path.white_stds(0.1) for path, _, _ in found])
    position, rate = (np.concatenate([means(each[k], 500) for each in found]) for k in (1, 2))
    assert rms(position) == pytest.approx(rms(whites[:, 0]) / np.sqrt(10.0), rel=0.2)
    assert rms(rate) < rms(whites[:, 1]) / np.sqrt(10.0)


@pytest.mark.parametrize('rates', [True, False])
@pytest.mark.parametrize('keep', [half, a_third])
def test_F21_readings_that_are_lost_at_random_cost_little(keep, rates):
    """Positions as good as readings, rates as good as those of all: nothing swings between."""
    path, position, rate = off(keep, rates=rates)
    _, _, of_all = off(every_one, rates=rates)
    assert rms(position) < 1.2 * STDS[0]
    assert rms(rate) < 3.0 * rms(of_all)
    np.testing.assert_array_equal(path.rate_std, STDS[1])


@pytest.mark.parametrize('rates', [True, False])
def test_F22_half_a_second_without_readings_is_bridged(rates):
    """Within a degree: the noise of the last ones is not followed."""
    _, position, rate = off(gap, rates=rates)
    assert np.abs(position).max() < np.deg2rad(1.0)
    assert np.abs(rate).max() < 0.1


def test_F30_rates_far_off_do_not_take_the_others_with_them():
    """Of one in fifty the others lose no weight, and the curve is better than without rates."""
    path, position, rate = off(every_one, hit=0.02)
    _, without, rate_without = off(every_one, rates=False)
    _, clean, rate_clean = off(every_one)
    np.testing.assert_array_equal(path.rate_std, STDS[1])
    assert rms(position) < min(rms(without), 1.02 * rms(clean))
    assert rms(rate) < min(rms(rate_without), 1.02 * rms(rate_clean))


def test_where_a_motion_turns_sharply_its_rates_count():
    """A joint that is driven from side to side, its rate a step: no rate there is an outlier."""
    times = np.arange(0.0, 10.0, 0.02)
    rate = np.where(times % 2.0 < 1.0, 0.5, -0.5)[:, None]
    q = 0.5 - 0.5 * np.abs((times[:, None] + 1.0) % 2.0 - 1.0)
    noisy = rate + STDS[1] * np.random.default_rng(0).normal(size=rate.shape)
    errors = SmoothPath.through(times, q, None, STDS).at(times)[1] - rate
    is_dense = np.ones(len(times), dtype=bool)
    assert not _outlying(noisy - rate + errors, is_dense, np.full(1, STDS[1])).any()
