"""Nodes that are to live by a simulated clock: without one they warn, and work without harm."""

from contextlib import ExitStack

import pytest
from ros_harness import Client, ROBOTS, running
from rosgraph_msgs.msg import Clock

from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import PERIOD
from spacerobot_id.nodes.messages import clock_message

ROBOT = str(ROBOTS / 'naveen_dual_arm_prior.urdf')
NODES = ('simulator', 'planner', 'estimator')
STILL = 'use_sim_time is true and time stands still: nothing new on /still/time for 2 s'


@pytest.fixture(scope='module', name='nodes')
def nodes_without_a_clock():
    """Return all three nodes, of which none has received a clock."""
    parameters = {'robot': ROBOT, 'use_sim_time': True}
    arguments = ('-r', '__ns:=/still', '-r', '/clock:=time')
    with ExitStack() as stack:
        yield {name: stack.enter_context(running(name, parameters, arguments)) for name in NODES}


def test_F19_within_five_seconds_every_node_says_that_there_is_no_clock(nodes):
    """Once, by a watchdog that needs no clock itself."""
    assert PERIOD < 5.0
    for node in nodes.values():
        node.wait_for_output(STILL)


def test_F19_a_clock_that_comes_and_stops_again_is_said(nodes):
    with Client(namespace='still') as client:
        clock = client.publisher(Clock, 'time', qos.stream_output())
        instants = iter(range(1, 1_000_000))

        def all_have(text, count, *, ticking):
            if ticking:
                clock.publish(clock_message(0.01 * next(instants)))
            return all(node.output().count(text) == count for node in nodes.values())

        client.wait_until(lambda: all_have('time goes on', 1, ticking=True))
        client.wait_until(lambda: all_have(STILL, 2, ticking=False))
