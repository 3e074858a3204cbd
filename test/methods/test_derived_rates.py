"""Joint rates derived from positions: their noise, who derives them, and true intervals."""

from dataclasses import replace

from logs import dual_arm_log
from moving_dual_arm import world
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior

from spacerobot_id.estimation import absorb, begin_identification, identify
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.lab.faults.replay import NodelessEstimator
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.log_record import readings_in_order
from spacerobot_id.measurement.signal.local_polynomial import CentralSlope
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.derived_rates import (
    encoder_covariances,
    in_band_std,
    MARGIN,
    planned_rate_std,
    with_derived_rates,
)
from spacerobot_id.methods.least_squares import LeastSquares
from spacerobot_id.methods.momentum import Momentum

STEP = 2.0 * np.pi / 4096.0


def with_noise(**noise):
    """Return the prior robot with other noise of its sensors."""
    prior = dual_arm_prior()
    return replace(prior, noise=replace(prior.noise, **noise))


def samples(seed, count=70):
    """Return samples of two joints at uneven stamps."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.005, 0.02, count))
    q = np.stack([np.sin(times), np.cos(2.0 * times)], axis=1)
    qd = np.stack([np.cos(times), -2.0 * np.sin(2.0 * times)], axis=1)
    return Record(times, q, qd, times[:, None])


def with_poses_between(record, every=4):
    """Return samples with poses at stamps of their own after every fourth, between readings."""
    after = np.arange(1, len(record) - 1, every)
    times = 0.3 * record.times[after] + 0.7 * record.times[after + 1]
    q = 0.3 * record.q[after] + 0.7 * record.q[after + 1]
    own, between = np.full((len(record), 4), 1.0), np.full((len(after), 4), np.inf)
    own[:, 3], between[:, [0, 3]] = np.inf, 1.0
    times, order = np.concatenate([record.times, times]), after + 1
    rates = np.insert(record.qd, order, record.qd[after], axis=0)
    return Record(
        np.sort(times),
        np.insert(record.q, order, q, axis=0),
        rates,
        np.zeros((len(rates), 1)),
        variance=np.insert(own, order, between, axis=0),
    )


def test_slopes_of_quartics_are_exact():
    times = np.sort(np.random.default_rng(0).uniform(0.0, 1.0, 30))
    slope = CentralSlope.at(times, 1.0)
    found = slope.of((times**4 - 2.0 * times**3 + times)[:, None])[:, 0]
    expected = 4.0 * times**3 - 6.0 * times**2 + 1.0
    np.testing.assert_allclose(found[slope.good], expected[slope.good], atol=1e-11)
    assert np.array_equal(np.flatnonzero(~slope.good), [0, 1, 28, 29])


def test_no_slope_is_taken_across_a_hole():
    times = np.concatenate([0.01 * np.arange(20), 1.0 + 0.01 * np.arange(20)])
    good = CentralSlope.at(times, 0.15).good
    assert np.array_equal(np.flatnonzero(~good), [0, 1, 18, 19, 20, 21, 38, 39])


def test_only_rates_that_are_missing_are_derived():
    record = samples(0)
    rates = record.qd.copy()
    rates[:, 1] = np.nan
    found = with_derived_rates(replace(record, qd=rates), np.isnan(rates))
    inner = record[MARGIN:-MARGIN]
    np.testing.assert_array_equal(found.qd[:, 0], inner.qd[:, 0])
    np.testing.assert_allclose(found.qd[:, 1], inner.qd[:, 1], atol=1e-5)
    np.testing.assert_array_equal(found.measured_rates(), [[1.0, 0.0]] * len(inner))


def test_the_covariance_of_neighbours_is_that_of_the_noise_they_share():
    """Of every second sample as well: what was between is not in the rest."""
    record, rng = samples(1), np.random.default_rng(2)
    derived = np.ones(record.q.shape, dtype=bool)
    found = with_derived_rates(record, derived)
    noise = rng.normal(size=(20000, *record.q.shape))
    slope = CentralSlope.at(record.times, np.inf)
    rates = np.einsum('nk,mnkd->mnd', slope.weights, noise[:, slope.nodes])[:, MARGIN:-MARGIN]
    of_positions, of_rates = rng.normal(size=(2, 1, 3, 2))
    seen = noise[:, MARGIN:-MARGIN] @ of_positions[0].T + 0.01 * rates @ of_rates[0].T
    for every in (1, 2, 3):
        some, misfits = found[::every], seen[:, ::every]
        shape = (len(some), 1, 1)
        own, shared = encoder_covariances(
            some, np.tile(of_positions, shape), np.tile(0.01 * of_rates, shape)
        )
        for lag, blocks in enumerate([own, *shared]):
            later, first = misfits[:, lag:], misfits[:, : len(some) - lag]
            expected = np.einsum('mni,mnj->nij', later, first) / len(noise)
            scale = 0.05 * np.abs(own).max()
            np.testing.assert_allclose(blocks[: len(some) - lag], expected, atol=scale)


def test_what_slopes_share_is_kept_where_poses_count_between_them():
    """The last that they share is a hundredth of their noise, and most of it in a sum of many."""
    record = samples(1)
    mixed = with_poses_between(record)
    found = with_derived_rates(mixed, np.ones(mixed.q.shape, dtype=bool))
    shape = (len(found), 1, 1)
    nothing, unit = np.zeros((1, 2)), np.array([[1.0, 0.0]])
    own, shared = encoder_covariances(found, np.tile(nothing, shape), np.tile(unit, shape))
    is_own = np.isfinite(found.noise_of('gyro'))
    covariance = np.diag(own[:, 0, 0])
    for lag, blocks in enumerate(shared, start=1):
        off = blocks[: len(found) - lag, 0, 0]
        covariance += np.diag(off, lag) + np.diag(off, -lag)
    alone = with_derived_rates(record, np.ones(record.q.shape, dtype=bool))
    both = np.isin(record.times, found.times[is_own])
    slope = CentralSlope.at(record.times, np.inf)
    weights = np.zeros((len(record), len(record)))
    np.put_along_axis(weights, slope.nodes, slope.weights, axis=1)
    expected = (weights @ weights.T)[np.ix_(both, both)]
    assert len(alone) < both.sum() < len(record)
    np.testing.assert_allclose(covariance[np.ix_(is_own, is_own)], expected, atol=1e-6)


def test_poses_between_readings_do_not_hide_that_encoders_repeat_themselves():
    """Positions between readings all differ, and no reading did."""
    record = samples(3, count=120)
    record = replace(record, q=0.02 * np.round(record.q / 0.02))
    mixed, everywhere = with_poses_between(record), np.ones((150, 2), dtype=bool)
    alone = with_derived_rates(record, everywhere[:120], 0.02)
    found = with_derived_rates(mixed, everywhere[: len(mixed)], 0.02)
    assert np.ptp(alone.derived) > 0.2
    there, of_mixed = np.isin(alone.times, found.times), np.isin(found.times, alone.times)
    np.testing.assert_allclose(found.derived[of_mixed], alone.derived[there])


def test_a_reading_that_repeats_itself_has_its_noise_in_every_slope_that_it_is_part_of():
    """Noise is that of readings, so that what one slope takes of it the next gives back."""
    record, rng = samples(3, count=120), np.random.default_rng(4)
    record = replace(record, q=0.02 * np.round(record.q / 0.02))
    found = with_derived_rates(record, np.ones(record.q.shape, dtype=bool), 0.02)
    assert np.ptp(found.derived) > 0.2
    noise = found.derived * rng.normal(size=(20000, *found.q.shape))
    slope = CentralSlope.at(found.times, np.inf)
    rates = np.einsum('nk,mnkd->mnd', slope.weights, noise[:, slope.nodes])
    of_positions, of_rates = rng.normal(size=(2, 1, 3, 2))
    seen = noise @ of_positions[0].T + 0.01 * rates @ of_rates[0].T
    shape, inner = (len(found), 1, 1), slice(4, -8)
    own, shared = encoder_covariances(
        found, np.tile(of_positions, shape), np.tile(0.01 * of_rates, shape)
    )
    for lag, blocks in enumerate([own, *shared]):
        later, first = seen[:, lag:], seen[:, : len(found) - lag]
        expected = np.einsum('mni,mnj->nij', later, first) / len(noise)
        scale = 0.05 * np.abs(own).max()
        there = blocks[: len(found) - lag][inner]
        np.testing.assert_allclose(there, expected[inner], atol=scale)


def test_a_joint_that_moves_by_few_steps_of_its_encoder_keeps_true_intervals():
    """Some 6 steps of 60 at a time, no rates: it was off by eight deviations, and usable."""
    robot = with_noise(joint_position=STEP / np.sqrt(12.0))
    method, clean = Momentum.from_model(robot), world(samples=6600)[:3300]
    assert np.ptp(clean.q[:, 0]) < 61 * STEP
    record = measured(clean, robot, 0, step=STEP, with_rates=False)
    estimate = identify(record, method, with_links=False).estimate
    error = estimate.values - method.minimal.values(dual_arm())
    square = error @ np.linalg.solve(estimate.covariance, error) / len(error)
    assert square < 1.5
    assert np.mean(np.abs(error) < 1.96 * estimate.std) > 0.9


@pytest.mark.parametrize(
    ('noise', 'derives'),
    [
        ({}, False),
        ({'joint_rate': 1e-2}, True),
        ({'joint_rate': 1e-2, 'joint_position': STEP / np.sqrt(12.0)}, True),
        ({'joint_rate': 1e-2, 'joint_position': 1e-2}, False),
        ({'joint_rate': 1e-2, 'joint_position': 0.0}, False),
    ],
)
def test_rates_are_derived_where_encoders_tell_more(noise, derives):
    """Not to compare with the least squares of the paper, which are those at measured rates."""
    robot = with_noise(**noise)
    assert Momentum.from_model(robot).derives_rates is derives
    assert AngularMomentum.from_model(robot).derives_rates is derives
    assert not LeastSquares.from_model(robot).derives_rates


def test_plans_count_with_the_rates_that_will_be_used():
    assert planned_rate_std(dual_arm_prior().noise) == dual_arm_prior().noise.joint_rate
    assert planned_rate_std(with_noise(joint_rate=1e-2).noise) == in_band_std(1e-5)


def measured(clean, robot, seed, *, step=0.0, with_rates=True):
    """Return what sensors see of a motion."""
    rng, noise, count = np.random.default_rng(seed), robot.noise, len(clean)
    q = clean.q + noise.joint_position * rng.normal(size=clean.q.shape) * (not step)
    twist = rng.normal(size=(count, 6))
    twist *= np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
    rates = clean.qd + noise.joint_rate * rng.normal(size=clean.qd.shape)
    return replace(
        clean,
        q=step * np.round(q / step) if step else q,
        qd=rates if with_rates else np.full_like(rates, np.nan),
        base_twist=clean.base_twist + twist,
    )


@pytest.mark.parametrize(
    ('noise', 'options'),
    [
        ({'joint_position': 1e-4}, {'with_rates': False}),
        ({'joint_position': STEP / np.sqrt(12.0)}, {'with_rates': False, 'step': STEP}),
        ({'joint_position': 1e-4, 'joint_rate': 1e-2}, {}),
        ({'joint_position': STEP / np.sqrt(12.0), 'joint_rate': 1e-2}, {'step': STEP}),
    ],
    ids=['no rates', 'no rates, 12 bits', 'poor rates', 'poor rates, 12 bits'],
)
def test_encoders_keep_true_intervals(noise, options):
    """Without rates, or with poor ones, which encoders make better."""
    robot = with_noise(**noise)
    method, clean = Momentum.from_model(robot), world(samples=3301)
    result = identify(measured(clean, robot, 3, **options), method, with_links=False)
    off = (result.estimate.values - method.minimal.values(dual_arm())) / result.estimate.std
    assert result.is_usable
    assert np.sqrt(np.mean(np.square(off))) < 1.4
    if not options.get('step') and 'joint_rate' in noise:
        stated = replace(method, derives_rates=False)
        poor = identify(measured(clean, robot, 3), stated, with_links=False)
        assert np.median(result.estimate.std / poor.estimate.std) < 0.3


def test_live_rates_are_those_of_the_whole_record():
    """Block by block every sample comes once, as it does at once, but for the ends."""
    robot = with_noise(joint_position=1e-4)
    method = Momentum.from_model(robot).without_joint_rates()
    record = measured(world(samples=801), robot, 4, with_rates=False)
    whole, state = method.prepared(record), begin_identification(method)
    for begin in range(0, len(record), 23):
        state = absorb(state, record[begin : begin + 23])
    live = Record.concatenate(state.recorded)
    rows = np.searchsorted(whole.times, live.times)
    np.testing.assert_array_equal(whole.times[rows], live.times)
    assert len(set(rows.tolist())) == len(rows) > 0.95 * np.sum(method.is_moving(whole))
    live, whole = method.renewed(live), method.renewed(whole[rows])
    for column in ('qd', 'smoothed', 'derived', 'slope_times', 'slope_weights'):
        np.testing.assert_allclose(getattr(live, column), getattr(whole, column), atol=1e-9)


def test_outliers_of_encoders_are_set_aside():
    """One reading spoils the slopes around it, and not the estimate."""
    robot = with_noise(joint_position=1e-4)
    method, clean = Momentum.from_model(robot), world(samples=3301)
    record = measured(clean, robot, 5, with_rates=False)
    q = record.q.copy()
    q[500::700] += 0.1
    result = identify(replace(record, q=q), method, with_links=False)
    off = (result.estimate.values - method.minimal.values(dual_arm())) / result.estimate.std
    assert np.sqrt(np.mean(np.square(off))) < 1.6


@pytest.mark.slow
def test_the_estimator_derives_rates_that_no_message_says():
    """As messages come, without a setting: true intervals at the end."""
    log, robot = dual_arm_log(), dual_arm_prior()
    velocities = log.joints.velocities.copy()
    velocities[:, [log.joints.names.index(name) for name in robot.joint_names]] = np.nan
    silent = replace(log, joints=replace(log.joints, velocities=velocities))
    messages = list(readings_in_order(robot, silent))
    result = NodelessEstimator(robot, IdentifySettings()).run(messages).result
    assert result.is_usable
    assert result.method.derives_rates
    off = (result.estimate.values - result.method.minimal.values(dual_arm())) / result.estimate.std
    assert np.sqrt(np.mean(np.square(off))) < 1.4
