"""A free-flyer on an air-bearing table identified live, within a limit of its base's rate."""

from dataclasses import replace

from geometry_msgs.msg import TwistStamped
from mission import Mission
import numpy as np
from planar_limits import limited
from planar_robot import free_flyer, prior_of
import pytest
from ros_harness import Client, running

from spacerobot_id.excitation.objective.objective import visible_parameters
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.model import InertialParameters, write_robot
from spacerobot_id.regressor import minimal_parameters

BASE_RATE = np.deg2rad(10.0)
INTERVALS = 30


def flat(model):
    """Return a robot with everything in one plane, which it keeps to without a table."""
    links = [
        replace(
            link,
            inertial=InertialParameters.from_com(
                link.inertial.mass,
                link.inertial.com * [1.0, 1.0, 0.0],
                np.diag(np.diag(link.inertial.inertia_about_com)),
            ),
        )
        for link in model.links
    ]
    joints = [replace(joint, p_PC_P=joint.p_PC_P * [1.0, 1.0, 0.0]) for joint in model.joints]
    return replace(model, links=links, tree_joints=joints)


ROBOT = flat(limited(free_flyer()))


class FlownMission(Mission):
    """With the simulator's truth."""

    def __init__(self, client):
        super().__init__(client)
        self.twists = client.record(TwistStamped, 'simulator/truth/base_twist', 1000)


@pytest.fixture(scope='module', name='mission')
def flown(tmp_path_factory):
    """Return the mission after a motion planned with a prior a fifth too heavy."""
    folder = tmp_path_factory.mktemp('robots')
    write_robot(ROBOT, folder / 'true.urdf')
    write_robot(prior_of(ROBOT), folder / 'prior.urdf')
    prior = {'robot': str(folder / 'prior.urdf'), 'planar': True}
    simulator = {'robot': str(folder / 'true.urdf'), 'real_time_factor': 1.0}
    effort = {'draws': 5, 'restarts': 1, 'iterations': 30, 'tracking_delay': 2.0}
    motion = {'intervals': INTERVALS, 'interval': 1.0, 'base_rate_limit': 0.5 * BASE_RATE}
    namespace = ('-r', '__ns:=/table')
    with (
        running('simulator', simulator, namespace),
        running('planner', {**prior, **motion, **effort}, namespace),
        running('estimator', {**prior, 'publish_period': 0.25, 'longest_gap': 5.0}, namespace),
        Client(namespace='table') as client,
    ):
        mission = FlownMission(client)
        mission.fly()
        yield mission


def test_the_motion_is_done_in_the_plane_within_its_limit(mission):
    """The true base turns, no faster than asked for, and about z alone."""
    assert mission.status['state'] == 'done', mission.status['message']
    rates = np.array([[w.x, w.y, w.z] for w in (each.twist.angular for each in mission.twists)])
    assert 0.2 * BASE_RATE < np.abs(rates[:, 2]).max() <= BASE_RATE
    assert np.abs(rates[:, :2]).max() < 1e-9


def test_what_shows_in_the_plane_is_identified(mission):
    """Errors as the intervals say; the rest is reported as not identified."""
    report, minimal = mission.report, minimal_parameters(ROBOT)
    shown = visible_parameters(MomentumInformation([ROBOT], minimal, planar=True))
    true, values = minimal.values(ROBOT), np.array(report['values'])
    scores = np.abs(values - true)[shown] / np.array(report['std'])[shown]
    assert np.max(scores) < 5.0
    mass = list(minimal.names).index('base.m')
    assert values[mass] == pytest.approx(true[mass], rel=0.02)
    hidden = {name for name, flag in zip(minimal.names, shown, strict=True) if not flag}
    assert {'base.Ixx', 'base.mz'} <= set(report['not_identified']) <= hidden
