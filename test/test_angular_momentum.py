"""Angular momentum alone, and equations of motion: estimates of the reduced parameters."""

from dataclasses import replace

import numpy as np
import pytest
from robots import assert_close, dual_arm
from turning_arm import (
    ATTITUDE,
    clean,
    MODEL,
    MOMENTUM,
    motion,
    noisy,
    problem,
    RATE,
    true_accelerations,
)

from spacerobot_id.data import Measurement
from spacerobot_id.estimation import (
    angular_misfit,
    angular_momentum_least_squares,
    angular_momentum_output_error,
    angular_output_error_rows,
    AngularMomentumProblem,
    differentiated_motion,
    equations_of_motion_least_squares,
    equations_of_motion_rows,
    fitted_motion,
    ReducedSettings,
    SquareRootInformation,
)
from spacerobot_id.evaluation.plan_trajectory import trajectory_from_plan
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.excitation import ExcitationPlan, FourierQuintic, KnownMomentum
from spacerobot_id.excitation.angular_momentum_criterion import angular_momentum_std
from spacerobot_id.simulation import FreeFloatingSimulation


def without_attitude_noise(gyro_bias=0.0):
    return replace(problem(gyro_bias), attitude_std=1e-9)


def nothing(count):
    return SquareRootInformation.nothing(count)


@pytest.mark.parametrize('trust_zeros', [True, False])
def test_without_noise_both_methods_are_exact(trust_zeros):
    """Also where nothing is known to be zero; accelerations from the fit of a whole motion."""
    wanted = problem(trust_zeros=trust_zeros)
    values = wanted.reduced.values(MODEL)
    found = angular_momentum_least_squares(wanted, clean()).values()
    assert_close(found, values, 1e-8)
    found = equations_of_motion_least_squares(wanted, true_accelerations()).values()
    assert_close(found, values, 1e-8)


def test_derived_accelerations_are_near_the_true_ones():
    """By differences and by the fit of a Fourier series and quintic."""
    true = true_accelerations()
    differences = differentiated_motion(problem(), clean(), 3)
    fit = fitted_motion(problem(), clean(), 20)
    for name in ('qdd', 'bending'):
        exact = getattr(true, name)
        assert_close(getattr(differences, name), exact[1:-1], 1e-3)
        assert_close(getattr(fit, name), exact, 0.2)
        assert np.std(getattr(fit, name) - exact) < 0.01 * np.std(exact)


def test_the_position_and_velocity_of_the_base_play_no_part():
    """They may be unknown altogether."""
    seen = clean()
    twist = seen.base_twist.copy()
    twist[:, :3] = np.nan
    blind = replace(seen, base_twist=twist, position=np.full_like(seen.position, np.nan))
    one, other = (angular_momentum_least_squares(problem(), each) for each in (seen, blind))
    np.testing.assert_array_equal(one.values(), other.values())
    start = other.values()
    fit = angular_momentum_output_error(problem(), blind, start, nothing(19))
    assert np.isfinite(fit.values).all()


