"""Simulator, planner and estimator in processes that may be killed, and what is seen of them."""

import json
import signal
import sys
import time

from live_report import live_report
import numpy as np
from ros_harness import NodeProcess
from sensor_msgs.msg import JointState
from small_robot import small_robot, small_robot_prior
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.measurement.codecs import seconds_from_stamp
from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.regressor import minimal_parameters

TRUE = minimal_parameters(small_robot()).values(small_robot())
NAMES = ('simulator', 'planner', 'estimator')
TIMEOUT = 180.0
"""Time for anything a node does, on a machine that has other work, s."""

_AT_REST = 1e-3
"""Rates below which joints and wheels count as at rest, rad/s."""


def small_robot_nodes(folder, speed, intervals):
    """Write the small robot; return the parameters of its nodes by their names.

    Parameters
    ----------
    folder : Path
        Folder for its files.
    speed : float
        Simulated seconds per second.
    intervals : int
        Intervals of a motion, of a second each.
    """
    write_robot(small_robot(), folder / 'true.urdf')
    write_robot(small_robot_prior(), folder / 'prior.urdf')
    prior = {'robot': str(folder / 'prior.urdf')}
    effort = {'intervals': intervals, 'draws': 20, 'restarts': 1, 'iterations': 3}
    return {
        'simulator': {'robot': str(folder / 'true.urdf'), 'real_time_factor': speed},
        'planner': {**prior, **effort, 'tracking_delay': 2.0},
        'estimator': {
            **prior,
            'publish_period': 0.1,
            'longest_gap': 5.0,  # a busy machine is no jump of the clock
            'checkpoint_file': str(folder / 'checkpoint.json'),
        },
    }


class Crew:
    """The three nodes of a mission, each a process; use it as a context.

    Parameters
    ----------
    parameters : dict
        Parameters of each node, by its name.
    namespace : str
        Namespace of all.
    """

    def __init__(self, parameters, namespace):
        self.parameters, self.namespace = parameters, namespace
        self.nodes, self.logs = {}, {name: [] for name in parameters}

    def __enter__(self):
        for name in self.parameters:
            self.start(name)
        return self

    def __exit__(self, kind, *_):
        for name in [*self.nodes]:
            self.end(name)
            if kind is not None:
                sys.stderr.write(f'--- {name}\n{self.logs[name][-1][-3000:]}\n')

    def start(self, name):
        """Start a node."""
        arguments = ('-r', f'__ns:=/{self.namespace}')
        self.nodes[name] = NodeProcess(name, self.parameters[name], arguments)

    def end(self, name, number=signal.SIGINT):
        """End a node by a signal; return its exit code."""
        node = self.nodes.pop(name)
        code = node.stop(number)
        self.logs[name].append(node.final_output)
        return code

    def kill(self, name):
        """End a node at once, by a signal."""
        assert self.end(name, signal.SIGKILL) == -signal.SIGKILL

    def is_alive(self, name):
        """Return whether the process of a node goes on."""
        return self.nodes[name].process.poll() is None

    def log(self, name):
        """Return all that processes of a node have printed."""
        present = [self.nodes[name].output()] if name in self.nodes else []
        return '\n'.join([*self.logs[name], *present])


class Control:
    """What mission software does and sees, and the simulator's truth; keeps the last alone.

    Parameters
    ----------
    client : Client
        Node that listens.

    Attributes
    ----------
    status, report : dict
        The last status of planner and estimator.
    stamp, moved : float
        Stamp of the last true joint state, and of the last in which anything moved, s.
    wrong : list of str
        Estimates that were called valid, and are off by more than five standard deviations.
    """

    def __init__(self, client):
        self.client = client
        self.status, self.report, self.wrong = {}, {}, []
        self.stamp = self.moved = -np.inf
        listen = client.node.create_subscription
        listen(String, 'planner/status', self._on_status, qos.latched())
        listen(String, 'estimator/minimal_parameters', self._on_report, qos.latched())
        listen(JointState, 'simulator/truth/joint_states', self._on_truth, qos.sensor_input())

    def _on_status(self, message):
        self.status = json.loads(message.data)

    def _on_report(self, message):
        self.report = report = live_report(message.data)
        if report['valid']:
            off = np.abs(np.array(report['values']) - TRUE) / report['std']
            if off.max() > 5.0:
                name = report['names'][int(np.argmax(off))]
                self.wrong.append(
                    f'{name} off by {off.max():.1f} deviations at {report["samples"]} samples'
                )

    def _on_truth(self, message):
        self.stamp = seconds_from_stamp(message.header.stamp)
        if np.abs(message.velocity).max() > _AT_REST:
            self.moved = self.stamp

    # What it does.

    def wait_until(self, condition):
        """Handle messages until a condition holds."""
        try:
            return self.client.wait_until(condition, TIMEOUT)
        except TimeoutError as error:
            state = {
                key: self.report.get(key) for key in ('samples', 'valid', 'defects', 'changes')
            }
            raise TimeoutError(
                f'{error}: {self.status}, {state}, at {self.stamp:.1f} s'
            ) from error

    def ask(self, service):
        """Call a service; return its response."""
        return self.client.call(Trigger, service, timeout=TIMEOUT)

    def wait_for_state(self, *states):
        """Wait until the planner is in one of some states; return its status."""
        self.wait_until(lambda: self.status.get('state') in states)
        return self.status

    def start_motion(self):
        """Have a motion planned and started, as soon as the nodes are there; see it begin."""

        def starts():
            answer = self.ask('planner/start_excitation')
            return answer.success or 'busy' in answer.message

        self.wait_until(lambda: self.status and self.report)
        end = time.monotonic() + TIMEOUT
        while True:
            self.wait_until(starts)
            self.wait_for_state('running', 'failed', 'stopped')
            # A simulator that has just been started again is not discovered at once.
            if self.status['state'] == 'running' or time.monotonic() > end:
                break
        assert self.status['state'] == 'running', self.status['message']

    def wait_for_stamp(self, stamp):
        """Wait until simulated time has come to a stamp, s."""
        self.wait_until(lambda: self.stamp >= stamp)

    def catch_up(self):
        """Handle all that has come already; return the stamp of the last true joint state, s."""
        idle = 0
        while idle < 20:  # a call handles one message, or none
            before = self.stamp
            self.client.executor.spin_once(timeout_sec=0.0)
            idle = idle + 1 if self.stamp == before else 0
        return self.stamp
