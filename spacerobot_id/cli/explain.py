"""``spacerobot-id explain``: what an error or a warning means, and what to do."""

import argparse
from dataclasses import asdict
import json
import re
import textwrap

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import shipped_file
from spacerobot_id.troubleshooting import read_troubles, Trouble, troubles_of

_LINK = re.compile(r'\[([^]]+)\]\((?:\.\./)*([^)]+)\)')
_WIDTH = 95
_MOST = 3


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.description = (
        'Explain why an error, a warning or a diagnostic of the nodes or of these commands comes, '
        'and what to do. The exit code is 1 if the message is none of them.'
    )
    parser.add_argument('message', nargs='+', help='as the log or terminal has it, or an id')
    parser.add_argument('--json', action='store_true', help='print a list of JSON objects')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the likeliest causes."""
    message = ' '.join(options.message)
    found = troubles_of(message, _troubles())[:_MOST]
    if not found:
        raise ConfigurationError(f'nothing is known of this message: {message}')
    if options.json:
        print(json.dumps([{'id': each.id} | asdict(each) for each in found]))
    else:
        print('\n\n'.join(map(_text, found)))
    return 0


def entry_of(error: Exception) -> str:
    """Return the identifier of the entry that explains an error best."""
    name, troubles = type(error).__name__, _troubles()
    found = troubles_of(str(error), troubles) or troubles_of(name, troubles)
    return found[0].id if found else name


def _troubles() -> tuple[Trouble, ...]:
    """Return all entries."""
    return read_troubles(shipped_file('docs/reference/trouble.md'))


def _text(trouble: Trouble) -> str:
    """Return a trouble for people."""
    cause, cure = (_LINK.sub(r'\1 (docs, \2)', text) for text in (trouble.cause, trouble.cure))
    parts = (trouble.title, cause, f'What to do: {cure}')
    return '\n\n'.join(textwrap.fill(each, _WIDTH) for each in parts)