def test_the_rows_are_the_slopes_of_the_misfit():
    """Central differences of the misfit, by each unknown."""
    wanted, seen = problem(1e-6), noisy(0)[::100]
    values = np.append(1.01 * wanted.reduced.values(MODEL), [1e-6, -2e-6, 3e-6])
    rows = angular_output_error_rows(wanted, seen, values)
    steps = 1e-6 * np.maximum(np.abs(values), 1e-3)
    slope = np.stack(
        [
            (
                angular_misfit(wanted, seen, values + step * unit)
                - angular_misfit(wanted, seen, values - step * unit)
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
        start = angular_momentum_least_squares(wanted, seen).values()
        fit = angular_momentum_output_error(
            wanted, seen, np.append(start, np.zeros(3)), wanted.prior(1.0)
        )
        std = np.sqrt(np.diag(fit.information.covariance()))
        scores.append((fit.values - truth) / std)
        assert fit.information.residual == pytest.approx(3 * len(seen), rel=0.1)
    assert 0.8 < np.sqrt(np.mean(np.square(scores))) < 1.2


def test_the_criterion_promises_what_the_fit_has():
    """Standard deviations along a motion, before it is flown."""
    wanted = without_attitude_noise()
    promised = angular_momentum_std(
        replace(MODEL, noise=replace(MODEL.noise, rate=RATE)),
        wanted.reduced,
        motion(),
        KnownMomentum(MOMENTUM, ATTITUDE),
        100,
    )
    fit = angular_momentum_output_error(wanted, clean(), wanted.reduced.values(MODEL), nothing(19))
    got = np.sqrt(np.diag(fit.information.covariance()))
    np.testing.assert_allclose(promised, got, rtol=0.02)


def test_a_motion_that_shows_nothing_promises_nothing():
    rest = FourierQuintic(
        MODEL.joint_names, 30.0, np.zeros((3, 1)), np.zeros((3, 1)), np.zeros(3), np.zeros(3)
    )
    wanted = problem()
    std = angular_momentum_std(MODEL, wanted.reduced, rest, KnownMomentum(MOMENTUM, ATTITUDE), 20)
    assert np.isinf(std).all()


def test_wheels_are_known_momentum():
    """A robot at rest with wheels: their spin is what the links' momentum makes up for."""
    model = dual_arm()
    rng = np.random.default_rng(0)
    knots = np.cumsum(rng.uniform(-0.04, 0.04, (41, 9)), axis=0)
    knots[:, 6:] *= 30.0
    plan = ExcitationPlan((*model.joint_names, *model.wheel_names), knots, np.full(40, 1.0))
    seen = _flown(model, plan)
    wanted = AngularMomentumProblem.from_model(model)
    found = angular_momentum_least_squares(wanted, seen)
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
    wanted = AngularMomentumProblem.from_model(model)
    accelerated = differentiated_motion(wanted, seen, 3)
    inner = (seen.times[1:-1] % 2.0 > 0.1) & (seen.times[1:-1] % 2.0 < 1.9)
    rows = equations_of_motion_rows(wanted, accelerated[inner])
    left = (rows.right - rows.matrix @ wanted.reduced.values(model)).reshape(-1, 9)
    assert np.abs(left[:, :3]).max() < 2e-3 * np.abs(accelerated.moment).max()


def _flown(model, plan):
    """Return what perfect sensors see of a robot from rest; torques are not asked for: zero."""
    simulation = FreeFloatingSimulation.at_rest(model, plan.knots[0, : len(model.joints)])
    simulation = simulation.with_joint_trajectory(trajectory_from_plan(plan, model.joint_names))
    simulation = simulation.with_wheel_trajectory(trajectory_from_plan(plan, model.wheel_names))
    seen = simulation.advanced_to(np.arange(0.01, plan.duration, 0.01))[1].measurement()
    return replace(seen, joint_torque=np.zeros_like(seen.q))


def test_what_is_missing_is_named():
    with pytest.raises(EstimationError, match='known_angular_momentum: three numbers'):
        AngularMomentumProblem.from_model(MODEL, ReducedSettings((1.0, 2.0)))
    without = replace(clean(), joint_torque=None)
    with pytest.raises(EstimationError, match='torques of all joints'):
        fitted_motion(problem(), without)
    with pytest.raises(EstimationError, match='torques of all joints'):
        differentiated_motion(problem(), without, 5)


def test_samples_without_attitude_are_left_out_where_it_is_needed():
    seen = clean()
    attitude = seen.attitude.copy()
    attitude[::2] = np.nan
    partly = replace(seen, attitude=attitude)
    assert len(problem().complete(partly)) == len(seen) // 2
    at_rest = AngularMomentumProblem.from_model(MODEL)
    assert len(at_rest.complete(partly)) == len(seen)


def test_measurements_with_and_without_torques():
    """They are cut and put together; torques stay only if all parts have them."""
    seen = clean()
    assert len(seen[:10].joint_torque) == 10
    assert len(Measurement.concatenate([seen[:10], seen[10:30]]).joint_torque) == 30
    mixed = Measurement.concatenate([seen[:10], replace(seen[10:30], joint_torque=None)])
    assert mixed.joint_torque is None
    assert len(mixed) == 30
