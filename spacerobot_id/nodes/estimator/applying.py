"""The service ``~/apply``: an estimate that has been valid for a while goes to other software."""

from collections.abc import Callable, Mapping
from pathlib import Path
import time
from typing import Any, Protocol

from rcl_interfaces.srv import SetParametersAtomically
from rclpy.callback_groups import CallbackGroup, ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.write_back.output import body_values, Kind, NAMES, Output
from spacerobot_id.estimation.write_back.output_yaml import load_output, value_file
from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.measurement.adapters.proposal import Value
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.live_result import LiveResult
from spacerobot_id.nodes.messages import message_class
from spacerobot_id.whole_file import write_whole

_PATIENCE = 5.0
"""Time after which a service that has not answered is given up, s."""


class Writer(Protocol):
    """Writes a result; returns a message, and raises ConfigurationError where it is refused."""

    async def write(self, result: Result, stamp: float) -> str:
        """Write a usable result, whose last sample has this stamp, s."""


def output_writer(node: ManagedNode, output: Output, file: str, group: CallbackGroup) -> Writer:
    """Return what writes an output.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes and calls.
    output : Output
        What is to be written where.
    file : str
        Path of its file, if it writes one.
    group : CallbackGroup
        Group of what waits for answers.

    Raises
    ------
    ConfigurationError
        If its type is not installed, or there is no path for its file.
    DescriptionError
        If its type has no such fields.
    """
    if output.kind is Kind.FILE:
        return FileWriter(output, file)
    if output.kind is Kind.TOPIC:
        return TopicWriter(node, output)
    if output.kind is Kind.SERVICE:
        return ServiceWriter(node, output, group)
    return ParameterWriter(node, output, group)


class TopicWriter:
    """Publishes a message, latched."""

    def __init__(self, node: ManagedNode, output: Output) -> None:
        self._output, self._type = output, message_class(output.type, output.source)
        output.fill(self._type(), _sample(output))
        self._publisher = node.create_publisher(self._type, output.name, qos.latched())

    async def write(self, result: Result, stamp: float) -> str:
        """Publish the values."""
        message = self._type()
        self._output.fill(message, body_values(result, self._output, stamp))
        self._publisher.publish(message)
        count = self._publisher.get_subscription_count()
        return f'published on {self._publisher.topic_name}, subscribers: {count}'


class ServiceWriter:
    """Calls a service, and returns its answer."""

    def __init__(self, node: ManagedNode, output: Output, group: CallbackGroup) -> None:
        self._node, self._output, self._group = node, output, group
        self._type = message_class(output.type, output.source)
        output.fill(self._type.Request(), _sample(output))
        self._client = node.create_client(self._type, output.name, callback_group=group)

    async def write(self, result: Result, stamp: float) -> str:
        """Call the service with the values."""
        request = self._type.Request()
        self._output.fill(request, body_values(result, self._output, stamp))
        response = await _answer(self._node, self._client, request, self._group)
        name = _name(self._node, self._client)
        answer = str(getattr(response, 'message', '') or getattr(response, 'error', ''))
        if not getattr(response, 'success', True):
            raise ConfigurationError(f'{name} refuses: {answer or "no reason given"}')
        return f'{name} answers: {answer or "success"}'


class ParameterWriter:
    """Sets parameters of another node, all or none."""

    def __init__(self, node: ManagedNode, output: Output, group: CallbackGroup) -> None:
        self._node, self._output, self._group = node, output, group
        self._client = node.create_client(
            SetParametersAtomically,
            f'{output.name}/set_parameters_atomically',
            callback_group=group,
        )

    async def write(self, result: Result, stamp: float) -> str:
        """Set the parameters to the values."""
        values = self._output.filled(body_values(result, self._output, stamp))
        request = SetParametersAtomically.Request(
            parameters=[
                Parameter(name, value=value).to_parameter_msg() for name, value in values.items()
            ]
        )
        answer = (await _answer(self._node, self._client, request, self._group)).result
        if not answer.successful:
            raise ConfigurationError(f'{self._output.name} refuses: {answer.reason}')
        return f'{self._output.name}: set {", ".join(values)}'


class FileWriter:
    """Writes a YAML file, whole or not at all."""

    def __init__(self, output: Output, file: str) -> None:
        if not file:
            raise ConfigurationError(
                f'apply_file: {output.source} writes a file, whose path is needed'
            )
        self._output, self._path = output, Path(file)

    async def write(self, result: Result, stamp: float) -> str:
        """Write the values."""
        text = value_file(result, self._output, stamp)
        try:
            write_whole(self._path, text, folders=True)
        except OSError as error:
            raise ConfigurationError(f'{self._path}: not written: {error}') from error
        return str(self._path)


