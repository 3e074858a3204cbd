"""The planner node with joints that misbehave, and ended by signals."""

import json
import re
import signal
import time

import numpy as np
from planner_client import (
    FakeJoints,
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
from ros_harness import Client, NodeProcess
from small_robot import LIMITS
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.kinematics.trajectory_motion import JointMotion, TrajectoryMotion
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import trajectory_from_message


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='ground')
def planner_alone(folder):
    """Return a client of a planner that nobody else talks to."""
    with planner(folder, 'ground') as (node, client):
        ground = PlannerClient(client, topics=())
        ground.node = node
        yield ground


def test_F20_without_joint_states_it_says_so(ground):
    """Refused, with the topic; stop is answered all the same."""
    assert ground.wait_for('idle')['message'] == 'no plan yet'
    for verb in ('plan', 'start_excitation'):
        answer = ground.ask(verb)
        assert (answer.success, answer.message) == (False, 'joint_states: no message received yet')
    answer = ground.ask('stop_excitation')
    assert (answer.success, answer.message) == (True, 'nothing to stop: idle')


@pytest.fixture(scope='module', name='joints')
def fake_joints(ground):
    return FakeJoints(ground.client)


def test_F2_a_missing_joint_is_named(ground, joints):
    joints.names = ('shoulder_left', *WHEELS, 'antenna')
    ground.client.wait_until(lambda: 'missing' in ground.ask('plan').message)
    assert ground.ask('plan').message == 'joint_states: joint shoulder_right is missing'
    output = ground.node.output()
    assert output.count('joint_states: rejected: joint shoulder_right is missing') == 1


def test_nobody_listens_to_the_trajectories(ground, joints):
    """The topics are named; F1 and F2: the order of joints is any, others are ignored."""
    joints.names = (*NAMES[::-1], 'antenna')
    ground.client.wait_until(lambda: ground.ask('start_excitation').success)
    status = ground.wait_for('failed')
    assert status['message'] == 'no subscriber on joint_trajectory, wheel_trajectory'


def test_joints_outside_their_limits_are_named(ground, joints):
    joints.positions = np.array([0.0, 1.5, 0.0, 0.0, 0.0])

    def refused():
        ground.ask('plan')
        message = ground.wait_for('failed', 'ready')['message']
        return message if 'shoulder_right' in message else None

    assert 'shoulder_right: is at 1.5, outside its limits' in ground.client.wait_until(refused)
    joints.positions = np.zeros(5)


@pytest.fixture(scope='module', name='heard')
def listened_to(ground):
    """Return the planner alone, with somebody who listens to its trajectories."""
    ground.listen()
    return ground


def start_of_fake(heard):
    def runs():
        heard.ask('start_excitation')
        return heard.wait_for('running', 'failed')['state'] == 'running'

    heard.client.wait_until(runs)


def back_at_zero(heard, joints):
    """Put the joints at zero, and let the planner receive it."""
    joints.positions, begin = np.zeros(5), time.monotonic()
    heard.client.wait_until(lambda: time.monotonic() - begin > 0.5)


def test_joints_that_do_not_begin_stop_the_motion(heard, joints):
    """After ``start_timeout``, with the controller; what is sent then keeps them at the start."""
    joints.names = NAMES
    heard.set('start_timeout', 0.5)
    try:
        start_of_fake(heard)
        status = heard.wait_for('stopped')
    finally:
        heard.set('start_timeout', 5.0)
    assert re.search(
        r'failed: (joint|wheel)_trajectory: the motion has not begun within 0.5 s',
        status['message'],
    )
    for topic in TOPICS:
        ending = trajectory_from_message(heard.sent[topic].last)
        assert len(ending.times) == 1


def test_joints_that_do_not_follow_stop_the_motion(heard, joints):
    """The one that is worst is named; what is sent then keeps it where it is."""
    start_of_fake(heard)
    try:
        joints.positions = np.array([0.0, 0.9, 0.0, 0.0, 0.0])
        status = heard.wait_for('stopped')
        assert f'failed: {JOINTS[1]} is at 0.9 and should be at ' in status['message']
        ending = trajectory_from_message(heard.sent['joint_trajectory'].last)
        assert len(ending.times) == 1
        assert ending.positions[0, ending.names.index(JOINTS[1])] == 0.9
    finally:
        back_at_zero(heard, joints)


