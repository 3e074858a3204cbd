"""Output error with other unknowns: slopes, and recovery of everything without noise."""

from dataclasses import replace

from motions import paper_plan
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior, random_tree
from scipy.spatial.transform import Rotation

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import base_twist_from_momentum, centre_of_mass
from spacerobot_id.estimation import (
    absorb_output_error,
    momentum_output_error,
    MomentumProblem,
    NuisanceSettings,
    output_error_rows,
    output_misfit,
    Prior,
    SquareRootInformation,
)
from spacerobot_id.estimation.output_error_rows import _predicted
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import first_moment_regressor, minimal_parameters

MOMENTUM = np.array([20.0, -10.0, 5.0, 30.0, 20.0, -40.0])
BIAS = np.array([1e-3, -2e-3, 5e-4])
SCALE = np.array([0.01, -0.01, 0.005])
CENTRE = np.array([1.0, 2.0, 3.0])
STILL, NO_BIAS = np.zeros(6), np.zeros(3)
EVERYTHING = NuisanceSettings(
    gyro_bias=1e-2, linear_momentum=100.0, angular_momentum=200.0, wheel_scale=0.01
)


def world(momentum=STILL, bias=NO_BIAS, scale=NO_BIAS, samples=1500):
    """Return what perfect sensors but for a bias see of the dual arm along the paper's motion.

    The attitude is any smooth one, because only its value matters, sample by sample.
    """
    model = dual_arm()
    times = np.linspace(0.0, 66.0, samples)
    motion = paper_plan().sample(times)
    n = len(model.joints)
    q, qd, wheel_rates = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    turned = Rotation.from_rotvec(np.outer(times / 66.0, [1.0, -0.5, 0.8]))
    first = first_moment_regressor(model, q) @ model.parameters
    mass = minimal_parameters(model).values(model)[MASS]
    position = CENTRE + np.outer(times, momentum[:3]) / mass - turned.apply(first) / mass
    linear = turned.apply(np.tile(momentum[:3], (samples, 1)), inverse=True)
    about_base = momentum[3:] - np.cross(position, momentum[:3])
    total = np.hstack([linear, turned.apply(about_base, inverse=True)])
    twist = base_twist_from_momentum(model, q, qd, wheel_rates * (1.0 + scale), total)
    twist[:, 3:] += bias
    return Measurement(times, q, qd, wheel_rates, twist, position, turned.as_quat())


def turned_as_measured(measurement):
    """Return a measurement of a robot at rest as a whole, its attitudes those of its rates."""
    model = dual_arm()
    rates, steps = measurement.base_twist[:, 3:], np.diff(measurement.times)
    turns = [Rotation.identity()]
    for step, rate in zip(steps, 0.5 * (rates[:-1] + rates[1:]), strict=True):
        turns.append(turns[-1] * Rotation.from_rotvec(step * rate))
    turned = Rotation.concatenate(turns)
    first = first_moment_regressor(model, measurement.q) @ model.parameters
    position = CENTRE - turned.apply(first) / minimal_parameters(model).values(model)[MASS]
    return replace(measurement, position=position, attitude=turned.as_quat())


def problem_of(nuisance, *, from_pose=False):
    return MomentumProblem.from_model(dual_arm_prior(), nuisance, from_pose=from_pose)


@pytest.mark.parametrize('from_pose', [False, True])
def test_slopes_are_those_of_the_prediction(from_pose):
    """Every column is the central difference of the misfit, but for its sign."""
    problem = problem_of(EVERYTHING, from_pose=from_pose)
    measurement = world(MOMENTUM, BIAS, SCALE, samples=7)
    values = Prior(problem).mean.copy()
    values[len(problem.minimal) :] = 0.1
    slope = _predicted(problem, measurement, values).slope
    for column in range(len(values)):
        step = np.zeros(len(values))
        step[column] = 1e-4 * max(abs(values[column]), 1.0)
        high, low = (_predicted(problem, measurement, values + s * step).error for s in (1, -1))
        numeric = -(high - low) / (2.0 * step[column])
        scale = np.abs(numeric).max() + 1e-12
        assert np.abs(slope[:, :, column] - numeric).max() <= 1e-5 * scale + 1e-11


