"""Joint torques in weak form: rows without accelerations, and what they add."""

from dataclasses import replace

from identifying import solved
import numpy as np
import pytest
from robots import assert_close, dual_arm
from turning_arm import clean, method, MODEL, noisy, true_accelerations

from spacerobot_id.estimation import gauss_newton
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.angular_momentum_and_torques import (
    absorb_joint_torques,
    AngularMomentumAndTorques,
)
from spacerobot_id.methods.joint_torque_rows import joint_torque_rows, weak_form
from spacerobot_id.methods.least_squares import AngularMomentumLeastSquares
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.regressor import (
    equations_of_motion_regressor,
    joint_momentum_matrix,
    joint_momentum_regressor,
    reduced_parameters,
)


def information_of(wanted):
    """Return what the description says, as information."""
    return wanted.prior().linearised(wanted.prior().mean)


def test_integrals_by_parts_are_those_of_the_derivative():
    """Of a signal with stamps that jitter; none where the samples do not fill a test function."""
    rng = np.random.default_rng(0)
    times = np.arange(0.0, 5.0, 0.01) + rng.uniform(-1e-3, 1e-3, 500)
    weak = weak_form(times, 1.0)
    signal, rate = np.sin(2.0 * times), 2.0 * np.cos(2.0 * times)
    assert_close(weak.integral_of_rate(signal), weak.integral(rate), 1e-4)
    assert len(weak) == 16
    assert len(weak_form(times[:50], 1.0)) == 0


@pytest.mark.parametrize('model', [MODEL, dual_arm()])
def test_lagrange_is_newton_and_euler(model):
    """Momentum's rate less the force are the torques; the momentum is that of the matrix."""
    reduced = reduced_parameters(model)
    values = reduced.values(model)
    rng = np.random.default_rng(1)
    joints = len(model.joints)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 20, joints))
    turning, bending = rng.uniform(-1.0, 1.0, (2, 20, 3))
    step = 1e-5

    def momentum(time):
        shifted = q + time * qd + 0.5 * time**2 * qdd, qd + time * qdd, turning + time * bending
        return joint_momentum_regressor(model, reduced, *shifted).momentum @ values

    of = joint_momentum_regressor(model, reduced, q, qd, turning)
    assert_close(
        joint_momentum_regressor(model, reduced, q, 2.0 * qd, 2.0 * turning).force,
        4.0 * of.force,
        1e-6,
    )
    rate = (momentum(step) - momentum(-step)) / (2.0 * step)
    motion = q, qd, qdd, turning, bending
    torques = equations_of_motion_regressor(model, reduced, *motion)[:, 3:] @ values
    assert_close(rate - of.force @ values, torques, 1e-6)
    both = np.hstack([turning, qd])[..., None]
    assert_close(
        (joint_momentum_matrix(model, reduced, values, q) @ both)[..., 0],
        of.momentum @ values,
        1e-9,
    )


def test_rows_hold_for_the_truth():
    """Exact rates, true parameters, and torques that are late by a time that is an unknown."""
    wanted, late = method(), 2e-3
    values = wanted.reduced.values(MODEL)
    torque = true_accelerations().joint_torque
    seen = replace(clean(), joint_torque=torque)
    rows = joint_torque_rows(wanted, seen, values, 1.0)
    unknowns = np.append(values, 0.0)
    scale = np.abs(rows.right).max()
    assert np.abs(rows.matrix @ unknowns - rows.right).max() < 1e-5 * scale
    delayed = replace(seen, joint_torque=torque - late * np.gradient(torque, seen.times, axis=0))
    rows = joint_torque_rows(wanted, delayed, values, 1.0)
    left = rows.matrix @ unknowns - rows.right
    unknowns[-1] = late
    assert np.abs(rows.matrix @ unknowns - rows.right).max() < 0.05 * np.abs(left).max()


@pytest.mark.parametrize('torque_std', [0.0, 0.005])
def test_torques_make_the_estimate_better_and_keep_its_intervals(torque_std):
    """Over seeds, with exact and with noisy torques: errors are smaller, and as is promised."""
    wanted = replace(method(), attitude_std=1e-9)
    true = wanted.reduced.values(MODEL)
    errors = {'alone': [], 'torques': []}
    scores = []
    for seed in range(4):
        seen = noisy(seed)[:900]
        drawn = np.random.default_rng(100 + seed).normal(size=seen.q.shape)
        seen = replace(seen, joint_torque=seen.joint_torque + torque_std * drawn)
        start = solved(method(kind=AngularMomentumLeastSquares), seen).values()
        fit = gauss_newton(wanted, seen, start)
        both = absorb_joint_torques(wanted, seen, fit.values, fit.information)
        for name, found in (('alone', fit.information), ('torques', both)):
            errors[name].append(found.values() - true)
        scores.append(both.factor @ errors['torques'][-1])
        left = both.residual - fit.information.residual
        assert left == pytest.approx(both.rows - fit.information.rows, rel=0.25)
    assert np.sqrt(np.mean(np.square(scores))) == pytest.approx(1.0, abs=0.25)
    rms = {name: np.sqrt(np.mean(np.square(each), axis=0)) for name, each in errors.items()}
    assert np.median(rms['torques'] / rms['alone']) < 0.9


def test_holes_are_not_integrated_across():
    """A motion with a hole gives the same; one of scraps is refused."""
    wanted, seen = method(), noisy(0)
    values = wanted.reduced.values(MODEL)
    known = information_of(replace(wanted, prior_settings=PriorSettings(0.1)))
    inside = (seen.times > 10.0) & (seen.times < 12.0)
    found = absorb_joint_torques(wanted, seen[~inside], values, known)
    assert np.abs(found.values() / values - 1.0).max() < 0.05
    scraps = seen[(seen.times % 0.5) < 0.3]
    with pytest.raises(EstimationError, match='without a hole for 1 s'):
        absorb_joint_torques(wanted, scraps, values, known)


def test_what_is_missing_is_named():
    wanted, seen = method(), clean()
    values = wanted.reduced.values(MODEL)
    with pytest.raises(EstimationError, match='torques of all joints'):
        absorb_joint_torques(
            wanted, replace(seen, joint_torque=None), values, information_of(wanted)
        )


@pytest.mark.parametrize(
    ('every', 'until', 'said'),
    [(1, 15.0, None), (4, 15.0, None), (10, 15.0, 'chi-square over'), (1, 3.0, 'too few')],
)
def test_torques_that_are_sampled_too_rarely_for_the_motion_are_said(every, until, said):
    """Where sums are no integrals of the motion, what torques add is no estimate."""
    wanted, seen = method(kind=AngularMomentumAndTorques), noisy(0)
    seen = seen[seen.times < until][::every]
    fit = gauss_newton(method(), seen, wanted.reduced.values(MODEL))
    found = wanted.finished(seen, fit).shortages
    assert len(found) == (said is not None)
    assert all(said in each for each in found)
