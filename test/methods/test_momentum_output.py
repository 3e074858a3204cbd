"""Output error with other unknowns: slopes, and recovery of everything without noise."""

from dataclasses import replace

from moving_dual_arm import (
    BIAS,
    CENTRE,
    MOMENTUM,
    SCALE,
    world,
)
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior, random_tree
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import gauss_newton
from spacerobot_id.estimation.batch.gauss_newton import absorb_rows
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.multibody import base_twist_from_momentum, centre_of_mass
from spacerobot_id.statistics.square_root_information import SquareRootInformation

EVERYTHING = NuisanceSettings(
    gyro_bias=1e-2, linear_momentum=100.0, angular_momentum=200.0, wheel_scale=0.01
)


def method_of(nuisance, *, from_pose=False):
    return Momentum.from_model(dual_arm_prior(), nuisance, from_pose=from_pose)


@pytest.mark.parametrize(('from_pose', 'walks'), [(False, 0.0), (False, 1.0), (True, 0.0)])
def test_slopes_are_those_of_the_prediction(from_pose, walks):
    """Every column is the central difference of the misfit, but for its sign."""
    nuisance = replace(EVERYTHING, force_walk=walks, torque_walk=walks)
    method = method_of(nuisance, from_pose=from_pose)
    measurement = world(MOMENTUM, BIAS, SCALE, samples=7)
    values = method.prior().mean.copy()
    values[len(method.minimal) :] = 0.1
    slope = method.predict(measurement, values).slope
    for column in range(len(values)):
        step = np.zeros(len(values))
        step[column] = 1e-4 * max(abs(values[column]), 1.0)
        high, low = (method.predict(measurement, values + s * step).error for s in (1, -1))
        numeric = -(high - low) / (2.0 * step[column])
        scale = np.abs(numeric).max() + 1e-12
        assert np.abs(slope[:, :, column] - numeric).max() <= 1e-5 * scale + 1e-11


@pytest.mark.parametrize('from_pose', [False, True])
def test_everything_is_recovered_without_noise(from_pose):
    """Parameters, momentum, bias and centre of mass come out, however the velocity is known."""
    nuisance = replace(EVERYTHING, wheel_scale=0.0)
    method = method_of(nuisance, from_pose=from_pose)
    measurement = world(MOMENTUM, BIAS)
    fit = gauss_newton(method, measurement, method.prior().mean, iterations=40)
    true = method.minimal.values(dual_arm())
    found = fit.information.values()
    p = len(true)
    assert np.abs(found[:p] / true - 1.0).max() <= 1e-6
    places = method.unknowns.places
    assert found[places['momentum']] == pytest.approx(MOMENTUM, rel=1e-6)
    assert found[places['gyro_bias']] == pytest.approx(BIAS, rel=1e-6)
    if from_pose:
        assert found[places['center_of_mass']] == pytest.approx(CENTRE, rel=1e-6)


def test_wheel_scales_are_told_apart_up_to_the_scale_of_all():
    """Ratios of the wheels' spin inertias show; their mean is the scale of the parameters."""
    method = method_of(NuisanceSettings(wheel_scale=0.02))
    prior = method.prior()
    fit = gauss_newton(method, world(scale=SCALE), prior.mean, prior, iterations=40)
    found = fit.information.values()[method.unknowns.places['wheel_scale']]
    ratios, true = ((1.0 + scale) / (1.0 + scale).mean() for scale in (found, SCALE))
    assert ratios == pytest.approx(true, abs=1e-4)  # the prior pulls a little


def test_a_bias_that_is_not_asked_for_spoils_the_fit():
    """With the noise as stated, ignoring a bias shows in the sum of squares."""
    measurement = world(bias=BIAS)
    ignoring, knowing = method_of(NuisanceSettings()), method_of(NuisanceSettings(gyro_bias=0.1))
    squares = [
        gauss_newton(method, measurement, method.prior().mean).information.residual
        for method in (ignoring, knowing)
    ]
    assert squares[0] > 1e4 * max(squares[1], 1e-6)


