"""Adapters in the estimator node: a bed's topics with types of ROS, and types not installed."""

import json
import os
import subprocess
import sys
import time

from air_bearing import air_bearing
from bed_logs import commands, seen
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Int16MultiArray

from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joint_state_message, pose_message

TOPICS = {
    'joint_states': JointState,
    'vrpn_mocap/spacer_floating_platform/pose': PoseStamped,
    'spacer_floating_platform/valves/input': Int16MultiArray,
}
POSES, VALVES = list(TOPICS)[1:]


@pytest.fixture(name='folder', scope='module')
def folder_of_the_robot(tmp_path_factory):
    folder = tmp_path_factory.mktemp('bed')
    write_robot(air_bearing(prior=True), folder / 'prior.urdf')
    return folder


def messages():
    """Yield the flight as the platform of the zero-G lab has them."""
    arm, base = seen(4, 1), seen(8)
    for stamp, q, qd in zip(arm.stamps, arm.q, arm.qd, strict=True):
        names = air_bearing().joint_names
        yield stamp, 'joint_states', joint_state_message(stamp, names, q, qd)
    for stamp, position, attitude in zip(base.stamps, base.position, base.attitude, strict=True):
        yield stamp, POSES, pose_message(stamp, 'world', position, attitude)
    for stamp, shares in zip(*commands(), strict=True):
        yield stamp, VALVES, Int16MultiArray(data=[1, *shares.astype(int).tolist()])


def test_valves_without_a_stamp_and_poses_are_heard(folder):
    """Commands count from their receipt on; nothing is refused."""
    settings = {
        'robot': str(folder / 'prior.urdf'),
        'adapter': 'luxembourg_zero_g',
        'method': 'momentum_balance',
        'planar': True,
        'publish_period': 0.25,
        'longest_gap': 5.0,
    }
    with (
        running('estimator', settings, ('-r', '__ns:=/bed')) as node,
        Client(namespace='bed') as client,
    ):
        statuses = client.record(DiagnosticArray, '/diagnostics', 10)
        publishers = {
            name: client.publisher(kind, name, qos.stream_output(1000))
            for name, kind in TOPICS.items()
        }
        client.wait_until(lambda: statuses)
        begin = time.time()
        ordered = sorted(messages(), key=lambda each: each[0])
        first = ordered[0][0]
        early = [each for each in ordered if each[0] < first + 5.0]
        for stamp, topic, message in early:
            if topic != VALVES:  # as if it were now
                now = stamp - first + begin
                message.header.stamp.sec = int(now)
                message.header.stamp.nanosec = int(now % 1.0 * 1e9)
            wait = begin + stamp - first - time.time()
            if wait > 0.0:
                time.sleep(wait)
            publishers[topic].publish(message)
        sent = {topic: sum(each[1] == topic for each in early) for topic in TOPICS}

        def counted(topic):
            states = [each for last in statuses[-1:] for each in last.status]
            (state,) = [each for each in states if each.name.endswith(f': {topic}')]
            return {each.key: each.value for each in state.values}

        for topic, kind in zip(
            TOPICS, ('joint_states', 'base_pose', 'thruster_commands'), strict=True
        ):
            client.wait_until(lambda t=topic, k=kind: int(counted(k)['accepted']) >= 0.9 * sent[t])
            assert int(counted(kind)['rejected']) == 0
        assert 'is not in the description' not in node.output()


def test_a_type_that_is_not_installed_is_said_with_its_package(folder):
    settings = {'robot': str(folder / 'prior.urdf'), 'adapter': 'px4_spacecraft'}
    settings |= {'method': 'momentum_balance', 'autostart': False}
    with (
        running('estimator', settings, ('-r', '__ns:=/px4')) as node,
        Client(namespace='px4') as client,
    ):
        assert not client.change_state('estimator', 'configure')
        node.wait_for_output(
            'px4_msgs/msg/VehicleOdometry needs the package px4_msgs, which is not'
        )


def test_topics_are_listed_live():
    """Rates, stamps and fields of what is published now, and an adapter for it."""
    with Client(namespace='seen') as client:
        publisher = client.node.create_publisher(PoseStamped, 'mocap/pose', qos.stream_output())
        code = (
            'import sys\nfrom spacerobot_id.cli.main import main\n'
            'sys.exit(main(["topics", "--live", "--seconds", "4", "--json"]))'
        )
        command = [sys.executable, '-c', code]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
        while process.poll() is None:
            now = time.time()
            publisher.publish(pose_message(now, 'world', np.zeros(3), [0.0, 0.0, 0.0, 1.0]))
            time.sleep(0.02)
        found = json.loads(process.communicate()[0])
    topic = {each['topic']: each for each in found['topics']}['/seen/mocap/pose']
    assert topic['kind'] == 'geometry_msgs/msg/PoseStamped'
    assert topic['could_be'] == ['base_pose']
    assert topic['stamp'] == 'header.stamp'
    assert abs(topic['lag']) < 1.0
    assert topic['count'] > 5
    assert 'topic: /seen/mocap/pose' in found['adapter']
