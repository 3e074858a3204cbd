"""Cycloids with a plateau show more at the same largest rates."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior
from small_robot import small_robot

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation import (
    load_plan,
    plan_excitation,
    plan_from_file,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.family.cycloid_family import (
    CycloidFamily,
    mean_square_rate,
    rate_spread,
)
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.motion_search import interval_from_limits
from spacerobot_id.excitation.trajectory.cycloids import LARGEST_PLATEAU, unit_cycloid
from spacerobot_id.methods.information import InformationSettings
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import JointLimits

SHORT = PlannerSettings(intervals=8, interval=2.0, draws=6, restarts=1, iterations=8)
PLATEAUS = st.floats(0.0, LARGEST_PLATEAU)


@settings(deadline=None)
@given(PLATEAUS)
def test_two_samples_stand_for_an_interval(plateau):
    """Mean square of the rate, and spread of the way by it, are those of dense samples."""
    phases = (np.arange(50_000) + 0.5) / 50_000
    shape = unit_cycloid(phases, plateau)
    square = shape.velocity**2
    assert mean_square_rate(plateau) == pytest.approx(square.mean(), rel=1e-8)
    spread = np.sqrt(np.sum(square * (shape.position - 0.5) ** 2) / square.sum())
    assert rate_spread(plateau) == pytest.approx(spread, rel=1e-7)


def test_the_information_of_a_motion_is_that_of_dense_samples():
    """Without a plateau and with one: the ways of an interval are short."""
    model = dual_arm()
    count, rng = len(model.joints) + len(model.wheels), np.random.default_rng(0)
    source, off = Momentum.information(model, InformationSettings()), []
    for plateau in (0.0, 0.5):
        family = CycloidFamily(
            model.joint_names + model.wheel_names,
            actuator_limits(model),
            12,
            2.0,
            np.zeros(count),
            plateau,
        )
        drawn = family.draw(rng)
        sampler, plan = family.information_sampler(), family.motion(drawn)
        few = source.information(sampler.sample(drawn), sampler.weights).matrix
        dense = plan.sample_intervals(400)
        weights = np.full(len(dense.times), plan.duration / len(dense.times))
        many = source.information(dense, weights).matrix
        scale = np.sqrt(np.diag(many))
        off.append(np.abs((few - many) / np.outer(scale, scale)).max())
    assert max(off) < 1e-4


def test_more_shows_at_the_same_rates():
    """The dual arm in the same time, with ramps as long: at most 0.75 times the deviations.

    The root mean square of the rate is sqrt(0.6875 / 0.375) times as large: 0.74.
    """
    present = np.zeros(9)
    paper = replace(SHORT, intervals=32, interval=1.0, draws=20, iterations=30)
    held = replace(paper, intervals=16, interval=2.0, plateau=0.5)
    without, within = (plan_excitation(dual_arm_prior(), present, each) for each in (paper, held))
    assert within.plan.duration == without.plan.duration
    assert within.cost <= 0.75 * without.cost


def test_an_interval_is_longer_by_its_plateau():
    """Its ramps take what a cycloid takes to the same rate."""
    limits = [JointLimits(-np.inf, np.inf, 0.2, np.inf, 0.1)] * 3
    assert interval_from_limits(limits, 0.5) == pytest.approx(2.0 * interval_from_limits(limits))
    limits = [JointLimits(-np.inf, np.inf, 0.1, np.inf, 10.0)] * 3
    assert interval_from_limits(limits, 0.5) == pytest.approx(2.0)  # as steep as one of 1 s


def test_a_file_keeps_it(tmp_path):
    """To the last digit, on the way to its start, too; without, the file has no such key."""
    robot = small_robot()
    planned = plan_excitation(robot, np.zeros(5), replace(SHORT, plateau=0.4))
    path = tmp_path / 'plan.yaml'
    save_plan(planned.plan, path)
    assert load_plan(path).plateau == 0.4
    away = np.append(planned.plan.knots[0, : len(robot.joints)] + 0.1, np.zeros(3))
    led = plan_from_file(robot, away, path, SHORT).plan
    assert led.plateau == 0.4
    assert led.duration > planned.plan.duration
    plain = plan_excitation(robot, np.zeros(5), SHORT)
    save_plan(plain.plan, path)
    assert 'plateau' not in path.read_text()
    assert load_plan(path).plateau == 0.0


@pytest.mark.parametrize('value', ['1.0', '-0.1', 'much', '[0.1]', '.nan'])
def test_a_file_with_another_is_refused(tmp_path, value):
    """Named with the file."""
    path = tmp_path / 'plan.yaml'
    text = f'names: [a]\ndurations: [1.0]\nplateau: {value}\nknots: [[0.0], [1.0]]\n'
    path.write_text(text)
    with pytest.raises(PlanningError, match=r'plan\.yaml: plateau: '):
        load_plan(path)


def test_only_cycloids_have_one():
    """Nothing is asked for in vain."""
    for family in (FamilyName.SEEDS, FamilyName.FOURIER_QUINTIC, FamilyName.PERIODIC_FOURIER):
        with pytest.raises(PlanningError, match=f'plateau: is of cycloids, not of {family.value}'):
            plan_excitation(small_robot(), np.zeros(5), replace(SHORT, family=family, plateau=0.5))
    with pytest.raises(ConfigurationError, match='plateau'):
        plan_excitation(small_robot(), np.zeros(5), replace(SHORT, plateau=0.95))
