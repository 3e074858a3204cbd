"""The node all nodes of this package are: lifecycle and parameters."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import time
import traceback
from typing import Any, ClassVar

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import ParameterException
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.nodes.common.clock_watch import ClockWatch
from spacerobot_id.nodes.common.guarded_node import GuardedNode
from spacerobot_id.nodes.common.parameters import empty_arrays, parameter_table
from spacerobot_id.nodes.entry import broken_off_by_signals
from spacerobot_id.settings import NodeSettings, own_parameters, settings_from_values

_NOTICED = 1.0
"""Time of compiling from which on it is logged, s."""


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
