"""Readings far from those around them: found among noise, motion and steps, and left out."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from small_robot import small_robot
from streams import flight, gyro_reading, STEP

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import Record, StreamNeeds, VelocitySource
from spacerobot_id.measurement.signal.resampling import (
    lasting,
    rates_off_positions,
    resampled,
    without_outliers,
)
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream

ROBOT = small_robot()
NAMES = ROBOT.joint_names + ROBOT.wheel_names


def moving(rate, noise=0.0, step=0.0, seed=0, seconds=8.0):
    """Return stamps and readings of three things that swing, noisy or in steps."""
    times = np.arange(0.0, seconds, 1.0 / rate)
    values = np.sin(np.add(np.outer(times, [0.7, 2.0, 5.0]), [0.1, 1.0, 2.0]))
    values += noise * np.random.default_rng(seed).normal(size=values.shape)
    return times, np.round(values / step) * step if step else values


@settings(max_examples=60, deadline=None)
@given(
    rate=st.sampled_from([100.0, 200.0, 1000.0]),
    noise=st.sampled_from([0.0, 1e-6, 1e-3, 0.1]),
    step=st.sampled_from([0.0, 1e-4, 1.5e-3, 0.05]),
    seed=st.integers(0, 1000),
)
def test_neither_motion_nor_noise_nor_steps_are_outliers(rate, noise, step, seed):
    """Readings without outliers are returned as they are."""
    values = moving(rate, noise, step, seed)[1]
    found, is_out = without_outliers(values, noise)
    assert found is values
    assert not is_out.any()


@settings(max_examples=60, deadline=None)
@given(
    noise=st.sampled_from([1e-5, 1e-3, 1e-2]),
    size=st.floats(30.0, 1e6),
    seed=st.integers(0, 1000),
)
def test_outliers_among_noise_are_replaced_by_what_is_around(noise, size, seed):
    """One reading in fifty, in one component each; others keep every digit."""
    rng = np.random.default_rng(seed)
    values = moving(500.0, noise, seed=seed)[1]
    rows = np.arange(20, len(values) - 20, 50)
    columns = rng.integers(3, size=len(rows))
    spoilt = values.copy()
    spoilt[rows, columns] += size * noise * rng.choice([-1.0, 1.0], len(rows))
    found, is_out = without_outliers(spoilt)
    assert_array_equal(np.flatnonzero(is_out), rows)
    assert_allclose(found[rows, columns], values[rows, columns], atol=6.0 * noise + 0.03)
    found[rows, columns] = values[rows, columns]
    assert_array_equal(found, values)


def test_components_that_are_not_measured_are_left_alone():
    """NaN of wheels' positions does not hide what joints say."""
    values = np.column_stack([moving(200.0, 1e-3)[1], np.full(1600, np.nan)])
    values[700, 1] += 1.0
    found, is_out = without_outliers(values)
    assert_array_equal(np.flatnonzero(is_out), [700])
    assert np.isnan(found[:, 3]).all()


@pytest.mark.parametrize('size', [30.0, 1e3, 1e6])
def test_averages_are_those_of_the_other_readings(size):
    """An outlier leaves what averages around it are by the noise that it takes from them."""
    noise = 1e-3
    stamps, values = moving(1000.0, noise)
    times = np.arange(1.0, 7.0, 0.05)
    clean = resampled(times, 0.05, stamps, values, 1e-3, 0.1)
    assert not len(clean.outlying)
    spoilt = values.copy()
    spoilt[3333] += size * noise
    found = resampled(times, 0.05, stamps, spoilt, 1e-3, 0.1)
    assert_array_equal(found.outlying, stamps[[3333]])
    assert np.abs(found.values - clean.values).max() < 0.5 * noise / np.sqrt(50.0)
    assert_array_equal(found.variance, clean.variance)