@pytest.mark.parametrize('from_pose', [False, True])
def test_everything_is_recovered_without_noise(from_pose):
    """Parameters, momentum, bias and centre of mass come out, however the velocity is known."""
    nuisance = replace(EVERYTHING, wheel_scale=0.0)
    problem = problem_of(nuisance, from_pose=from_pose)
    measurement = world(MOMENTUM, BIAS)
    fit = momentum_output_error(problem, measurement, Prior(problem).mean, iterations=40)
    true = problem.minimal.values(dual_arm())
    found = fit.information.values()
    p = len(true)
    assert np.abs(found[:p] / true - 1.0).max() <= 1e-6
    places = problem.unknowns.places
    assert found[places['momentum']] == pytest.approx(MOMENTUM, rel=1e-6)
    assert found[places['gyro_bias']] == pytest.approx(BIAS, rel=1e-6)
    if from_pose:
        assert found[places['center_of_mass']] == pytest.approx(CENTRE, rel=1e-6)


def test_wheel_scales_are_told_apart_up_to_the_scale_of_all():
    """Ratios of the wheels' spin inertias show; their mean is the scale of the parameters."""
    problem = problem_of(NuisanceSettings(wheel_scale=0.02))
    prior = Prior(problem)
    fit = momentum_output_error(problem, world(scale=SCALE), prior.mean, prior, iterations=40)
    found = fit.information.values()[problem.unknowns.places['wheel_scale']]
    ratios, true = ((1.0 + scale) / (1.0 + scale).mean() for scale in (found, SCALE))
    assert ratios == pytest.approx(true, abs=1e-4)  # the prior pulls a little


def test_a_bias_that_is_not_asked_for_spoils_the_fit():
    """With the noise as stated, ignoring a bias shows in the sum of squares."""
    measurement = world(bias=BIAS)
    ignoring, knowing = problem_of(NuisanceSettings()), problem_of(NuisanceSettings(gyro_bias=0.1))
    squares = [
        momentum_output_error(problem, measurement, Prior(problem).mean).information.residual
        for problem in (ignoring, knowing)
    ]
    assert squares[0] > 1e4 * max(squares[1], 1e-6)


def test_a_walk_without_steps_is_a_constant():
    """A random walk of no size gives the estimate of a constant."""
    measurement = world(bias=BIAS, samples=600)
    values = []
    for nuisance in (
        NuisanceSettings(gyro_bias=1e-2),
        NuisanceSettings(gyro_bias=1e-2, gyro_bias_walk=1e-13, walk_segment=5.0),
    ):
        problem = problem_of(nuisance)
        known = absorb_output_error(
            problem,
            measurement,
            Prior(problem).mean,
            Prior(problem).linearised(Prior(problem).mean),
        )
        values.append(known.values())
    p = len(problem.minimal)
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
    problem = problem_of(NuisanceSettings())
    rng = np.random.default_rng(1)
    clean = world(samples=3000)
    noise = rng.normal(size=(3000, 12)) * problem.rate_std
    noisy = replace(clean, qd=clean.qd + noise[:, 6:], base_twist=clean.base_twist + noise[:, :6])
    true = problem.minimal.values(dual_arm())
    rows = output_error_rows(problem, noisy, true)
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
    measured = Measurement(np.arange(30.0), q, qd, np.zeros((30, 0)), twist, position, upright)
    problem = MomentumProblem.from_model(model, from_pose=True)
    values = np.append(problem.minimal.values(model), np.zeros(3))
    np.testing.assert_allclose(output_misfit(problem, measured, values), 0.0, atol=1e-12)
    slope = _predicted(problem, measured, values).slope
    for place, unit in enumerate(np.eye(len(values))):
        ahead, behind = (
            output_misfit(problem, measured, values + step * unit) for step in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(
            slope[:, :, place], (behind - ahead) / 2e-5, atol=1e-6, err_msg=str(place)
        )
