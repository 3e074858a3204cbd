"""Real nodes in processes of their own, and a client that talks to them and waits on conditions.

Nothing here sleeps for a guessed time: every wait is for a condition, with a timeout.
"""

from contextlib import contextmanager, ExitStack
from functools import cache
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import time

from air_bearing import air_bearing
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
import numpy as np
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from robots import dual_arm

import spacerobot_id
from spacerobot_id.estimation.states.solution import compile_kernels as compile_balance
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.nodes.mission.node import call_service, known_client
from spacerobot_id.simulation import DynamicSimulation

ROOT = Path(spacerobot_id.__file__).parents[1]
ROBOTS = Path(__file__).parents[2] / 'config/robots'
LAUNCHER = (sys.executable, '-m', 'spacerobot_id.nodes')
TIMEOUT = 300.0
"""Time after which a wait has failed, s: discovery alone may take three."""

START = 300.0
"""Time after which a node has not started, or not worked off a flood, s: other work slows both."""


class NodeProcess:
    """One of the package's nodes in a process.

    Parameters
    ----------
    module : str
        Module within ``spacerobot_id.nodes``: ``simulator``, ``planner`` or ``estimator``.
    parameters : dict
        Parameters by name.
    arguments : sequence of str
        More ROS arguments, such as ``-r`` and ``__ns:=/one``.
    launcher : sequence of str
        Command that runs a node by its name.
    """

    def __init__(self, module, parameters=None, arguments=(), launcher=LAUNCHER):
        if module in ('simulator', 'estimator'):
            compile_kernels()
        command = [*launcher, module, '--ros-args']
        for name, value in (parameters or {}).items():
            command += ['-p', f'{name}:={json.dumps(value)}']
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process ends
        self.final_output = None
        self.process = subprocess.Popen(
            [*command, *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def output(self):
        """Return what the node has printed so far."""
        if self.final_output is not None:
            return self.final_output
        return os.pread(self._log.fileno(), 10_000_000, 0).decode(errors='replace')

    def wait_for_output(self, text, timeout=START):
        """Wait until the node has printed a text, most of which it does when it starts."""
        wait_until(lambda: text in self.output() or self.process.poll() is not None, timeout)
        assert text in self.output(), self.output()

    def wait_for_import(self, module, timeout=TIMEOUT):
        """Wait until the process has a compiled module of this name in its memory."""
        maps = Path(f'/proc/{self.process.pid}/maps')
        wait_until(lambda: module in maps.read_text(), timeout, lambda: None)

    def cpu_seconds(self):
        """Return the processor time that the process has used, s."""
        fields = Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def send(self, number):
        """Send a signal."""
        self.process.send_signal(number)

    def exit_code(self, timeout=TIMEOUT):
        """Wait for the end of the process, by force if it takes too long; return its exit code."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.final_output = self.output()
            self._log.close()

    def stop(self, number=signal.SIGINT, timeout=TIMEOUT):
        """End the process with a signal, by force if it does not obey; return the exit code."""
        if self.final_output is not None:
            return self.process.returncode
        if self.process.poll() is None:
            self.send(number)
        return self.exit_code(timeout)


@cache
def compile_kernels():
    """Have all kernels compiled and kept on disk, so that no node has to do it in its time."""
    model = dual_arm()
    DynamicSimulation.at_rest(model, np.zeros(len(model.joints))).advanced_to([1e-3])
    compile_balance(MomentumBalance(air_bearing(prior=True), planar=True))


@contextmanager
def running(module, parameters=None, arguments=(), launcher=LAUNCHER):
    """Run a node as long as the context lasts; it has to survive that and to end well."""
    node = NodeProcess(module, parameters, arguments, launcher)
    try:
        yield node
    except BaseException:
        node.stop()
        sys.stderr.write(node.final_output)
        raise
    else:
        code = node.stop()
        assert code == 0, f'exit code {code}: {node.final_output}'
        assert 'Traceback' not in node.final_output, node.final_output


def wait_until(condition, timeout=TIMEOUT, step=lambda: time.sleep(0.01)):
    """Do a step again and again until a condition holds; return what it gave."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f'not within {timeout:g} s')
        step()
    return value


class Recorder(list):
    """The messages that came on a topic."""

    subscription = None

    @property
    def last(self):
        """The newest message."""
        return self[-1]


class Client:
    """A node of the test's own: publishes, listens, calls services, waits.

    Use it as a context.
    """

    def __init__(self, name='test_client', namespace=''):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node(name, context=self.context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    def spin(self):
        """Handle what has come."""
        self.executor.spin_once(timeout_sec=0.05)

    def wait_until(self, condition, timeout=TIMEOUT):
        """Handle messages until a condition holds; return what it gave."""
        return wait_until(condition, timeout, self.spin)

    def record(self, message_type, topic, qos):
        """Return a growing list of the messages on a topic."""
        recorder = Recorder()
        recorder.subscription = self.node.create_subscription(
            message_type, topic, recorder.append, qos
        )
        return recorder

    def wait_for(self, recorder, count=1, timeout=TIMEOUT):
        """Wait for so many more messages; return them."""
        begin = len(recorder)
        self.wait_until(lambda: len(recorder) >= begin + count, timeout)
        return recorder[begin:]

    def publisher(self, message_type, topic, qos):
        """Return a publisher, once somebody listens."""
        publisher = self.node.create_publisher(message_type, topic, qos)
        self.wait_until(publisher.get_subscription_count)
        return publisher

    def call(self, service_type, name, request=None, timeout=TIMEOUT):
        """Call a service; return its response."""
        deadline = time.monotonic() + timeout
        return call_service(
            self.node,
            service_type,
            name,
            request or service_type.Request(),
            lambda condition: self.wait_until(condition, deadline - time.monotonic()),
        )

    def call_at_once(self, service_type, *names, timeout=TIMEOUT):
        """Call services without waiting for one's answer before the next; return the responses."""
        deadline = time.monotonic() + timeout

        def wait(condition):
            self.wait_until(condition, deadline - time.monotonic())

        with ExitStack() as stack:
            clients = {
                name: stack.enter_context(known_client(self.node, service_type, name, wait))
                for name in dict.fromkeys(names)
            }
            futures = [clients[name].call_async(service_type.Request()) for name in names]
            wait(lambda: all(future.done() for future in futures))
            return [future.result() for future in futures]

    def set_parameter(self, node, name, value):
        """Set a parameter of another node; return the result with its reason."""
        request = SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]
        )
        return self.call(SetParameters, f'{node}/set_parameters', request).results[0]

    def change_state(self, node, label):
        """Make another node go through a transition of its lifecycle; return whether it did."""
        request = ChangeState.Request(transition=Transition(label=label))
        return self.call(ChangeState, f'{node}/change_state', request).success
