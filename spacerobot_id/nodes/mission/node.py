"""A mission's side of an identification: drives planner and estimator through their services.

It prints one JSON object per line on standard output: what is going on, and the result. The
command ``spacerobot-id demo`` starts it beside the nodes and shows what it prints.

A service is seen as soon as its server is known here, which may be before the server knows where
this client is: it then carries out the request, waits 0.1 s and throws the answer away
(ros2/rmw_fastrtps#467). Discovery keeps the order in which endpoints were made. So when the server
has answered a client that was made later, it knows the earlier one, too; and that later question,
for no parameters, may be asked again as often as it takes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
import json
import sys
import time
from typing import Any
import warnings

from geometry_msgs.msg import TwistStamped
import numpy as np
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
import rclpy
from rclpy.client import Client
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.exceptions import DescriptionWarning, SpaceRobotIdError
from spacerobot_id.excitation.trajectory.predicted_motion import condition_number, PredictedMotion
from spacerobot_id.model import load_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joints_from_message, twist_from_message
from spacerobot_id.regressor import minimal_parameters

_PATIENCE = 1.0
"""Time after which the question for no parameters is asked again, s."""

WINDOW = 5.0
"""Wall time over which the pace is judged, s."""

SLOWEST = 0.25
"""Slowest pace that is proposed, simulated seconds per second."""

_KEPT = 0.8
"""Share of the time asked for, and of the samples, below which a machine does not keep up."""

_PROGRESS_PERIOD = 1.0
"""Time between two reports of progress, s."""

_FIELDS = (
    'names',
    'units',
    'values',
    'std',
    'covariance',
    'valid',
    'defects',
    'samples',
    'rank',
    'chi_square',
    'not_identified',
    'rejected',
    'changes',
    'valid',
    'defects',
    'other_names',
    'other_values',
    'other_std',
)
"""Parts of the estimate that the result has."""


def call_service(
    node: Node,
    service_type: type,
    name: str,
    request: object,
    wait: Callable[[Callable[[], object]], object],
) -> Any:  # noqa: ANN401 - a response of the service's type
    """Call a service once and return its response.

    Parameters
    ----------
    node : rclpy.node.Node
        Node that calls.
    service_type : type
        Type of the service.
    name : str
        Name of the service, ``server/service``: the server's parameters are under the same name.
    request : object
        Request.
    wait : callable
        Handles messages until the condition that it is given holds; what it raises ends the call.
    """
    with known_client(node, service_type, name, wait) as client:
        future = client.call_async(request)
        wait(future.done)
        return future.result()


@contextmanager
def known_client(
    node: Node,
    service_type: type,
    name: str,
    wait: Callable[[Callable[[], object]], object],
) -> Iterator[Client]:
    """Give a client of a service, once its server knows it; parameters as of `call_service`."""
    client = node.create_client(service_type, name)
    try:
        wait(client.service_is_ready)
        _wait_until_known(node, name.rpartition('/')[0], wait)
        yield client
    finally:
        node.destroy_client(client)


def _wait_until_known(
    node: Node, server: str, wait: Callable[[Callable[[], object]], object]
) -> None:
    """Wait until a server knows the clients that a node has made so far."""
    client = node.create_client(GetParameters, f'{server}/get_parameters')
    try:
        wait(client.service_is_ready)
        while not _is_answered(client, wait):
            pass
    finally:
        node.destroy_client(client)


def _is_answered(client: Client, wait: Callable[[Callable[[], object]], object]) -> bool:
    """Ask for no parameters; return whether an answer came in time."""
    future = client.call_async(GetParameters.Request())
    end = time.monotonic() + _PATIENCE
    wait(lambda: future.done() or time.monotonic() > end)
    return future.done()


@dataclass(frozen=True)
class Progress:
    """How far a mission is, at some wall time.

    Parameters
    ----------
    wall : float
        Wall time, s.
    simulated : float
        Simulated time, s.
    stamp : float
        Stamp of the last sample that the estimator has used, s.
    samples : int
        Number of samples that it has used.
    """

    wall: float
    simulated: float
    stamp: float
    samples: int


@dataclass(frozen=True)
class Pace:
    """A pace that is asked for, and since when it is judged.

    Parameters
    ----------
    factor : float
        Simulated seconds per second that are asked for.
    rate : float
        Samples per simulated second, Hz.
    since : Progress, optional
        Where judging began.
    """

    factor: float
    rate: float
    since: Progress | None = None

    def judged(self, now: Progress) -> tuple['Pace', str]:
        """Return the pace from now on, and why it is slower than before; empty if it is not."""
        since = self.since
        if since is None or now.simulated < since.simulated:
            return replace(self, since=now), ''
        wall = now.wall - since.wall
        if wall < WINDOW:
            return self, ''
        kept = (now.simulated - since.simulated) / wall
        due = (now.stamp - since.stamp) * self.rate
        used = (now.samples - since.samples) / due if due >= self.rate else 1.0
        onwards = replace(self, since=now)
        if min(kept / self.factor, used) >= _KEPT or self.factor <= SLOWEST:
            return onwards, ''
        reason = (
            f'{100.0 * max(used, 0.0):.0f} % of the samples are used'
            if used < kept / self.factor
            else f'{kept:.2g} is what it keeps'
        )
        return replace(onwards, factor=max(0.5 * self.factor, SLOWEST)), reason


class MissionError(Exception):
    """A step of the mission that failed."""


class Mission(Node):
    """Client of planner and estimator, and listener to the simulator's truth."""

    def __init__(self) -> None:
        super().__init__('mission')
        robot = self.declare_parameter('robot', '').value
        self._timeout = self.declare_parameter('timeout', 300.0).value
        factor = self.declare_parameter('real_time_factor', 0.0).value
        self._model = load_robot(robot)
        self._pace = Pace(factor, self._model.noise.rate) if factor > 0.0 else None
        self._simulator: Client | None = None
        self._planner: dict[str, Any] = {}
        self._estimate: dict[str, Any] = {}
        self._true_joints: dict[int, np.ndarray] = {}
        self._true_twists: dict[int, np.ndarray] = {}
        self.create_subscription(String, 'planner/status', self._on_planner, qos.latched())
        self.create_subscription(
            String, 'estimator/minimal_parameters', self._on_estimate, qos.latched()
        )
        self.create_subscription(
            JointState, 'simulator/truth/joint_states', self._on_joints, qos.sensor_input(1000)
        )
        self.create_subscription(
            TwistStamped, 'simulator/truth/base_twist', self._on_twist, qos.sensor_input(1000)
        )
        self._deadline = time.monotonic() + self._timeout
        self._reported = -np.inf

    def run(self) -> None:
        """Plan, move, refine, and print the result."""
        self._wait('planner and estimator', lambda: self._planner)
        _print_event('connected')
        self._start()
        self._wait('the plan', lambda: self._in('running', 'done'))
        _print_event('planned', **self._planner)
        self._wait('the end of the motion', lambda: self._in('done'))
        _print_event('moved', **self._planner)
        self._call('estimator/refine')
        self._wait('the refined estimate', lambda: self._ask('updates_waiting') == [0])
        result = dict(zip(_FIELDS, self._ask(*_FIELDS), strict=True))
        saved = self._call('estimator/save')
        _print_event(
            'result',
            **result,
            saved=saved.message if saved.success else None,
            condition_number=self._true_condition_number(result['not_identified']),
            plan_seconds=self._planner['plan_seconds'],
            motion_seconds=self._planner['duration'],
            samples_due=round(self._planner['duration'] * self._model.noise.rate),
        )

    def _start(self) -> None:
        """Ask the planner to start, again while it has not received joints or base yet."""
        while True:
            answer = self._call('planner/start_excitation')
            if answer.success:
                return
            if not any(topic in answer.message for topic in ('joint_states', 'base_pose')):
                raise MissionError(f'planner: {answer.message}')
            self._spin()

    def _in(self, *states: str) -> bool:
        """Return whether the planner is in one of some states; raise if it gave up."""
        state = self._planner.get('state')
        if state in ('failed', 'stopped', 'stopping'):
            raise MissionError(f'planner: {self._planner["message"]}')
        return state in states

    def _ask(self, *names: str) -> list[Any]:
        """Return parts of the estimate."""
        request = GetParameters.Request(names=list(names))
        values = self._call('estimator/get_estimate', GetParameters, request).values
        return [_plain(value) for value in values]

    def _call(self, name: str, kind: type = Trigger, request: object = None) -> Any:  # noqa: ANN401
        """Call a service and return its response."""
        return call_service(self, kind, name, request or kind.Request(), partial(self._wait, name))

    def _wait(self, what: str, condition: Callable[[], object]) -> None:
        """Handle messages until a condition holds, and report progress meanwhile."""
        while not condition():
            self._spin()
            if time.monotonic() > self._deadline:
                raise MissionError(f'{what}: not within {self._timeout:g} s')

    def _spin(self) -> None:
        """Handle a message, and report progress when it is time."""
        rclpy.spin_once(self, timeout_sec=0.1)
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_PERIOD and self._planner:
            self._reported = now
            _print_event('progress', planner=self._planner, estimate=_summary(self._estimate))
            self._keep_pace(now)

    def _keep_pace(self, now: float) -> None:
        """Have simulated time go slower if this machine does not keep up with it."""
        if self._pace is None or not self._is_moving() or not self._estimate:
            return
        if self._planner['elapsed'] <= 0.0:
            return
        progress = Progress(
            now,
            self._planner['elapsed'],
            self._estimate['live']['stamp'],
            self._estimate['samples'],
        )
        before = self._pace.factor
        self._pace, reason = self._pace.judged(progress)
        if reason and self._set_factor(self._pace.factor):
            _print_event('slowed', before=before, factor=self._pace.factor, reason=reason)

    def _set_factor(self, factor: float) -> bool:
        """Ask the simulator for another pace, if it is there; wait for nothing."""
        if self._simulator is None:
            self._simulator = self.create_client(SetParameters, 'simulator/set_parameters')
        wanted = Parameter('real_time_factor', value=factor).to_parameter_msg()
        if self._simulator.wait_for_service(timeout_sec=1.0):
            self._simulator.call_async(SetParameters.Request(parameters=[wanted]))
            return True
        return False

    # What is received.

    def _on_planner(self, message: String) -> None:
        self._planner = json.loads(message.data)

    def _on_estimate(self, message: String) -> None:
        self._estimate = json.loads(message.data)

    def _on_joints(self, message: JointState) -> None:
        if self._is_moving():
            reading = joints_from_message(message, self._model.joint_names)
            joints = np.concatenate([reading.positions, reading.velocities])
            self._true_joints[round(reading.stamp * 1e6)] = joints

    def _on_twist(self, message: TwistStamped) -> None:
        if self._is_moving():
            reading = twist_from_message(message)
            self._true_twists[round(reading.stamp * 1e6)] = reading.twist

    def _is_moving(self) -> bool:
        return self._planner.get('state') == 'running'

    def _true_condition_number(self, hidden: list[str]) -> float | None:
        """Return that of the regressor along the true motion; None if it hides a parameter."""
        if hidden:
            return None
        stamps = sorted(self._true_joints.keys() & self._true_twists.keys())
        joints = np.array([self._true_joints[stamp] for stamp in stamps])
        q, qd = np.split(joints, 2, axis=1)
        twists = np.array([self._true_twists[stamp] for stamp in stamps])
        motion = PredictedMotion(q, qd, np.zeros((len(q), 0)), twists)
        return condition_number(self._model, minimal_parameters(self._model), motion)


