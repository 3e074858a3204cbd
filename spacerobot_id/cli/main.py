"""The command ``spacerobot-id`` and what all of its commands have in common.

Exit codes are 0 if it went well, 1 if the work failed, 2 for wrong usage. With ``--json`` there is
one JSON object on standard output and nothing else; warnings and errors go to standard error.
"""

import argparse
from collections.abc import Sequence
import importlib
import os
import re
import sys
import warnings

from spacerobot_id import __version__
from spacerobot_id.exceptions import DescriptionWarning, SpaceRobotIdError

_COMMANDS = ('model', 'plan', 'simulate', 'identify', 'report', 'demo', 'bench', 'reproduce')
"""Modules of this package that are commands."""

_NEGATIVE_LIST = re.compile(r'-[\d.][^,]*,')
"""How a list of numbers begins whose first is below zero."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    arguments = _with_lists_tied(sys.argv[1:] if arguments is None else arguments)
    options = _parser(arguments).parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter('always', DescriptionWarning)
        warnings.showwarning = _show_warning
        try:
            code = options.run(options)
            sys.stdout.flush()
            return code
        except BrokenPipeError:  # who read it has enough; nothing may be flushed at the exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (SpaceRobotIdError, OSError) as error:
            print(f'spacerobot-id: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print('spacerobot-id: interrupted', file=sys.stderr)
            return 1


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the command that is called, or of all: imports take time."""
    parser = argparse.ArgumentParser(
        prog='spacerobot-id',
        description='Identify the inertial parameters of free-flying space robots.',
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    commands = parser.add_subparsers(metavar='COMMAND', required=True)
    called = [name for name in _COMMANDS if name in arguments[:1]]
    for name in called or _COMMANDS:
        importlib.import_module(f'spacerobot_id.cli.{name}').add_parser(commands)
    return parser


def _with_lists_tied(arguments: Sequence[str]) -> list[str]:
    """Return arguments with lists like -1,0,0 tied to their option: argparse sees one in them."""
    tied: list[str] = []
    for argument in arguments:
        if tied and tied[-1].startswith('--') and _NEGATIVE_LIST.match(argument):
            tied[-1] += f'={argument}'
        else:
            tied.append(argument)
    return tied


def _show_warning(message: Warning | str, *_details: object) -> None:
    """Print a warning as one line."""
    print(f'warning: {message}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
