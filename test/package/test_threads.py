"""Commands and nodes limit the threads of linear algebra before numpy is there."""

import os
import subprocess
import sys

import pytest

VARIABLES = tuple(f'{library}_NUM_THREADS' for library in ('OPENBLAS', 'OMP', 'MKL'))
BEGINS = {
    'command': "from spacerobot_id.cli.main import main\nmain(['identify', '--help'])",
    'node': 'from spacerobot_id.nodes import entry\n'
    "entry.importlib.import_module = lambda _: type('N', (), {'main': lambda *_: 0})\n"
    "entry.run('estimator')",
}


@pytest.mark.parametrize('begin', BEGINS)
@pytest.mark.parametrize('given', [{}, {'OMP_NUM_THREADS': '2'}])
def test_one_thread_unless_the_environment_says_otherwise(begin, given):
    code = (
        'import sys, os\n'
        "assert 'numpy' not in sys.modules\n"
        f'try:\n    exec({BEGINS[begin]!r})\nexcept SystemExit:\n    pass\n'
        f'print(*(os.environ.get(each) for each in {VARIABLES!r}))'
    )
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    ran = subprocess.run(
        [sys.executable, '-c', code],
        env=environment | given,
        capture_output=True,
        text=True,
        check=True,
        timeout=120.0,
    )
    assert ran.stdout.splitlines()[-1] == ' '.join(given.get(each, '1') for each in VARIABLES)
