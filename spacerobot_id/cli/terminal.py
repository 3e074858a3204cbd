"""What a command takes and shows on a terminal: kinds of options, colours, what is being done.

argparse names the option of a bad one; the exit code is 2. Places for what is written are checked
before the work.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import sys
from threading import Timer

from spacerobot_id.whole_file import unwritable, unwritable_folder

COMPILING = 'compiling the simulation: less than a minute, once'


def compiling_notice(patience: float = 3.0) -> Timer:
    """Return a timer that prints the notice on standard error, unless it is cancelled before.

    Parameters
    ----------
    patience : float
        Time until the notice, s.
    """
    notice = Timer(patience, print, [COMPILING], {'file': sys.stderr, 'flush': True})
    notice.daemon = True
    return notice


_CODES = {'good': '32', 'warning': '33', 'bad': '31'}
"""Colours of statements by their tone (ECMA-48)."""

_CLEARED = '\r\x1b[2K'


def coloured(text: str, tone: str) -> str:
    """Return text in the colour of a tone where standard output is a terminal.

    Parameters
    ----------
    text : str
        Text.
    tone : str
        good, warning, bad, or any other for none.
    """
    is_plain = 'NO_COLOR' in os.environ or not sys.stdout.isatty()
    code = None if is_plain else _CODES.get(tone)
    return text if code is None else f'\x1b[1;{code}m{text}\x1b[0m'


@contextmanager
def doing(text: str) -> Iterator[None]:
    """Show what is being done while it is, where standard error is a terminal."""
    is_shown = sys.stderr.isatty()
    if is_shown:
        print(f'{text} ...', end='', file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if is_shown:
            print(_CLEARED, end='', file=sys.stderr, flush=True)


_TINY, _HUGE = sys.float_info.min, sys.float_info.max


def seed(text: str) -> int:
    """Return the seed of a random generator."""
    return _number(text, int, 0, None, 'a whole number from 0 on')


def holdout(text: str) -> float:
    """Return the share of a log that is held out."""
    return _number(text, float, 0.0, 0.9, 'between 0 and 0.9')


def above_zero(text: str) -> float:
    """Return a number above zero that is not infinite."""
    return _number(text, float, _TINY, _HUGE, 'a number above zero')


def output_file(text: str) -> Path:
    """Return the path of a file to write, in a folder that is there or can be made."""
    if fault := unwritable(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def output_folder(text: str) -> Path:
    """Return the path of a folder to write to, which is there or can be made."""
    if fault := unwritable_folder(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def _number(
    text: str, kind: type, least: float, most: float | None, description: str
) -> int | float:
    """Return a number within its bounds."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not value >= least or (most is not None and value > most):
        raise argparse.ArgumentTypeError(f'{text!r} is not {description}')
    return value
