"""The programs in examples/ run, and print what they promise."""

from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]
SAYS = {
    'load_a_robot': 'momentum that is left: ',
    'what_can_be_seen': 'all 59 minimal parameters can be identified',
    'from_arrays': ': usable; 59 of 59 parameters identified>',
    'plan_fly_identify': 'usable: True',
    'values_for_a_controller': 'inertia about it, kg m^2:',
    'compare_with_mujoco': 'of the largest element',
}


def test_every_example_is_here():
    assert {path.stem for path in (ROOT / 'examples').glob('*.py')} == set(SAYS)


@pytest.mark.parametrize('name', SAYS)
def test_example_runs(name, tmp_path):
    """From any folder, without a warning on standard error."""
    ran = subprocess.run(
        [sys.executable, ROOT / 'examples' / f'{name}.py'],
        capture_output=True,
        text=True,
        timeout=120.0,
        cwd=tmp_path,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert SAYS[name] in ran.stdout
    assert not ran.stderr


def test_two_ways_to_the_mass_matrix_agree():
    """The largest difference to MuJoCo that the example prints is one of rounding."""
    ran = subprocess.run(
        [sys.executable, ROOT / 'examples/compare_with_mujoco.py'],
        capture_output=True,
        text=True,
        timeout=120.0,
        check=True,
    )
    assert float(ran.stdout.split('largest difference: ')[1].split()[0]) < 1e-5
