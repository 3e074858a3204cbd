"""A plan under way: how far it is, who does not follow, and how to end it early."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import dual_arm_prior, servicer

from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.excitation.planner_settings import FamilyName
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.nodes.planner.execution import Execution
from spacerobot_id.simulation import KinematicSimulation

START = 100.0
NAMES = ('joint', 'other', 'wheel')
KNOTS = np.array([[0.0, 0.0, 0.0], [0.1, -0.1, 9.0], [0.0, -0.2, 18.0]])
TOLERANCE = np.array([0.02, 0.02, 1.0])
STILL = np.zeros(3)


@pytest.fixture(name='execution')
def two_intervals():
    return Execution(ExcitationPlan(NAMES, KNOTS, np.array([1.0, 2.0])), TOLERANCE, START, START)


@pytest.mark.parametrize(
    ('now', 'elapsed'),
    [(0.0, 0.0), (99.0, 0.0), (100.0, 0.0), (101.5, 1.5), (103.0, 3.0), (1e9, 3.0)],
)
def test_elapsed_time_is_within_the_plan(execution, now, elapsed):
    """Whatever the clock does."""
    assert execution.elapsed(now) == elapsed


def test_it_is_over_a_while_after_its_end(execution):
    assert not execution.is_over(START + 3.4, 0.5)
    assert execution.is_over(START + 3.5, 0.5)


@pytest.mark.parametrize('now', START + np.linspace(-1.0, 4.0, 11))
def test_who_follows_is_not_blamed(execution, now):
    """Up to the tolerance."""
    wanted = execution.plan.sample([now - START]).position[0]
    for share in (-0.99, 0.0, 0.99):
        assert execution.straying(now, wanted + share * TOLERANCE) is None


def test_the_worst_stray_is_named_with_where_it_is_and_should_be(execution):
    positions = KNOTS[1] + np.array([0.03, -0.5, 0.0])
    message = execution.straying(START + 1.0, positions)
    assert message == 'other is at -0.6 and should be at -0.1'


def test_an_actuator_without_a_rate_limit_may_be_anywhere(execution):
    free = replace(execution, tolerance=np.full(3, np.inf))
    assert free.straying(START, KNOTS[0] + 1e6) is None


@pytest.mark.parametrize('now', [99.0, 100.0, 100.3, 100.999, 101.0, 102.0, 102.9, 103.0, 110.0])
def test_stopping_takes_no_longer_than_the_interval(execution, now):
    """To a point between the knots of the present interval, at rest."""
    wanted = execution.plan.sample([now - START]).position[0]
    ending = execution.ending(now, wanted, STILL)
    interval = 0 if now < 101.0 else 1
    assert ending.names == NAMES
    assert len(ending.times) == 1
    assert 0.0 < ending.times[0] <= execution.plan.durations[interval]
    assert not ending.velocities.any()
    assert not ending.accelerations.any()
    low, high = np.sort(KNOTS[interval : interval + 2], axis=0)
    assert (ending.positions[0] >= low - 1e-9).all()
    assert (ending.positions[0] <= high + 1e-9).all()


def test_stopping_leaves_who_does_not_follow_where_it_is(execution):
    """What is stuck is not sent to where it should be; what is unknown is."""
    wanted = execution.plan.sample([0.5]).position[0]
    stuck = wanted + np.array([0.0, 0.05, np.nan])
    ending = execution.ending(START + 0.5, stuck, STILL).positions[0]
    following = execution.ending(START + 0.5, wanted, STILL).positions[0]
    assert_allclose(ending, [following[0], stuck[1], following[2]])


def test_stopping_lets_who_does_not_follow_coast(execution):
    """What moves elsewhere cannot stop where it is at once: it comes to rest ahead."""
    moving = execution.plan.sample([0.5]).position[0] + np.array([0.0, 0.05, 0.0])
    ending = execution.ending(START + 0.5, moving, np.array([0.0, 0.1, 0.0]))
    assert_allclose(ending.positions[0, 1], moving[1] + 0.05 * ending.times[0])


@pytest.mark.parametrize('late', [0.0, 0.3, 1.0, 4.0])
def test_a_controller_that_is_late_by_a_constant_is_followed_from_its_begin(execution, late):
    """With noise of encoders; before the begin is seen nothing strays."""
    plan, rng = execution.plan, np.random.default_rng(0)
    sent = Execution(plan, TOLERANCE, START)
    for now in START + np.arange(0.0, late + plan.duration + 0.7, 0.1):
        noise = 0.02 * TOLERANCE * rng.normal(size=3)
        positions = plan.sample([max(now - START - late, 0.0)]).position[0] + noise
        sent = sent.observed(now, positions)
        assert sent.straying(now, positions) is None
        assert sent.begin is not None or now - START - late <= sent.leaves_rest + 0.1
    assert_allclose(sent.begin, START + late, atol=0.03)
    assert sent.is_over(now, 0.5)


def test_a_motion_is_not_taken_for_begun_by_noise(execution):
    """However long its joints rest; it is not over either."""
    sent, rng = Execution(execution.plan, TOLERANCE, START), np.random.default_rng(0)
    for now in START + np.arange(0.0, 10.0, 0.1):
        sent = sent.observed(now, KNOTS[0] + 0.03 * TOLERANCE * rng.normal(size=3))
    assert sent.begin is None
    assert sent.elapsed(START + 10.0) == 0.0
    assert not sent.is_over(START + 10.0, 0.5)


def test_small_motions_and_those_without_rate_limits_are_seen_to_begin(execution):
    """By a share of their own way; what does not move at all has begun when it is sent."""
    for plan, tolerance in (
        (replace(execution.plan, knots=1e-3 * KNOTS), TOLERANCE),
        (execution.plan, np.full(3, np.inf)),
    ):
        sent = Execution(plan, tolerance, START)
        assert sent.observed(START + 2.0, plan.sample([0.0]).position[0]).begin is None
        begun = sent.observed(START + 2.0, plan.sample([0.9]).position[0])
        assert_allclose(begun.begin, START + 1.1, atol=2e-3)
    resting = Execution(replace(execution.plan, knots=0.0 * KNOTS), TOLERANCE, START)
    assert resting.observed(START + 2.0, np.zeros(3)).begin == START


SHORT = PlannerSettings(intervals=5, draws=10, restarts=0)
FOURIER = replace(SHORT, duration=40.0, harmonics=4)


@pytest.mark.parametrize(
    ('robot', 'settings'),
    [
        (dual_arm_prior, replace(SHORT, interval=1.0)),
        (servicer, replace(SHORT, interval=20.0)),
        (dual_arm_prior, replace(FOURIER, family=FamilyName.FOURIER_QUINTIC)),
        (dual_arm_prior, replace(FOURIER, family=FamilyName.PERIODIC_FOURIER)),
        (servicer, replace(FOURIER, family=FamilyName.FOURIER_QUINTIC)),
        (servicer, replace(FOURIER, family=FamilyName.PERIODIC_FOURIER)),
    ],
)
@pytest.mark.slow
def test_F38_stopping_is_accepted_by_controllers_at_any_time(robot, settings):
    """With every limit checked, up to half a tenth of a second late; all rest at its end.

    It takes no more than two fifths of the motion.
    """
    model = robot()
    joints, wheels = model.joint_names, model.wheel_names
    plan = plan_excitation(model, np.zeros(len(joints) + len(wheels)), settings).plan
    simulation = KinematicSimulation.at_rest(model, np.zeros(len(joints)), START)
    simulation = simulation.with_joint_trajectory(plan.joint_trajectory(joints))
    simulation = simulation.with_wheel_trajectory(plan.joint_trajectory(wheels))
    groups, rng = (joints, wheels), np.random.default_rng(0)
    executions = [
        Execution(plan.reordered(each), np.full(len(each), np.inf), START, START)
        for each in groups
    ]
    for now in np.sort(rng.uniform(START, START + plan.duration, 40)):
        simulation, truth = simulation.advanced_to([now])
        late = now - rng.uniform(0.0, 0.05)
        endings = [each.ending(late, *np.zeros((2, len(each.tolerance)))) for each in executions]
        longest = max(float(each.times[-1]) for each in endings)
        assert longest <= max(0.4 * plan.duration, 1.0)
        stopping = simulation.with_joint_trajectory(endings[0])
        stopping = stopping.with_wheel_trajectory(endings[1])
        stopping, truth = stopping.advanced_to([now + longest + 0.001])
        assert not stopping.is_moving
        assert not truth.qd.any()
        assert_allclose(truth.base_twist, 0.0, atol=1e-12)
