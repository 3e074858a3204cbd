"""A lifecycle node whose callbacks may fail without harm, and that ends what it has made."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import functools
import inspect
import time
import traceback
from typing import Any
import warnings

from rclpy.client import Client
from rclpy.lifecycle import LifecycleNode
from rclpy.publisher import Publisher
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

_LOG_PERIOD = 1.0
"""Least time between two messages about the same failing callback, s."""


class GuardedNode(LifecycleNode):
    """A lifecycle node that survives exceptions of its callbacks (F26).

    What the usual ``create_...`` make within ``_making`` is destroyed by ``_destroy_made``, and
    its QoS may be overridden; subscriptions and timers made there are silent while the node is
    not active, services answer then, too.

    Parameters
    ----------
    name : str
        Default name of the node.
    **keywords
        As ``rclpy.node.Node`` takes them.

    Attributes
    ----------
    callback_errors : int
        Number of callbacks that failed so far.
    is_active : bool
        Whether the node is active.
    """

    callback_errors: int = 0
    is_active: bool = False
    _is_making: bool = False

    def __init__(self, name: str, **keywords: Any) -> None:  # noqa: ANN401 - handed on
        self._made: list[tuple[Callable[[Any], bool], Any]] = []
        self._last_logged: dict[str, float] = {}
        super().__init__(name, **keywords)

    def guard(self, callback: Callable, *, when_active: bool = False) -> Callable:
        """Return a callback that logs and counts exceptions instead of raising them.

        Parameters
        ----------
        callback : callable
            Any callback but an asynchronous one.
        when_active : bool
            Whether it does nothing while the node is not active.
        """

        @functools.wraps(callback)
        def guarded(*arguments: object) -> object:
            if when_active and not self.is_active:
                return None
            try:
                return callback(*arguments)
            except Exception as error:
                self._record_failure(callback, error)
                return None

        return guarded

    def _record_failure(self, callback: Callable, error: Exception) -> None:
        """Count and log an exception; do neither when it is only that ROS is going down."""
        if not self.context.ok():
            return
        self.callback_errors += 1
        name = getattr(callback, '__qualname__', repr(callback))
        now = time.monotonic()
        if now - self._last_logged.get(name, -_LOG_PERIOD) < _LOG_PERIOD:
            return
        self._last_logged[name] = now
        text = ''.join(traceback.format_exception(error))
        self.get_logger().error(
            f'{name} failed and was skipped ({self.callback_errors} such errors so far): {text}'
        )

    @contextmanager
    def _making(self) -> Iterator[None]:
        """Keep in mind what is made, as long as the context lasts."""
        self._is_making = True
        try:
            yield
        finally:
            self._is_making = False

    def _destroy_made(self) -> None:
        while self._made:
            destroy, entity = self._made.pop()
            destroy(entity)
            del entity
        entities = self.default_callback_group.entities  # rclpy leaves what is destroyed there
        entities.difference_update([each for each in entities if each() is None])

    def _keep(self, destroy: Callable[[Any], bool], entity: Any) -> Any:  # noqa: ANN401
        if self._is_making:
            self._made.append((destroy, entity))
        return entity

    def _with_overrides(self, keywords: dict[str, Any]) -> dict[str, Any]:
        if self._is_making:
            options = QoSOverridingOptions.with_default_policies()
            keywords.setdefault('qos_overriding_options', options)
        return keywords

    def create_publisher(self, *arguments: Any, **keywords: Any) -> Publisher:  # noqa: ANN401
        """Create a publisher; see the class for what is added to rclpy's."""
        made = super().create_publisher(*arguments, **self._with_overrides(keywords))
        return self._keep(self.destroy_publisher, made)

    def create_subscription(
        self,
        msg_type: type,
        topic: str,
        callback: Callable,
        *arguments: Any,  # noqa: ANN401
        **keywords: Any,  # noqa: ANN401
    ) -> Subscription:
        """Create a subscription; see the class for what is added to rclpy's."""
        guarded = self.guard(callback, when_active=self._is_making)
        made = super().create_subscription(
            msg_type, topic, guarded, *arguments, **self._with_overrides(keywords)
        )
        return self._keep(self.destroy_subscription, made)

    def create_timer(
        self,
        timer_period_sec: float,
        callback: Callable,
        *arguments: Any,  # noqa: ANN401
        **keywords: Any,  # noqa: ANN401
    ) -> Timer:
        """Create a timer; see the class for what is added to rclpy's."""
        guarded = self.guard(callback, when_active=self._is_making)
        made = super().create_timer(timer_period_sec, guarded, *arguments, **keywords)
        return self._keep(self.destroy_timer, made)

    def create_service(
        self,
        srv_type: type,
        srv_name: str,
        callback: Callable,
        **keywords: Any,  # noqa: ANN401
    ) -> Service:
        """Create a service; after an exception it answers with no success, and the reason.

        The callback may be a coroutine.
        """

        @functools.wraps(callback)
        async def answering_later(request: object, response: object) -> object:
            try:
                return await callback(request, response)
            except Exception as error:
                self._record_failure(callback, error)
                return _failed(response, error)

        @functools.wraps(callback)
        def answering(request: object, response: object) -> object:
            try:
                return callback(request, response)
            except Exception as error:
                self._record_failure(callback, error)
                return _failed(response, error)

        is_later = inspect.iscoroutinefunction(callback)
        answer = answering_later if is_later else answering
        made = super().create_service(srv_type, srv_name, answer, **keywords)
        if is_later:
            self._send_once_awaited(made)
        return self._keep(self.destroy_service, made)

    def _send_once_awaited(self, service: Service) -> None:
        """Let a service send what a coroutine returns, also by executors that do not await it.

        The events executor hands a service's coroutine on in place of the response.
        """
        send = service.send_response

        def send_response(response: object, header: object) -> None:
            if not inspect.iscoroutine(response):
                send(response, header)
                return
            task = self.executor.create_task(response)
            task.add_done_callback(lambda done: send(done.result(), header))

        service.send_response = send_response

    def create_client(self, *arguments: Any, **keywords: Any) -> Client:  # noqa: ANN401
        """Create a client of a service; see the class for what is added to rclpy's."""
        return self._keep(self.destroy_client, super().create_client(*arguments, **keywords))

    @contextmanager
    def warnings_logged(self) -> Iterator[None]:
        """Send Python's warnings to the node's log, as long as the context lasts."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            yield
        for warning in caught:
            self.get_logger().warning(str(warning.message))


def _failed(response: object, error: Exception) -> object:
    """Return the response of a service that failed."""
    if hasattr(response, 'success'):
        response.success = False
    if hasattr(response, 'message'):
        response.message = f'{type(error).__name__}: {error}'
    return response
