"""The planner node in a process of its own, with a simulator of its robot."""

from itertools import groupby, product
import json

import numpy as np
from numpy.testing import assert_allclose
from planner_client import (
    JOINTS,
    NAMES,
    planner,
    PlannerClient,
    robots_folder,
    SMALL,
    TOPICS,
    WHEELS,
)
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from small_robot import LIMITS, small_robot
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.kinematics.trajectory_motion import JointMotion, TrajectoryMotion
from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joints_from_message, trajectory_from_message
from spacerobot_id.simulation.following import joints_following, TrajectoryError, wheels_following

PATIENT = {'tracking_delay': 1.0}  # of simulated time: machines differ
COMPILING = 120.0
"""Time that a simulator may take to start where nothing is compiled yet, s."""

AT_REST = 1e-4
"""Rates that a controlled joint or wheel still has when it has arrived, rad/s."""

SPEED = 3.0
"""Seconds of simulated time per second."""


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='flight')
def planner_and_simulator(folder):
    """Return a client of a planner whose robot is simulated, and subscribes to its true pose."""
    simulator = {'robot': str(folder / 'true.urdf'), 'real_time_factor': SPEED}
    with (
        planner(folder, 'flight', **PATIENT) as (node, client),
        running('simulator', simulator, ('-r', '__ns:=/flight')),
    ):
        flight = PlannerClient(client)
        flight.node = node
        flight.truth = client.record(
            JointState, 'simulator/truth/joint_states', qos.stream_output(1000)
        )
        client.wait_for(flight.truth, timeout=COMPILING)
        client.wait_until(lambda: flight.planner)
        yield flight


@pytest.fixture(name='mission')
def idle_mission(flight):
    """Return the client of the simulated flight, nothing being under way."""
    return flight.idle()


def start(mission):
    """Start, again while the planner has not received the joints yet."""

    def answered():
        answer = mission.ask('start_excitation')
        assert answer.success or 'joint_states' in answer.message, answer.message
        return answer.success

    mission.client.wait_until(answered)


def moves(reading):
    return bool((np.abs(reading.velocities) > AT_REST).any())


def taken_up(stop, following, names, stamps, readings):
    """Return when actuators took a stop up, and their motion since; they rest at the end.

    That is the first time, at a stamp or between, from where on a controller moves them as they
    have moved.
    """
    columns = [NAMES.index(name) for name in names]
    path = np.array([reading.positions for reading in readings])[:, columns]
    rates = np.array([reading.velocities for reading in readings])[:, columns]
    period = np.diff(stamps).mean()
    accelerations = (3.0 * rates[2:] - 4.0 * rates[1:-1] + rates[:-2]) / (2.0 * period)
    for begin, late in product(range(2, len(stamps)), (0.0, 0.25, 0.5, 0.75)):
        step, acceleration = late * period, accelerations[begin - 2]
        rate = rates[begin] + step * acceleration
        place = path[begin] + 0.5 * step * (rates[begin] + rate)
        taken, later = stamps[begin] + step, stamps >= stamps[begin] + step
        until = TrajectoryMotion.from_trajectory(
            stop, names, JointMotion(place, rate, acceleration), taken
        )
        try:
            motion = following(small_robot(), until, stop, taken)
        except TrajectoryError:
            continue  # from there no way leads to the stop within the limits
        if motion.end > stamps[-1]:
            break
        strays = np.abs(motion.at(stamps[later]).position - path[later]).max()
        if strays <= 1e-3 * max(1.0, np.abs(rates).max()):
            return taken, motion
    raise AssertionError('the stop was not taken up')


def reading_of(message):
    return joints_from_message(message, NAMES)


def test_a_plan_is_made_and_waits(mission):
    """Planning is answered at once; then it is ready, and nothing was sent."""
    mission.client.wait_until(lambda: mission.ask('plan').success)
    status = mission.wait_for('ready')
    assert status['message'].startswith('planned in ')
    assert status['duration'] >= SMALL['intervals']
    assert np.isfinite(status['cost'])
    assert status['plan_seconds'] > 0.0
    assert not mission.sent['joint_trajectory']
    assert mission.ask('start_excitation').message.startswith('started a motion of ')
    mission.wait_for('running')


