"""A robot whose system drifts, seen by noisy poses: true intervals wherever a fit begins."""

from dataclasses import replace

from moving_dual_arm import world
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import identify
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings

DRIFT = 0.1
"""Velocity of the centre of mass, m/s."""

MOMENTUM = np.append(2265.0 * DRIFT * np.array([0.6, -0.7, 0.4]), [10.0, -20.0, 15.0])
UNKNOWN = NuisanceSettings(linear_momentum=300.0, angular_momentum=300.0)


def noisy(record, noise, seed):
    """Return a record with noise of all sensors."""
    rng = np.random.default_rng(seed)

    def off(values, std):
        return values + std * rng.normal(size=values.shape)

    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=record.position.shape))
    twist = np.hstack([
        off(record.base_twist[:, :3], noise.base_linear_velocity),
        off(record.base_twist[:, 3:], noise.base_angular_velocity),
    ])  # fmt: skip
    return replace(
        record,
        qd=off(record.qd, noise.joint_rate),
        base_twist=twist,
        position=off(record.position, noise.base_position),
        attitude=(Rotation.from_quat(record.attitude) * turn).as_quat(),
    )


def deviations(position, attitude, seed, *, from_pose):
    """Return the errors of the parameters in standard deviations, and the result."""
    prior = dual_arm_prior()
    noise = replace(prior.noise, base_position=position, base_attitude=attitude)
    method = Momentum.from_model(replace(prior, noise=noise), UNKNOWN, from_pose=from_pose)
    result = identify(noisy(world(MOMENTUM), noise, seed), method, with_links=False)
    true = method.minimal.values(dual_arm())
    return (result.estimate.values - true) / result.estimate.std, result


@pytest.mark.parametrize('noise', [1e-3, 1e-2])
def test_fits_from_poses_do_not_run_off_to_an_endless_mass(noise):
    """A drift that is not known yet looked like a mass without end."""
    off, result = deviations(noise, noise, 1, from_pose=True)
    assert result.is_usable
    assert abs(result.estimate.chi_square - 1.0) < 0.1
    assert np.mean(off**2) < 2.0
    assert np.abs(off).max() < 5.0


def test_noise_of_positions_does_not_bias_an_unknown_momentum():
    """Momentum about the centre of mass needs attitudes alone, whatever the positions are."""
    off, result = deviations(1e-2, 1e-4, 0, from_pose=False)
    again, _ = deviations(10.0, 1e-4, 0, from_pose=False)
    assert result.is_usable
    assert np.mean(off**2) < 1.6
    np.testing.assert_allclose(again, off, atol=1e-6)
