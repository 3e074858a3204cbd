"""A plan under way: how far it is, who does not follow, and how to end it early."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import dual_arm_prior, servicer

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.trajectory.command_check import check_command
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.possible_states import MeasuredState
from spacerobot_id.excitation.trajectory.started import StartedMotion
from spacerobot_id.kinematics.trajectory_motion import JointMotion
from spacerobot_id.model import JointLimits
from spacerobot_id.nodes.planner.execution import Execution
from spacerobot_id.simulation import KinematicSimulation

START = 100.0
NAMES = ('joint', 'other', 'wheel')
KNOTS = np.array([[0.0, 0.0, 0.0], [0.1, -0.1, 9.0], [0.0, -0.2, 18.0]])
TOLERANCE = np.array([0.02, 0.02, 1.0])
LIMITS = [JointLimits(-1.0, 1.0, 1.0, 5.0)] * 2 + [JointLimits(velocity=50.0, acceleration=80.0)]


def started(plan):
    """Return a plan that begins where it was planned to."""
    start = plan.sample([0.0]).position[0]
    return StartedMotion(plan, start, np.zeros(len(start)))


def measured(now, position, rate=0.0, acceleration=0.0, changed=None):
    """Return the state of actuators, almost without noise."""
    size = np.ones(len(position))
    return MeasuredState(
        now,
        0.0,
        np.array(position),
        rate * size,
        acceleration * size,
        1e-4 * size,
        1e-3 * size,
        (now if changed is None else changed) * size,
    )


def along(execution, elapsed):
    """Return the state of actuators that follow a motion."""
    motion = execution.plan.sample([elapsed])
    return measured(
        execution.sent + elapsed,
        motion.position[0],
        motion.velocity[0],
        motion.acceleration[0],
    )


@pytest.fixture(name='execution')
def two_intervals():
    plan = started(ExcitationPlan(NAMES, KNOTS, np.array([1.0, 2.0])))
    return Execution(plan, TOLERANCE, START, START)


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


@pytest.mark.parametrize('elapsed', [0.0, 0.3, 0.5, 1.0, 2.0, 2.2, 3.0])
def test_stopping_takes_no_longer_than_the_interval(execution, elapsed):
    """To a point between the knots of the present interval, at rest."""
    command = execution.ending(along(execution, elapsed), LIMITS)
    ending, interval = command.trajectory, 0 if elapsed < 1.0 else 1
    assert ending.names == NAMES
    assert len(ending.times) == 1
    assert 0.0 < ending.times[0] <= execution.plan.motion.durations[interval]
    assert not ending.velocities.any()
    assert not ending.accelerations.any()
    low, high = command.starts.position.min(axis=0), command.starts.position.max(axis=0)
    knots = np.sort(KNOTS[interval : interval + 2], axis=0)
    assert (ending.positions[0] >= np.minimum(low, knots[0]) - 1e-9).all()
    assert (ending.positions[0] <= np.maximum(high, knots[1]) + 1e-9).all()


@pytest.mark.parametrize('elapsed', [0.97, 2.9])
def test_a_motion_that_is_over_sooner_by_itself_is_not_stopped(execution, elapsed):
    """It ends at rest; a stop would take longer, or take the joints back."""
    plan = started(execution.plan.motion.parts()[int(elapsed > 1.0)])
    part = replace(execution, plan=plan, begin=START + float(elapsed > 1.0))
    state = replace(along(execution, elapsed), stamp=START + elapsed)
    with pytest.raises(TrajectoryError, match='the motion is over in 0'):
        part.ending(state, LIMITS)


@pytest.mark.parametrize('rate', [0.0, 0.1, -0.3])
def test_stopping_lets_who_does_not_follow_coast(execution, rate):
    """Not to where it should be: it comes to rest ahead, by a constant deceleration."""
    state = along(execution, 0.5)
    off = state.position + np.array([0.0, 0.5, 0.0])
    rates = rate * np.array([0.0, 1.0, 0.0])
    ending = execution.ending(measured(START + 0.5, off, rates), LIMITS).trajectory
    assert_allclose(ending.positions[0, 1], off[1] + 0.5 * rate * ending.times[0])


def test_before_anything_is_seen_of_it_a_motion_may_be_anywhere_on_its_way(execution):
    """Joint states that repeat exactly since it was sent are as old as that."""
    sent = replace(execution, begin=None)
    state = measured(START + 0.5, KNOTS[0], changed=START - 1.0)
    starts = sent.ending(state, LIMITS).starts
    reach = execution.plan.sample([0.6]).position[0]
    assert_allclose(starts.position.max(axis=0)[[0, 2]], reach[[0, 2]], rtol=1e-6)
    assert_allclose(starts.position[0], KNOTS[0], atol=1e-9)


@pytest.mark.parametrize('elapsed', [0.1, 1.0, 2.5])
def test_while_it_waits_actuators_may_come_from_elsewhere(execution, elapsed):
    """A stop lets them come to where they were seen, within limits."""
    waiting = replace(execution.plan, wait=20.0)
    sent = Execution(waiting, TOLERANCE, START, reach=0.9)
    state = measured(START + elapsed, KNOTS[0], changed=START - 1.0)
    ending = sent.ending(state, LIMITS).trajectory
    assert_allclose(ending.positions[0], KNOTS[0])
    for place in (-0.9, 0.0, 0.9):
        check_command(ending, JointMotion.at_rest(KNOTS[:1] + place), LIMITS)


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
        (started(replace(execution.plan.motion, knots=1e-3 * KNOTS)), TOLERANCE),
        (execution.plan, np.full(3, np.inf)),
    ):
        sent = Execution(plan, tolerance, START)
        assert sent.observed(START + 2.0, plan.sample([0.0]).position[0]).begin is None
        begun = sent.observed(START + 2.0, plan.sample([0.9]).position[0])
        assert_allclose(begun.begin, START + 1.1, atol=2e-3)
    resting = Execution(
        started(replace(execution.plan.motion, knots=0.0 * KNOTS)), TOLERANCE, START
    )
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
        Execution(started(plan.reordered(each)), np.full(len(each), np.inf), START, START)
        for each in groups
    ]
    limits = actuator_limits(model)
    limits = limits[: len(joints)], limits[len(joints) :]
    for now in np.sort(rng.uniform(START, START + plan.duration, 40)):
        simulation, truth = simulation.advanced_to([now])
        late = now - rng.uniform(0.0, 0.05)
        try:
            endings = [
                each.ending(along(each, late - START), own).trajectory
                for each, own in zip(executions, limits, strict=True)
            ]
        except TrajectoryError:  # it is over sooner by itself
            assert START + plan.duration - late <= 0.5 * plan.section(late - START).longest
            continue
        longest = max(float(each.times[-1]) for each in endings)
        assert longest <= max(0.4 * plan.duration, 1.0)
        stopping = simulation.with_joint_trajectory(endings[0])
        stopping = stopping.with_wheel_trajectory(endings[1])
        stopping, truth = stopping.advanced_to([now + longest + 0.001])
        assert not stopping.is_moving
        assert not truth.qd.any()
        assert_allclose(truth.base_twist, 0.0, atol=1e-12)