def test_a_motion_is_planned_started_followed_and_done(mission):
    """Through all states in their order; progress rises; the robot is at the plan's end."""
    start(mission)
    status = mission.wait_for('done', 'stopped', 'failed')
    assert (status['state'], status['message']) == ('done', 'motion complete')
    seen = [state for state, _ in groupby(mission.states[1:])]
    assert [state for state in seen if state != 'ready'] == ['planning', 'running', 'done']
    assert 'ready' not in seen or seen.index('ready') == 1  # replaced at once: may go unseen
    elapsed = [
        status['elapsed']
        for status in map(json.loads, (each.data for each in mission.planner))
        if status['state'] == 'running'
    ]
    assert len(elapsed) > 5
    assert (np.diff(elapsed) >= 0.0).all()
    assert 0.0 < max(elapsed) <= status['duration'] + 1e-9
    assert status['elapsed'] == pytest.approx(status['duration'], abs=1e-9)
    goals = {
        name: place
        for topic in TOPICS
        for name, place in zip(
            mission.sent[topic].last.joint_names,
            mission.sent[topic].last.points[-1].positions,
            strict=True,
        )
    }
    goal = [goals[name] for name in NAMES]

    def has_arrived():
        there = reading_of(mission.truth.last)
        return np.allclose(there.positions, goal, rtol=0.0, atol=1e-5) and not moves(there)

    mission.client.wait_until(has_arrived)


def test_F37_trajectories_are_such_as_controllers_take(mission):
    """Stamp zero; all of positions, velocities, accelerations; times rise; rest at the end."""
    start(mission)
    mission.wait_for('running')
    mission.client.wait_until(lambda: all(mission.sent[topic] for topic in TOPICS))
    for topic, names in (('joint_trajectory', JOINTS), ('wheel_trajectory', WHEELS)):
        message = mission.sent[topic][0]
        assert seconds_from_stamp(message.header.stamp) == 0.0
        assert tuple(message.joint_names) == names
        times = [seconds_from_stamp(point.time_from_start) for point in message.points]
        assert times[0] > 0.0
        assert (np.diff(times) > 0.0).all()
        assert np.diff(times).max() <= 0.1 + 1e-9
        for field in ('positions', 'velocities', 'accelerations'):
            assert {len(getattr(point, field)) for point in message.points} == {len(names)}
            assert np.isfinite([getattr(point, field) for point in message.points]).all()
        assert {len(point.effort) for point in message.points} == {0}
        assert_allclose(message.points[-1].velocities, 0.0, atol=1e-12)
        assert_allclose(message.points[-1].accelerations, 0.0, atol=1e-9)


def test_F38_while_it_runs_more_starts_and_plans_are_refused_and_change_nothing(mission):
    start(mission)
    second = mission.ask('start_excitation')
    assert not second.success
    assert second.message in ('busy: planning', 'busy: running')  # a busy client comes late
    mission.wait_for('running')
    for verb in ('start_excitation', 'plan'):
        answer = mission.ask(verb)
        assert not answer.success
        assert answer.message == 'busy: running'
    assert mission.wait_for('done', 'failed', 'stopped')['state'] == 'done'
    for sent in mission.sent.values():  # a busy client may take the state before the last of them
        mission.client.wait_until(lambda sent=sent: len(sent) >= SMALL['intervals'])
        assert len(sent) == SMALL['intervals']


def test_a_motion_with_a_plateau_is_followed(mission):
    """Joints and wheels go at the largest rate of an interval for that share of it."""
    mission.set('plateau', 0.5)
    try:
        start(mission)
        status = mission.wait_for('done', 'stopped', 'failed')
    finally:
        mission.set('plateau', 0.0)
    assert (status['state'], status['message']) == ('done', 'motion complete')
    for topic in TOPICS:
        for message in mission.sent[topic]:
            sent = trajectory_from_message(message)
            rates = np.abs(sent.velocities)
            times = np.append(0.0, sent.times)
            is_largest = (rates >= (1.0 - 1e-9) * rates.max(axis=0)).all(axis=1)
            inside = times[1:][is_largest]
            step = np.diff(times).max()
            assert np.ptp(inside) == pytest.approx(0.5 * times[-1], abs=2.0 * step)


@pytest.mark.parametrize('after', [0.2, 1.6, 3.3])
def test_F38_stop_brings_everything_to_rest_within_one_interval(mission, after):
    """At any time of the motion; a second stop finds nothing to do; then it can start again."""
    start(mission)
    stop, start_again = 'planner/stop_excitation', 'planner/start_excitation'
    for _ in range(10):
        mission.client.wait_until(
            lambda: mission.status['state'] == 'running' and mission.status['elapsed'] >= after
        )
        answers = mission.client.call_at_once(Trigger, stop, stop, start_again)
        if answers[0].message != 'nothing to stop: done':
            break
        assert answers[2].success  # on a busy machine the motion was over: in the next one
        mission.client.wait_until(lambda: mission.status['state'] != 'running')
    # On a busy machine no brake is sent from readings that are old.
    is_late = answers[0].message.endswith('when what was sent ends')
    assert answers[0].success
    assert is_late or answers[0].message == 'at rest within one interval'
    assert answers[1].message == 'nothing to stop: stopping'
    assert not answers[2].success
    status = mission.wait_for('stopped', 'failed')
    assert (status['state'], status['message']) == ('stopped', 'stopped on request')
    mission.client.wait_until(lambda: not moves(reading_of(mission.truth.last)))
    rest = reading_of(mission.truth.last).stamp  # slow enough, maybe before the end
    mission.client.wait_until(lambda: reading_of(mission.truth.last).stamp >= rest + 1.0)
    readings = [reading_of(each) for each in mission.truth]
    path = np.array([reading.positions[:2] for reading in readings])
    assert np.abs(path).max() <= LIMITS.upper + 1e-4
    end = np.flatnonzero([moves(reading) for reading in readings])[-1]
    readings = readings[max(end - 200, 0) :]  # more than the longest stop
    stamps = np.array([reading.stamp for reading in readings])
    for topic, names, following in (
        ('joint_trajectory', JOINTS, joints_following),
        ('wheel_trajectory', WHEELS, wheels_following),
    ):
        if is_late:
            break
        stop = trajectory_from_message(mission.sent[topic].last)
        assert stop.times[-1] <= 1.0
        taken, motion = taken_up(stop, following, names, stamps, readings)
        # On a busy machine it is taken up late: stretched to stay within the limits.
        is_as_sent = np.abs(motion.last - stop.positions[-1]).max() <= 1e-6
        assert motion.end - taken <= (1.0 if is_as_sent else 1.25)
    start(mission)
    mission.wait_for('running')


