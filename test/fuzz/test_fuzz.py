"""Two thousand hostile cases: a clear error or a result, within bounds; ``make fuzz`` runs 1e5."""

import json
from pathlib import Path
import subprocess
import sys

import fuzzing

RUNNER = Path(fuzzing.__file__).with_name('runner.py')
CASES = 2000


def test_hostile_input_ends_in_a_clear_error():
    """No traceback, no hang, no more than 1 GB, nothing written outside of the folder."""
    command = [sys.executable, str(RUNNER), '--cases', str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=570.0)
    assert done.stdout, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert not report['failures'], report['failures']
    assert report['cases'] == CASES
    assert report['peak_megabytes'] < 1024
    for name, counts in report['targets'].items():
        assert min(counts['taken'], counts['refused']) > 0, f'{name}: nothing is tried'
        assert counts['slowest'] < 10.0, name
