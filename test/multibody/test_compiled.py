"""Compiled kernels: the same numbers as plain Python, kept on disk, renewed with the sources."""

import json
import os
from pathlib import Path
import subprocess
import sys

from motions import random_states
import numpy as np
import pytest
from robots import servicer

from spacerobot_id.multibody import forward_dynamics
from spacerobot_id.multibody.kernels.compiled import _digest, _KERNELS, _package

FORWARD_DYNAMICS = """
from motions import random_states
from robots import servicer
from test_compiled import accelerations
print(accelerations(servicer(), random_states(servicer())).tolist())
"""
ATTITUDE = """
import numpy as np
from robots import servicer
from spacerobot_id.multibody import attitude_from_momentum
q = np.linspace(0.0, 0.1, 21)[:, None] * np.ones(7)
print(attitude_from_momentum(servicer(), q, 0.1 + q, 0.1, [1, 2, 3], [0, 0, 0, 1]).tolist())
"""
"""What compiles in a moment, unlike forward dynamics."""

COUNTED = """
from numba.core import event
import numpy as np
from robots import servicer
compiled = event.RecordingListener()
event.register('numba:compile', compiled)
model = servicer()
q = np.full((1, len(model.joints)), 0.1)
{}
names = [each.data['dispatcher'].py_func.__qualname__ for _, each in compiled.buffer]
print(__import__('json').dumps([len(names) // 2, names.count('take') // 2]))
"""
PLANNED = """
from spacerobot_id.multibody import free_floating_inverse_dynamics
free_floating_inverse_dynamics(model, q, q, q)
"""
SIMULATED = """
from spacerobot_id.simulation import DynamicSimulation
DynamicSimulation.at_rest(model, q[0]).advanced_to([0.01])
"""


def accelerations(model, states):
    """Return what the kernels of forward dynamics compute, shape (N, 6 + n + w)."""
    result = forward_dynamics(
        model,
        states.q,
        states.qd,
        states.base_twist,
        states.qdd,
        wheel_rates=states.wheel_rates,
        wheel_torque=states.wheel_rates,
    )
    return np.hstack([result.base_acceleration, result.qdd, result.wheel_acceleration])


def printed(script, **environment):
    """Return what another process computes with other settings."""
    paths = [*sys.path, str(Path(__file__).parent)]
    finished = subprocess.run(
        [sys.executable, '-c', script],
        env=os.environ | environment | {'PYTHONPATH': os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return np.array(json.loads(finished.stdout))


@pytest.fixture(scope='module')
def plain_attitude():
    """Return what plain Python computes."""
    return printed(ATTITUDE, NUMBA_DISABLE_JIT='1')


def test_without_compiling_the_numbers_are_the_same():
    """The kernels are plain Python that numba only makes fast."""
    plain = printed(FORWARD_DYNAMICS, NUMBA_DISABLE_JIT='1')
    np.testing.assert_allclose(accelerations(servicer(), random_states(servicer())), plain, 1e-12)


def test_what_is_compiled_is_kept_in_a_folder_of_choice(tmp_path, plain_attitude):
    """And computes the same as plain Python."""
    compiled = printed(ATTITUDE, NUMBA_CACHE_DIR=str(tmp_path))
    np.testing.assert_allclose(compiled, plain_attitude, rtol=1e-12)
    assert list(tmp_path.glob('numba-*/**/*.nbc'))


@pytest.mark.skipif(not Path('/proc').is_dir(), reason='needs a folder nobody can write')
@pytest.mark.slow
def test_where_nothing_can_be_written_it_works_all_the_same(plain_attitude):
    """An installation that is read-only, without a home, compiles in every process."""
    compiled = printed(ATTITUDE, NUMBA_CACHE_DIR='/proc/none')
    np.testing.assert_allclose(compiled, plain_attitude, rtol=1e-12)


@pytest.mark.parametrize(
    ('script', 'most'),
    [(PLANNED, 45), pytest.param(SIMULATED, 80, marks=pytest.mark.slow)],
    ids=['plans', 'simulator'],
)
def test_few_functions_are_compiled_and_those_of_columns_once(script, most, tmp_path):
    """A literal among the arguments makes another function: 203 for the simulator, once."""
    functions, takes = printed(COUNTED.format(script), NUMBA_CACHE_DIR=str(tmp_path))
    assert 0 < functions <= most
    assert takes == 1


def test_the_cache_is_named_by_the_sources(tmp_path):
    """A change in what kernels call makes another cache; one in other modules does not."""
    before = _digest(tmp_path)
    (tmp_path / 'other.py').write_text('pass')
    assert _digest(tmp_path) == before
    kernel = tmp_path / 'kernel.py'
    kernel.write_text('from spacerobot_id.multibody.kernels.compiled import compiled')
    changed = _digest(tmp_path)
    assert changed != before
    kernel.write_text('from spacerobot_id.multibody.kernels.compiled import compiled  # and more')
    assert _digest(tmp_path) not in {before, changed}


def test_the_cache_is_named_by_the_layouts_that_kernels_import(tmp_path):
    """Arrays by their places in a tuple: code for another order of them must not be found."""
    arrays, kernel = tmp_path / 'arrays.py', tmp_path / 'kernel.py'
    arrays.write_text('ORDER = ("a", "b")')
    kernel.write_text(
        'from spacerobot_id.multibody.kernels.compiled import compiled\n'
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


def test_a_package_is_one_cache_whatever_its_folders():
    """Kernels of one sub-folder call those of another: all name the cache."""
    module = _KERNELS.parents[1] / 'simulation' / 'dynamic' / 'stepping.py'
    assert module.is_file()
    assert _package(module).name == 'simulation'
    assert _package(_KERNELS / 'se3.py').name == 'multibody'
