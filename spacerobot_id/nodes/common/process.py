"""A node as a process of its own: signals, executor, exit code."""

import gc
import traceback

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.task import Future

from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.entry import ignore_signals, note_signals

try:  # takes a message in a quarter of the time that building a wait set for each does
    from rclpy.experimental import EventsExecutor as _Executor
except ImportError:  # before Jazzy
    _Executor = SingleThreadedExecutor

_LONG = 3600.0
"""Time that an executor spins at a time, s: without end, one of events never sleeps."""


def run_node(node_type: type[ManagedNode], args: list[str] | None = None) -> int:
    """Run a node as the only one of this process until SIGINT or SIGTERM; return the exit code.

    Parameters
    ----------
    node_type : type of ManagedNode
        Class of the node; it is built without arguments.
    args : list of str, optional
        Command line, ROS arguments among it; that of the process if None.

    Returns
    -------
    int
        0 after a signal (F27), 1 if the node could not start, 2 for arguments ROS refuses.
    """
    logger = get_logger(node_type.__name__)
    signals = note_signals()
    try:
        rclpy.init(args=args)
    except Exception as error:  # of several unrelated types, some of them private to rclpy
        logger.fatal(f'wrong arguments: {error}')
        return 2
    try:
        return _spin(node_type, signals)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except Exception as error:
        if not rclpy.ok():
            return 0  # calls into ROS fail in several ways when it goes down under them
        text = str(error) if isinstance(error, SpaceRobotIdError) else traceback.format_exc()
        logger.fatal(f'fatal: {text}')
        return 1
    finally:
        rclpy.try_shutdown()
        ignore_signals()


def _spin(node_type: type[ManagedNode], signals: list[int]) -> int:
    """Build, start and run a node; return the exit code."""
    node = node_type()
    executor = _Executor()
    try:
        if not node.start():
            return 0 if signals else 1
        gc.collect()
        gc.freeze()  # what is there now stays: looking through all of it stops everything else
        executor.add_node(node)
        never = Future()
        while rclpy.ok() and not signals:
            executor.spin_until_future_complete(never, _LONG)
        return 0
    finally:
        _close(node)
        executor.shutdown()
        node.destroy_node()


def _close(node: ManagedNode) -> None:
    """Let the node write what must not be lost; ROS may be down already."""
    try:
        node.close()
    except Exception:
        get_logger(type(node).__name__).error(f'cannot close: {traceback.format_exc()}')
