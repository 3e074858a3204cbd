"""The node all nodes of this package are: lifecycle and parameters."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import Field
import sys
import time
import traceback
from typing import Any, ClassVar, get_args

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy._rclpy_pybind11 import RCLError
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import ParameterException
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter

from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.measurement.monitors.statistics import ClockMonitor, PERIOD
from spacerobot_id.nodes.common.guarded_node import GuardedNode
from spacerobot_id.nodes.entry import broken_off_by_signals
from spacerobot_id.settings import (
    choices_of,
    key_of,
    NodeSettings,
    own_parameters,
    settings_from_values,
)

_NOTICED = 1.0
"""Time of compiling from which on it is logged, s."""


def parameter_table(
    settings_type: type[NodeSettings],
) -> list[tuple[str, object, ParameterDescriptor]]:
    """Return names, defaults and descriptors of a settings class, for ``declare_parameters``."""
    return [
        (key_of(each), _ros_value(each.default), _descriptor(each))
        for each in own_parameters(settings_type).values()
    ]


def empty_arrays(
    settings_type: type[NodeSettings], parameters: Iterable[Parameter]
) -> dict[str, Parameter]:
    """Return the arrays without elements among parameters, with the type that none shows."""
    specs = own_parameters(settings_type)
    kinds = {str: Parameter.Type.STRING_ARRAY, float: Parameter.Type.DOUBLE_ARRAY}
    return {
        each.name: Parameter(each.name, kinds[get_args(specs[each.name].type)[0]], [])
        for each in parameters
        if isinstance(specs[each.name].default, tuple) and each.value in (None, 'null', [])
    }


def _descriptor(spec: Field) -> ParameterDescriptor:
    """Return the descriptor of one parameter."""
    descriptor = ParameterDescriptor(
        name=key_of(spec),
        description=spec.metadata['description'],
        additional_constraints=', '.join(choices_of(spec)),
        read_only=spec.metadata['read_only'],
        # An empty array has no type in rclpy: settings_from_values sees to arrays.
        dynamic_typing=isinstance(spec.default, tuple),
    )
    low, high = spec.metadata['minimum'], spec.metadata['maximum']
    if low is None and high is None:
        return descriptor
    if isinstance(spec.default, float):
        low, high = _bounds(low, high, -sys.float_info.max, sys.float_info.max)
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))
        ]
    else:
        low, high = _bounds(low, high, -(2**63), 2**63 - 1)
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
    return descriptor


def _bounds(
    low: float | None, high: float | None, lowest: float, highest: float
) -> tuple[float, float]:
    """Return a range with the open ends closed."""
    return lowest if low is None else low, highest if high is None else high


def _ros_value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


class ClockWatch:
    """Warns when ``use_sim_time`` is set and ``/clock`` is silent, and logs when it is back.

    Parameters
    ----------
    node : Node
        Node whose clock it is.

    Attributes
    ----------
    timer : Timer
        On a steady clock, of course.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._monitor = ClockMonitor()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.timer = node.create_timer(PERIOD, self._on_timer, clock=steady)

    @property
    def is_still(self) -> bool:
        """Whether time should go on and does not."""
        return self._monitor.is_still

    def _on_timer(self) -> None:
        """Compare the clock with what it was a while ago."""
        now = self._node.get_clock().now().nanoseconds
        simulated = self._node.get_parameter('use_sim_time').value
        if not self._monitor.look(now, is_simulated=simulated):
            return
        if self.is_still:
            topic = self._node.resolve_topic_name('/clock')
            self._node.get_logger().warning(
                f'use_sim_time is true and time stands still: nothing new on {topic} for '
                f'{PERIOD:g} s'
            )
        else:
            self._node.get_logger().info('time goes on')


