"""docs/requirements.md: every requirement has tests that exist, every test a requirement."""

from pathlib import Path
import re

import pytest
from test_interface_docs import documented, granted, NODES

from spacerobot_id.cli.main import COMMANDS
from spacerobot_id.methods.registry import method_names

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs/requirements.md').read_text()
ROWS = re.findall(r'^\| (R\d+) \| (.*) \| (.*) \|$', PAGE, re.MULTILINE)
TESTS = {str(path.relative_to(ROOT)) for path in (ROOT / 'test').rglob('test_*.py')}
TRACED = [name for *_, tests in ROWS for name in re.findall('`([^`]*)`', tests)]
WORDS = {word for _, requirement, _ in ROWS for word in re.findall('`([^`]*)`', requirement)}


def test_requirements_are_numbered():
    assert [key for key, *_ in ROWS] == [f'R{number + 1}' for number in range(len(ROWS))]
    assert len(ROWS) == len(re.findall(r'^\| R', PAGE, re.MULTILINE))


@pytest.mark.parametrize(('key', 'requirement', 'tests'), ROWS)
def test_requirement_has_tests(key, requirement, tests):
    """Each in backquotes, and there."""
    names = re.findall('`([^`]*)`', tests)
    assert ', '.join(f'`{name}`' for name in names) == tests
    for name in names:
        assert any(each.startswith(name) if name.endswith('/') else each == name for each in TESTS)


def test_every_test_is_of_a_requirement():
    untraced = {
        each
        for each in TESTS
        if not any(each == name or (name[-1] == '/' and each.startswith(name)) for name in TRACED)
    }
    assert not untraced


def test_every_command_and_method_has_a_requirement():
    assert set(COMMANDS) <= WORDS
    assert set(method_names()) <= WORDS


@pytest.mark.parametrize('node', NODES)
def test_every_topic_and_service_has_a_requirement(node):
    assert granted(node, 'topics', 'publish') <= WORDS
    assert granted(node, 'services', 'reply') <= WORDS
    assert documented(node, 'in') <= WORDS
