"""Notice that the simulation is being compiled, which takes long the first time."""

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