class ManagedNode(GuardedNode):
    """A lifecycle node with settings, whose callbacks may fail without harm (F26).

    A node of this package sets ``settings_type`` and overrides ``configure``, ``activate``,
    ``deactivate``, ``close``, ``check_settings`` and ``apply_settings`` as it needs; none of
    them has to call the inherited one. Publishers, subscriptions, timers and services are made
    with the usual ``create_...`` in ``configure`` and destroyed on cleanup.

    Parameters
    ----------
    name : str
        Default name of the node.
    **keywords
        As ``rclpy.node.Node`` takes them.

    Attributes
    ----------
    settings : NodeSettings
        The parameters as they are now, an instance of ``settings_type``.
    clock_watch : ClockWatch
        Whether simulated time goes on.
    """

    settings_type: ClassVar[type[NodeSettings]] = NodeSettings

    def __init__(self, name: str, **keywords: Any) -> None:  # noqa: ANN401 - handed on
        super().__init__(name, **keywords)
        self._service_change_state.callback = self._refusing(self._service_change_state.callback)
        try:
            declared = self.declare_parameters('', parameter_table(self.settings_type))
        except ParameterException as error:
            raise ConfigurationError(str(error)) from error
        # rclpy guesses types by elements, and lets none be given with a value.
        self._parameters.update(empty_arrays(self.settings_type, declared))
        self.settings = self._proposed_settings([])
        self.check_settings(self.settings)
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self.add_post_set_parameters_callback(self._after_set_parameters)
        self.clock_watch = ClockWatch(self)

    # What a node fills in.

    def configure(self) -> None:
        """Load what is needed and make topics and services; any exception refuses."""

    def activate(self) -> None:
        """Start to work; any exception refuses."""

    def deactivate(self) -> None:
        """Stop working, keep everything."""

    def close(self) -> None:
        """Write what must not be lost and end threads: on cleanup and before the process ends."""

    def check_settings(self, settings: NodeSettings) -> None:
        """Raise ConfigurationError if these settings cannot be; change nothing."""

    def apply_settings(self) -> None:
        """Make use of ``settings``, some of which were set at run time."""

    @contextmanager
    def compiling(self, what: str) -> Iterator[None]:
        """Log that kernels are prepared, and how long they took to compile where they were new."""
        self.get_logger().info(f'preparing kernels of {what}; compiling them takes a while, once')
        begin = time.monotonic()
        with broken_off_by_signals():
            yield
        took = time.monotonic() - begin
        if took > _NOTICED:
            self.get_logger().info(f'kernels of {what} compiled within {took:.0f} s')

    # Lifecycle.

    def start(self) -> bool:
        """Configure and activate if ``autostart`` is set; return whether that went well."""
        if not self.settings.autostart:
            return True
        good = TransitionCallbackReturn.SUCCESS
        return self.trigger_configure() == good and self.trigger_activate() == good

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure; what was made is destroyed again if that fails."""
        self._log_configuration()
        with self._making():
            done = self._transition('configure', self.configure)
        if done is not TransitionCallbackReturn.SUCCESS:
            self._destroy_made()
        return done

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate."""
        done = self._transition('activate', self.activate)
        self.is_active = done is TransitionCallbackReturn.SUCCESS
        return done

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate."""
        self.is_active = False
        return self._transition('deactivate', self.deactivate)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close and destroy what ``configure`` made."""
        done = self._transition('clean up', self.close)
        self._destroy_made()
        return done

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close and destroy what ``configure`` made."""
        self.is_active = False
        return self.on_cleanup(state)

    def _refusing(self, change: Callable) -> Callable:
        """Return what refuses a transition that is not allowed now, of which rclpy would die."""

        def answer(
            request: ChangeState.Request, response: ChangeState.Response
        ) -> ChangeState.Response:
            try:
                return change(request, response)
            except RCLError:
                state = self._state_machine.current_state[1]
                asked = request.transition.label or request.transition.id
                self.get_logger().warning(f'transition {asked}: not allowed while {state}')
                response.success = False
                return response

        return answer

    def _transition(self, verb: str, action: Callable[[], None]) -> TransitionCallbackReturn:
        """Return how an action went: rclpy itself swallows exceptions silently."""
        try:
            action()
        except SpaceRobotIdError as error:
            self.get_logger().error(f'cannot {verb}: {error}')
            return TransitionCallbackReturn.FAILURE
        except Exception:
            if not self.context.ok():  # no fault of the action: ROS is going down under it
                return TransitionCallbackReturn.FAILURE
            self.get_logger().error(f'cannot {verb}: {traceback.format_exc()}')
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    # Parameters.

    def _proposed_settings(self, changes: list[Parameter]) -> NodeSettings:
        """Return the settings that these changes would make."""
        names = own_parameters(self.settings_type)
        values = {name: self.get_parameter(name).value for name in names}
        values |= {each.name: each.value for each in changes if each.name in names}
        return settings_from_values(self.settings_type, values)

    def _on_set_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        """Answer whether the changes can be made; change nothing."""
        try:
            self.check_settings(self._proposed_settings(changes))
        except ConfigurationError as error:
            self.get_logger().warning(f'parameters refused: {error}')
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _after_set_parameters(self, changes: list[Parameter]) -> None:
        """Apply changes that were made."""
        settings = self._proposed_settings([])
        if settings != self.settings:
            self.settings = settings
            self.guard(self.apply_settings)()

    def _log_configuration(self) -> None:
        """Log all parameters, and those that were given and mean nothing here (F39)."""
        known = self.get_parameters_by_prefix('')
        lines = [f'  {name}: {each.value}' for name, each in sorted(known.items())]
        self.get_logger().info('\n'.join(['effective configuration:', *lines]))
        for name in sorted(self._parameter_overrides.keys() - known.keys()):
            if not name.startswith('qos_overrides.'):
                self.get_logger().warning(f'parameter {name} was given and is unknown here')
