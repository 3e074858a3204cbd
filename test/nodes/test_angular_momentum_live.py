"""Angular momentum alone, and equations of motion, through simulator, planner and estimators."""

import json

from build_robots import ROBOTS
from geometry_msgs.msg import InertiaStamped, TwistStamped
from live_report import live_report
import numpy as np
import pytest
from ros_harness import Client, running
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
import yaml

from spacerobot_id.lab.papers.published import published
from spacerobot_id.methods.registry import method_class
from spacerobot_id.model import load_robot
from spacerobot_id.multibody import whole_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joints_from_message
from spacerobot_id.regressor import reduced_parameters

PUBLISHED = published('christidi')
ANGULAR_MOMENTUM, ATTITUDE = PUBLISHED.array('angular_momentum'), PUBLISHED.array('attitude')
MODEL = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
REDUCED = reduced_parameters(MODEL, as_described=True)
TRUE = REDUCED.values(MODEL)
SPEED = 1.0
"""Seconds of simulated time per second."""

TIMEOUT = 120.0
"""Time for the motion, and for a simulator to start where nothing is compiled yet, s."""

METHODS = ('angular_momentum', 'equations_of_motion')
CONFIG = yaml.safe_load((ROBOTS.parent / 'angular_momentum.yaml').read_text())
SIMULATOR = {
    **CONFIG['/**/simulator']['ros__parameters'],
    'robot': str(ROBOTS / 'christidi_spatial_arm.urdf'),
    'real_time_factor': SPEED,
}
PRIOR = str(ROBOTS / 'christidi_spatial_arm_prior.urdf')
PLANNER = {
    **CONFIG['/**/planner']['ros__parameters'],
    'robot': PRIOR,
    'draws': 30,
    'restarts': 1,
    'iterations': 4,
    'tracking_delay': 2.0,
}
ESTIMATOR = {
    **CONFIG['/**/estimator']['ros__parameters'],
    'robot': PRIOR,
    'publish_period': 0.25,
    'longest_gap': 5.0,  # a busy machine is no jump of the clock
}


class Flight:
    """One exciting motion, and what two estimators made of it."""

    def __init__(self, client):
        self.client = client
        self.reports = {
            method: client.record(String, f'{method}/minimal_parameters', qos.latched())
            for method in METHODS
        }
        self.inertia = client.record(InertiaStamped, 'angular_momentum/inertia', qos.latched())
        self.planner = client.record(String, 'planner/status', qos.latched())
        self.joints = client.record(JointState, 'joint_states', qos.sensor_input())
        self.twists = client.record(TwistStamped, 'base_twist', qos.sensor_input())

    def report(self, method):
        return live_report(self.reports[method].last.data)

    @property
    def status(self):
        return json.loads(self.planner.last.data)

    def fly(self):
        """Plan, move, refine."""
        self.client.wait_until(
            lambda: self.joints and self.planner and all(self.reports.values()), TIMEOUT
        )
        start = 'planner/start_excitation'
        self.client.wait_until(lambda: self.client.call(Trigger, start).success, TIMEOUT)
        over = ('done', 'failed', 'stopped')
        self.client.wait_until(lambda: self.status['state'] in over, TIMEOUT)
        for method in METHODS:
            assert self.client.call(Trigger, f'{method}/refine').success
            self.client.wait_until(lambda method=method: self.is_settled(method), TIMEOUT)

    @property
    def stamp(self):
        return joints_from_message(self.joints.last, MODEL.joint_names).stamp

    def is_settled(self, method):
        report = self.report(method)
        return report['updates_waiting'] == 0 and report['stamp'] > self.stamp - 2.0


@pytest.fixture(scope='module', name='flight')
def flown():
    """Return the flight, planned with a prior that is off by some tens of per cent."""
    namespace = ('-r', '__ns:=/spatial')

    def estimator(method):
        parameters = {**ESTIMATOR, 'method': method}
        if not method_class(method).takes & {'gyro_bias'}:
            del parameters['gyro_bias']
        return running('estimator', parameters, (*namespace, '-r', f'__node:={method}'))

    with (
        running('simulator', SIMULATOR, namespace),
        running('planner', PLANNER, namespace) as planner,
        estimator(METHODS[0]) as first,
        estimator(METHODS[1]) as second,
        Client(namespace='spatial') as client,
    ):
        flight = Flight(client)
        flight.nodes = (planner, first, second)
        flight.fly()
        yield flight


def test_the_configuration_is_that_of_the_paper():
    """Momentum and attitude of [Christidi 2017], the same for simulator and estimator."""
    momentum = ANGULAR_MOMENTUM.tolist()
    assert SIMULATOR['initial_angular_momentum'] == momentum
    assert ESTIMATOR['known_angular_momentum'] == momentum
    assert PLANNER['known_angular_momentum'] == momentum
    assert PLANNER['duration'] == PUBLISHED.number('duration')
    assert PLANNER['harmonics'] == PUBLISHED.number('harmonics')
    assert SIMULATOR['initial_attitude'] == ATTITUDE.tolist()
    assert ESTIMATOR['method'] == 'angular_momentum'


def test_the_motion_is_planned_and_completed(flight):
    """Although there are no wheels: the momentum shows the scale."""
    assert flight.status['state'] == 'done', flight.status['message']
    assert flight.status['duration'] == PLANNER['duration']
    assert flight.status['cost'] < 1e-3


def test_angular_momentum_finds_all_19_parameters_without_the_velocity_of_the_base(flight):
    """From joint states, gyro and attitude: errors below a thousandth, intervals as they say."""
    report = flight.report('angular_momentum')
    assert not flight.twists
    assert report['method'] == 'angular_momentum'
    assert report['velocity_source'] == 'none'
    assert report['names'] == list(REDUCED.names)
    assert report['rank'] == 19
    assert report['not_identified'] == []
    assert report['samples'] > 2500
    values, std = np.array(report['values']), np.array(report['std'])
    np.testing.assert_allclose(values, TRUE, rtol=2e-3)
    assert np.mean(np.abs(values - TRUE) < 2.5 * std) > 0.75
    assert report['chi_square'] == pytest.approx(1.0, abs=0.15)
    assert report['other_names'] == [f'gyro_bias.{axis}' for axis in 'xyz']


def test_it_tells_the_inertia_and_no_mass(flight):
    """About the centre of mass, as the robot stands; nothing is published that needs a mass."""
    report = flight.report('angular_momentum')
    assert report['valid'], report['defects']
    at_rest = whole_robot(MODEL, np.zeros(3))
    inertia = np.reshape(report['inertia'], (3, 3))
    np.testing.assert_allclose(inertia, at_rest.inertia_about_com, rtol=2e-3, atol=2.0)
    assert report['mass'] is None
    assert report['center_of_mass'] is None
    assert not flight.inertia


def test_equations_of_motion_find_them_from_torques(flight):
    """From efforts of the joint states and derived accelerations: within a few hundredths."""
    report = flight.report('equations_of_motion')
    assert report['samples'] > 2500
    assert report['rank'] == 19
    errors = np.abs(np.array(report['values']) / TRUE - 1.0)
    assert np.median(errors) < 0.02
    assert errors.max() < 0.1


def test_nothing_went_wrong(flight):
    for node in flight.nodes:
        assert '[ERROR]' not in node.output(), node.output()
