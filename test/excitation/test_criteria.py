"""Criteria of motions: against numpy on stacked rows, and gradients against differences."""

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st
from motions import paper_plan, random_plan
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree, servicer, with_wheels

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import Known, PlanCriterionSettings, PlannerSettings
from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.family.seed_family import seed_family
from spacerobot_id.excitation.objective.objective import make_criterion
from spacerobot_id.excitation.planner import make_family
from spacerobot_id.excitation.planner_settings import CriterionName
from spacerobot_id.excitation.trajectory.predicted_motion import predict_motion
from spacerobot_id.methods.information import InformationSettings
from spacerobot_id.methods.information.momentum import MomentumInformation, rate_std
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.multibody import momentum_matrix
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

SEEDS = st.integers(0, 2**32 - 1)


def family_of(model, kind, start=None, intervals=12):
    names = model.joint_names + model.wheel_names
    start = np.zeros(len(names)) if start is None else start
    limits = actuator_limits(model)
    if kind is FamilyName.SEEDS:
        return seed_family(names, limits, 1.0, start)
    return make_family(
        PlannerSettings(family=kind, intervals=intervals), names, limits, 1.0, start
    )


def shown(model, plan, weighted, per_interval=6):
    """Return what a plan shows, at the middles of equal parts of its intervals."""
    samples = plan.sample_intervals(per_interval)
    weights = np.full(len(samples.times), plan.duration / len(samples.times))
    informed = MomentumInformation([model], minimal_parameters(model), is_weighted=weighted)
    return informed.information(samples, weights)


def stacked_rows(model, plan, weighted, per_interval=6):
    """Return rows of the regressor, each divided by its noise if weighted."""
    motion = predict_motion(model, plan, per_interval)
    minimal = minimal_parameters(model)
    rows = momentum_regressor(model, motion.q, motion.qd, motion.base_twist, minimal.columns)
    if weighted:
        noisy = momentum_matrix(model, motion.q) * rate_std(model.noise, len(model.joints))
        covariance = noisy @ np.swapaxes(noisy, 1, 2)
        rows = np.linalg.solve(np.linalg.cholesky(covariance), rows)
    return rows.reshape(-1, len(minimal)), motion


def criterion_of(name, model, **settings):
    source = Momentum.information(model, InformationSettings())
    return make_criterion(PlanCriterionSettings(name, **settings), source)


# Costs


def test_condition_numbers_are_those_of_the_stacked_rows():
    """Raw; with columns of length one; and divided by the noise."""
    model, plan = dual_arm(), paper_plan()
    rows, _ = stacked_rows(model, plan, weighted=False)
    raw = criterion_of(CriterionName.CONDITION, model).cost(shown(model, plan, False))
    assert raw == pytest.approx(np.linalg.cond(rows), rel=1e-6)
    scaled = criterion_of(CriterionName.SCALED_CONDITION, model).cost(shown(model, plan, False))
    assert scaled == pytest.approx(np.linalg.cond(rows / np.linalg.norm(rows, axis=0)), rel=1e-6)


@pytest.mark.parametrize('weight', [0.01, 1.0])
def test_the_cost_of_the_paper_counts_weak_signals(weight):
    """Condition number plus weight over the mean square of base twist and joint rates (32)."""
    model, plan = dual_arm(), paper_plan()
    rows, motion = stacked_rows(model, plan, weighted=False)
    squares = np.concatenate([motion.base_twist.ravel(), motion.qd.ravel()]) ** 2
    criterion = criterion_of(CriterionName.CONDITION_AND_SIGNAL, model, signal_weight=weight)
    expected = np.linalg.cond(rows) + weight / squares.mean()
    assert criterion.cost(shown(model, plan, False)) == pytest.approx(expected, rel=1e-6)


