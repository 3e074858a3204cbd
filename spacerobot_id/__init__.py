"""On-board identification of the inertial parameters of a free-flying or free-floating robot."""

import ctypes
from functools import cache
import gc
import os
from typing import Any

__version__ = '1.0.0'

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""

_KEPT, _LARGE = 1 << 29, 1 << 25
"""Memory that is not given back, and size from which an array is kept apart, bytes."""

_ARENAS = 1
"""Pieces of memory that threads take theirs from."""

_SPARE, _APART = 1 << 20, 1 << 14
"""The same of nodes, bytes: free memory beyond it and larger arrays are given back."""

_CACHED_BYTES, _CACHED_ARRAYS = 1023, 7
"""Size of the largest arrays that numpy keeps after use, bytes, and how many of each size."""

_RESERVED, _SMALL = 1 << 22, 400
"""Memory for small objects that is taken at the start, and size of one of them, bytes."""

_pins: list[bytes] = []
"""Objects in each piece of that memory, without which it would be given back."""


def limit_threads() -> None:
    """Have small matrices multiplied by one thread, unless the environment is set otherwise.

    They gain nothing from more, and lose much where other work shares the processors. Nodes and
    commands alike begin with this, before numpy is imported.
    """
    for library in _LIBRARIES:
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')


def keep_memory() -> None:
    """Have the C library keep memory for the next array, unless the environment is set otherwise.

    Given back after each, it is taken and cleared page by page again, which may take longer than
    what is computed. Commands, which end soon, begin with this; other C libraries have no such
    choice.
    """
    _choose((_TRIM_THRESHOLD, _KEPT), (_MMAP_THRESHOLD, _LARGE))


def share_memory() -> None:
    """Have threads share what the C library has free, unless the environment is set otherwise.

    Left to itself it keeps a piece of memory for each of many threads that come one after the
    other, as those that plan do, and each of these pieces grows to what the largest computation
    takes. From the first large array on it also puts large ones between small ones, where they
    leave memory that cannot be given back. Nodes begin with this; other C libraries have no such
    choice.
    """
    _choose((_ARENA_MAX, _ARENAS), (_TRIM_THRESHOLD, _SPARE), (_MMAP_THRESHOLD, _APART))


def reserve_memory() -> None:
    """Take what a node comes to need now: its memory seems to grow for hours otherwise.

    numpy keeps the memory of small freed arrays for the next, by their size in bytes, as sizes
    occur, in places between other data: 3.6 MB once it keeps of all. Python takes memory for small
    objects in pieces of 1 MB, and gives back only those that are free as a whole: it comes to have
    what it needed most at a time. Nodes do this once they are configured.
    """
    import numpy as np  # not before the libraries are chosen for

    for size in range(1, _CACHED_BYTES + 1):
        arrays = [np.empty(size, np.uint8) for _ in range(_CACHED_ARRAYS)]
        arrays.clear()
    _pins[:] = [bytes(_SMALL) for _ in range(_RESERVED // _SMALL)][:: (1 << 19) // _SMALL]


def give_back_memory() -> None:
    """Have what is free in Python and in the C library given back to the operating system.

    Left to themselves they keep what the largest computation so far took, in pieces, and objects
    that refer to each other until a quarter of all do: the memory of a process that runs for days
    seems to grow. Nodes do this once a minute; other C libraries have no such call.
    """
    gc.collect()  # empties the lists of free tuples and numbers, too
    trim = _of_c_library('malloc_trim')
    if trim is not None:
        trim(0)


def _choose(*choices: tuple[int, int]) -> None:
    """Choose parameters of the C library's memory, unless the environment has chosen."""
    if not any(name.startswith('MALLOC_') for name in os.environ):
        choose = _of_c_library('mallopt')
        if choose is not None:
            for choice in choices:
                choose(*choice)


@cache
def _of_c_library(name: str) -> Any | None:  # noqa: ANN401 - a function of any arguments
    """Return a function of the C library, None if it has none of that name."""
    return getattr(ctypes.CDLL(None), name, None)
