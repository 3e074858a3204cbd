"""What a plan makes a robot do: conserved momentum, and numpy's condition number of it."""

from motions import measure, paper_plan, random_plan
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree, with_wheels

from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.predicted_motion import condition_number, predict_motion
from spacerobot_id.methods.information.motion_information import gram_matrix
from spacerobot_id.multibody import momentum, wheel_momentum
from spacerobot_id.regressor import minimal_parameters, momentum_regressor


@pytest.fixture(name='minimal', scope='module')
def dual_arm_minimal():
    return minimal_parameters(dual_arm())


def regressor_of(model, minimal, motion):
    return momentum_regressor(model, motion.q, motion.qd, motion.base_twist, minimal.columns)


def test_the_condition_number_is_that_of_the_stacked_regressor(minimal):
    """Over all rows of all samples at once, as the singular values give it."""
    motion = predict_motion(dual_arm(), paper_plan(), 4)
    stacked = regressor_of(dual_arm(), minimal, motion).reshape(-1, 52)
    assert condition_number(dual_arm(), minimal, motion) == pytest.approx(
        np.linalg.cond(stacked), rel=1e-8
    )


def test_the_gram_matrix_is_that_of_all_rows(minimal):
    """``G^T G`` of the stacked rows."""
    regressor = regressor_of(dual_arm(), minimal, predict_motion(dual_arm(), paper_plan(5), 3))
    stacked = regressor.reshape(-1, 52)
    assert_close(gram_matrix(regressor), stacked.T @ stacked, 1e-13)


def test_the_predicted_motion_has_no_momentum():
    """Links and wheels together stay at zero, wherever the wheels are carried."""
    model = with_wheels(random_tree(1, 6), np.random.default_rng(1))
    motion = predict_motion(model, random_plan(model, 1, 8), 5)
    of_links = momentum(model, motion.q, motion.qd, motion.base_twist)
    of_wheels = wheel_momentum(model, motion.q, motion.wheel_rates)
    np.testing.assert_allclose(of_links, -of_wheels, atol=1e-11 * np.abs(of_wheels).max())


def test_the_predicted_motion_is_that_of_the_plan():
    """Samples are the middles of equal parts of the intervals."""
    plan = paper_plan(6)
    predicted, measured = predict_motion(dual_arm(), plan, 10), measure(dual_arm(), plan, 10.0)
    for name in ('q', 'qd', 'wheel_rates', 'base_twist'):
        assert_close(getattr(predicted, name), getattr(measured, name), 1e-9)


def test_the_condition_number_does_not_depend_on_the_scale_of_the_rates(minimal):
    """Twice as slow is as well conditioned."""
    plan = paper_plan()
    slow = ExcitationPlan(plan.names, plan.knots, 2.0 * plan.durations)
    fast, slow = (
        condition_number(dual_arm(), minimal, predict_motion(dual_arm(), each, 4))
        for each in (plan, slow)
    )
    assert slow == pytest.approx(fast, rel=1e-6)


def test_the_first_interval_alone_is_hopeless(minimal):
    """One direction combination cannot show all 52 parameters; 67 of them can."""
    one, all_of_them = (
        condition_number(
            dual_arm_prior(), minimal, predict_motion(dual_arm_prior(), paper_plan(count), 4)
        )
        for count in (1, 67)
    )
    assert one > 1e7
    assert all_of_them < 1e3
