"""Sensors with large noise: slopes are taken at smoothed motion, encoders are weighed."""

from dataclasses import replace

from moving_dual_arm import world
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import identify
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.local_polynomial import local_means
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.smoothing import with_smoothed

ENCODER = 2.0 * np.pi / 4096.0 / np.sqrt(12.0)


def noisy(record, method, seed):
    """Return a record with the noise that a method's robot states."""
    rng, noise, count = np.random.default_rng(seed), method.model.noise, len(record)
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(count, 3)))
    twist = rng.normal(size=(count, 6)) * method.rate_std[:6]
    return replace(
        record,
        q=record.q + noise.joint_position * rng.normal(size=record.q.shape),
        qd=record.qd + noise.joint_rate * rng.normal(size=record.qd.shape),
        base_twist=record.base_twist + twist,
        position=record.position + noise.base_position * rng.normal(size=(count, 3)),
        attitude=(Rotation.from_quat(record.attitude) * turn).as_quat(),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ('noise', 'from_pose'),
    [
        ({'joint_rate': 1e-2}, False),
        ({'joint_position': ENCODER}, False),
        ({'joint_position': 1e-3, 'joint_rate': 1e-2}, False),
        ({'base_position': 1e-3, 'base_attitude': 1e-3}, True),
    ],
)
def test_low_cost_sensors_keep_true_intervals(noise, from_pose):
    """Errors of 1.0 deviations RMS; rates of 1e-2 rad/s made 2.3, poses of 1 mm and 1 mrad 2.6."""
    prior = dual_arm_prior()
    method = Momentum.from_model(
        replace(prior, noise=replace(prior.noise, **noise)), from_pose=from_pose
    )
    truth, clean = method.minimal.values(dual_arm()), world(samples=6601)
    off = []
    for seed in range(2):
        result = identify(noisy(clean, method, seed), method, with_links=False)
        assert result.is_usable
        assert result.quality.chi_square == pytest.approx(1.0, abs=0.05)
        off.append((result.estimate.values - truth) / result.estimate.std)
    assert np.sqrt(np.mean(np.square(off))) < 1.35
    assert abs(np.mean(off, axis=0)[6]) < 2.5


def test_smoothing_keeps_the_motion_and_not_its_noise():
    """Less is left than of a parabola over 31 samples, 9 / (4 31) of the variance; no end is lost.

    The noise of a sample is hardly in its own smoothed value.
    """
    rng, times = np.random.default_rng(0), 0.01 * np.arange(2000)
    angle = np.sin(times)[:, None] * [1.0, -0.5]
    noise = 1e-2 * rng.normal(size=angle.shape)
    record = Record(times, angle + noise, np.gradient(angle, times, axis=0), times[:, None])
    smooth = with_smoothed(record, (1e-2, 1e-3), 31, with_pose=False)
    np.testing.assert_array_equal(smooth.times, times)
    left = smooth.at_smoothed().q - angle
    assert np.std(left) < 1e-2 * np.sqrt(9.0 / 4.0 / 31.0)
    assert np.array_equal(smooth.q, record.q)
    own = np.mean(left * noise) / np.mean(noise**2)
    assert abs(own) < 0.02


def test_what_smoothing_does_not_know_stays_as_measured():
    """Nothing goes across a hole of seconds; records joined with others that have none."""
    times = np.concatenate([0.01 * np.arange(50), 3.0 + 0.01 * np.arange(50)])
    values = np.random.default_rng(1).normal(size=(100, 2))
    record = Record(times, values, 2.0 * values, times[:, None])
    smooth = with_smoothed(record, (1.0, 1.0), 11, with_pose=False)
    alone = with_smoothed(record[50:], (1.0, 1.0), 11, with_pose=False)
    np.testing.assert_array_equal(smooth.smoothed[50:], alone.smoothed)
    at = smooth.at_smoothed()
    assert np.abs(at.q - values).max() > 0.1
    joined = Record.concatenate([record[:5], smooth]).at_smoothed()
    np.testing.assert_array_equal(joined.q[:5], values[:5])
    np.testing.assert_array_equal(joined.q[5:], at.q)


def test_means_of_a_parabola_are_the_parabola():
    times = np.sort(np.random.default_rng(2).uniform(0.0, 1.0, 40))
    values = np.vander(times, 3) @ np.array([[1.0], [-2.0], [0.5]])
    np.testing.assert_allclose(local_means(times, values, 9), values[4:-4])
