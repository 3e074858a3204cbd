"""Outliers from the first sample on, live and in logs: found, counted, and without an effect."""

from dataclasses import replace
from functools import cache

from moving_dual_arm import described, half, world
import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.batch.gauss_newton import gauss_newton
from spacerobot_id.estimation.batch.robust_start import robust_start, truncated_cost
from spacerobot_id.methods.momentum import Momentum

METHOD = Momentum.from_model(described())
OF_POSES = Momentum.from_model(described(), from_pose=True)
TRUE = METHOD.minimal.values(dual_arm())
BLOCK = 20


@cache
def clean():
    """Return half a minute of the motion with the sensors' noise."""
    rng = np.random.default_rng(0)
    record = half()
    noise = rng.normal(size=(len(record), len(METHOD.rate_std))) * METHOD.rate_std
    return replace(
        record, qd=record.qd + noise[:, 6:], base_twist=record.base_twist + noise[:, :6]
    )


def spoilt(stream, share, size):
    """Return the record with outliers on a stream, and which samples they are in."""
    rng, record = np.random.default_rng(1), clean()
    hit = rng.random(len(record)) < share
    at = {'velocity': slice(0, 3), 'gyro': slice(3, 6), 'rates': slice(6, None)}[stream]
    off = np.zeros((len(record), len(METHOD.rate_std)))
    sides = rng.choice([-1.0, 1.0], off.shape)
    off[:, at] = (sides * METHOD.rate_std * size * hit[:, None])[:, at]
    return replace(
        record, qd=record.qd + off[:, 6:], base_twist=record.base_twist + off[:, :6]
    ), hit


def live(record, method=METHOD):
    """Return the state that a record leads to, block by block."""
    state = begin_identification(method)
    for begin in range(0, len(record), BLOCK):
        state = absorb(state, record[begin : begin + BLOCK])
    return state


@cache
def undisturbed():
    """Return the state that the record without outliers leads to, live and fitted at once."""
    return live(clean()), identify(clean(), METHOD, with_links=False).estimate


def spread(estimate):
    """Return the errors in standard deviations, root mean square."""
    return np.sqrt(np.mean(((estimate.values - TRUE) / estimate.std) ** 2))


HARD = [
    ('velocity', 0.01, 100.0),
    ('gyro', 0.05, 100.0),
    ('gyro', 0.1, 1000.0),
    ('rates', 0.1, 1000.0),
]
"""The hard ones of those of ``benchmarks/outliers.py``."""


@pytest.mark.parametrize(('stream', 'share', 'size'), HARD)
def test_outliers_from_the_first_sample_on_do_no_harm(stream, share, size):
    """The errors are those of the clean record, intervals hold, and no change is announced."""
    record, hit = spoilt(stream, share, size)
    state, log = live(record), identify(record, METHOD, with_links=False).estimate
    found, without = state.estimate(), undisturbed()[1]
    for estimate in (found, log):
        assert estimate.chi_square == pytest.approx(1.0, abs=0.05)
        assert spread(estimate) < 1.4
        assert np.median(estimate.std / without.std) < 1.2
    assert state.changes == 0
    used = state.method.is_moving(record)
    assert state.rejected == pytest.approx(np.sum(hit & used), abs=0.02 * np.sum(hit) + 5)


def measured_poses(seed, samples, rate=50):
    """Return the first samples of a record with noise, poses in place of velocities."""
    rng, noise = np.random.default_rng(seed), OF_POSES.model.noise
    record = world(samples=66 * rate + 1)[:samples]
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(samples, 3)))
    rates = rng.normal(size=(samples, len(METHOD.rate_std))) * OF_POSES.rate_std
    return replace(
        record,
        qd=record.qd + rates[:, 6:],
        base_twist=record.base_twist + rates[:, :6],
        position=record.position + noise.base_position * rng.normal(size=(samples, 3)),
        attitude=(Rotation.from_quat(record.attitude) * turn).as_quat(),
    )


