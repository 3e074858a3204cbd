"""What the docs name is in the code: modules, classes and functions a reader will look for."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = '\n'.join(path.read_text() for path in (ROOT / 'spacerobot_id').rglob('*.py'))
WORDS = set(re.findall(r'\w+', SOURCE))
_CODE = re.compile(r'`([A-Za-z_.][\w./]*?)(?:\([^`]*\))?`')


@pytest.mark.parametrize('page', ['notation.md', 'conventions.md'])
def test_names_in_the_docs_are_names_in_the_code(page):
    """Every word of a dotted name is a word of the source, and every path a file."""
    named = set(_CODE.findall((ROOT / 'docs' / page).read_text()))
    assert len(named) >= 5
    paths = {each for each in named if each.endswith('.py')}
    missing = {each for each in paths if not (ROOT / 'spacerobot_id' / each).is_file()}
    for name in named - paths:
        missing |= set(re.findall(r'\w+', name)) - WORDS
    assert not missing


def test_the_help_of_every_command_stands_once():
    """No command of the package is missing in the table of commands, or in the README."""
    from spacerobot_id.cli.main import COMMANDS

    commands = {
        path.stem.replace('_', '-')
        for folder in ('cli', 'lab/cli')
        for path in (ROOT / 'spacerobot_id' / folder).glob('[a-z]*.py')
        if 'def add_options(' in path.read_text() and path.stem != 'main'
    }
    assert set(COMMANDS) == commands
    readme = (ROOT / 'README.md').read_text()
    assert not [each for each in COMMANDS if f'spacerobot-id {each}' not in readme]
