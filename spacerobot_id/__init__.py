"""On-board identification of the inertial parameters of a free-flying or free-floating robot."""

import ctypes
import os

__version__ = '1.0.0'

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""

_KEPT, _LARGE = 1 << 29, 1 << 25
"""Memory that is not given back, and size from which an array is kept apart, bytes."""


def limit_threads() -> None:
    """Have small matrices multiplied by one thread, unless the environment says otherwise.

    They gain nothing from more, and lose much where other work shares the processors. Nodes and
    commands alike begin with this, before numpy is imported.
    """
    for library in _LIBRARIES:
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')


def keep_memory() -> None:
    """Have the C library keep memory for the next array, unless the environment says otherwise.

    Given back after each, it is taken and cleared page by page again, which may take longer than
    what is computed. Commands, which end soon, begin with this; other C libraries have no such
    choice.
    """
    if not any(name.startswith('MALLOC_') for name in os.environ):
        choose = getattr(ctypes.CDLL(None), 'mallopt', None)
        if choose is not None:
            choose(_TRIM_THRESHOLD, _KEPT)
            choose(_MMAP_THRESHOLD, _LARGE)


def give_back_memory() -> None:
    """Have the C library give back what is free in it to the operating system.

    Left to itself it keeps what the largest computation so far took, in pieces: the memory of a
    process that runs for days seems to grow. Nodes do this once a minute; other C libraries have
    no such call.
    """
    trim = getattr(ctypes.CDLL(None), 'malloc_trim', None)
    if trim is not None:
        trim(0)
