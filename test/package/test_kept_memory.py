"""Commands keep memory for the next array, as the environment says; nodes share and return it."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest


def printed(code, *arguments, **variables):
    """Return the output of a script in a process whose environment chooses nothing else."""
    environment = {key: value for key, value in os.environ.items() if 'MALLOC_' not in key}
    return subprocess.run(
        [sys.executable, '-c', code, *arguments],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=120.0,
    ).stdout


_FAULTS = """
import resource
from spacerobot_id.cli.main import main
try:
    main(['identify', '--help'])
except SystemExit:
    pass
import numpy as np

def faults(rounds):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        arrays = [np.full(300_000, 1.0) for _ in range(5)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(5)
print(faults(20))
"""


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='a choice of the GNU C library')
@pytest.mark.parametrize(
    ('given', 'is_kept'),
    [({}, True), ({'MALLOC_TRIM_THRESHOLD_': '0', 'MALLOC_MMAP_THRESHOLD_': '65536'}, False)],
)
def test_commands_keep_memory_unless_the_environment_says_otherwise(given, is_kept):
    """Arrays of 12 MB in all, 3000 pages, are made twenty times."""
    output = printed(_FAULTS, **given)
    assert (int(output.splitlines()[-1]) < 1000) == is_kept


_RESIDENT = """
def resident():
    with open('/proc/self/smaps_rollup') as sums:
        return next(int(line.split()[1]) for line in sums if line.startswith('Rss'))
"""

_FREED = """
from spacerobot_id import give_back_memory, keep_memory

keep_memory()
import numpy as np
every = [np.full(8000, 1.0) for _ in range(2000)]
last = np.full(8000, 1.0)
before = resident()
every.clear()
freed = resident()
give_back_memory()
print(before - freed, before - resident())
"""


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='a choice of the GNU C library')
def test_free_memory_is_given_back():
    """Of 128 MB that arrays took; one that is kept lies on top of them."""
    output = printed(_RESIDENT + _FREED)
    by_itself, asked = map(int, output.split())
    assert by_itself < 10_000
    assert asked > 110_000


_CYCLES = """
import gc
import weakref
from spacerobot_id import give_back_memory

class Pair:
    pass

gc.disable()
first, second = Pair(), Pair()
first.other, second.other = second, first
gone = weakref.ref(first)
del first, second
before = gone() is not None
give_back_memory()
print(before, gone() is None)
"""


def test_objects_that_refer_to_each_other_are_given_back():
    """They stay until somebody looks for them."""
    assert printed(_CYCLES).split() == ['True', 'True']


_ARENAS = """
import ctypes
import re
import sys
import tempfile
import threading
import spacerobot_id

if sys.argv[1] == 'shared':
    spacerobot_id.share_memory()
there, over = threading.Barrier(6), threading.Barrier(6)

def work():
    there.wait()
    kept = [bytes(50_000) for _ in range(100)]
    over.wait()

threads = [threading.Thread(target=work) for _ in range(6)]
for each in threads:
    each.start()
for each in threads:
    each.join()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
library.malloc_info.argtypes = ctypes.c_int, ctypes.c_void_p
library.fclose.argtypes = (ctypes.c_void_p,)
with tempfile.NamedTemporaryFile('r') as file:
    stream = library.fopen(file.name.encode(), b'w')
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(len(re.findall('<heap nr', file.read())))
"""


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='a choice of the GNU C library')
@pytest.mark.parametrize('how', ['shared', 'apart'])
def test_threads_share_memory(how):
    """Six at once take theirs from one piece, from more if the C library is left to itself."""
    output = printed(_ARENAS, how)
    assert (int(output) == 1) == (how == 'shared')


_LARGE = """
import sys
import spacerobot_id

if sys.argv[1] == 'shared':
    spacerobot_id.share_memory()
import numpy as np
first = np.full(2_000_000, 1.0)
del first
before, kept, large = resident(), [], []
for _ in range(40):
    large.append(np.full(125_000, 1.0))
    kept.append(np.full(500, 1.0))
large.clear()
print(resident() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='a choice of the GNU C library')
@pytest.mark.parametrize('how', ['shared', 'apart'])
def test_large_arrays_of_nodes_are_given_back(how):
    """Forty of 1 MB between small ones that stay, after one of 16 MB has come and gone."""
    output = printed(_RESIDENT + _LARGE, how)
    assert (int(output) < 4_000) == (how == 'shared')


_COUNTED = """
import ctypes

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in 'abcdefghij']

library = ctypes.CDLL(None)
library.mallinfo2.restype = Info
"""

_SMALL = """
import sys
import numpy as np
import spacerobot_id

if sys.argv[1] == 'reserved':
    spacerobot_id.reserve_memory()
before = library.mallinfo2().h
for size in range(1, 1024):
    every = [np.full(size, 1, np.uint8) for _ in range(20)]
    every.clear()
print(library.mallinfo2().h - before)
"""


@pytest.mark.skipif(
    getattr(ctypes.CDLL(None), 'mallinfo2', None) is None, reason='a count of the GNU C library'
)
@pytest.mark.parametrize('how', ['reserved', 'as it is'])
def test_small_arrays_of_nodes_take_no_more_memory_than_at_first(how):
    """Twenty of each size come and go: left to itself numpy keeps seven, of 3.6 MB in all.

    The C library keeps seven of each of 64 sizes, 0.2 MB.
    """
    output = printed(_COUNTED + _SMALL, how)
    assert (int(output) < 300_000) == (how == 'reserved')


_NAMES = """
import sys
import spacerobot_id

spacerobot_id.share_memory()
kept = [sys.intern(f'kept {number}') for number in range(30_000)]
if sys.argv[1] == 'reserved':
    spacerobot_id.reserve_memory()
before = library.mallinfo2().e
for number in range(200_000):
    sys.intern(f'gone {number}')
print(library.mallinfo2().e - before)
"""


@pytest.mark.skipif(
    sys.implementation.name != 'cpython' or sys.version_info >= (3, 12),
    reason='a table of CPython before 3.12',
)
@pytest.mark.skipif(
    getattr(ctypes.CDLL(None), 'mallinfo2', None) is None, reason='a count of the GNU C library'
)
@pytest.mark.parametrize('how', ['reserved', 'as it is'])
def test_names_in_nodes_take_no_more_memory_than_at_first(how):
    """Beside 30 000 that stay, 200 000 come and go: the table of 0.9 MB becomes one of 1.9 MB."""
    output = printed(_COUNTED + _NAMES, how)
    assert (int(output) < 100_000) == (how == 'reserved')


_PRODUCTS = """
import sys
from threading import Barrier, Thread
import spacerobot_id

spacerobot_id.limit_threads()  # as nodes do
import numpy as np
from scipy.linalg.blas import dgemm

square, count = np.ones((300, 300)), int(sys.argv[3])
products = [np.ones((300, 300), order='F') for _ in range(count)]
barrier = Barrier(count + 1)

def multiply(product):
    barrier.wait()  # threads are there
    barrier.wait()
    for _ in range(20):
        if sys.argv[2] == 'numpy':
            np.dot(square, square, out=product.T)
        else:
            dgemm(1.0, square.T, square.T, c=product, overwrite_c=True)
    barrier.wait()

if sys.argv[1] == 'reserved':
    spacerobot_id.reserve_memory()
for product in products:
    Thread(target=multiply, args=[product]).start()
barrier.wait()
before = resident()
barrier.wait()
barrier.wait()
print(resident() - before)
"""


def _brings_openblas():
    """Return whether numpy does, whose wheels do as those of scipy; older ones do not say."""
    try:
        return 'openblas' in np.show_config('dicts')['Build Dependencies']['blas']['name']
    except (TypeError, KeyError):
        return False


@pytest.mark.skipif(
    not (sys.platform.startswith('linux') and _brings_openblas()), reason='buffers of OpenBLAS'
)
@pytest.mark.parametrize(
    ('library', 'threads', 'buffers'), [('numpy', 1, 1), ('numpy', 2, 2), ('scipy', 2, 1)]
)
@pytest.mark.parametrize('how', ['reserved', 'as it is'])
def test_products_in_nodes_take_no_more_memory_than_at_first(how, library, threads, buffers):
    """A product of 300 rows and columns, whose result is there, takes a buffer.

    It is of 0.5 to 1.4 MB, as the processor's kernels take it. Those of scipy are computed one at
    a time.
    """
    output = printed(_RESIDENT + _PRODUCTS, how, library, str(threads))
    assert int(output) < 100 if how == 'reserved' else int(output) > 450 * buffers
