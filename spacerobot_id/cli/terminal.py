"""What only terminals are shown: colours, and what is being done at the moment."""

from collections.abc import Iterator
from contextlib import contextmanager
import os
import sys
from threading import Timer

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
