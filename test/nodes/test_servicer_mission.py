"""The servicer identified live within limits of its base's rate and its tool's space."""

from geometry_msgs.msg import TwistStamped
from mission import Mission
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState

from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.nodes.messages import joints_from_message
from spacerobot_id.regressor import minimal_parameters

TRUE, PRIOR = (
    str(shipped_file(f'config/robots/{name}.urdf')) for name in ('servicer', 'servicer_prior')
)
START = [0.3, 0.5, 0.0, 0.9, 0.0, 0.6, 0.0]
BASE_RATE = np.deg2rad(0.5)
MARGIN = 0.85
"""Share of the limit that is planned with: the base of the true robot turns faster."""

LOWER, UPPER = np.array([-0.6, -0.9, 0.4]), np.array([2.0, 1.0, 2.4])
INTERVALS, INTERVAL = 30, 2.6


class FlownMission(Mission):
    """With the simulator's truth."""

    def __init__(self, client):
        super().__init__(client)
        self.joints = client.record(JointState, 'simulator/truth/joint_states', 1000)
        self.twists = client.record(TwistStamped, 'simulator/truth/base_twist', 1000)


@pytest.fixture(scope='module', name='mission')
def flown():
    """Return the mission after a motion planned with a prior that is wrong."""
    simulator = {'robot': TRUE, 'initial_joint_positions': START, 'real_time_factor': 2.0}
    effort = {'draws': 3, 'restarts': 1, 'iterations': 40, 'tracking_delay': 2.0}
    limits = {
        'base_rate_limit': MARGIN * BASE_RATE,
        'keep_in_frame': 'tool',
        'keep_in_lower': LOWER.tolist(),
        'keep_in_upper': UPPER.tolist(),
    }
    motion = {'intervals': INTERVALS, 'interval': INTERVAL}
    estimator = {'robot': PRIOR, 'publish_period': 0.25, 'longest_gap': 5.0}
    namespace = ('-r', '__ns:=/servicer')
    with (
        running('simulator', simulator, namespace),
        running('planner', {'robot': PRIOR, **motion, **effort, **limits}, namespace),
        running('estimator', estimator, namespace),
        Client(namespace='servicer') as client,
    ):
        mission = FlownMission(client)
        mission.fly()
        yield mission


def test_the_motion_is_done(mission):
    """Planned within the limits, and completed."""
    assert mission.status['state'] == 'done', mission.status['message']
    assert mission.status['duration'] >= INTERVALS * INTERVAL - 1e-6


def test_the_true_base_turns_within_its_limit(mission):
    """It does turn, and never faster than asked for."""
    rates = [
        np.linalg.norm([w.x, w.y, w.z])
        for w in (message.twist.angular for message in mission.twists)
    ]
    assert 0.2 * BASE_RATE < max(rates) <= BASE_RATE


def test_the_true_tool_stays_in_its_box(mission):
    """At every sample that the simulator gave."""
    model = load_robot(TRUE)
    q = np.array(
        [joints_from_message(each, model.joint_names).positions for each in mission.joints]
    )
    frame, poses = model.frames['tool'], link_poses(model, q)
    turned = np.tensordot(frame.p_LF_L, poses.axes[frame.link], axes=1)
    place = (poses.origins[frame.link] + turned).T
    assert np.ptp(place, axis=0).max() > 0.1
    assert (place >= LOWER).all()
    assert (place <= UPPER).all()


def test_it_is_identified(mission):
    """Errors as the intervals say, and the mass to a share of the prior's error."""
    report, true = mission.report, load_robot(TRUE)
    values = minimal_parameters(true).values(true)
    errors = np.abs(np.array(report['values']) - values) / np.array(report['std'])
    assert report['valid'], report['defects']
    assert np.mean(errors <= 3.0) > 0.9
    prior = load_robot(PRIOR)
    before = minimal_parameters(prior).values(prior)
    assert abs(report['values'][6] - values[6]) < 0.2 * abs(before[6] - values[6])
