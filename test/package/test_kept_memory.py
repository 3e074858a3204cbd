"""Commands keep memory for the next array, as the environment says; nodes share and return it."""

import ctypes
import os
import re
import subprocess
import sys

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
    with open('/proc/self/status') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))
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


_SMALL = """
import ctypes
import sys
import numpy as np
import spacerobot_id

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in 'abcdefghij']

library = ctypes.CDLL(None)
library.mallinfo2.restype = Info

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
    output = printed(_SMALL, how)
    assert (int(output) < 300_000) == (how == 'reserved')


_PIECES = """
import os
import sys
import spacerobot_id

os.dup2(1, 2)  # the counts are written to the second
if sys.argv[1] == 'reserved':
    spacerobot_id.reserve_memory()
sys._debugmallocstats()
for size in (40, 100, 300):
    objects = [bytes(size) for _ in range(3_000_000 // (size + 40))]
    objects.clear()
sys._debugmallocstats()
"""


@pytest.mark.skipif(sys.implementation.name != 'cpython', reason='a count of CPython')
@pytest.mark.parametrize('how', ['reserved', 'as it is'])
def test_small_objects_of_nodes_take_no_more_memory_than_at_first(how):
    """Of three sizes, 3 MB of each with what every object has of its own, come and go."""
    output = printed(_PIECES, how, PYTHONMALLOC='pymalloc')
    before, after = map(int, re.findall(r'arenas allocated total += +(\d+)', output))
    assert (after == before) == (how == 'reserved')
