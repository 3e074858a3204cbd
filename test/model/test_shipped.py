"""Files that come with the package are found wherever it is installed."""

from pathlib import Path
import sys

import pytest

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import shipped, shipped_file

ROBOT = 'config/robots/servicer.urdf'


@pytest.fixture(name='elsewhere')
def installed_without_its_files(tmp_path, monkeypatch):
    """Pretend that the package is in a folder with nothing beside it; return that folder."""
    module = tmp_path / 'lib/python3/site-packages/spacerobot_id/model/shipped.py'
    monkeypatch.setattr(shipped, '__file__', str(module))
    monkeypatch.setattr(sys, 'prefix', str(tmp_path / 'no_prefix'))
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    return tmp_path


def put(prefix):
    """Put a robot into the share folder of a prefix; return its path."""
    path = Path(prefix) / 'share/spacerobot_id' / ROBOT
    path.parent.mkdir(parents=True)
    path.write_text('<robot/>')
    return path


def test_in_a_checkout_or_wherever_the_tests_run():
    assert shipped_file(ROBOT).is_file()
    assert shipped_file(ROBOT).with_suffix('.yaml').is_file()


def test_under_the_prefix_that_the_module_is_in(elsewhere):
    """As pip and colcon install it: lib/ and share/ in one prefix."""
    path = put(elsewhere)
    assert shipped_file(ROBOT) == path


def test_under_the_prefix_of_the_interpreter(elsewhere, monkeypatch):
    """As an editable installation has it."""
    monkeypatch.setattr(sys, 'prefix', str(elsewhere / 'venv'))
    path = put(elsewhere / 'venv')
    assert shipped_file(ROBOT) == path


def test_in_a_prefix_of_the_ament_index(elsewhere, monkeypatch):
    """Any of several; empty ones are no folder."""
    monkeypatch.setenv('AMENT_PREFIX_PATH', f':{elsewhere / "first"}:{elsewhere / "second"}')
    path = put(elsewhere / 'second')
    assert shipped_file(ROBOT) == path


def test_what_is_not_there_is_named(elsewhere):
    with pytest.raises(ConfigurationError, match=f'{ROBOT}: is not among the files'):
        shipped_file(ROBOT)
