"""The command ``spacerobot-id`` and what all of its commands have in common.

Exit codes are 0 if it went well, 1 if the work failed, 2 for wrong usage, 130 if interrupted. With
``--json`` there is one JSON object on standard output and nothing else; warnings and errors go to
standard error.
"""

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
import importlib
import os
import re
import signal
import sys
from typing import Any, NoReturn
import warnings

from spacerobot_id import __version__, keep_memory, limit_threads, need_pydantic
from spacerobot_id.exceptions import (
    DeprecatedNameWarning,
    DescriptionWarning,
    SpaceRobotIdError,
)

COMMANDS = {
    'model': 'print what can be identified of a robot, and its minimal parameters',
    'plan': 'plan an exciting motion within every limit',
    'simulate': 'simulate an exciting motion without ROS and write a rosbag2 folder',
    'identify': 'identify a robot from a recorded motion',
    'report': 'identify and write a page with pictures, and the URDF',
    'inject-faults': 'replay a log with every fault, and show what becomes of the estimate',
    'topics': 'list what a log or a running bed publishes, and propose an adapter',
    'campaign': 'run many identifications of robots that are drawn, with verdicts',
    'demo': 'identify a simulated robot live over ROS 2',
    'bench': 'measure what the work for a robot costs on this computer',
    'reproduce': 'compute a published result again and compare it with the paper',
    'explain': 'explain an error or a warning, and what to do',
    'parameters': 'print the parameters of the nodes, or the table of methods',
}
"""Commands and what they do; their modules are imported when they are called."""

_LAB = ('inject-faults', 'campaign', 'reproduce')
"""Those of the laboratory, which is not on board."""

_OLD_NAMES = {'torture': 'inject-faults'}

_NEGATIVE = re.compile(r'-(\d|\.\d|inf|nan)')
"""How numbers and lists of numbers below zero begin; no option does."""

_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class _Parser(argparse.ArgumentParser):
    """A parser that takes -2e-5 and -1,0,0 for values; the usual one takes them for options."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:  # noqa: ANN401 - handed on
        super().__init__(*arguments, **keywords)
        self._negative_number_matcher = _NEGATIVE

    def error(self, message: str) -> NoReturn:
        """End with a message and, where a choice was nearly one of those there are, that."""
        wrong = _CHOICE.search(message)
        near = wrong and get_close_matches(wrong[1], re.findall(r'[\w.-]+', wrong[2]), 1)
        super().error(f'{message}; did you mean {near[0]}?' if near else message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    limit_threads()
    keep_memory()
    need_pydantic()
    arguments = sys.argv[1:] if arguments is None else arguments
    with warnings.catch_warnings():
        for category in (DescriptionWarning, DeprecatedNameWarning):
            warnings.simplefilter('always', category)
        warnings.showwarning = _show_warning
        options = _parser(arguments).parse_args(arguments)
        try:
            code = options.run(options)
            sys.stdout.flush()
            return code
        except BrokenPipeError:  # who read it has enough; nothing may be flushed at the exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (SpaceRobotIdError, OSError) as error:
            _show_error(error)
            return 1
        except KeyboardInterrupt:
            print('spacerobot-id: interrupted', file=sys.stderr)
            return 128 + signal.SIGINT


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser, with the options of the command that is called: imports take time."""
    parser = _Parser(
        prog='spacerobot-id',
        description='Identify the inertial parameters of free-flying space robots.',
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    commands = parser.add_subparsers(metavar='COMMAND', required=True)
    for name, what in COMMANDS.items():
        aliases = [old for old, new in _OLD_NAMES.items() if new == name]
        command = commands.add_parser(name, help=what, aliases=aliases)
        if arguments and arguments[0] in (name, *aliases):
            add_options(name, command)
    return parser


def add_options(name: str, parser: argparse.ArgumentParser) -> None:
    """Add what a command takes.

    Parameters
    ----------
    name : str
        One of ``COMMANDS``.
    parser : ArgumentParser
        Parser of the command; it is told what to run.
    """
    room = 'lab.cli' if name in _LAB else 'cli'
    module = f'spacerobot_id.{room}.{name.replace("-", "_")}'
    try:
        importlib.import_module(module).add_options(parser)
    except ModuleNotFoundError as error:
        if error.name not in (module, 'spacerobot_id.lab', 'spacerobot_id.lab.cli'):
            raise
        parser.exit(2, f'spacerobot-id: {name} needs the laboratory, which is not installed\n')


def _show_error(error: Exception) -> None:
    """Print an error as one line, and for people where it is explained."""
    print(f'spacerobot-id: {error}', file=sys.stderr)
    if sys.stderr.isatty():
        from spacerobot_id.cli.explain import entry_of

        print(f'Why, and what to do: spacerobot-id explain {entry_of(error)}', file=sys.stderr)


def _show_warning(message: Warning | str, *_details: object) -> None:
    """Print a warning as one line."""
    print(f'warning: {message}', file=sys.stderr)
