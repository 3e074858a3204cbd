"""A service called so that its answer cannot get lost on the way back.

A service is seen as soon as its server is known here, which may be before the server knows where
this client is: it then carries out the request, waits 0.1 s and throws the answer away
(ros2/rmw_fastrtps#467). Discovery keeps the order in which endpoints were made. So when the server
has answered a client that was made later, it knows the earlier one, too; and that later question,
for no parameters, may be asked again as often as it takes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import time
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.client import Client
from rclpy.node import Node

_PATIENCE = 1.0
"""Time after which the question for no parameters is asked again, s."""


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
