"""Angular momentum alone, and equations of motion: estimates of the reduced parameters."""

from dataclasses import replace

from identifying import solved
import numpy as np
import pytest
from robots import assert_close, dual_arm
from turning_arm import (
    ATTITUDE,
    clean,
    method,
    MODEL,
    MOMENTUM,
    motion,
    noisy,
    RATE,
    true_accelerations,
)

from spacerobot_id.estimation import (
    gauss_newton,
)
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.excitation import KnownMomentum
from spacerobot_id.excitation.objective.criteria import standard_deviations
from spacerobot_id.excitation.task import shown_by
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.measurement import Record
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.angular_momentum_and_torques import AngularMomentumAndTorques
from spacerobot_id.methods.equations_of_motion import (
    EquationsOfMotion,
    FittedEquationsOfMotion,
    with_fitted_rates,
)
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.least_squares import AngularMomentumLeastSquares
from spacerobot_id.methods.settings import KnownMomentumSettings, MethodSettings
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.model import ReactionWheel
from spacerobot_id.simulation import KinematicSimulation


def without_attitude_noise(gyro_bias=0.0):
    return replace(method(gyro_bias), attitude_std=1e-9)


@pytest.mark.parametrize('trust_zeros', [True, False])
def test_without_noise_both_methods_are_exact(trust_zeros):
    """Also where nothing is known to be zero; accelerations from the fit of a whole motion."""
    values = method(trust_zeros=trust_zeros).reduced.values(MODEL)
    for kind in (AngularMomentumLeastSquares, EquationsOfMotion):
        wanted = method(trust_zeros=trust_zeros, kind=kind)
        assert_close(solved(wanted, true_accelerations()).values(), values, 1e-8)


def test_derived_accelerations_are_near_the_true_ones():
    """By differences and by the fit of a Fourier series and quintic."""
    true = true_accelerations()
    differences = with_accelerations(clean(), 3)
    fit = with_fitted_rates(clean(), 20)
    for name in ('qdd', 'angular_acceleration'):
        exact = getattr(true, name)
        assert_close(getattr(differences, name), exact[1:-1], 1e-3)
        assert_close(getattr(fit, name), exact, 0.2)
        assert np.std(getattr(fit, name) - exact) < 0.01 * np.std(exact)


def test_the_position_and_velocity_of_the_base_play_no_part():
    """They may be unknown altogether."""
    seen = clean()
    twist = seen.base_twist.copy()
    twist[:, :3] = np.nan
    blind = replace(seen, base_twist=twist, position=None)
    least_squares = method(kind=AngularMomentumLeastSquares)
    one, other = (solved(least_squares, each) for each in (seen, blind))
    np.testing.assert_array_equal(one.values(), other.values())
    start = other.values()
    fit = gauss_newton(method(), blind, start)
    assert np.isfinite(fit.values).all()


def test_the_rows_are_the_slopes_of_the_misfit():
    """Central differences of the misfit, by each unknown."""
    wanted, seen = method(1e-6), noisy(0)[::100]
    values = np.append(1.01 * wanted.reduced.values(MODEL), [1e-6, -2e-6, 3e-6])
    rows = wanted.predict(seen, values).rows(values)
    steps = 1e-6 * np.maximum(np.abs(values), 1e-3)
    slope = np.stack(
        [
            (
                wanted.residuals(seen, values + step * unit).misfit
                - wanted.residuals(seen, values - step * unit).misfit
            ).ravel()
            / (-2.0 * step)
            for step, unit in zip(steps, np.eye(len(values)), strict=True)
        ],
        axis=1,
    )
    # The rows are those slopes divided by the root of the noise, sample by sample.
    mixing = np.linalg.lstsq(slope[:3].T, rows.matrix[:3].T, rcond=None)[0]
    np.testing.assert_allclose(slope[:3].T @ mixing, rows.matrix[:3].T, rtol=1e-3, atol=1e-3)


def test_intervals_hold_what_they_promise():
    """Over seeds: errors in units of their standard deviations are near one, with a bias too."""
    wanted, bias = without_attitude_noise(1e-5), np.array([1e-5, -1e-5, 2e-5])
    truth = np.append(wanted.reduced.values(MODEL), bias)
    scores = []
    for seed in range(12):
        seen = noisy(seed, bias)
        start = solved(method(kind=AngularMomentumLeastSquares), seen).values()
        fit = gauss_newton(wanted, seen, np.append(start, np.zeros(3)), wanted.prior())
        std = np.sqrt(np.diag(fit.information.covariance()))
        scores.append((fit.values - truth) / std)
        assert fit.information.residual == pytest.approx(3 * len(seen), rel=0.1)
    assert 0.8 < np.sqrt(np.mean(np.square(scores))) < 1.2


def promised_std(model, plan):
    """Return the standard deviations that a motion promises."""
    known = KnownMomentum(MOMENTUM, tuple(ATTITUDE), trust_zeros=True)
    source = information_source('angular_momentum', model, InformationSettings(momentum=known))
    return standard_deviations(shown_by(source, plan))


