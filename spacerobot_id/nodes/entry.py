"""Where the nodes' processes begin: signals are heeded before anything slow is imported (F27)."""

from collections.abc import Iterator
from contextlib import contextmanager
import importlib
import signal
from types import FrameType

from spacerobot_id import limit_threads, need_pydantic

NODES = ('simulator', 'planner', 'estimator', 'mission', 'topics')
"""Modules of this package that are nodes."""

_noted: list[int] = []
_broken_off = 0
"""How many contexts whose work a signal ends are open."""


def note_signals() -> list[int]:
    """Return a list that SIGINT and SIGTERM are noted in, instead of breaking off what runs.

    From ``rclpy.init`` on, rclpy's own handler also ends the context, which ends the spinning.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _note)
    return _noted


def _note(number: int, _frame: FrameType | None) -> None:
    """Note a signal; break off what may be."""
    _noted.append(number)
    if _broken_off:
        raise KeyboardInterrupt


@contextmanager
def broken_off_by_signals() -> Iterator[None]:
    """Have signals, one already noted too, break off what runs here: to compile takes minutes."""
    global _broken_off
    _broken_off += 1
    try:
        if _noted:
            raise KeyboardInterrupt
        yield
    finally:
        _broken_off -= 1


def ignore_signals() -> None:
    """Ignore further signals: the process ends, and one more must not change its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def run(name: str, args: list[str] | None = None) -> int:
    """Import a node and run it until SIGINT or SIGTERM; return the exit code.

    Parameters
    ----------
    name : str
        One of ``NODES``.
    args : list of str, optional
        Command line, the program's name first; that of the process if None.
    """
    noted = note_signals()
    limit_threads()
    need_pydantic()
    module = importlib.import_module(f'spacerobot_id.nodes.{name}.node')
    return 0 if noted else module.main(args)


def simulator() -> int:
    """Run the simulator."""
    return run('simulator')


def planner() -> int:
    """Run the planner."""
    return run('planner')


def estimator() -> int:
    """Run the estimator."""
    return run('estimator')
