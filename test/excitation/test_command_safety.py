"""Every command of the planner keeps limits from where the robot is, or is not sent.

Controllers follow as joint_trajectory_controllers do. In brackets: what the planner asked for when
it sent the same points wherever the robot was.
"""

from dataclasses import replace

from driven_planner import cycloids, World
import numpy as np
from planner_safety import ALLOWED, Case
import pytest
from small_robot import LIMITS, small_robot

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.trajectory.command_check import check_command
from spacerobot_id.kinematics.trajectory_motion import JointMotion, JointTrajectory, PlannedMotion
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase

CASES = 60  # ``make safety`` runs 5000


def world(**settings):
    """Return the small robot with motors of its wheels, planned for at its limits."""
    robot = small_robot()
    wheels = [replace(wheel, max_torque=4.0) for wheel in robot.wheels]
    robot = replace(robot, wheels=wheels)
    return World(robot, cycloids(robot), np.random.default_rng(0), **settings)


def running(**settings):
    """Return the same while it moves."""
    moving = world(**settings)
    moving.run(0.5)
    assert moving.ask('start_excitation')[0]
    moving.run(3.0, until=('running',))
    return moving


@pytest.mark.parametrize('first', range(0, CASES, 20))
def test_no_limit_is_exceeded_whatever_happens(first):
    """Random robots, latencies, losses, foreign commands, frozen and doubled joint states."""
    cases = [Case(seed) for seed in range(first, first + 20)]
    shares = {seed: case.run()[0] for seed, case in enumerate(cases, start=first)}
    assert max(shares.values()) <= ALLOWED, {k: v for k, v in shares.items() if v > ALLOWED}
    assert sum(case.world.sent() > 0 for case in cases) >= 15


def test_a_motion_is_done_and_asks_for_all_that_it_may():
    """Nothing is refused that is as planned; the limits are made use of."""
    moving = running(latency=(0.03, 0.03), lost=0.2)
    moving.run(10.0, until=('done', 'failed', 'stopped'))
    assert moving.state == 'done', moving.message
    assert 0.98 < moving.share <= 1.005


def test_joints_that_moved_while_it_was_planned_are_not_sent_back():
    """0.4 rad by another controller (5 times the rate, 29 times the acceleration limit)."""
    moved = world(takes=2.0)
    moved.run(0.5)
    assert moved.ask('start_excitation')[0]
    moved.command('joint_trajectory', [0.4, 0.0], 1.0)
    moved.run(5.0, until=('failed', 'running'))
    assert moved.state == 'failed'
    assert moved.message.startswith('not started: shoulder_left is at 0.4 and should be at ')
    assert moved.sent() == 0
    assert moved.ask('start_excitation')[0]  # from where they are now
    moved.run(10.0, until=('done', 'failed', 'stopped'))
    assert moved.state == 'done', moved.message
    assert moved.share <= ALLOWED


def test_joints_that_move_at_the_start_are_not_taken_over():
    """At 0.3 rad/s (1.8 times the rate, 11.6 times the acceleration limit)."""
    moving = world()
    moving.command('joint_trajectory', [0.6, 0.0], 3.75)
    moving.run(1.875)
    assert moving.motion()[1][0] == pytest.approx(0.3, rel=0.02)
    moving.ask('start_excitation')
    moving.run(1.0, until=('failed', 'running'))
    moving.run(1.0)
    assert moving.state == 'failed'
    assert 'shoulder_left: from 0.3' in moving.message
    assert moving.share <= ALLOWED