def test_the_criterion_promises_what_the_fit_has():
    """Standard deviations along a motion, before it is flown."""
    wanted = without_attitude_noise()
    model = replace(MODEL, noise=replace(MODEL.noise, rate=RATE))
    promised = promised_std(model, motion())
    fit = gauss_newton(wanted, clean(), wanted.reduced.values(MODEL))
    got = np.sqrt(np.diag(fit.information.covariance()))
    np.testing.assert_allclose(promised, got, rtol=0.02)


def test_a_motion_that_shows_nothing_promises_nothing():
    rest = FourierQuintic(
        MODEL.joint_names, 30.0, np.zeros((3, 1)), np.zeros((3, 1)), np.zeros(3), np.zeros(3)
    )
    std = promised_std(MODEL, rest)
    assert np.isinf(std).all()


def test_wheels_are_known_momentum():
    """A robot at rest with wheels: their spin is what the links' momentum makes up for."""
    model = dual_arm()
    rng = np.random.default_rng(0)
    knots = np.cumsum(rng.uniform(-0.04, 0.04, (41, 9)), axis=0)
    knots[:, 6:] *= 30.0
    plan = ExcitationPlan((*model.joint_names, *model.wheel_names), knots, np.full(40, 1.0))
    seen = _flown(model, plan)
    wanted = AngularMomentumLeastSquares.from_model(model)
    found = solved(wanted, seen)
    values = wanted.reduced.values(model)
    assert_close(wanted.regressor(seen, seen.base_twist[:, 3:]) @ values, wanted.known(seen), 1e-6)
    assert found.rows == 3 * len(seen)


def test_moments_of_wheels_are_in_the_equations_of_motion():
    """Base moment minus what the wheels take, torques as inverse dynamics has them."""
    model = dual_arm()
    knots = np.zeros((5, 9))
    knots[1::2] = np.append(np.full(6, 0.05), [3.0, -3.0, 2.0])
    plan = ExcitationPlan((*model.joint_names, *model.wheel_names), knots, np.full(4, 2.0))
    seen = _flown(model, plan)
    wanted = EquationsOfMotion.from_model(model)
    accelerated = with_accelerations(seen, 3)
    inner = (seen.times[1:-1] % 2.0 > 0.1) & (seen.times[1:-1] % 2.0 < 1.9)
    values = wanted.reduced.values(model)
    rows = wanted.equations(accelerated[inner], values)
    left = (rows.right - rows.matrix @ values).reshape(-1, 9)
    moment = wanted.equations(accelerated, values).right.reshape(-1, 9)[:, :3]
    assert np.abs(left[:, :3]).max() < 2e-3 * np.abs(moment).max()


def _flown(model, plan):
    """Return what perfect sensors see of a robot from rest; torques are not asked for: zero."""
    simulation = KinematicSimulation.at_rest(model, plan.knots[0, : len(model.joints)])
    simulation = simulation.with_joint_trajectory(plan.joint_trajectory(model.joint_names))
    simulation = simulation.with_wheel_trajectory(plan.joint_trajectory(model.wheel_names))
    seen = simulation.advanced_to(np.arange(0.01, plan.duration, 0.01))[1].measurement()
    return replace(seen, joint_torque=np.zeros_like(seen.q))


def test_what_is_missing_is_named():
    with pytest.raises(ConfigurationError, match='known_angular_momentum: three numbers'):
        AngularMomentum.from_model(MODEL, KnownMomentumSettings((1.0, 2.0)))
    without = replace(clean(), joint_torque=None)
    for kind in (EquationsOfMotion, FittedEquationsOfMotion, AngularMomentumAndTorques):
        with pytest.raises(EstimationError, match='torques of all joints'):
            method(kind=kind).prepared(without)
    with pytest.raises(EstimationError, match='needs accelerations'):
        method(kind=EquationsOfMotion).equations(clean(), np.zeros(19))


def test_samples_without_attitude_are_left_out_where_it_is_needed():
    seen = clean()
    attitude = seen.attitude.copy()
    attitude[::2] = np.nan
    partly = replace(seen, attitude=attitude)
    smoothed = len(method().prepared(seen))
    assert len(method().prepared(partly)) == pytest.approx(smoothed / 2.0, abs=1)
    assert smoothed == pytest.approx(len(seen), abs=30)  # parabolas of poses lose both ends
    at_rest = AngularMomentum.from_model(MODEL)
    assert len(at_rest.prepared(partly)) == len(seen)


def test_measurements_with_and_without_torques():
    """They are cut and put together; torques stay only if all parts have them."""
    seen = clean()
    assert len(seen[:10].joint_torque) == 10
    assert len(Record.concatenate([seen[:10], seen[10:30]]).joint_torque) == 30
    mixed = Record.concatenate([seen[:10], replace(seen[10:30], joint_torque=None)])
    assert mixed.joint_torque is None
    assert len(mixed) == 30


def test_zero_momentum_without_wheels_is_refused():
    """Only ratios of the parameters would show; with a wheel the scale does."""
    settings = MethodSettings()
    with pytest.raises(ConfigurationError, match='has no reaction wheels: only ratios'):
        AngularMomentum.from_settings(MODEL, settings)
    wheel = ReactionWheel('wheel', 0, np.array([0.0, 0.0, 1.0]), 0.1)
    spun = replace(MODEL, wheels=[wheel])
    assert AngularMomentum.from_settings(spun, settings).name == 'angular_momentum'
