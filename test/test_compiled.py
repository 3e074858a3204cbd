"""Compiled kernels: the same numbers as plain Python, kept on disk, renewed with the sources."""

import json
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from spacerobot_id.dynamics.compiled import _digest

SCRIPT = """
import numpy as np
from motions import random_states
from robots import servicer
from spacerobot_id.dynamics import forward_dynamics
states = random_states(servicer())
result = forward_dynamics(
    servicer(), states.q, states.qd, states.base_twist, states.qdd,
    wheel_rates=states.wheel_rates, wheel_torque=states.wheel_rates,
)
print(np.hstack([result.base_acceleration, result.qdd, result.wheel_acceleration]).tolist())
"""


def printed(**environment):
    """Return what another process computes with other settings."""
    paths = [str(Path(__file__).parent), *sys.path]
    finished = subprocess.run(
        [sys.executable, '-c', SCRIPT],
        env=os.environ | environment | {'PYTHONPATH': os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return np.array(json.loads(finished.stdout))


def test_without_compiling_the_numbers_are_the_same(tmp_path):
    """The kernels are plain Python that numba only makes fast, cached in a folder of choice."""
    plain = printed(NUMBA_DISABLE_JIT='1')
    compiled = printed(NUMBA_CACHE_DIR=str(tmp_path))
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)
    assert list(tmp_path.glob('numba-*/**/*.nbc'))


@pytest.mark.skipif(not Path('/proc').is_dir(), reason='needs a folder nobody can write')
def test_where_nothing_can_be_written_it_works_all_the_same():
    """An installation that is read-only, without a home, compiles in every process."""
    assert np.isfinite(printed(NUMBA_CACHE_DIR='/proc/none')).all()


def test_the_cache_is_named_by_the_sources(tmp_path):
    """A change in what kernels call makes another cache; one in other modules does not."""
    before = _digest(tmp_path)
    (tmp_path / 'other.py').write_text('pass')
    assert _digest(tmp_path) == before
    kernel = tmp_path / 'kernel.py'
    kernel.write_text('from spacerobot_id.dynamics.compiled import compiled')
    changed = _digest(tmp_path)
    assert changed != before
    kernel.write_text('from spacerobot_id.dynamics.compiled import compiled  # and more')
    assert _digest(tmp_path) not in {before, changed}


def test_the_cache_is_named_by_the_layouts_that_kernels_import(tmp_path):
    """Arrays by their places in a tuple: code for another order of them must not be found."""
    arrays, kernel = tmp_path / 'arrays.py', tmp_path / 'kernel.py'
    arrays.write_text('ORDER = ("a", "b")')
    kernel.write_text(
        'from spacerobot_id.dynamics.compiled import compiled\n'
        f'from spacerobot_id.{tmp_path.name}.arrays import ORDER\n'
    )
    before = _digest(tmp_path)
    arrays.write_text('ORDER = ("b", "a")')
    assert _digest(tmp_path) != before


def test_numba_is_imported_only_when_it_is_needed():
    """Programs that integrate no motion do not wait for it."""
    code = 'import sys, spacerobot_id.cli.identify; print("numba" in sys.modules)'
    finished = subprocess.run(
        [sys.executable, '-c', code],
        env=os.environ | {'PYTHONPATH': os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.strip() == 'False'