@pytest.mark.parametrize('after', [0.02, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3, 0.34, 0.42])
@pytest.mark.parametrize('knows_accelerations', [True, False])
def test_a_stop_before_the_begin_is_seen_keeps_limits(after, knows_accelerations):
    """0.22 to 0.33 s after the start (4.0 to 5.3 times the acceleration, 1.56 times the rate)."""
    moving = running(latency=(0.04, 0.04), knows_accelerations=knows_accelerations)
    moving.run(after)
    before = moving.sent()
    assert moving.ask('stop_excitation') == (True, 'at rest within one interval')
    assert moving.sent() == before + 2
    moving.run(3.0, until=('stopped',))
    assert moving.state == 'stopped'
    assert np.abs(moving.motion()[1]).max() < 1e-3
    assert moving.share <= ALLOWED


def test_a_command_of_another_client_in_mid_motion_is_noticed():
    """A joint 0.2 rad off at the end of a part (2.7 times the rate, 17.6 the acceleration)."""
    moving = running()
    moving.run(0.3)
    aside = moving.motion()[0][:2] + np.array([-0.2, 0.0])
    moving.command('joint_trajectory', aside, 0.8)
    moving.run(6.0, until=('stopped', 'done', 'failed'))
    assert moving.state == 'stopped'
    assert moving.message.startswith('failed: shoulder_')
    assert ' and should be at ' in moving.message
    assert moving.share <= ALLOWED


def test_somebody_else_on_the_topic_of_commands_is_warned_of_once():
    moving = running()
    moving.run(0.3)
    assert not any('somebody else' in line for line in moving.node.log.lines)
    moving.node.counts['joint_trajectory'] = 2
    moving.run(1.0)
    warnings = [line for line in moving.node.log.lines if 'somebody else' in line]
    assert len(warnings) == 1
    assert warnings[0].startswith('joint_trajectory: ')


@pytest.mark.parametrize('away', [-0.4, 0.4, 1.1])
def test_F12_frozen_joint_states_make_no_jump(away):
    """The joint is elsewhere (5 times the rate, 29 times the acceleration limit)."""
    frozen = world()
    frozen.run(0.2)
    frozen.frozen = True
    frozen.command('joint_trajectory', [away, 0.0], 1.5)
    frozen.run(3.0)
    assert frozen.ask('start_excitation')[0]
    frozen.run(20.0, until=('stopped', 'failed', 'done'))
    assert frozen.state in ('stopped', 'failed')
    assert frozen.share <= ALLOWED


def test_joints_that_are_perfectly_still_may_be_started():
    """Joint states that repeat exactly are those of mock hardware, too: it waits, and moves."""
    still = running(noise=0.0)
    waited = still.session._executions['joint_trajectory'].plan.wait
    assert 1.875 * (LIMITS.upper - 0.0) / LIMITS.velocity <= waited < 10.0
    still.run(20.0, until=('done', 'failed', 'stopped'))
    assert still.state == 'done', still.message
    assert still.session.elapsed == pytest.approx(still.session._planned.plan.duration)
    trusted = running(noise=0.0, still_reach=0.0)
    assert trusted.session._executions['joint_trajectory'].plan.wait == 0.0


@pytest.mark.parametrize('after', [0.3, 0.6, 1.4])
def test_F5_a_second_source_of_joint_states_makes_no_command(after):
    """One that says zero (the brake asked the wheels for 4.9 times their acceleration)."""
    moving = running()
    moving.run(after)
    moving.second_source = True
    moving.run(0.15)
    before = moving.sent()
    moving.ask('stop_excitation')
    moving.run(5.0, until=('stopped', 'done', 'failed'))
    assert moving.sent() == before
    assert moving.share <= ALLOWED
    moving.run(1.0)
    assert not moving.ask('start_excitation')[0] or moving.state == 'planning'
    moving.run(1.0)
    assert moving.state == 'failed'
    assert 'there are two sources' in moving.message


def test_a_second_source_is_named():
    moving = running()
    moving.run(0.4)
    moving.second_source = True
    moving.run(3.0, until=('stopping', 'stopped'))
    assert 'joint_states: ' in moving.message
    assert 'jumps from' in moving.message


