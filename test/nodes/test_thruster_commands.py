"""Thrusters over ROS: the simulator fires what it is commanded, the planner commands it."""

from air_bearing import air_bearing, NOZZLES, STRENGTH
from fired_flights import COUNTED
from geometry_msgs.msg import PoseStamped, TwistStamped
from mission import Motions
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import Int16MultiArray, String

from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.model import write_robot
from spacerobot_id.multibody import momentum
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import (
    joint_state_message,
    joints_from_message,
    twist_from_message,
)

ROBOT = air_bearing()
NAMES = [thruster.name for thruster in ROBOT.thrusters]
TIMEOUT = 0.6
FORWARD = [1.0 if way == (1.0, 0.0) else 0.0 for _, way in NOZZLES]
"""The two thrusters that push along x, one on either side."""


class Table:
    """A client that commands the thrusters of a simulated robot, and receives what comes of it."""

    def __init__(self, client):
        self.client = client
        self.joints = client.record(JointState, 'simulator/truth/joint_states', 1000)
        self.twists = client.record(TwistStamped, 'simulator/truth/base_twist', 1000)
        self.poses = client.record(PoseStamped, 'base_pose', 1000)
        self.status = client.record(String, 'simulator/status', qos.latched())
        self.thrust = client.publisher(JointState, 'thruster_commands', qos.command(100))
        client.wait_for(self.twists)

    @property
    def now(self):
        return seconds_from_stamp(self.twists.last.header.stamp)

    def command(self, stamp, shares, names=NAMES):
        none = np.zeros(0)
        message = joint_state_message(stamp, names, none, none, np.array(shares))
        self.thrust.publish(message)

    def after(self, time):
        """Return the linear momentum at some simulated time, N s, when that is over."""
        self.client.wait_until(lambda: self.now > time + 0.1)
        stamps = np.array([seconds_from_stamp(each.header.stamp) for each in self.twists])
        twist = twist_from_message(self.twists[int(np.searchsorted(stamps, time))]).twist
        joints = joints_from_message(self.joints.last, ROBOT.joint_names)
        total = momentum(ROBOT, joints.positions[None], np.zeros((1, 3)), twist[None])
        return float(np.linalg.norm(total[0, :3]))

    def refused(self, stamp, shares, names=NAMES):
        """Give commands that cannot be; return why they are refused."""
        count = len(self.status)
        self.command(stamp, shares, names)
        self.client.wait_until(lambda: len(self.status) > count)
        return self.status.last.data


@pytest.fixture(scope='module', name='folder')
def robots(tmp_path_factory):
    folder = tmp_path_factory.mktemp('table')
    write_robot(ROBOT, folder / 'true.urdf')
    write_robot(air_bearing(prior=True), folder / 'prior.urdf')
    return folder


@pytest.fixture(scope='module', name='table')
def simulated(folder):
    parameters = {
        'robot': str(folder / 'true.urdf'),
        'planar': True,
        'mode': 'flying',
        'thruster_timeout': TIMEOUT,
    }
    namespace = ('-r', '__ns:=/thrust')
    with (
        running('simulator', parameters, namespace),
        Client(namespace='thrust') as client,
    ):
        yield Table(client)


def test_pulses_hold_from_stamp_to_stamp(table):
    """Sent before they hold: the momentum is strength times time, whenever messages came."""
    begin = table.now + 1.0
    table.command(begin, FORWARD)
    table.command(begin + 0.4, np.zeros(8))
    assert table.after(begin - 0.1) < 1e-9
    assert table.after(begin + 0.5) == pytest.approx(2.0 * STRENGTH * 0.4, rel=1e-3)
    assert 'in the plane' in table.status.last.data


def test_valves_close_when_commands_stop(table):
    """After the timeout; commands that are repeated keep them open."""
    before, begin = table.after(table.now), table.now + 1.0
    backward = np.array([1.0 if way == (-1.0, 0.0) else 0.0 for _, way in NOZZLES])
    table.command(begin, 0.5 * backward)
    table.command(begin + 0.5, 0.5 * backward)
    gone = 2.0 * STRENGTH * 0.5 * (0.5 + TIMEOUT)
    last = table.after(begin + 0.5 + TIMEOUT + 0.3)
    assert last == pytest.approx(abs(gone - before), abs=0.02)
    assert table.after(begin + 0.5 + TIMEOUT + 1.0) == pytest.approx(last, rel=1e-2)


