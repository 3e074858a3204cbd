"""Momentum balance in the estimator node: thrusters' commands and motion capture at 10 Hz."""

import time

from air_bearing import air_bearing
from geometry_msgs.msg import PoseStamped
from live_table import assert_body_found, assert_strengths_found, refined, SETTINGS
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from thruster_flights import fly, Motion, sensed, Sensing, Truth, valves

from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joint_state_message, stamp_from_seconds

BEGIN, DURATION = 1000.0, 30.0
NAMES = tuple(each.name for each in air_bearing().thrusters)


def recorded():
    """Return the readings of the table, and the commands of the thrusters."""
    robot, rng = air_bearing(), np.random.default_rng(4)
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    truth, thrust = Truth(scatter=0.1), valves(8, DURATION, rng)
    flown = fly(robot, truth, joints, wheels, thrust, DURATION, rng, planar=True)
    return sensed(robot, flown, truth, Sensing(), rng)


def messages(record):
    """Yield topic and message in the order of their stamps."""
    for stamp, q, qd, position, attitude in zip(
        record.times, record.q, record.qd, record.position, record.attitude, strict=True
    ):
        if np.isfinite(q).all():
            names = air_bearing().joint_names
            yield stamp, 'joint_states', joint_state_message(BEGIN + stamp, names, q, qd)
        else:
            message = PoseStamped()
            message.header.stamp = stamp_from_seconds(BEGIN + stamp)
            message.header.frame_id = 'world'
            place, turn = message.pose.position, message.pose.orientation
            place.x, place.y, place.z = position.tolist()
            turn.x, turn.y, turn.z, turn.w = attitude.tolist()
            yield stamp, 'base_pose', message
    for stamp, shares in zip(record.thrust.times[1:], record.thrust.values[1:], strict=True):
        none = np.zeros(0)
        message = joint_state_message(BEGIN + stamp, NAMES, none, none, shares)
        yield stamp, 'thruster_commands', message


@pytest.fixture(name='report', scope='module')
def heard(tmp_path_factory):
    """Return the last report of a node that has received all of it and refined."""
    folder, record = tmp_path_factory.mktemp('table'), recorded()
    write_robot(air_bearing(prior=True), folder / 'prior.urdf')
    settings = {**SETTINGS, 'robot': str(folder / 'prior.urdf')}
    with (
        running('estimator', settings, ('-r', '__ns:=/table')),
        Client(namespace='table') as client,
    ):
        reports = client.record(String, 'estimator/minimal_parameters', qos.latched())
        kinds = {
            'joint_states': JointState,
            'base_pose': PoseStamped,
            'thruster_commands': JointState,
        }
        publishers = {
            name: client.publisher(kind, name, qos.stream_output()) for name, kind in kinds.items()
        }
        client.wait_until(lambda: reports)
        ordered = sorted(messages(record), key=lambda each: each[0])
        for count, (_, topic, message) in enumerate(ordered):
            publishers[topic].publish(message)
            if count % 10 == 0:
                time.sleep(0.08)  # nothing is lost
        yield refined(client, reports, BEGIN + DURATION)


def test_the_table_is_identified_live(report):
    """Within its intervals where the data show something."""
    assert_body_found(report)


def test_strengths_are_among_the_others(report):
    """They were as stated."""
    assert_strengths_found(report)