def test_an_inactive_planner_does_not_plan():
    inactive = world()
    inactive.deactivate()
    for verb in ('plan', 'start_excitation'):
        assert inactive.ask(verb) == (False, 'the planner is inactive: activate it first')
    assert inactive.state == 'inactive'
    inactive.node.is_active = True
    inactive.session.activate()
    assert inactive.state == 'idle'
    inactive.run(0.3)
    assert inactive.ask('start_excitation')[0]


@pytest.mark.parametrize('after', [0.1, 0.3, 0.6, 1.7])
def test_deactivation_in_mid_motion_stops_within_limits_and_says_so(after):
    """The status is right at once: nothing is followed any more."""
    moving = running(latency=(0.02, 0.02))
    moving.run(after)
    moving.deactivate()
    assert moving.state == 'inactive'
    assert moving.message.startswith('deactivated: at rest within ')
    moving.run(1.5)
    assert np.abs(moving.motion()[1]).max() < 1e-3
    assert moving.share <= ALLOWED
    assert moving.state == 'inactive'


def test_joint_states_that_fall_silent_stop_nothing_that_ends_by_itself():
    """Nothing is known to reckon a stop from; what was sent comes to rest within its interval."""
    moving = running()
    moving.run(0.3)
    moving.lost = 1.0
    before = moving.sent()
    moving.run(8.0, until=('stopped',))
    assert 'failed: joint_states: no message received for 2 s' in moving.message
    assert 'whether it is at rest is not known' in moving.message
    assert moving.sent() == before
    assert np.abs(moving.motion()[1]).max() < 1e-3


@pytest.mark.parametrize('after', [0.2, 0.35, 0.5, 0.65])
def test_a_stop_keeps_the_torques_that_the_motion_was_planned_for(after):
    """Limits of acceleration alone would let it brake five times as hard."""
    robot = small_robot(replace(LIMITS, acceleration=40.0, effort=np.inf))
    planned = cycloids(robot, 1.0)(np.zeros(5))
    motion = planned.sample(np.linspace(0.0, planned.duration, 500))
    most = np.abs(PlannedBase(robot).torques(motion)).max(axis=0)
    limited = small_robot(replace(LIMITS, acceleration=40.0, effort=float(most[:2].max())))
    moving = World(limited, lambda _: planned, np.random.default_rng(0))
    moving.run(0.5)
    assert moving.ask('start_excitation')[0]
    moving.run(3.0, until=('running',))
    moving.run(after)
    moving.ask('stop_excitation')
    times = np.linspace(moving.now + 0.01, moving.now + 1.0, 200)
    for each in moving.controllers.values():
        each.at(moving.now + 0.005)
    parts = [each._at(times) for each in moving.controllers.values()]
    stop = PlannedMotion(
        times, *(np.hstack([vars(part)[key] for part in parts]) for key in vars(parts[0]))
    )
    torques = np.abs(PlannedBase(limited).torques(stop))[:, :2]
    assert torques.max() <= 1.02 * most[:2].max()
    assert np.abs(stop.velocity[-1]).max() < 1e-9


@pytest.mark.parametrize(
    ('position', 'rate', 'message'),
    [
        (0.4, 0.0, 'joint: from 0.4, moving at 0 per s, the command would ask for 30 times'),
        (0.0, 0.3, 'joint: from 0, moving at 0.3 per s, the command would ask for 1.5 times'),
        (0.01, 0.0, None),
    ],
)
def test_a_refused_command_says_why(position, rate, message):
    """From somewhere to 0 in 0.1 s, by a quintic or a cubic, whichever asks for more."""
    rest = np.zeros((1, 1))
    duration = 0.1 if message else 0.2
    command = JointTrajectory(('joint',), np.array([duration]), rest, rest, rest)
    start = JointMotion(*np.array([[[position]], [[rate]], [[0.0]]]))
    if message is None:
        check_command(command, start, [LIMITS])
        return
    with pytest.raises(TrajectoryError, match=message):
        check_command(command, start, [LIMITS])