def joints(rate, seed, position_std=1e-5, rate_std=5e-5):
    """Return times, positions and rates of two joints, from rest into a swing, and their noise."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.9, 1.1, round(12.0 * rate)) / rate)
    moved = np.maximum(times - 3.0, 0.0)[:, None] * [1.5, 2.5]
    positions, rates = 0.1 * (1.0 - np.cos(moved)), 0.1 * np.sin(moved) * [1.5, 2.5]
    positions = positions + position_std * rng.normal(size=positions.shape)
    return (
        times,
        positions,
        rates + rate_std * rng.normal(size=rates.shape),
        position_std,
        rate_std,
    )


def away_from_start(rate, seed):
    """Return which samples are not beside the start of the joints."""
    return np.abs(joints(rate, seed)[0] - 3.0) > 2.5 / rate


@settings(max_examples=60, deadline=None)
@given(rate=st.sampled_from([10.0, 12.5, 50.0, 100.0]), seed=st.integers(0, 1000))
def test_no_rate_of_a_motion_contradicts_its_positions(rate, seed):
    """Noise, uneven times; where joints start with a jump of acceleration one sample may."""
    found = rates_off_positions(*joints(rate, seed))
    assert not found[away_from_start(rate, seed)].any()
    assert np.sum(found) <= 1
    assert rate < 50.0 or not found.any()


@settings(max_examples=60, deadline=None)
@given(
    rate=st.sampled_from([10.0, 12.5, 50.0, 100.0]),
    share=st.floats(0.01, 0.15),
    seed=st.integers(0, 1000),
)
@example(rate=10.0, share=0.1484375, seed=11)
def test_rates_that_positions_contradict_are_found(rate, share, seed):
    """Whatever the share: those off by far more than positions can tell, and hardly another."""
    times, positions, rates, *stds = joints(rate, seed)
    rng = np.random.default_rng(seed)
    hit = rng.random(len(times)) < share
    hit[1:] &= ~hit[:-1]
    hit[:2] = hit[-2:] = False
    off = 100.0 * np.hypot(stds[1], stds[0] * rate) * rng.choice([-1.0, 1.0], len(times))
    rates[hit, 1] += off[hit]
    found = rates_off_positions(times, positions, rates, *stds)
    alone = hit & ~np.roll(hit, 2) & ~np.roll(hit, -2)
    away = away_from_start(rate, seed)
    assert found[alone & away].all()
    assert not found[~hit & away].any()


@pytest.mark.parametrize('rate', [10.0, 100.0])
def test_the_rates_beside_an_outlier_of_a_position_stay(rate):
    """It is the position that contradicts them."""
    times, positions, rates, *stds = joints(rate, 0)
    positions[::20, 0] += 0.05
    assert not rates_off_positions(times, positions, rates, *stds).any()


def test_joints_that_are_not_known_contradict_nothing():
    """Poses between joint states, methods without joints, pauses."""
    times, positions, rates, *stds = joints(50.0, 0)
    rates[101] += 1.0
    assert_array_equal(np.flatnonzero(rates_off_positions(times, positions, rates, *stds)), [101])
    far = times + np.where(np.arange(len(times)) > 100, 5.0, 0.0)
    assert not rates_off_positions(far, positions, rates, *stds).any()
    unknown = np.full_like(rates, np.nan)
    assert not rates_off_positions(times, unknown, unknown, *stds).any()
    assert not rates_off_positions(times, positions[:, :0], rates[:, :0], *stds).any()


@pytest.mark.parametrize('share', [0.0, 0.01, 0.1])
def test_a_motion_lasts_and_an_outlier_at_rest_does_not(share):
    """What moves counts from its first sample to its last, what is alone does not."""
    moving = np.zeros(4000, dtype=bool)
    moving[1000:3000] = True
    seen = moving | (np.random.default_rng(0).random(4000) < share)
    found = lasting(seen)
    assert found[moving].all()
    assert np.sum(found & ~moving) <= 1 + 0.05 * np.sum(seen & ~moving)
    slow = moving & (np.arange(4000) % 100 > 1)  # rates that pass through zero
    assert_array_equal(lasting(slow), slow)


@pytest.mark.parametrize('moving', [[], [True], [False], [True, True]])
def test_what_has_no_neighbours_moves_as_it_does(moving):
    """A block of one sample, or of those that moved."""
    assert_array_equal(lasting(np.array(moving, dtype=bool)), moving)


def test_F30_readings_left_out_of_averages_are_counted_once():
    """Each in the statistics of its topic, however the log is cut into pieces."""
    samples, parts = flight(), []
    intake = sensor_intake(ROBOT, StreamNeeds(), VelocitySource.TWIST)
    rng, bad = np.random.default_rng(1), range(150, 560, 70)
    for row in range(100, 600):
        stamp, unknown = 1000.0 + STEP * row, np.empty(0)
        gyro = samples.twist[row, 3:] + 1e-5 * rng.normal(size=3)
        if row in bad:
            gyro[1] += 0.3
        intake.take(gyro_reading(stamp + 0.3 * STEP, 'base', gyro))
        if row % 5 == 0:
            intake.take(TwistStream(stamp, stamp, 'base', samples.twist[row]))
            positions, rates = samples.positions[row], samples.velocities[row]
            intake.take(JointStream(stamp, stamp, NAMES, positions, rates, unknown))
        if row % 7 == 0:
            parts.append(intake.samples())
    parts.append(intake.samples(is_last=True))
    record = Record.concatenate([each for each in parts if each is not None and len(each)])
    rejected = intake.statistics['imu/data'].rejected
    assert rejected == {'is far from the readings around it': len(bad)}
    truth = np.array(
        [
            np.interp(record.times, 1000.0 + STEP * np.arange(len(samples.twist)), column)
            for column in samples.twist[:, 3:].T
        ]
    )
    assert_allclose(record.base_twist[:, 3:], truth.T, atol=5e-3)