def test_v1_is_condition_number_over_noise_less_levels():
    """Eq. 21 of [Ekal 2019] with the momentum regressor for W."""
    model, plan = dual_arm(), paper_plan()
    rows, motion = stacked_rows(model, plan, weighted=True)
    criterion = criterion_of(CriterionName.NORMALISED_CONDITION, model, level_weight=3.0)
    expected = np.linalg.cond(rows) - 3.0 * np.sqrt(np.mean(motion.q**2, axis=0)).sum()
    assert criterion.cost(shown(model, plan, True)) == pytest.approx(expected, rel=1e-6)


def test_v2_is_the_logarithm_of_the_determinant():
    """Eq. 22 of [Ekal 2019]: twice the sum of the logarithms of the singular values."""
    model, plan = dual_arm(), paper_plan()
    rows, _ = stacked_rows(model, plan, weighted=True)
    rows *= np.sqrt(model.noise.rate / 6.0)  # six samples stand for a second
    criterion = criterion_of(CriterionName.DETERMINANT, model)
    expected = -2.0 * np.log(np.linalg.svd(rows, compute_uv=False)).sum()
    assert criterion.cost(shown(model, plan, True)) == pytest.approx(expected, rel=1e-9)


def test_standard_deviations_are_those_of_least_squares_over_its_noise():
    """Roots of the diagonal of the inverse of the information, at the rate of the sensors."""
    model, plan = dual_arm(), paper_plan()
    rows, _ = stacked_rows(model, plan, weighted=True)
    covariance = np.linalg.pinv(rows, rcond=1e-15)
    expected = np.linalg.norm(covariance, axis=1) / np.sqrt(model.noise.rate / 6.0)
    std = criterion_of(CriterionName.DEVIATION, model).standard_deviations(
        shown(model, plan, True)
    )
    assert_close(std, expected, 1e-6)


def test_without_a_share_for_the_worst_it_is_the_geometric_mean():
    """Of standard deviations over the parameters' sizes."""
    model, plan = servicer(), random_plan(servicer(), 3, 40)
    criterion = criterion_of(CriterionName.DEVIATION, model, worst_share=0.0)
    informed = shown(model, plan, True)
    ratios = criterion.standard_deviations(informed) / criterion.scale
    assert criterion.cost(informed) == pytest.approx(np.exp(np.log(ratios).mean()), rel=1e-9)
    worst = replace(criterion, worst_share=1.0).cost(informed)
    count = len(ratios) ** (1.0 / 8.0)
    assert ratios.max() / count <= worst <= ratios.max()


def test_only_parameters_of_interest_count():
    """Those of one link; all others may be as they like."""
    model, plan = dual_arm(), paper_plan()
    link = model.link_names[-1]
    criterion = criterion_of(CriterionName.DEVIATION, model, worst_share=0.0, of_interest=(link,))
    informed, names = shown(model, plan, True), minimal_parameters(model).names
    mine = [name.startswith(link + '.') for name in names]
    ratios = (criterion.standard_deviations(informed) / criterion.scale)[mine]
    assert criterion.cost(informed) == pytest.approx(np.exp(np.log(ratios).mean()), rel=1e-9)
    with pytest.raises(PlanningError, match='tail: of interest, but no link'):
        criterion_of(CriterionName.DEVIATION, model, of_interest=('tail',))


def test_what_is_known_already_is_added():
    """Known as well as a motion shows it, deviations fall by the root of two."""
    model, plan = dual_arm(), paper_plan()
    minimal, informed = minimal_parameters(model), shown(dual_arm(), paper_plan(), True)
    fresh = criterion_of(CriterionName.DEVIATION, model)
    known = Known(minimal.values(model), informed.matrix)
    more = make_criterion(
        PlanCriterionSettings(), Momentum.information(model, InformationSettings()), known
    )
    assert more.cost(informed) == pytest.approx(fresh.cost(informed) / np.sqrt(2.0), rel=1e-6)
    del plan


@pytest.mark.parametrize('name', list(CriterionName))
def test_a_motion_too_short_to_show_all_costs_without_bound(name):
    """One interval leaves most parameters unseen."""
    model = dual_arm()
    criterion = criterion_of(name, model)
    informed = shown(model, paper_plan(1), criterion.is_weighted)
    assert criterion.cost(informed) > 1e6 or name is CriterionName.DETERMINANT
    assert np.isfinite(criterion.score(informed).value)


