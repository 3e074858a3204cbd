"""Noise that is not as stated: found by stream, and weighed as it is, in logs and live."""

from dataclasses import replace
from functools import cache

from identifying import absorbed, later
from moving_dual_arm import described, HALF, half, world
import numpy as np
import pytest
from reference_logs import PLANS
from robots import dual_arm, dual_arm_prior
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import begin_identification, identify
from spacerobot_id.estimation.batch.reweighting import reweighted
from spacerobot_id.estimation.live_feed import refined
from spacerobot_id.estimation.recursive.recursion import recorded, refine
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.excitation import load_plan
from spacerobot_id.methods.momentum import Momentum

EXACT = Momentum.from_model(described())
TRUE = EXACT.minimal.values(dual_arm())
SAMPLES = 3300
PLACES = {'imu/data': slice(3, 6), 'base_twist': slice(0, 3)}


@cache
def measured(seed=0):
    """Return half a minute of the motion with the sensors' noise."""
    record = half()
    noise = np.random.default_rng(seed).normal(size=(HALF, len(EXACT.rate_std)))
    noise *= EXACT.rate_std
    return replace(
        record, qd=record.qd + noise[:, 6:], base_twist=record.base_twist + noise[:, :6]
    )


def misstated(**factors):
    """Return the method with noise stated a factor larger than it is, by topic."""
    std = EXACT.rate_std.copy()
    for name, factor in factors.items():
        std[PLACES[name]] *= factor
    return replace(EXACT, rate_std=std)


def found_factors(noise):
    """Return the notes on the noise of each topic."""
    return {each.name.removeprefix('noise of '): each.value for each in noise}


def deviations(estimate):
    """Return the errors in standard deviations."""
    return (estimate.values - TRUE) / estimate.std


def squared_error(result, method):
    """Return the squared error by the full covariance, per parameter."""
    error = result.estimate.values - method.minimal.values(dual_arm())
    return error @ np.linalg.solve(result.estimate.covariance, error) / len(error)


@cache
def best():
    """Return the result of the noise stated as it is."""
    return identify(measured(), EXACT, with_links=False)


CASES = (
    {'imu/data': 1e-3},
    {'imu/data': 30.0},
    {'base_twist': 0.1},
    {'imu/data': 0.01, 'base_twist': 10.0},
)


@pytest.mark.parametrize('factors', CASES, ids=str)
def test_a_log_is_weighed_as_its_residuals_show(factors):
    """Estimates and intervals are those of noise that is stated as it is."""
    result = identify(measured(), misstated(**factors), with_links=False)
    found = found_factors(result.noise)
    for name, factor in factors.items():
        assert found.pop(name) == pytest.approx(1.0 / factor, rel=0.06)
    assert all(each == pytest.approx(1.0, abs=0.06) for each in found.values())
    assert result.is_usable
    assert not result.causes
    assert result.quality.chi_square == pytest.approx(1.0, abs=0.05)
    assert result.estimate.std == pytest.approx(best().estimate.std, rel=0.08)
    moved = (result.estimate.values - best().estimate.values) / best().estimate.std
    assert np.abs(moved).max() < 0.5
    noted = any(
        'readings are weighed by what residuals show' in each for each in result.warnings()
    )
    assert noted == (min(factors.values()) < 1.0)


@pytest.mark.parametrize('seed', range(5))
def test_noise_as_stated_is_taken_as_it_is(seed):
    """Chance names no sensor."""
    result = identify(measured(seed), EXACT, with_links=False)
    assert result.noise == ()
    assert result.is_usable


@cache
def stated_ten_times_too_small():
    """Return the fit of a log with a gyro whose noise is stated a tenth of what it is."""
    method = misstated(**{'imu/data': 0.1})
    return refine(recorded(method, measured(), RecursionSettings()))


_REFITTED = {}


def refitted(state):
    """Return a state refined, once for each noise that was shown."""
    key = tuple(state.shown)
    if key not in _REFITTED:
        _REFITTED[key] = refine(state)
    return _REFITTED[key]


@pytest.mark.parametrize(('left', 'is_taken'), [(1.0, True), (0.15, False), (1.2, False)])
def test_noise_is_as_large_as_what_is_left(left, is_taken):
    """Poses that froze for two seconds gave joints and gyro sixty times their noise (F12)."""
    stated = stated_ten_times_too_small()

    def refit(state):
        found = refitted(state)
        return replace(found, quality=replace(found.quality, chi_square=left))

    assert (reweighted(stated, refit).shown is not None) == is_taken


def test_a_wrong_model_is_no_noise():
    """A velocity that strays for seconds is not explained by more noise of its sensor."""
    record = measured()
    strays = 0.02 * np.sin(0.9 * record.times)[:, None] * [0.0, 1.0, 0.5, 0.0, 0.0, 0.0]
    strayed = replace(record, base_twist=record.base_twist + strays)[:1000]
    result = identify(strayed, EXACT, with_links=False)
    assert result.noise == ()
    assert not result.is_usable


def test_a_calibration_that_explains_comes_before_noise():
    """A turned gyro is named as that."""
    turned, record = np.eye(3) + 0.017 * np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0]]), measured()
    twist = np.hstack([record.base_twist[:, :3], record.base_twist[:, 3:] @ turned.T])
    result = identify(replace(record, base_twist=twist), EXACT, with_links=False)
    assert result.noise == ()
    assert 'gyro_mounting' in result.causes[0].description


