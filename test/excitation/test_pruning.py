"""Pruning: Algorithm 1 of [Naveen 2024], line by line, and the counts that the paper states."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import paper_motion
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior

from spacerobot_id.excitation.family.cycloid_family import (
    CombinationOrder,
    direction_combinations,
)
from spacerobot_id.excitation.pruning import (
    interval_curves,
    interval_regressors,
    prune_intervals,
    PruningRule,
)
from spacerobot_id.multibody import wheel_momentum
from spacerobot_id.regressor import minimal_parameters

DELTA = 1.0 / 300.0


def paper_regressors(model, directions):
    return interval_regressors(model, minimal_parameters(model), paper_motion(directions), 10)


@pytest.fixture(name='combinations', scope='module')
def combinations_of_the_paper():
    """Return the order whose counts are the paper's: Gray, joint 1 always forward."""
    return direction_combinations(9, first_fixed=True)


@pytest.fixture(name='prior_regressors', scope='module')
def regressors_of_the_offset_robot(combinations):
    return paper_regressors(dual_arm_prior(), combinations)


def algorithm_1(regressors, u_max, delta, rule):
    """Return what the listing keeps, as it is printed: all rows stacked, all values anew."""

    def significant(matrix):
        values = np.linalg.svd(matrix, compute_uv=False)
        return int(np.sum(values > delta * values[0]))

    kept, index, idle = [], -1, 0
    stacked = np.empty((0, regressors.shape[2]))
    while stacked.shape[0] <= stacked.shape[1]:
        index += 1
        kept.append(index)
        stacked = np.vstack([stacked, regressors[index]])
    s_prev, cn_prev = significant(stacked), np.linalg.cond(stacked)
    while index < len(regressors) - 1:
        index += 1
        trial = np.vstack([stacked, regressors[index]])
        s_now, cn_now = significant(trial), np.linalg.cond(trial)
        again = s_now == s_prev and idle <= u_max
        falls = cn_now < cn_prev and rule is PruningRule.PRINTED
        if s_now > s_prev or falls or again:
            kept.append(index)
            stacked, s_prev, cn_prev = trial, s_now, cn_now
            idle = idle + 1 if again else 0
        elif rule is PruningRule.PRINTED:
            idle = 0
    return np.array(kept)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 7),
    st.integers(0, 5),
    st.sampled_from([0.01, 0.1, 0.3]),
    st.sampled_from(PruningRule),
)
def test_it_keeps_what_the_listing_keeps(seed, rows, u_max, delta, rule):
    """Factors of the intervals in place of all rows: the same decisions, any number of rows."""
    rng = np.random.default_rng(seed)
    seen = rng.random((40, 1, 12)) < 0.3  # an interval excites some parameters only
    regressors = rng.normal(size=(40, rows, 12)) * seen * np.geomspace(1.0, 0.05, 12)
    regressors += 1e-3 * rng.normal(size=regressors.shape)
    np.testing.assert_array_equal(
        prune_intervals(regressors, u_max, delta, rule),
        algorithm_1(regressors, u_max, delta, rule),
    )


def test_the_listing_on_the_robot_of_the_paper(prior_regressors):
    """All 256 combinations, judged on the offset parameters."""
    np.testing.assert_array_equal(
        prune_intervals(prior_regressors),
        algorithm_1(prior_regressors, 5, DELTA, PruningRule.RUN),
    )


def test_about_as_many_stay_as_in_the_paper(prior_regressors):
    """67 of 256 in [Naveen 2024] 6.2.4; with every line as printed nearly all."""
    assert abs(len(prune_intervals(prior_regressors)) - 67) <= 3
    assert len(prune_intervals(prior_regressors, rule=PruningRule.PRINTED)) > 230


def test_the_curves_pass_the_counts_of_the_paper(combinations, prior_regressors):
    """Figure 4 and 6.3: 8 to 11 alone, 11 and 20 after 1 and 3, 38 after 20, 46 after 40."""
    kept = prune_intervals(prior_regressors)
    curves = interval_curves(paper_regressors(dual_arm(), combinations[kept]))
    together = curves.together_significant
    assert [together[count - 1] for count in (1, 3, 20, 40)] == [11, 20, 38, 46]
    assert 8 <= curves.alone_significant.min() <= curves.alone_significant.max() <= 11


@pytest.mark.parametrize('order', CombinationOrder)
def test_curves_are_those_of_the_stacked_rows(order):
    """Condition number and significant values as numpy gives them for all rows so far."""
    directions = direction_combinations(9, order)[::20]
    regressors = paper_regressors(dual_arm(), directions)
    curves = interval_curves(regressors)
    for count in (5, len(regressors)):
        values = np.linalg.svd(regressors[:count].reshape(-1, 52), compute_uv=False)
        assert curves.together_condition[count - 1] == pytest.approx(values[0] / values[-1], 1e-5)
        assert curves.together_significant[count - 1] == np.sum(values > DELTA * values[0])
    assert curves.together_condition[0] == curves.alone_condition[0] > 1e10


def test_fewer_rows_than_parameters_are_singular():
    """A single row of three parameters: no finite condition number, one significant value."""
    curves = interval_curves(np.ones((2, 1, 3)))
    assert np.isinf(curves.alone_condition).all()
    np.testing.assert_array_equal(curves.together_significant, [1, 1])


def test_all_stay_while_there_are_too_few_rows():
    """Without more rows than parameters nothing is judged."""
    np.testing.assert_array_equal(prune_intervals(np.ones((4, 2, 12))), np.arange(4))


def test_regressors_are_those_of_the_samples(combinations):
    """Interval by interval: rows times parameters give back what the wheels took in it."""
    plan, minimal = paper_motion(combinations[:3]), minimal_parameters(dual_arm())
    regressors = interval_regressors(dual_arm(), minimal, plan, 4)
    motion = plan.sample_intervals(4)
    wheels = wheel_momentum(dual_arm(), motion.position[:, :6], motion.velocity[:, 6:])
    given_back = regressors @ minimal.values(dual_arm())
    np.testing.assert_allclose(given_back, -wheels.reshape(3, 24), atol=1e-10)
