"""A free-flyer with an unknown load, identified live: simulator, planner and estimator."""

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from mission import Mission, TIMEOUT
import numpy as np
import pytest
from ros_harness import Client, running

from spacerobot_id.model import load_robot, PARAMETER_NAMES, shipped_file
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.estimator.estimate_outputs import inertial_from_message
from spacerobot_id.nodes.messages import wrench_from_message

ALONE = str(shipped_file('config/robots/space_cobot.urdf'))
LOADED = str(shipped_file('config/robots/space_cobot_loaded.urdf'))
TRUTH = load_robot(LOADED).links[0].inertial
PROPELLERS = load_robot(ALONE).actuators.propellers
PERIOD, CYCLES = 6.0, 4


class FreeFlyerMission(Mission):
    """With the wrenches asked for, and the whole body."""

    def __init__(self, client):
        super().__init__(client)
        self.inertia = client.record(InertiaStamped, 'estimator/inertia', qos.latched())
        self.diagnostics = client.record(DiagnosticArray, '/diagnostics', 10)
        self.wrenches = client.record(WrenchStamped, 'base_wrench', qos.command(depth=1000))

    def statuses(self):
        """Return the counters of the last diagnostics by name."""
        found = [each for message in self.diagnostics[-5:] for each in message.status]
        return {each.name: {pair.key: pair.value for pair in each.values} for each in found}


@pytest.fixture(scope='module', name='mission')
def identified():
    """Return the mission after four cycles; nobody but the simulator knows of the load."""
    simulator = {'robot': LOADED, 'mode': 'flying', 'real_time_factor': 1.0}
    planner = {
        'robot': ALONE,
        'method': 'free_flyer',
        'base_period': PERIOD,
        'base_cycles': CYCLES,
    }
    limits = {'base_distance': 0.3, 'stray_distance': 1.0, 'base_angular_acceleration': 0.8}
    estimator = {'robot': ALONE, 'method': 'free_flyer', 'publish_period': 0.25}
    namespace = ('-r', '__ns:=/free_flyer')
    with (
        running('simulator', simulator, namespace) as simulator_node,
        running('planner', {**planner, **limits}, namespace) as planner_node,
        running('estimator', {**estimator, 'longest_gap': 5.0}, namespace) as estimator_node,
        Client(namespace='free_flyer') as client,
    ):
        mission = FreeFlyerMission(client)
        mission.nodes = (simulator_node, planner_node, estimator_node)
        mission.start()
        mission.wait_for('done', 'failed', 'stopped')
        assert mission.call('estimator/refine').success
        client.wait_until(
            lambda: mission.report['updates_waiting'] == 0 and mission.report['samples'], TIMEOUT
        )
        yield mission


def test_the_motion_is_planned_flown_and_completed(mission):
    """Wrenches all along, within what the propellers give, and none any more at the end."""
    assert mission.status['state'] == 'done', mission.status['message']
    assert mission.status['duration'] == pytest.approx(PERIOD * CYCLES)
    wrenches = np.array([wrench_from_message(each, 'base') for each in mission.wrenches])
    assert len(wrenches) > 0.8 * 20.0 * PERIOD * CYCLES
    thrusts = wrenches @ PROPELLERS.allocation.T
    assert np.abs(thrusts).max() <= PROPELLERS.max_thrust * (1.0 + 1e-9)
    assert not wrenches[-1].any()


def test_the_body_with_its_load_is_identified(mission):
    """All ten parameters, with errors of a few of their standard deviations."""
    report = mission.report
    assert report['method'] == 'free_flyer'
    assert tuple(report['names']) == PARAMETER_NAMES
    assert report['rank'] == 10
    assert report['not_identified'] == []
    assert report['valid'], report['defects']
    assert report['samples'] > 0.8 * 20.0 * PERIOD * CYCLES
    deviations = (np.array(report['values']) - TRUTH.vector) / np.array(report['std'])
    assert np.abs(deviations).max() < 6.0
    assert report['mass'] == pytest.approx(TRUTH.mass, rel=0.1)
    assert np.linalg.norm(np.array(report['center_of_mass']) - TRUTH.com) < 0.01


def test_the_inertia_of_robot_and_load_is_published(mission):
    """As controllers take it: mass, centre of mass, tensor about it."""
    mission.client.wait_until(lambda: mission.inertia)
    estimate = inertial_from_message(mission.inertia.last)
    assert mission.inertia.last.header.frame_id == 'base'
    assert estimate.is_physical()
    assert estimate.mass == pytest.approx(TRUTH.mass, rel=0.1)


def test_nothing_went_wrong(mission):
    for node in mission.nodes:
        assert '[ERROR]' not in node.output(), node.output()


def test_F12_F25_poses_are_watched(mission):
    """None of them froze; what is missing is reported."""
    name = '/free_flyer/estimator: base_pose'
    mission.client.wait_until(lambda: name in mission.statuses())
    counts = mission.statuses()[name]
    assert int(counts['accepted']) > 100
    assert int(counts['missing']) >= 0
    assert not [key for key in counts if key.startswith('rejected: value is frozen')]


def test_a_second_motion_can_be_stopped(mission):
    """From where the base drifted to; it is braked, and the propellers are turned off."""
    assert mission.call('planner/start_excitation').success
    mission.wait_for('running', 'failed')
    mission.client.wait_for(mission.wrenches, 20, TIMEOUT)
    assert mission.call('planner/stop_excitation').success
    mission.wait_for('stopped', 'failed')
    assert mission.status['state'] == 'stopped', mission.status['message']
    mission.client.wait_until(lambda: not wrench_from_message(mission.wrenches.last, 'base').any())


def test_a_reset_forgets(mission):
    """The prior again: the robot without its load."""
    assert mission.call('estimator/reset').success
    mission.client.wait_until(lambda: mission.report['resets'] == 1)
    assert mission.report['samples'] == 0
    assert not mission.report['valid']
