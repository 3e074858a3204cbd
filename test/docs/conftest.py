"""The built site, once for all tests that look at it."""

from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(name='site', scope='session')
def built_site(tmp_path_factory):
    """Return the folder of the site, built as ``make docs`` builds it; warnings are errors."""
    pytest.importorskip('myst_parser', reason='not installed: pip install "spacerobot_id[docs]"')
    folder = tmp_path_factory.mktemp('site')
    options = ['-q', '-W', '--keep-going', '-b', 'html', '-d', str(folder / 'doctrees')]
    built = subprocess.run(
        [sys.executable, '-m', 'sphinx', *options, str(ROOT / 'docs'), str(folder / 'html')],
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / 'html'