# Gradients


@pytest.mark.parametrize('kind', list(FamilyName))
@pytest.mark.parametrize('name', list(CriterionName))
def test_scores_fall_as_their_gradients_say(name, kind):
    """Along a random direction, by the parameters of every family."""
    rng = np.random.default_rng(5)
    model = dual_arm_prior()
    family = family_of(model, kind, start=np.append(rng.uniform(-1, 1, 6), np.zeros(3)))
    parameters = 0.9 * family.draw(rng)
    along = rng.normal(size=len(parameters)) / np.sqrt(len(parameters))
    criterion, sampler = criterion_of(name, model), family.information_sampler()
    informed = MomentumInformation(
        [model], minimal_parameters(model), is_weighted=criterion.is_weighted
    )

    def score(where):
        return criterion.score(informed.information(sampler.sample(where), sampler.weights))

    samples = sampler.sample(parameters)
    back = informed.shown(samples, sampler.weights).pull_back([score(parameters).by])
    slope = sampler.pull_back(back) @ along
    step = 1e-5
    ahead, behind = (score(parameters + sign * step * along).value for sign in (1.0, -1.0))
    assert slope == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-2, abs=1e-5)


# Families and samples


@pytest.mark.parametrize('seed', range(4))
def test_two_samples_stand_for_an_interval(seed):
    """The nodes of the cycloid family give the information that fifty samples give."""
    model = with_wheels(random_tree(seed, 5), np.random.default_rng(seed))
    plan = random_plan(model, seed, 40)
    dense = shown(model, plan, True, per_interval=50).matrix
    family = family_of(dual_arm(), FamilyName.CYCLOIDS)
    family = replace(
        family,
        names=plan.names,
        limits=[replace(family.limits[0], velocity=100.0)] * len(plan.names),
        intervals=40,
        start=np.full(len(plan.names), np.nan),
    )
    sampler, parameters = family.information_sampler(), family.parameters(plan.knots)
    informed = MomentumInformation([model], minimal_parameters(model))
    sparse = informed.information(sampler.sample(parameters), sampler.weights).matrix
    assert_close(sparse, dense, 2e-3)


@pytest.mark.parametrize('kind', list(FamilyName))
@settings(deadline=None, max_examples=20)
@given(seed=SEEDS, share=st.floats(0.0, 1.0))
@example(seed=3, share=5e-324)
def test_what_a_family_draws_or_keeps_is_within_the_limits(kind, seed, share):
    """Positions, rates and accelerations, whatever parameters it is given."""
    rng = np.random.default_rng(seed)
    model = servicer()
    family = family_of(model, kind, start=np.append(rng.uniform(-1.5, 1.5, 7), np.zeros(3)))
    wild = rng.uniform(family.bounds.lb, family.bounds.ub)
    for parameters in (family.draw(rng), family.keep(wild, share)):
        extent = family.motion(parameters).extent()
        for place, limit in enumerate(actuator_limits(model)):
            assert extent.lowest[place] >= limit.lower - 1e-9
            assert extent.highest[place] <= limit.upper + 1e-9
            assert extent.velocity[place] <= limit.velocity * (1.0 + 1e-9)
            assert extent.acceleration[place] <= limit.acceleration * (1.0 + 1e-9)


@pytest.mark.parametrize('kind', list(FamilyName))
def test_samplers_give_the_samples_of_the_motion(kind):
    """Where limits are looked at, at the times that they say."""
    rng = np.random.default_rng(0)
    family = family_of(servicer(), kind)
    parameters, sampler = family.draw(rng), family.limit_sampler(2)
    samples, motion = sampler.sample(parameters), family.motion(parameters)
    again = motion.sample(np.clip(samples.times, 0.0, motion.duration))
    assert sampler.weights.sum() == pytest.approx(motion.duration)
    for part in ('position', 'velocity', 'acceleration'):
        assert_close(getattr(samples, part), getattr(again, part), 1e-9)