@pytest.mark.parametrize(('share', 'size'), [(0.01, 1000.0), (0.05, 100.0)])
def test_outliers_of_attitudes_do_not_turn_the_slopes_of_their_neighbours(share, size):
    """A tenth of a radian: five changes were announced, or the covariance was none."""
    rng, record = np.random.default_rng(2), measured_poses(0, 800)
    hit = rng.random(len(record)) < share
    off = size * OF_POSES.pose_std[1] * hit[:, None] * rng.choice([-1.0, 1.0], (len(record), 3))
    turned = Rotation.from_quat(record.attitude) * Rotation.from_rotvec(off)
    state = live(replace(record, attitude=turned.as_quat()), OF_POSES)
    error = (state.estimate().values - TRUE) / state.estimate().std
    assert np.sqrt(np.mean(error**2)) < 1.5
    assert state.changes == 0
    assert 0.7 * hit.sum() < state.rejected < 1.1 * hit.sum()


def test_what_has_not_converged_is_begun_again_elsewhere():
    """Poses that tell little, along a bent valley: fits stayed a hundred deviations off."""
    record, state, off = measured_poses(3, 1400, 100), begin_identification(OF_POSES), []
    for begin in range(0, len(record), BLOCK):
        state = absorb(state, record[begin : begin + BLOCK])
        if begin >= 200 and begin % 200 == 0:
            estimate = state.estimate()
            error = estimate.values - TRUE
            off.append(error @ np.linalg.solve(estimate.covariance, error) / len(error))
    assert np.median(off) < 3.0
    assert max(off[-3:]) < 3.0


def test_one_outlier_early_on_is_forgotten():
    """Before anything is judged, at 3 s: at the end nothing of it is left."""
    record = clean()
    twist = record.base_twist.copy()
    twist[150, 3:] += 1000.0 * METHOD.rate_std[3:6]
    state = live(replace(record, base_twist=twist))
    without = undisturbed()[0].estimate()
    assert state.rejected == 1
    assert np.abs((state.estimate().values - without.values) / without.std).max() < 0.2


def test_samples_that_stood_out_while_little_was_known_are_taken_back():
    """At the end no good sample is missing."""
    state, _ = undisturbed()
    assert state.rejected == 0
    assert not state.aside
    assert state.samples == int(np.sum(METHOD.is_moving(clean())))


@pytest.mark.parametrize('stream', ['rates', 'gyro', 'velocity'])
def test_a_robust_start_is_where_the_good_samples_alone_lead(stream):
    """From what the description says, 4 s in, with a tenth of the samples off by a thousand."""
    early = slice(0, 200)
    record, hit = (part[early] for part in spoilt(stream, 0.1, 1000.0))
    prior = METHOD.prior()
    good = gauss_newton(METHOD, record[~hit], prior.mean, prior)
    robust = robust_start(METHOD, record, prior.mean, prior)
    spoilt_fit = gauss_newton(METHOD, record, prior.mean, prior)
    limit = 30.0
    cost = [
        truncated_cost(METHOD, record, fit.values, limit, prior)
        for fit in (good, robust, spoilt_fit)
    ]
    assert good.information.deviations(robust.values - good.values) < 1.0
    assert cost[1] - cost[0] < len(good.values)
    assert cost[2] > cost[0] + 100.0


def test_a_cost_that_cuts_off_nothing_is_that_of_the_fit():
    """Prior, squares and determinants: with a limit that no sample reaches."""
    record, prior = clean()[:100], METHOD.prior()
    fit = gauss_newton(METHOD, record, prior.mean, prior)
    assert truncated_cost(METHOD, record, fit.values, 1e6, prior) == pytest.approx(fit.cost)


def test_data_of_no_robot_raise_nothing_live():
    """Joint rates in degrees per second, an axis of the gyro negated, a gyro in degrees.

    What is not refused as it comes leaves too much over.
    """
    record = clean()[:200]
    for changed in (
        replace(record, qd=np.degrees(record.qd)),
        replace(record, base_twist=record.base_twist * [1, 1, 1, -1, 1, 1]),
        replace(record, base_twist=record.base_twist * [1, 1, 1, 60, 60, 60]),
    ):
        state = live(changed)
        is_refused = state.rejected > 0.1 * state.samples
        assert is_refused or not state.quality.is_as_stated
