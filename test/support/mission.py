"""A mission as software without a view into the nodes sees it: states, reports, services."""

import json

from live_report import live_report
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.nodes.common import qos

TIMEOUT = 300.0
"""Time for the motion, and for a simulator to start where nothing is compiled yet, s."""


class Motions:
    """What mission software knows of the planner: its states and its services."""

    def __init__(self, client):
        self.client = client
        self.planner = client.record(String, 'planner/status', qos.latched())

    @property
    def status(self):
        return json.loads(self.planner.last.data)

    @property
    def states(self):
        return [json.loads(each.data)['state'] for each in self.planner]

    def call(self, name):
        return self.client.call(Trigger, name)

    def ask(self, verb):
        """Call a service of the planner."""
        return self.call(f'planner/{verb}')

    def wait_for(self, *states):
        """Wait until the planner is in one of some states; return its status."""
        self.client.wait_until(lambda: self.planner and self.status['state'] in states, TIMEOUT)
        return self.status


class Mission(Motions):
    """With the estimator."""

    def __init__(self, client):
        super().__init__(client)
        self.reports = client.record(String, 'estimator/minimal_parameters', qos.latched())

    @property
    def report(self):
        return live_report(self.reports.last.data)

    def start(self):
        """Have a motion planned and started, as soon as the nodes are there."""
        self.client.wait_until(lambda: self.planner and self.reports, TIMEOUT)
        self.client.wait_until(lambda: self.ask('start_excitation').success, TIMEOUT)

    def fly(self):
        """Plan, move and refine."""
        self.start()
        self.wait_for('done', 'failed', 'stopped')
        assert self.call('estimator/refine').success
        self.client.wait_until(lambda: self.report['updates_waiting'] == 0, TIMEOUT)