def _sample(output: Output) -> Mapping[str, Value]:
    """Return a value of the kind that each name has: fields are tried with them at the start."""
    arrays = {'com': [0.0] * 3, 'inertia': [0.0] * 9, 'inertia_about_origin': [0.0] * 9}
    return dict.fromkeys(NAMES, 0.0) | arrays | {'frame': output.subject.link}


def _name(node: ManagedNode, client: Client) -> str:
    """Return the name of a service with its namespace."""
    return str(node.resolve_service_name(client.srv_name))


async def _answer(
    node: ManagedNode,
    client: Client,
    request: object,
    group: CallbackGroup,
) -> Any:  # noqa: ANN401 - a response of the service's type
    """Return the response of a service, which has some time for it."""
    if not client.service_is_ready():
        raise ConfigurationError(f'{_name(node, client)}: no such service is there now')
    future = client.call_async(request)
    timer = node.create_timer(
        _PATIENCE,
        lambda: None if future.done() else future.set_result(None),
        callback_group=group,
        clock=Clock(clock_type=ClockType.STEADY_TIME),
    )
    try:
        response = await future
    finally:
        node.destroy_timer(timer)
    if response is None:
        client.remove_pending_request(future)
        raise ConfigurationError(f'{_name(node, client)}: no answer within {_PATIENCE:g} s')
    return response


class SteadyValidity:
    """Since when an estimate has been valid, of the same robot and since the same reset.

    Parameters
    ----------
    needed : float
        How long it has to have been, s.
    clock : callable
        Returns a time that goes on, s.
    """

    def __init__(self, needed: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._needed, self._clock = needed, clock
        self._since: float | None = None
        self._of: tuple[int, int] | None = None

    def refusal(self, report: LiveResult) -> str:
        """Return why an estimate may not be applied yet; empty if it may."""
        of = report.resets, report.result.changes
        if not report.is_valid or of != self._of:
            self._since = None
        self._of = of
        if not report.is_valid:
            return f'the estimate is not valid: {"; ".join(report.result.reasons)}'
        if self._since is None:
            self._since = self._clock()
        valid = self._clock() - self._since
        if valid < self._needed:
            return (
                f'the estimate has been valid for {valid:.1f} s, apply_after is {self._needed:g} s'
            )
        return ''


class Applying:
    """Answers ``~/apply``.

    Parameters
    ----------
    node : ManagedNode
        Node with the estimator's settings.
    model : RobotModel
        Prior model.
    report : callable
        Returns the estimate as it is now.

    Raises
    ------
    SpaceRobotIdError
        If what is to be written cannot be: a wrong file, a type that is not installed.
    """

    def __init__(
        self, node: ManagedNode, model: RobotModel, report: Callable[[], LiveResult]
    ) -> None:
        settings = node.settings
        self._logger, self._report = node.get_logger(), report
        self._validity = SteadyValidity(settings.apply_after)
        self._writer, self._is_writing = None, False
        group = ReentrantCallbackGroup()  # its callback waits for answers to others of the group
        if settings.apply:
            output = load_output(settings.apply)
            output.check(model)
            self._writer = output_writer(node, output, settings.apply_file, group)
        node.create_service(Trigger, '~/apply', self._on_apply, callback_group=group)

    def watch(self, report: LiveResult) -> None:
        """Take note of whether an estimate is valid."""
        self._validity.refusal(report)

    async def _on_apply(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Write the estimate; return the answer of the other side."""
        report = self._report()
        refusal = self._validity.refusal(report)
        if self._writer is None:
            refusal = 'apply is not set'
        elif self._is_writing:
            refusal = 'the last estimate is being written'
        if refusal:
            response.success, response.message = False, refusal
            return response
        self._is_writing = True
        try:
            answer = await self._writer.write(report.result, report.stamp)
            response.success, response.message = True, answer + _unseen(report)
            self._logger.info(f'applied: {response.message}')
        except SpaceRobotIdError as error:
            response.success, response.message = False, str(error)
            self._logger.warning(f'not applied: {error}')
        finally:
            self._is_writing = False
        return response


def _unseen(report: LiveResult) -> str:
    """Return how many parameters are the description's still."""
    estimate = report.result.estimate
    unseen = len(estimate.not_identified())
    if not unseen:
        return ''
    return f'; {unseen} of {len(estimate.names)} parameters are not identified'