class LateController:
    """Follows what is sent on a topic, the first trajectory some time after it has come."""

    def __init__(self, sent, names, delay):
        self.sent, self.names, self.delay = sent, names, delay
        self.motion = TrajectoryMotion.at_rest(np.zeros(len(names)), time.monotonic())
        self.taken = 0

    def position(self):
        while self.taken < len(self.sent):
            at_rest = JointMotion.at_rest(self.motion.last)
            begin = time.monotonic() + (0.0 if self.taken else self.delay)
            trajectory = trajectory_from_message(self.sent[self.taken])
            self.motion = TrajectoryMotion.from_trajectory(trajectory, self.names, at_rest, begin)
            self.taken += 1
        return self.motion.at([time.monotonic()]).position[0]


def test_controllers_that_begin_late_are_followed_from_when_they_do(heard, joints):
    """Each by its own, later than any tolerance allows."""
    for sent in heard.sent.values():
        sent.clear()
    late = [
        LateController(heard.sent[topic], names, delay)
        for topic, names, delay in zip(TOPICS, (JOINTS, WHEELS), (1.0, 2.0), strict=True)
    ]
    start_of_fake(heard)
    begin = time.monotonic()

    def goes_on():
        joints.positions = np.concatenate([each.position() for each in late])
        status = json.loads(heard.planner[-1].data)
        return status if status['state'] != 'running' else None

    try:
        status = heard.client.wait_until(goes_on)
        assert status['state'] == 'done', status['message']
        assert [each.taken for each in late] == 2 * [SMALL['intervals']]
        assert time.monotonic() - begin > 2.0 + status['duration']
    finally:
        back_at_zero(heard, joints)


def test_F22_joint_states_that_fall_silent_stop_the_motion(heard, joints):
    """Reported, and not waited for without an end."""
    heard.set('interval', 20.0)
    try:
        start_of_fake(heard)
        joints.silent = True
        status = heard.wait_for('stopped')
        assert 'failed: joint_states: no message received for 2 s' in status['message']
        assert 'whether it is at rest is not known' in status['message']
        assert heard.ask('plan').message == 'joint_states: no message received for 2 s'
    finally:
        joints.silent = False
        heard.set('interval', 1.0)


def test_joint_states_that_fall_silent_while_it_plans_are_said(heard, joints):
    """The motion that was asked for does not begin; the plan is kept for when they are back."""
    heard.set('draws', 3000)  # seconds of planning
    try:
        heard.client.wait_until(lambda: heard.ask('start_excitation').success)
        joints.silent = True
        status = heard.wait_for('failed')
        assert status['message'].startswith('joint_states: ')
        assert status['duration'] > 0.0
    finally:
        joints.silent = False
        heard.set('draws', SMALL['draws'])


def test_a_joint_at_its_limit_may_be_measured_just_beyond_it(ground, joints):
    """Noise of an encoder is no reason to refuse."""
    joints.positions = np.array([0.0, LIMITS.upper + 1e-4, 0.0, 0.0, 0.0])
    ground.client.wait_until(
        lambda: (
            ground.ask('plan').success and ground.wait_for('ready', 'failed')['state'] == 'ready'
        )
    )


def test_limits_that_leave_no_motion_are_named_in_the_status(folder):
    """The planning error's own words; the node lives on."""
    with planner(folder, 'unlimited', robot='unlimited') as (_, client):
        mission = PlannerClient(client)
        FakeJoints(client)
        client.wait_until(lambda: mission.ask('plan').success)
        message = mission.wait_for('failed')['message']
        assert 'shoulder_left: needs a velocity or acceleration limit to plan with' in message
        assert mission.ask('stop_excitation').message == 'nothing to stop: failed'


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
