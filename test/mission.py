"""A mission as software without a view into the nodes sees it: states, reports, services."""

import json

from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.nodes import qos

TIMEOUT = 180.0
"""Time for the motion, and for a simulator to start where nothing is compiled yet, s."""


class Mission:
    """What mission software knows: the states of planner and estimator, and their services."""

    def __init__(self, client):
        self.client = client
        self.planner = client.record(String, 'planner/status', qos.latched())
        self.reports = client.record(String, 'estimator/minimal_parameters', qos.latched())

    @property
    def status(self):
        return json.loads(self.planner.last.data)

    @property
    def report(self):
        return json.loads(self.reports.last.data)

    def call(self, name):
        return self.client.call(Trigger, name)

    def start(self):
        """Have a motion planned and started, as soon as the nodes are there."""
        self.client.wait_until(lambda: self.planner and self.reports, TIMEOUT)
        self.client.wait_until(lambda: self.call('planner/start_excitation').success, TIMEOUT)

    def wait_for(self, *states):
        self.client.wait_until(lambda: self.status['state'] in states, TIMEOUT)

    def fly(self):
        """Plan, move and refine."""
        self.start()
        self.wait_for('done', 'failed', 'stopped')
        assert self.call('estimator/refine').success
        self.client.wait_until(lambda: self.report['updates_waiting'] == 0, TIMEOUT)
