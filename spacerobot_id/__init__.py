"""On-board identification of the inertial parameters of a free-flying or free-floating robot."""

import ctypes
from functools import cache
import gc
import os
import sys
from typing import Any

__version__ = '1.0.0'

_LIBRARIES = ('OPENBLAS', 'OMP', 'MKL')

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""

_KEPT, _LARGE = 1 << 29, 1 << 25
"""Memory that is not given back, and size from which an array is kept apart, bytes."""

_ARENAS = 1
"""Pieces of memory that threads take theirs from."""

_SPARE, _APART = 1 << 20, 1 << 16
"""The same of nodes, bytes: free memory beyond it and larger arrays are given back."""

_CACHED_BYTES, _CACHED_ARRAYS = 1023, 7
"""Size of the largest arrays that numpy keeps after use, bytes, and how many of each size."""

_MULTIPLIED = 320
"""Rows of matrices that are multiplied at the start: a buffer of 1.2 MB is written to."""

_PRODUCTS, _COMPUTING = 80, 2
"""How many products are computed in all, for some to be at the same time, by how many threads."""

_INTERNED = 1 << 16
"""Names that are entered in CPython's table: with fewer of them there, it is full once more."""


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
    """Take at once what a process that runs for days comes to take, and its memory stays level.

    numpy keeps the memory of small freed arrays for the next, by their size in bytes, as sizes
    occur, in places between other data: 3.6 MB once it keeps of all. The libraries of linear
    algebra that numpy and scipy bring take a buffer for each thread that multiplies matrices while
    another does, and write to as much of it as the largest product needs. CPython enters names and
    parts of paths in one table, in which those that go leave their place taken: once it is full,
    twice the memory is taken. Nodes do this once they are configured.
    """
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np  # not before the libraries are chosen for
    from scipy.linalg.blas import dgemm

    for size in range(1, _CACHED_BYTES + 1):
        arrays = [np.empty(size, np.uint8) for _ in range(_CACHED_ARRAYS)]
        arrays.clear()
    square = np.ones((_MULTIPLIED, _MULTIPLIED))
    dgemm(1.0, square, square)  # one at a time, those of numpy at the same time
    with ThreadPoolExecutor(_COMPUTING) as pool:
        for _ in range(_PRODUCTS):
            pool.submit(np.dot, square, square)
    if sys.version_info < (3, 12):  # they stay for good, or take memory one by one, from then on
        for number in range(_INTERNED):
            sys.intern(f'{number}')


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
