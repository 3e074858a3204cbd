"""What the tests of the planner share: a process of its own, its client, joints that misbehave."""

from contextlib import contextmanager
import time

from mission import Motions
import numpy as np
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from small_robot import small_robot, small_robot_prior
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.model import JointLimits, write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joint_state_message

JOINTS = ('shoulder_left', 'shoulder_right')
WHEELS = ('wheel_x', 'wheel_y', 'wheel_z')
NAMES = JOINTS + WHEELS
TOPICS = ('joint_trajectory', 'wheel_trajectory')
SMALL = {'intervals': 5, 'draws': 20, 'restarts': 1, 'iterations': 3}


def robots_folder(tmp_path_factory):
    """Return a folder with the true robot, its prior, and one without limits to plan with."""
    folder = tmp_path_factory.mktemp('robots')
    write_robot(small_robot(), folder / 'true.urdf')
    write_robot(small_robot_prior(), folder / 'prior.urdf')
    write_robot(small_robot(JointLimits(-1.0, 1.0)), folder / 'unlimited.urdf')
    return folder


class PlannerClient(Motions):
    """Calls the services of a planner, receives its status and, if it is to, what it sends."""

    def __init__(self, client, topics=TOPICS):
        super().__init__(client)
        self.sent = {}
        self.listen(topics)

    def listen(self, topics=TOPICS):
        """Listen to trajectories from now on."""
        for topic in topics:
            self.sent[topic] = self.client.record(JointTrajectoryMessage, topic, qos.command())

    def set(self, name, value):
        assert self.client.set_parameter('planner', name, value).successful

    def idle(self):
        """Bring whatever is under way to an end, and forget what was received."""
        self.ask('stop_excitation')
        self.wait_for('idle', 'ready', 'done', 'stopped', 'failed')
        for sent in self.sent.values():
            sent.clear()
        del self.planner[:-1]
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


class FakeJoints:
    """Publishes joint states at 100 Hz, of joints that do what the test sets."""

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
