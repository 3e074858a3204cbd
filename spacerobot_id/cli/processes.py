"""Nodes as processes of a command: started, watched, ended."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any

from spacerobot_id.exceptions import SpaceRobotIdError

_GRACE = 5.0
"""Time that a process has to end after SIGINT, s."""


class NodeFailedError(SpaceRobotIdError):
    """A node that ended on its own."""


class NodeProcesses:
    """Some nodes, each a process with a log file.

    Parameters
    ----------
    folder : Path
        Folder of the log files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: dict[str, subprocess.Popen] = {}

    def start(
        self, module: str, parameters: Mapping[str, object], file: str | None = None
    ) -> None:
        """Start a node, with a file of parameters before its own; it logs to its own file."""
        with (self._folder / f'{module}.log').open('w') as log:
            command = _command(module, parameters, file)
            self._processes[module] = _started(command, stdout=log, stderr=subprocess.STDOUT)

    def lines(self, module: str, parameters: Mapping[str, object]) -> Iterator[str]:
        """Start a node and yield the lines that it prints until it ends."""
        with (self._folder / f'{module}.log').open('w') as log:
            command = _command(module, parameters)
            process = _started(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self._processes[module] = process
        with process.stdout:
            for line in process.stdout:
                self.check(but=module)
                yield line
        process.wait()

    def end(self, module: str) -> None:
        """End a node that is not needed any more."""
        _end([self._processes.pop(module)])

    def check(self, but: str) -> None:
        """Raise NodeFailedError if a node has ended, one that may end left out."""
        for module, process in self._processes.items():
            if module != but and process.poll() is not None:
                raise NodeFailedError(
                    f'{module} ended with code {process.returncode}; see '
                    f'{self._folder / f"{module}.log"}'
                )

    def stop(self) -> None:
        """End all nodes with SIGINT, by force if they do not obey."""
        _end([each for each in self._processes.values() if each.poll() is None])


def _started(command: Sequence[str], **streams: Any) -> subprocess.Popen:  # noqa: ANN401
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment(), **streams)


def _end(processes: Sequence[subprocess.Popen]) -> None:
    """End processes with SIGINT, by force if they do not obey."""
    for process in processes:
        process.send_signal(signal.SIGINT)
    for process in processes:
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def node_processes(folder: Path) -> Iterator[NodeProcesses]:
    """Give a group of nodes that are ended when the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    group = NodeProcesses(folder)
    try:
        yield group
    finally:
        group.stop()


def environment() -> dict[str, str]:
    """Return the environment of nodes of a demonstration: this machine only, a domain of its own.

    What the user has set stays.
    """
    chosen = {
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'ROS_DOMAIN_ID': str(1 + os.getpid() % 100),
    }
    return chosen | dict(os.environ)


def _command(
    module: str, parameters: Mapping[str, object], file: str | None = None
) -> Sequence[str]:
    """Return the command line of a node."""
    command = [sys.executable, '-m', 'spacerobot_id.nodes', module, '--ros-args']
    command += [] if file is None else ['--params-file', file]
    for name, value in parameters.items():
        command += ['-p', f'{name}:={json.dumps(value)}']
    return command