def _summary(estimate: dict[str, Any]) -> dict[str, Any]:
    """Return the uncertainty of an estimate for what it identifies."""
    if not estimate:
        return {}
    found, shown = estimate['parameters'], estimate['identifiability']
    values = np.abs(np.array(found['values'], dtype=float))
    shares = np.array(found['std'], dtype=float) / np.maximum(values, np.finfo(float).tiny)
    seen = [name not in shown['not_identified'] for name in found['names']]
    shares = shares[seen] if any(seen) else shares
    return {
        'stamp': estimate['live']['stamp'],
        'samples': estimate['samples'],
        'rank': shown['rank'],
        'condition_number': shown['condition_number'],
        'median_relative_std': float(np.median(shares)),
        'worst_relative_std': float(np.max(shares)),
    }


def _plain(value: ParameterValue) -> Any:  # noqa: ANN401
    """Return the value of a typed answer; raise if it is not set."""
    found = parameter_value_to_python(value)
    if found is None:
        raise MissionError('the estimator does not know a part of its estimate')
    return found if isinstance(found, (bool, int, float, str)) else list(found)


def _print_event(event: str, **content: object) -> None:
    """Print one JSON object on a line of its own."""
    sys.stdout.write(json.dumps({'event': event, **content}) + '\n')
    sys.stdout.flush()


def main(args: list[str] | None = None) -> int:
    """Run the mission; return 0 if it came to its result, 1 if a step failed."""
    rclpy.init(args=args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DescriptionWarning)
            mission = Mission()
        mission.run()
    except (KeyboardInterrupt, ExternalShutdownException):
        return 1
    except (MissionError, SpaceRobotIdError) as error:
        _print_event('failed', reason=str(error))
        return 1
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