def test_commands_that_cannot_be_are_refused_by_name_and_nothing_moves(table):
    before = table.after(table.now)
    wrong = [
        (table.now, [1.0], ['thruster_9'], 'thruster thruster_9 is not in the description'),
        (table.now, [1.0, 1.0], ['thruster_1'], '2 effort values for 1 thrusters'),
        (table.now, [1.0, 1.0], ['thruster_1'] * 2, 'a thruster is named twice'),
        (table.now, [1.5], ['thruster_1'], 'thruster_1 is to open to 1.5'),
        (table.now, [float('nan')], ['thruster_1'], 'value 0 is nan'),
        (table.now + 1e9, [1.0], ['thruster_1'], 's ahead of simulated time'),
    ]
    for stamp, shares, names, reason in wrong:
        message = table.refused(stamp, shares, names)
        assert 'thruster_commands refused: ' in message
        assert reason in message
    assert table.after(table.now + 0.2) == pytest.approx(before, rel=1e-2)


SETTINGS = {
    'method': 'momentum_balance',
    'planar': True,
    'intervals': 10,
    'interval': 3.0,
    'draws': 3,
    'restarts': 1,
    'iterations': 2,
    'tracking_delay': 2.0,
    'longest_pulse': 0.3,
    'most_valves': 3,
}

BED = """
topics:
- topic: joint_states
  type: sensor_msgs/msg/JointState
  joint_states:
- topic: base_pose
  type: geometry_msgs/msg/PoseStamped
  base_pose:
- topic: valves
  type: std_msgs/msg/Int16MultiArray
  stamp: {receipt: true}
  thruster_commands:
    names: [NAMES]
    shares: data[1:9]
    constants: {'data[0]': 1}
"""


def fly_and_stop(client):
    """Start a motion and stop it after six seconds."""
    planner = Motions(client)
    client.wait_until(lambda: planner.planner)
    client.wait_until(lambda: planner.ask('start_excitation').success)
    assert planner.wait_for('running', 'failed')['state'] == 'running'
    client.wait_until(lambda: planner.status['elapsed'] > 6.0)
    assert planner.ask('stop_excitation').success
    assert planner.wait_for('stopped', 'failed')['state'] == 'stopped'


def test_the_planner_commands_a_bed_by_its_adapter(folder, table):
    """Valves without stamps, each command sent when it is due; closed when stopped."""
    adapter = folder / 'bed.yaml'
    adapter.write_text(BED.replace('NAMES', ', '.join(NAMES)))
    client, received = table.client, []
    given = SETTINGS | {'robot': str(folder / 'prior.urdf'), 'adapter': str(adapter)}

    def open_valves(message):
        """Stand in for the driver of the valves: they open at once."""
        received.append((table.now, list(message.data)))
        table.command(table.now, [float(share) for share in message.data[1:]])

    client.node.create_subscription(Int16MultiArray, 'valves', open_valves, qos.command(1000))
    with running('planner', given, ('-r', '__ns:=/thrust')):
        fly_and_stop(client)
    data = np.array([each for _, each in received])
    assert (data[:, 0] == 1).all()
    assert set(data[:, 1:].ravel()) <= {0, 1}
    assert len(np.flatnonzero(np.diff(data[:, 1:], axis=0) > 0)) > 8
    assert not data[-1, 1:].any()


@pytest.mark.parametrize(('given', 'least'), [({}, 8), (COUNTED, 1)])
def test_the_planner_fires_and_closes_all_valves_when_stopped(folder, table, given, least):
    """Ahead of time, within limits, while the arm moves; drawn pulses, and chosen ones."""
    settings, client = SETTINGS | given | {'robot': str(folder / 'prior.urdf')}, table.client
    received = client.record(JointState, 'thruster_commands', qos.command(1000))
    with running('planner', settings, ('-r', '__ns:=/thrust')):
        fly_and_stop(client)
        shares = np.array([each.effort for each in received])
        stamps = np.array([seconds_from_stamp(each.header.stamp) for each in received])
        assert (np.diff(stamps) > 0.0).all()
        assert np.median(np.diff(stamps)) < TIMEOUT  # one may be late on a busy machine
        assert set(shares.sum(axis=1)) <= {0.0, 1.0, 2.0, 3.0}
        assert len(np.flatnonzero(np.diff(shares, axis=0) > 0.0)) > least
        assert not shares[-1].any()
        table.after(table.now + 0.05)  # on a busy machine its clock is received late
        assert stamps[-1] < table.now
        still = table.after(max(stamps[-1] + TIMEOUT, table.now))  # joints at rest, valves closed
        assert table.after(table.now + 0.5) == pytest.approx(still, abs=0.005)
