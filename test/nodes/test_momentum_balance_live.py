"""Momentum balance in the estimator node: thrusters' commands and motion capture at 10 Hz."""

import time

from air_bearing import air_bearing
from geometry_msgs.msg import PoseStamped
from live_report import live_report
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from thruster_flights import fly, Motion, sensed, Sensing, Truth, valves

from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.stamps import stamp_from_seconds
from spacerobot_id.nodes.messages.joints import joint_state_message
from spacerobot_id.regressor import minimal_parameters

BEGIN, DURATION = 1000.0, 30.0
NAMES = tuple(each.name for each in air_bearing().thrusters)
SETTINGS = {
    'method': 'momentum_balance',
    'planar': True,
    'known_mass': 15.4,
    'strength': 0.3,
    'publish_period': 0.25,
    'longest_gap': 5.0,
}


def recorded():
    """Return what the sensors of the table say, and what the thrusters were told."""
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
        said = joint_state_message(BEGIN + stamp, NAMES, none, none, shares)
        yield stamp, 'thruster_commands', said


@pytest.fixture(name='report', scope='module')
def heard(tmp_path_factory):
    """Return the last report of a node that has heard all of it and refined."""
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
        assert client.call(Trigger, 'estimator/refine').success

        def done():
            last = live_report(reports.last.data)
            near = last['stamp'] > BEGIN + DURATION - 3.0
            return near and last['updates_waiting'] == 0

        client.wait_until(done, 180.0)
        yield live_report(reports.last.data)


def test_the_table_is_identified_live(report):
    """Within its intervals where the data show something."""
    true = minimal_parameters(air_bearing()).values(air_bearing())
    names = report['names']
    seen = np.array([name not in report['not_identified'] for name in names])
    assert {'base.Izz', 'upper_arm.mx', 'forearm.mx'} <= set(np.array(names)[seen])
    scores = (np.array(report['values'])[: len(true)] - true) / np.array(report['std'])[
        : len(true)
    ]
    assert np.abs(scores[seen[: len(true)]]).max() < 5.0
    assert report['valid'], report['defects']


def test_strengths_are_among_the_others(report):
    """They were as stated."""
    columns = report['other_names'], report['other_values'], report['other_std']
    others = {name: (value, std) for name, value, std in zip(*columns, strict=True)}
    for name in NAMES:
        value, std = others[f'strength.{name}']
        assert std < 0.15
        assert abs(value) < 4.5 * std
