"""Simulator, planner and estimator as three processes, driven as mission software drives them."""

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped
from live_report import live_report
from mission import Mission
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from small_robot import small_robot, small_robot_prior

from spacerobot_id.model import write_robot
from spacerobot_id.multibody import whole_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.estimator.estimate_outputs import inertial_from_message
from spacerobot_id.nodes.messages import joints_from_message
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.report.metrics import estimate_errors

ROBOT = small_robot()
TRUE = minimal_parameters(ROBOT).values(ROBOT)
INTERVALS = 16
SPEED = 2.0
"""Seconds of simulated time per second."""

PATIENT = {'publish_period': 0.25, 'longest_gap': 5.0}  # a busy machine is no jump of the clock
TIMEOUT = 120.0
"""Time for the motion, and for a simulator to start where nothing is compiled yet, s."""


class WholeMission(Mission):
    """With what the estimator and the simulator publish besides."""

    def __init__(self, client):
        super().__init__(client)
        self.inertia = client.record(InertiaStamped, 'estimator/inertia', qos.latched())
        self.joints = client.record(JointState, 'joint_states', qos.sensor_input())
        self.diagnostics = client.record(DiagnosticArray, '/diagnostics', 10)

    def identify(self):
        """Plan, move, refine."""
        self.start()
        self.wait_for('done', 'failed', 'stopped')
        assert self.call('estimator/refine').success
        self.client.wait_until(self.is_settled)

    def is_settled(self):
        """Return whether the estimate has everything up to the end of the motion."""
        report = self.report
        newest = joints_from_message(self.joints.last, ROBOT.joint_names).stamp
        return report['updates_waiting'] == 0 and report['stamp'] > newest - 2.0


@pytest.fixture(scope='module', name='mission')
def identified(tmp_path_factory):
    """Return the mission after an identification with the prior's parameters off by a tenth."""
    folder = tmp_path_factory.mktemp('robots')
    write_robot(ROBOT, folder / 'true.urdf')
    write_robot(small_robot_prior(), folder / 'prior.urdf')
    prior = {'robot': str(folder / 'prior.urdf')}
    simulator = {'robot': str(folder / 'true.urdf'), 'real_time_factor': SPEED}
    planner = {'intervals': INTERVALS, 'draws': 30, 'restarts': 1, 'iterations': 5}
    namespace = ('-r', '__ns:=/identification')
    with (
        running('simulator', simulator, namespace) as simulator_node,
        running('planner', {**prior, **planner, 'tracking_delay': 2.0}, namespace) as planner_node,
        running('estimator', {**prior, **PATIENT}, namespace) as estimator_node,
        Client(namespace='identification') as client,
    ):
        mission = WholeMission(client)
        mission.nodes = (simulator_node, planner_node, estimator_node)
        mission.identify()
        yield mission


def test_the_motion_is_planned_and_completed(mission):
    """In order; a state that the next one replaces at once may go unseen, as latched ones may."""
    assert mission.status['state'] == 'done', mission.status['message']
    assert mission.status['duration'] >= INTERVALS
    order = ['idle', 'planning', 'ready', 'running', 'done']
    seen = list(dict.fromkeys(mission.states))
    assert seen == [state for state in order if state in seen]
    assert {'running', 'done'} <= set(seen)


def test_every_parameter_is_identified(mission):
    """Most samples of the motion are used; all combinations show; errors as the intervals say."""
    report = mission.report
    assert report['samples'] >= 0.6 * 100.0 * mission.status['duration']
    assert report['rank'] == len(TRUE)
    assert report['not_identified'] == []
    assert report['valid'], report['defects']
    assert report['velocity_source'] == 'base_twist'
    errors = estimate_errors(report['values'], report['std'], TRUE)
    assert errors.median < 2e-3
    assert errors.coverage > 0.75
    assert report['chi_square'] == pytest.approx(1.0, abs=0.1)
    assert report['condition_number'] < 2000.0


def test_the_estimate_got_better_while_it_moved(mission):
    """Published all along: samples grow, the median standard deviation falls."""
    reports = [live_report(each.data) for each in mission.reports]
    samples = [report['samples'] for report in reports]
    assert (np.diff(samples) >= 0).all()
    assert len(set(samples)) > 5
    shares = [np.median(np.array(report['std']) / np.abs(TRUE)) for report in reports]
    assert shares[-1] < 0.01 * shares[0]


def test_the_inertia_of_the_whole_robot_is_published(mission):
    """Mass, centre of mass and tensor of the robot as it stands at the end."""
    mission.client.wait_until(lambda: mission.inertia)
    truth = whole_robot(
        ROBOT, joints_from_message(mission.joints.last, ROBOT.joint_names).positions
    )
    estimate = inertial_from_message(mission.inertia.last)
    assert mission.inertia.last.header.frame_id == 'base'
    assert estimate.is_physical()
    assert estimate.mass == pytest.approx(truth.mass, rel=5e-3)
    np.testing.assert_allclose(estimate.com, truth.com, atol=2e-3)


def test_nothing_went_wrong(mission):
    """No callback failed, no update was dropped, no message refused for what is in it."""

    def estimate_status():
        statuses = [each for message in mission.diagnostics for each in message.status]
        return [each for each in statuses if each.name == '/identification/estimator: estimate']

    mission.client.wait_until(estimate_status)
    counts = {each.key: each.value for each in estimate_status()[-1].values}
    assert counts['callback errors'] == '0'
    assert counts['updates dropped'] == '0'
    assert counts['clock jumps'] == '0'
    for node in mission.nodes:
        assert '[ERROR]' not in node.output(), node.output()


def test_F27_all_three_end_well(mission):
    """On SIGINT, the estimator last: exit code 0, no traceback."""
    for node in mission.nodes:
        assert node.stop() == 0, node.final_output
        assert 'Traceback' not in node.final_output, node.final_output
