"""The planner node in a process of its own: with a simulator, and with joints that misbehave."""

from contextlib import contextmanager
from itertools import groupby
import json
import signal
import time

import numpy as np
from numpy.testing import assert_allclose
import pytest
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from ros_harness import Client, NodeProcess, ROBOTS, running
from sensor_msgs.msg import JointState
from small_robot import LIMITS, small_robot, small_robot_prior
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.excitation import (
    KnownMomentum,
    plan_excitation,
    plan_with_momentum,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.deviation_criterion import parameter_scale
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.model import JointLimits, load_robot, write_robot
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.joint_messages import joint_state_message, joints_from_message
from spacerobot_id.nodes.planning_job import planning_job
from spacerobot_id.nodes.stamps import seconds_from_stamp
from spacerobot_id.nodes.trajectory_messages import trajectory_from_message
from spacerobot_id.regressor import minimal_parameters

JOINTS = ('shoulder_left', 'shoulder_right')
WHEELS = ('wheel_x', 'wheel_y', 'wheel_z')
NAMES = JOINTS + WHEELS
TOPICS = ('joint_trajectory', 'wheel_trajectory')
SMALL = {'intervals': 5, 'draws': 20, 'restarts': 1, 'iterations': 3}
PATIENT = {'tracking_delay': 1.0}  # of simulated time: machines differ
COMPILING = 120.0
"""Time that a simulator may take to start where nothing is compiled yet, s."""

AT_REST = 1e-4
"""Rates that a controlled joint or wheel still has when it has arrived, rad/s."""

SPEED = 3.0
"""Seconds of simulated time per second."""


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    """Return a folder with the true robot, its prior, and one without limits to plan with."""
    folder = tmp_path_factory.mktemp('robots')
    write_robot(small_robot(), folder / 'true.urdf')
    write_robot(small_robot_prior(), folder / 'prior.urdf')
    write_robot(small_robot(JointLimits(-1.0, 1.0)), folder / 'unlimited.urdf')
    return folder


class Mission:
    """A client of a planner: calls its services, hears what it says and sends."""

    def __init__(self, client):
        self.client = client
        self.statuses = client.record(String, 'planner/status', qos.latched())
        self.sent = {
            topic: client.record(JointTrajectoryMessage, topic, qos.command()) for topic in TOPICS
        }

    @property
    def status(self):
        return json.loads(self.statuses.last.data)

    @property
    def states(self):
        return [json.loads(each.data)['state'] for each in self.statuses]

    def call(self, verb):
        return self.client.call(Trigger, f'planner/{verb}')

    def wait_for_state(self, *states):
        """Wait until the planner is in one of some states; return its status."""
        self.client.wait_until(lambda: self.statuses and self.status['state'] in states)
        return self.status

    def set(self, name, value):
        assert self.client.set_parameter('planner', name, value).successful

    def idle(self):
        """Bring whatever is under way to an end, and forget what was heard."""
        self.call('stop_excitation')
        self.wait_for_state('idle', 'ready', 'done', 'stopped', 'failed')
        for topic in TOPICS:
            self.sent[topic].clear()
        del self.statuses[:-1]
        return self


@contextmanager
def planner(folder, namespace, robot='prior', **settings):
    """Run a planner and a client in a namespace."""
    parameters = {'robot': str(folder / f'{robot}.urdf'), **SMALL, **settings}
    with (
        running('planner', parameters, ('-r', f'__ns:=/{namespace}')) as node,
        Client(namespace=namespace) as client,
    ):
        yield node, client


# With a simulator.


@pytest.fixture(scope='module', name='flight')
def planner_and_simulator(folder):
    """Return a client of a planner whose robot is simulated, and hears where it really is."""
    simulator = {'robot': str(folder / 'true.urdf'), 'real_time_factor': SPEED}
    with (
        planner(folder, 'flight', **PATIENT) as (node, client),
        running('simulator', simulator, ('-r', '__ns:=/flight')),
    ):
        flight = Mission(client)
        flight.node = node
        flight.truth = client.record(
            JointState, 'simulator/truth/joint_states', qos.stream_output(1000)
        )
        client.wait_for(flight.truth, timeout=COMPILING)
        client.wait_until(lambda: flight.statuses)
        yield flight


@pytest.fixture(name='mission')
def idle_mission(flight):
    """Return the client of the simulated flight, nothing being under way."""
    return flight.idle()


def start(mission):
    """Start, again while the planner has not heard the joints yet."""

    def answered():
        answer = mission.call('start_excitation')
        assert answer.success or 'joint_states' in answer.message, answer.message
        return answer.success

    mission.client.wait_until(answered)


def moves(reading):
    return bool((np.abs(reading.velocities) > AT_REST).any())


def reading_of(message):
    return joints_from_message(message, NAMES)


def test_a_plan_is_made_and_waits(mission):
    """Planning is answered at once; then it is ready, and nothing was sent."""
    mission.client.wait_until(lambda: mission.call('plan').success)
    status = mission.wait_for_state('ready')
    assert status['message'].startswith('planned in ')
    assert status['duration'] >= SMALL['intervals']
    assert np.isfinite(status['cost'])
    assert status['plan_seconds'] > 0.0
    assert not mission.sent['joint_trajectory']
    assert mission.call('start_excitation').message.startswith('started a motion of ')
    mission.wait_for_state('running')


def test_a_motion_is_planned_started_followed_and_done(mission):
    """Through all states in their order; progress rises; the robot is at the plan's end."""
    start(mission)
    status = mission.wait_for_state('done', 'stopped', 'failed')
    assert (status['state'], status['message']) == ('done', 'motion complete')
    seen = [state for state, _ in groupby(mission.states[1:])]
    assert [state for state in seen if state != 'ready'] == ['planning', 'running', 'done']
    assert 'ready' not in seen or seen.index('ready') == 1  # replaced at once: may go unseen
    elapsed = [
        status['elapsed']
        for status in map(json.loads, (each.data for each in mission.statuses))
        if status['state'] == 'running'
    ]
    assert len(elapsed) > 5
    assert (np.diff(elapsed) >= 0.0).all()
    assert elapsed[-1] == pytest.approx(status['duration'], abs=1.5)
    mission.client.wait_for(mission.truth)
    for topic, names in (('joint_trajectory', JOINTS), ('wheel_trajectory', WHEELS)):
        goal = trajectory_from_message(mission.sent[topic].last).positions[-1]
        there = joints_from_message(mission.truth.last, names)
        assert_allclose(there.positions, goal, atol=1e-5)
        assert_allclose(there.velocities, 0.0, atol=AT_REST)


def test_F37_trajectories_are_such_as_controllers_take(mission):
    """Stamp zero; all of positions, velocities, accelerations; times rise; rest at the end."""
    start(mission)
    mission.wait_for_state('running')
    mission.client.wait_until(lambda: all(mission.sent[topic] for topic in TOPICS))
    for topic, names in (('joint_trajectory', JOINTS), ('wheel_trajectory', WHEELS)):
        message = mission.sent[topic].last
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
    assert mission.call('start_excitation').message.startswith('busy: planning')
    mission.wait_for_state('running')
    for verb in ('start_excitation', 'plan'):
        answer = mission.call(verb)
        assert not answer.success
        assert answer.message == 'busy: running'
    assert len(mission.sent['joint_trajectory']) == 1
    assert mission.wait_for_state('done', 'failed', 'stopped')['state'] == 'done'


@pytest.mark.parametrize('after', [0.2, 1.6, 3.3])
def test_F38_stop_brings_everything_to_rest_within_one_interval(mission, after):
    """At any time of the motion; a second stop finds nothing to do; then it can start again."""
    start(mission)
    mission.client.wait_until(
        lambda: mission.status['state'] == 'running' and mission.status['elapsed'] >= after
    )
    asked, wall = seconds_from_stamp(mission.truth.last.header.stamp), time.monotonic()
    answer = mission.call('stop_excitation')
    latency = SPEED * (time.monotonic() - wall + 0.2)
    assert (answer.success, answer.message) == (True, 'at rest within one interval')
    assert mission.call('stop_excitation').message == 'nothing to stop: stopping'
    assert not mission.call('start_excitation').success
    status = mission.wait_for_state('stopped', 'failed')
    assert (status['state'], status['message']) == ('stopped', 'stopped on request')
    path = [reading_of(each) for each in mission.truth]
    moving = [reading.stamp for reading in path if moves(reading)]
    assert trajectory_from_message(mission.sent['joint_trajectory'].last).times[-1] <= 1.0
    assert moving[-1] - asked <= 1.0 + latency
    assert path[-1].stamp > moving[-1]
    assert np.abs([reading.positions[:2] for reading in path]).max() <= LIMITS.upper + 1e-4
    start(mission)
    mission.wait_for_state('running')


def test_F38_stop_ends_planning_and_start_may_come_while_it_plans(mission):
    """A search that would take hours; the answer to start does not wait for it."""
    mission.set('draws', 10_000_000)
    try:
        assert mission.call('plan').success
        assert mission.wait_for_state('planning')['elapsed'] == 0.0
        assert mission.call('plan').message == 'busy: planning'
        assert mission.call('start_excitation').message == 'starting as soon as it is planned'
        assert mission.call('start_excitation').message == 'busy: planning'
        mission.client.wait_until(lambda: mission.status['evaluations'] > 100)
        assert mission.call('stop_excitation').message == 'planning ended'
        assert mission.wait_for_state('stopped')['message'] == 'stopped on request'
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
    mission.wait_for_state('running')


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
        status = mission.wait_for_state('stopped', 'failed', 'done')
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


# With joints that misbehave.


class FakeJoints:
    """Publishes joint states at 100 Hz, of joints that do what the test says."""

    def __init__(self, client):
        self.publisher = client.publisher(JointState, 'joint_states', qos.stream_output())
        self.names, self.positions, self.silent = NAMES, np.zeros(5), False
        client.node.create_timer(0.01, self.publish)

    def publish(self):
        if not self.silent:
            positions = dict(zip(NAMES, self.positions, strict=True))
            given = [positions.get(name, 0.0) for name in self.names]
            self.publisher.publish(
                joint_state_message(time.time(), self.names, given, [0.0] * len(given))
            )


@pytest.fixture(scope='module', name='ground')
def planner_alone(folder):
    """Return a client of a planner that nobody else talks to."""
    with planner(folder, 'ground') as (node, client):
        ground = Mission.__new__(Mission)
        ground.client, ground.node, ground.sent = client, node, {}
        ground.statuses = client.record(String, 'planner/status', qos.latched())
        yield ground


def test_F20_without_joint_states_it_says_so(ground):
    """Refused, with the topic; stop is answered all the same."""
    assert ground.wait_for_state('idle')['message'] == 'no plan yet'
    for verb in ('plan', 'start_excitation'):
        answer = ground.call(verb)
        assert (answer.success, answer.message) == (False, 'joint_states: nothing heard yet')
    answer = ground.call('stop_excitation')
    assert (answer.success, answer.message) == (True, 'nothing to stop: idle')


@pytest.fixture(scope='module', name='joints')
def fake_joints(ground):
    return FakeJoints(ground.client)


def test_F2_a_missing_joint_is_named(ground, joints):
    joints.names = ('shoulder_left', *WHEELS, 'antenna')
    ground.client.wait_until(lambda: 'missing' in ground.call('plan').message)
    assert ground.call('plan').message == 'joint_states: joint shoulder_right is missing'
    said = ground.node.output()
    assert said.count('joint_states: rejected: joint shoulder_right is missing') == 1


def test_nobody_listens_to_the_trajectories(ground, joints):
    """The topics are named; F1 and F2: the order of joints is any, others are ignored."""
    joints.names = (*NAMES[::-1], 'antenna')
    ground.client.wait_until(lambda: ground.call('start_excitation').success)
    status = ground.wait_for_state('failed')
    assert status['message'] == 'nobody listens on joint_trajectory, wheel_trajectory'


def test_joints_outside_their_limits_are_named(ground, joints):
    joints.positions = np.array([0.0, 1.5, 0.0, 0.0, 0.0])

    def refused():
        ground.call('plan')
        said = ground.wait_for_state('failed', 'ready')['message']
        return said if 'shoulder_right' in said else None

    assert 'shoulder_right: is at 1.5, outside its limits' in ground.client.wait_until(refused)
    joints.positions = np.zeros(5)


@pytest.fixture(scope='module', name='heard')
def listened_to(ground):
    """Return the planner alone, with somebody who listens to its trajectories."""
    for topic in TOPICS:
        ground.sent[topic] = ground.client.record(JointTrajectoryMessage, topic, qos.command())
    return ground


def start_of_fake(heard):
    def runs():
        heard.call('start_excitation')
        return heard.wait_for_state('running', 'failed')['state'] == 'running'

    heard.client.wait_until(runs)


def test_joints_that_do_not_follow_stop_the_motion(heard, joints):
    """The one that is worst is named; what is sent then keeps the joints where they are."""
    joints.names = NAMES
    start_of_fake(heard)
    status = heard.wait_for_state('stopped')
    assert any(f'failed: {name} is at ' in status['message'] for name in NAMES)
    strayed = next(name for name in NAMES if f'failed: {name} is at ' in status['message'])
    topic = 'wheel_trajectory' if strayed in WHEELS else 'joint_trajectory'
    ending = trajectory_from_message(heard.sent[topic].last)
    assert len(ending.times) == 1
    assert ending.positions[0, ending.names.index(strayed)] == 0.0


def test_F22_joint_states_that_fall_silent_stop_the_motion(heard, joints):
    """Said, and not waited for without an end."""
    heard.set('interval', 20.0)
    try:
        start_of_fake(heard)
        joints.silent = True
        status = heard.wait_for_state('stopped')
        assert 'failed: joint_states: nothing heard for 2 s' in status['message']
        assert 'nobody says whether it is at rest' in status['message']
        assert heard.call('plan').message == 'joint_states: nothing heard for 2 s'
    finally:
        joints.silent = False
        heard.set('interval', 1.0)


def test_a_joint_at_its_limit_may_be_measured_just_beyond_it(ground, joints):
    """Noise of an encoder is no reason to refuse."""
    joints.positions = np.array([0.0, LIMITS.upper + 1e-4, 0.0, 0.0, 0.0])
    ground.client.wait_until(
        lambda: (
            ground.call('plan').success
            and ground.wait_for_state('ready', 'failed')['state'] == 'ready'
        )
    )


def test_limits_that_leave_no_motion_are_named_in_the_status(folder):
    """The planning error's own words; the node lives on."""
    with planner(folder, 'unlimited', robot='unlimited') as (_, client):
        mission = Mission(client)
        FakeJoints(client)
        client.wait_until(lambda: mission.call('plan').success)
        said = mission.wait_for_state('failed')['message']
        assert 'shoulder_left: needs a velocity or acceleration limit to plan with' in said
        assert mission.call('stop_excitation').message == 'nothing to stop: failed'


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_F27_signals_end_it_while_it_plans(folder, number):
    """No traceback, exit code 0."""
    parameters = {'robot': str(folder / 'prior.urdf'), **SMALL, 'draws': 10_000_000}
    node = NodeProcess('planner', parameters, ('-r', '__ns:=/ended'))
    with Client(namespace='ended') as client:
        FakeJoints(client)
        client.wait_until(lambda: client.call(Trigger, 'planner/plan').success)
        status = client.record(String, 'planner/status', qos.latched())
        client.wait_until(lambda: status and 'planning' in status.last.data)
        assert node.stop(number) == 0, node.final_output
    assert 'Traceback' not in node.final_output, node.final_output


def test_F39_a_robot_is_needed():
    node = NodeProcess('planner', {})
    assert node.exit_code() == 1
    assert 'robot: the path of a URDF is needed' in node.final_output
    assert 'Traceback' not in node.final_output


def test_a_box_that_is_not_whole_is_refused_at_the_start(folder):
    """Before anybody counts on it."""
    robot = str(folder / 'prior.urdf')
    node = NodeProcess('planner', {'robot': robot, 'keep_in_upper': [1.0, 1.0, 1.0]})
    assert node.exit_code() == 1
    assert 'keep_in_upper: means nothing without keep_in_frame' in node.final_output
    assert 'Traceback' not in node.final_output


def test_a_plan_from_a_file_is_none_for_free_flyer():
    """It would be passed over: nothing moves the base by it."""
    robot = str(ROBOTS / 'space_cobot.urdf')
    settings = {'robot': robot, 'method': 'free_flyer', 'plan_file': 'plan.yaml'}
    node = NodeProcess('planner', settings)
    assert node.exit_code() == 1
    assert 'plan_file: such a plan moves joints and wheels' in node.final_output
    assert 'Traceback' not in node.final_output


# Plans from files, and from what the estimator knows.


def settled(mission, *states):
    """Ask for a plan until the joints are heard; return the status when it has come."""
    mission.client.wait_until(lambda: 'joint_states' not in mission.call('plan').message)
    return mission.wait_for_state(*states)


def test_a_plan_from_a_file_is_led_to_from_where_the_joints_are(folder, tmp_path):
    """The status says how close it comes to its limits."""
    effort = PlannerSettings(intervals=3, interval=1.0, draws=2, restarts=0)
    plan = plan_excitation(small_robot_prior(), np.full(5, np.nan), effort).plan
    save_plan(plan, tmp_path / 'plan.yaml')
    with planner(folder, 'filed', plan_file=str(tmp_path / 'plan.yaml')) as (_, client):
        FakeJoints(client)
        status = settled(Mission(client), 'ready', 'failed')
    assert status['state'] == 'ready', status
    assert status['duration'] >= plan.duration
    assert 0.9 < max(status['limits'].values()) <= 1.0


def test_a_plan_from_a_file_may_be_for_a_robot_that_turns(tmp_path):
    """With the momentum and the attitude that the node was told."""
    arm, momentum = load_robot(ROBOTS / 'christidi_spatial_arm.urdf'), (68.0, 66.0, 65.0)
    effort = PlannerSettings(duration=20.0, harmonics=3, draws=2, restarts=0)
    given = KnownMomentum(momentum)
    planned = plan_with_momentum(arm, np.zeros(3), effort, given)
    save_plan(planned.plan, tmp_path / 'plan.yaml')
    settings = PlannerNodeSettings(
        method='angular_momentum',
        known_angular_momentum=momentum,
        plan_file=str(tmp_path / 'plan.yaml'),
    )
    job = planning_job(arm, np.zeros(3), (0.0, 0.0, 0.0, 1.0), settings)
    assert_allclose(job(lambda *_: False).std, planned.std)


class FakeEstimator:
    """Offers an estimate with the same relative standard deviation of all parameters."""

    def __init__(self, client, relative_std):
        minimal = minimal_parameters(small_robot_prior())
        self.names, self.values = minimal.names, minimal.values(small_robot_prior())
        self.std = relative_std * parameter_scale(minimal, self.values)
        client.node.create_service(GetParameters, 'estimator/get_estimate', self.answer)

    def answer(self, request, response):
        covariance = np.diag(self.std**2).ravel()
        response.values = [
            ParameterValue(string_array_value=list(self.names)),
            ParameterValue(double_array_value=self.values.tolist()),
            ParameterValue(double_array_value=covariance.tolist()),
        ]
        assert list(request.names) == ['names', 'values', 'covariance']
        return response


@pytest.mark.parametrize(
    ('relative_std', 'state', 'said'),
    [
        (0.5, 'ready', 'planned in'),
        (0.009, 'failed', 'is known to 1 %'),
    ],
)
def test_it_plans_on_from_the_estimate_until_all_is_known(folder, relative_std, state, said):
    """As long as a parameter is known worse than is wanted."""
    settings = {'replan_from_estimate': True, 'wanted_std': 0.01}
    with planner(folder, 'again', **settings) as (_, client):
        FakeJoints(client)
        mission = Mission(client)
        FakeEstimator(client, relative_std)
        client.wait_until(lambda: 'get_estimate' not in mission.call('plan').message)
        status = settled(mission, 'ready', 'failed')
    assert status['state'] == state, status
    assert said in status['message']


def test_without_an_estimator_planning_on_is_refused(folder):
    """The answer names the service that nobody offers."""
    with planner(folder, 'alone', replan_from_estimate=True) as (_, client):
        FakeJoints(client)
        mission = Mission(client)
        status = settled(mission, 'failed')
        answer = mission.call('plan')
    assert not answer.success
    assert (
        answer.message
        == status['message']
        == ('estimator/get_estimate: nobody offers this service')
    )