def test_live_samples_are_weighed_as_those_before_showed():
    """Noise is found while the robot moves; the next motion is taken by it from the start."""
    method = misstated(**{'imu/data': 0.1})
    state = absorbed(begin_identification(method), measured())
    assert state.shown[1] == pytest.approx(100.0, rel=0.3)
    assert state.quality.chi_square == pytest.approx(1.0, abs=0.2)
    state = refined(state)
    assert state.shown[1] == pytest.approx(100.0, rel=0.12)
    assert state.quality.chi_square == pytest.approx(1.0, abs=0.05)
    again = absorbed(state, later(measured(1)))
    assert again.rejected - state.rejected < 0.004 * HALF
    assert again.changes == 0
    final = refined(again)
    assert final.quality.chi_square == pytest.approx(1.0, abs=0.05)
    assert np.sqrt(np.mean(deviations(final.estimate()) ** 2)) < 1.4
    assert np.median(final.estimate().std / best().estimate.std) == pytest.approx(0.7, abs=0.08)


def test_readings_between_messages_are_not_taken_for_better_ones():
    """Interpolated readings have less noise than messages, and share it with their neighbours."""
    record, clean = measured(), half()
    noise = record.base_twist - clean.base_twist
    shared = 0.5 * (noise[1:] + noise[:-1])
    between = replace(record[1:], base_twist=clean.base_twist[1:] + shared)
    result = identify(between, misstated(**{'imu/data': 0.1, 'base_twist': 0.1}), with_links=False)
    found = found_factors(result.noise)
    assert found == {
        'imu/data': pytest.approx(10.0, rel=0.08),
        'base_twist': pytest.approx(10.0, rel=0.08),
    }


def test_noise_that_neighbours_share_is_not_taken_for_that_of_the_gyro():
    """Rates from encoders of 12 bits, poses of 1 mm and 1 mrad, all as stated."""
    step, rng = 2.0 * np.pi / 4096.0, np.random.default_rng(0)
    plan = load_plan(PLANS / 'dual_arm.yaml')
    clean = world(samples=2 * SAMPLES, plan=plan)[:SAMPLES]
    noise = replace(
        dual_arm_prior().noise,
        joint_position=step / np.sqrt(12.0),
        base_position=1e-3,
        base_attitude=1e-3,
    )
    described = replace(dual_arm_prior(), noise=noise)
    method = Momentum.from_model(described, from_pose=True).without_joint_rates()
    off = rng.normal(size=(SAMPLES, 12))
    turned = Rotation.from_quat(clean.attitude) * Rotation.from_rotvec(1e-3 * off[:, :3])
    record = replace(
        clean,
        q=step * np.round(clean.q / step),
        qd=np.full_like(clean.q, np.nan),
        position=clean.position + 1e-3 * off[:, 3:6],
        attitude=turned.as_quat(),
        base_twist=clean.base_twist + method.rate_std[:6] * off[:, 6:],
    )
    result = identify(record, method, with_links=False)
    square = squared_error(result, method)
    assert 'imu/data' not in found_factors(result.noise)
    assert 0.5 < square < 1.6


def test_readings_between_messages_are_not_taken_for_better_ones_beside_encoders():
    """Rates that come from positions share noise, too: less than stated is not seen in one sample.

    Cubics half-way between messages of gyro and velocity, three flights.
    """
    plan = load_plan(PLANS / 'dual_arm.yaml')
    clean = world(samples=2 * SAMPLES, plan=plan)[:SAMPLES]
    noise = replace(dual_arm_prior().noise, joint_position=1e-4)
    method = Momentum.from_model(replace(dual_arm_prior(), noise=noise)).without_joint_rates()
    squares = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        off = rng.normal(size=(SAMPLES + 3, 6)) * method.rate_std[:6]
        off = (9.0 * (off[1:-2] + off[2:-1]) - off[:-3] - off[3:]) / 16.0
        record = replace(
            clean,
            q=clean.q + 1e-4 * rng.normal(size=clean.q.shape),
            qd=np.full_like(clean.q, np.nan),
            base_twist=clean.base_twist + off,
        )
        result = identify(record, method, with_links=False)
        square = squared_error(result, method)
        assert result.noise == ()
        squares.append(square)
    assert 0.7 < np.mean(squares) < 1.3


@pytest.mark.parametrize(('topic', 'seed'), [('imu/data', 2), ('base_twist', 1)])
def test_noise_of_gyro_and_velocity_are_told_apart_beside_encoders(topic, seed):
    """Rates from encoders of 12 bits hide whose noise single samples have, and all together show.

    Nor is noise that is stated a tenth of what it is taken for a small error of a calibration.
    """
    step, rng = 2.0 * np.pi / 4096.0, np.random.default_rng(seed)
    plan = load_plan(PLANS / 'dual_arm.yaml')
    clean = world(samples=2 * SAMPLES, plan=plan)[:SAMPLES]
    true = replace(dual_arm_prior().noise, joint_position=step / np.sqrt(12.0))
    stated = {
        'imu/data': replace(true, base_angular_velocity=0.1 * true.base_angular_velocity),
        'base_twist': replace(true, base_linear_velocity=0.1 * true.base_linear_velocity),
    }
    method, best_one = (
        Momentum.from_model(replace(dual_arm_prior(), noise=each)).without_joint_rates()
        for each in (stated[topic], true)
    )
    places = rng.uniform(size=6)
    record = replace(
        clean,
        q=step * (np.round(clean.q / step + places) - places),
        qd=np.full_like(clean.q, np.nan),
        base_twist=clean.base_twist
        + best_one.rate_std[:6] * rng.normal(size=clean.base_twist.shape),
    )
    result = identify(record, method, with_links=False)
    assert result.is_usable
    found = found_factors(result.noise)
    assert found.pop(topic) == pytest.approx(10.0, rel=0.6)
    assert all(each == pytest.approx(1.0, abs=0.3) for each in found.values())
    square = squared_error(result, method)
    assert 0.5 < square < 2.5