def test_F38_stop_ends_planning_and_start_may_come_while_it_plans(mission):
    """A search that would take hours; the answer to start does not wait for it."""
    mission.set('draws', 10_000_000)
    try:
        assert mission.ask('plan').success
        assert mission.wait_for('planning')['elapsed'] == 0.0
        assert mission.ask('plan').message == 'busy: planning'
        assert mission.ask('start_excitation').message == 'starting as soon as it is planned'
        assert mission.ask('start_excitation').message == 'busy: planning'
        mission.client.wait_until(lambda: mission.status['evaluations'] > 100)
        assert mission.ask('stop_excitation').message == 'planning ended'
        assert mission.wait_for('stopped')['message'] == 'stopped on request'
    finally:
        mission.set('draws', SMALL['draws'])
    assert not mission.sent['joint_trajectory']


def test_F38_a_client_that_dies_does_no_harm(mission):
    """It asks and is gone before the answer comes: others are answered as ever."""
    for verb in ('plan', 'stop_excitation', 'start_excitation'):
        with Client('doomed', namespace='flight') as doomed:
            client = doomed.node.create_client(Trigger, f'planner/{verb}')
            doomed.wait_until(client.service_is_ready)
            client.call_async(Trigger.Request())
    mission.idle()
    start(mission)
    mission.wait_for('running')


def test_F24_late_subscriber_gets_the_status_at_once(mission):
    late = mission.client.record(String, 'planner/status', qos.latched())
    mission.client.wait_for(late)
    assert json.loads(late.last.data) == mission.status


def test_F34_the_robot_is_put_back_during_a_motion(mission):
    """Joints that jump away from the plan stop it, and the one that is worst is named."""
    mission.set('intervals', 40)
    try:
        start(mission)
        mission.client.wait_until(
            lambda: mission.status['state'] == 'running' and mission.status['elapsed'] > 2.0
        )
        assert mission.client.call(Trigger, 'simulator/reset').success
        status = mission.wait_for('stopped', 'failed', 'done')
    finally:
        mission.set('intervals', SMALL['intervals'])
    assert status['state'] == 'stopped'
    assert any(f'failed: {name} is at' in status['message'] for name in NAMES)


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('intervals', 0, 'out of range'),
        ('interval', -1.0, 'out of range'),
        ('signal_weight', -1.0, 'out of range'),
        ('tracking_delay', 1.0, 'read-only'),
        ('robot', 'other.urdf', 'read-only'),
        ('speed', 1.0, 'declared'),
        ('of_interest', ['claw'], 'of_interest: claw: of interest, but no link'),
    ],
)
def test_F39_bad_runtime_set_is_refused_with_its_reason(flight, name, value, reason):
    result = flight.client.set_parameter('planner', name, value)
    assert not result.successful
    assert reason in result.reason


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('base_rate_limit', 1.0),
        ('base_excursion_limit', 1.0),
        ('clearance', -1.0),
        ('keep_in_frame', ''),
        ('keep_in_lower', [-9.0, -9.0, -9.0]),
        ('keep_in_upper', [9.0, 9.0, 9.0]),
        ('start_tolerance', 0.5),
        ('planar', True),
        ('base_distance', 9.0),
        ('base_angle', 1.5),
        ('base_speed', 9.0),
        ('base_acceleration', 9.0),
        ('base_angular_rate', 9.0),
        ('base_angular_acceleration', 9.0),
        ('stray_distance', 9.0),
    ],
)
def test_F40_limits_are_those_of_the_start(flight, name, value):
    """Whoever may set parameters cannot widen them."""
    result = flight.client.set_parameter('planner', name, value)
    assert not result.successful
    assert 'read-only' in result.reason
