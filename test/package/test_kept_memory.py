"""Commands keep memory for the next array, as the environment says."""

import os
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
