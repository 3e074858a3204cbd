"""The planner node with plans from files, and from what the estimator knows."""

import numpy as np
from numpy.testing import assert_allclose
from planner_client import FakeJoints, planner, PlannerClient, robots_folder
import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import Parameter
from ros_harness import ROBOTS
from small_robot import small_robot_prior

from spacerobot_id.excitation import (
    KnownMomentum,
    plan_excitation,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.methods.information.motion_information import parameter_scale
from spacerobot_id.model import load_robot
from spacerobot_id.nodes.planner.job import planning_job, source_of
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


def settled(mission, *states):
    """Ask for a plan until the joints are received; return the status when it has come."""
    mission.client.wait_until(lambda: 'joint_states' not in mission.ask('plan').message)
    return mission.wait_for(*states)


def test_a_plan_from_a_file_is_led_to_from_where_the_joints_are(folder, tmp_path):
    """The status says how close it comes to its limits."""
    effort = PlannerSettings(intervals=3, interval=1.0, draws=2, restarts=0)
    plan = plan_excitation(small_robot_prior(), np.full(5, np.nan), effort).plan
    save_plan(plan, tmp_path / 'plan.yaml')
    with planner(folder, 'filed', plan_file=str(tmp_path / 'plan.yaml')) as (_, client):
        FakeJoints(client)
        status = settled(PlannerClient(client), 'ready', 'failed')
    assert status['state'] == 'ready', status
    assert status['duration'] >= plan.duration
    assert 0.9 < max(status['limits'].values()) <= 1.0


def test_a_plan_from_a_file_may_be_for_a_robot_that_turns(tmp_path):
    """With the momentum and the attitude that the node was given."""
    arm, momentum = load_robot(ROBOTS / 'christidi_spatial_arm.urdf'), (68.0, 66.0, 65.0)
    effort = PlannerSettings(duration=20.0, harmonics=3, draws=2, restarts=0)
    given = KnownMomentum(momentum)
    planned = plan_excitation(arm, np.zeros(3), effort, method='angular_momentum', momentum=given)
    save_plan(planned.plan, tmp_path / 'plan.yaml')
    settings = PlannerNodeSettings(
        method='angular_momentum',
        known_angular_momentum=momentum,
        plan_file=str(tmp_path / 'plan.yaml'),
    )
    source = source_of(arm, settings)
    job = planning_job(source, np.zeros(3), (0.0, 0.0, 0.0, 1.0), settings)
    assert_allclose(job(lambda *_: False).std, planned.std)


class FakeEstimator:
    """Offers an estimate with the same relative standard deviation of all parameters."""

    def __init__(self, client, relative_std):
        minimal = minimal_parameters(small_robot_prior())
        self.names, self.values = minimal.names, minimal.values(small_robot_prior())
        self.std = relative_std * parameter_scale(minimal.units, self.values)
        client.node.create_service(GetParameters, 'estimator/get_estimate', self.answer)

    def answer(self, request, response):
        covariance = np.diag(self.std**2).ravel()
        response.values = [
            Parameter('', value=each).get_parameter_value()
            for each in (list(self.names), self.values.tolist(), covariance.tolist())
        ]
        assert list(request.names) == ['names', 'values', 'covariance']
        return response


@pytest.mark.parametrize(
    ('relative_std', 'state', 'message'),
    [
        (0.5, 'ready', 'planned in'),
        (0.009, 'failed', 'is known to 1 %'),
    ],
)
def test_it_plans_on_from_the_estimate_until_all_is_known(folder, relative_std, state, message):
    """As long as a parameter is known worse than is wanted."""
    settings = {'replan_from_estimate': True, 'wanted_std': 0.01}
    with planner(folder, 'again', **settings) as (_, client):
        FakeJoints(client)
        mission = PlannerClient(client)
        FakeEstimator(client, relative_std)
        client.wait_until(lambda: 'get_estimate' not in mission.ask('plan').message)
        status = settled(mission, 'ready', 'failed')
    assert status['state'] == state, status
    assert message in status['message']


def test_without_an_estimator_planning_on_is_refused(folder):
    """The answer names the service that is not available."""
    with planner(folder, 'alone', replan_from_estimate=True) as (_, client):
        FakeJoints(client)
        mission = PlannerClient(client)
        status = settled(mission, 'failed')
        answer = mission.ask('plan')
    assert not answer.success
    assert answer.message == status['message'] == ('estimator/get_estimate: service not available')