def test_walks_of_torque_are_about_the_centre_of_mass():
    """A force at the centre of mass, wherever that is, is an impulse without an angular part."""
    method = method_of(NuisanceSettings(force_walk=1.0, torque_walk=1.0))
    force = np.array([20.0, -30.0, 10.0])
    still = world(np.zeros(6), np.zeros(3), samples=20)
    centres = centre_of_mass(dual_arm(), still.q)
    inertial = still.position + Rotation.from_quat(still.attitude).apply(centres)
    inverse = Rotation.from_quat(still.attitude).inv()
    pushed = np.hstack(
        [
            inverse.apply(np.tile(force, (len(still), 1))),
            inverse.apply(np.cross(inertial - still.position, force)),
        ]
    )
    twist = base_twist_from_momentum(dual_arm(), still.q, still.qd, still.wheel_rates, pushed)
    values = np.append(method.minimal.values(dual_arm()), [*force, 0.0, 0.0, 0.0])
    error = method.predict(replace(still, base_twist=twist), values).error
    assert np.abs(error).max() <= 1e-12


def test_positions_under_forces_that_walk_are_refused():
    with pytest.raises(ConfigurationError, match='force_walk'):
        method_of(NuisanceSettings(force_walk=1.0), from_pose=True)


def test_a_walk_without_steps_is_a_constant():
    """A random walk of no size gives the estimate of a constant."""
    measurement = world(bias=BIAS, samples=600)
    values = []
    for nuisance in (
        NuisanceSettings(gyro_bias=1e-2),
        NuisanceSettings(gyro_bias=1e-2, gyro_bias_walk=1e-13, walk_segment=5.0),
    ):
        method = method_of(nuisance)
        known = absorb_rows(
            method,
            measurement,
            method.prior().mean,
            method.prior().linearised(method.prior().mean),
        )
        values.append(known.values())
    p = len(method.minimal)
    scale = np.abs(values[0][:p]) + 1.0
    assert np.abs(values[1][:p] - values[0][:p]).max() <= 1e-4 * scale.max()
    assert values[1][p:] == pytest.approx(values[0][p:], abs=1e-6)


def test_a_step_widens_what_walks_and_leaves_the_rest():
    """After a random step, variances add; the other parameters keep theirs."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(30, 5))
    known = SquareRootInformation.nothing(5).absorb(matrix, rng.normal(size=30))
    walked = known.walked(np.array([0.3, 0.4]))
    before, after = known.covariance(), walked.covariance()
    assert after[:3, :3] == pytest.approx(before[:3, :3], abs=1e-12)
    assert after[3:, 3:] == pytest.approx(before[3:, 3:] + np.diag([0.09, 0.16]), abs=1e-12)
    assert walked.values() == pytest.approx(known.values(), abs=1e-12)


def test_rows_have_unit_noise():
    """Residuals of noisy sensors at the truth have the variance one that is claimed."""
    method = method_of(NuisanceSettings())
    rng = np.random.default_rng(1)
    clean = world(samples=3000)
    noise = rng.normal(size=(3000, 12)) * method.rate_std
    noisy = replace(clean, qd=clean.qd + noise[:, 6:], base_twist=clean.base_twist + noise[:, :6])
    true = method.minimal.values(dual_arm())
    rows = method.predict(noisy, true).rows(true)
    assert np.var(rows.matrix @ true - rows.right) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize('share', [0.0, 0.5, 1.0])
def test_positions_are_predicted_for_prismatic_joints_too(share):
    """Their masses are not in the base's; slopes are those of the prediction."""
    model = random_tree(3, 4, prismatic_share=share)
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 30, 4))
    twist = base_twist_from_momentum(model, q, qd, np.zeros((30, 0)))
    upright = np.tile([0.0, 0.0, 0.0, 1.0], (30, 1))
    position = -centre_of_mass(model, q)
    measured = Record(np.arange(30.0), q, qd, np.zeros((30, 0)), twist, position, upright)
    method = Momentum.from_model(model, from_pose=True)
    values = np.append(method.minimal.values(model), np.zeros(3))
    np.testing.assert_allclose(method.residuals(measured, values).misfit, 0.0, atol=1e-12)
    slope = method.predict(measured, values).slope
    for place, unit in enumerate(np.eye(len(values))):
        ahead, behind = (
            method.residuals(measured, values + step * unit).misfit for step in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(
            slope[:, :, place], (behind - ahead) / 2e-5, atol=1e-6, err_msg=str(place)
        )
