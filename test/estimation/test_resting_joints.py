"""Joints at rest show nothing: the noise of their rates is no information.

Slopes at measured rates took it for some: a parked arm beside turning wheels was usable, without
a warning, with a squared error of hundreds of times what chance allows.
"""

from dataclasses import replace

from logs import measured_swings
from motions import measure, random_plan, with_noise
import numpy as np
import pytest
from robots import servicer
from scipy.stats import chi2

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.momentum import Momentum

MODEL = servicer()
METHOD = Momentum.from_model(MODEL)
TRUTH = METHOD.minimal.values(MODEL)
COUNT = len(TRUTH)
PRIOR = METHOD.prior().linearised(METHOD.prior().mean).covariance()[:COUNT, :COUNT]


def noisy(clean, seed):
    """Return samples with the noise of all sensors, positions of joints among them."""
    moved = np.random.default_rng(seed).normal(size=clean.q.shape) * MODEL.noise.joint_position
    return replace(with_noise(clean, METHOD, seed), q=clean.q + moved)


def squared_error(estimate):
    """Return the normalised squared error of all parameters, its mean, and what chance allows.

    The description is the truth, so that only what data show can be wrong: a sum of squares of
    normal variables, each weighed by the share of what is known that is the data's.
    """
    off, std = estimate.values - TRUTH, estimate.std
    correlation = estimate.covariance / np.outer(std, std)
    found = float((off / std) @ np.linalg.solve(correlation, off / std))
    shares = 1.0 - np.linalg.eigvals(np.linalg.solve(PRIOR, estimate.covariance)).real
    shares = np.clip(shares, 0.0, 1.0)
    mean, freedom = shares.sum(), shares.sum() ** 2 / max((shares**2).sum(), 1e-12)
    return found, mean, chi2.ppf(1.0 - 1e-5, freedom) * mean / freedom


def swings(sizes, seed):
    """Return a minute in which joints swing by so much, (n,) in rad, and wheels turn the base."""
    rng, joints = np.random.default_rng(seed), len(MODEL.joints)
    times, count = np.arange(0.0, 60.0, 0.02), joints + len(MODEL.wheels)
    pulsation = 2.0 * np.pi * rng.uniform(0.03, 0.1, count)
    phase = np.outer(times, pulsation) + rng.uniform(0.0, 6.0, count)
    size = np.append(sizes, np.full(len(MODEL.wheels), 0.5))
    rest = np.append(rng.uniform(-1.0, 1.0, joints), np.zeros(len(MODEL.wheels)))
    clean = measured_swings(
        MODEL, times, rest + size * np.sin(phase), size * pulsation * np.cos(phase)
    )
    return noisy(clean, seed)


@pytest.mark.parametrize('seed', range(8))
def test_what_rests_shows_nothing(seed):
    """Whichever joints rest: none of them, all, or any."""
    rng = np.random.default_rng(seed)
    moving = {0: np.arange(7), 1: np.arange(0)}.get(seed, np.flatnonzero(rng.random(7) < 0.5))
    sizes = 0.5 * np.isin(np.arange(7), moving)
    result = identify(swings(sizes, seed), METHOD, with_links=False)
    found, mean, most = squared_error(result.estimate)
    assert result.is_usable, result.reasons
    assert found < most
    assert mean > 5.0 * len(moving)  # and what moves shows as much as it did
    assert np.abs(result.estimate.values - TRUTH).max() > 0.0


def test_a_joint_that_hardly_moves_shows_little():
    """By half a degree, ten times in a minute."""
    sizes = np.append(np.deg2rad(0.25), np.zeros(6))
    result = identify(swings(sizes, 3), METHOD, with_links=False)
    found, _, most = squared_error(result.estimate)
    assert found < most


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(30))
def test_nothing_valid_is_wrong_while_a_flight_begins(seed):
    """At the looks of every second; with slopes at measured rates 6 of 30 flights are wrong."""
    plan = replace(random_plan(MODEL, seed, 3), durations=np.full(3, 2.0))
    samples = noisy(measure(MODEL, plan, rate=50.0), seed)
    state, before, looks = begin_identification(METHOD), (), 0
    for begin in range(0, len(samples), 10):
        state = absorb(state, samples[begin : begin + 10])
        result = Result.of_state(state, samples.q[begin], before)
        before = frozenset(each.kind for each in result.defects)
        if (begin + 10) % 50 == 0 and result.is_usable:
            found, _, most = squared_error(result.estimate)
            assert found < most, f'{samples.times[begin]:.1f} s'
            looks += 1
    assert looks
