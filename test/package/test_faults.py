"""The page of the faults: every fault is on it, and the tests that it names exist."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parents[2]
FAULT = re.compile(r'\bF([1-9][0-9]?)\b')
ROW = re.compile(r'^\| F([0-9]+) \| (.+) \| (.+) \| (.+) \|$', re.MULTILINE)
PAGE = (ROOT / 'docs/faults.md').read_text(encoding='utf-8')
ROWS = {int(number): rest for number, *rest in ROW.findall(PAGE)}
FILES = [
    path
    for folder in ('spacerobot_id', 'test', 'launch', 'config', 'docs')
    for path in sorted((ROOT / folder).rglob('*'))
    if path.suffix in ('.py', '.md', '.yaml', '.xml')
]


def numbers_in(path):
    """Return the faults that a file refers to, in words or in names of tests."""
    text = path.read_text(encoding='utf-8').replace('_', ' ')
    return {int(number) for number in FAULT.findall(text)}


def test_the_page_has_all_faults_in_order():
    """F1 to F40, each with what happens and what is done."""
    assert list(ROWS) == list(range(1, 41))
    assert all(all(cell.strip() for cell in row) for row in ROWS.values())


def test_every_fault_that_code_and_tests_refer_to_is_on_the_page():
    referred = {number: path for path in FILES for number in numbers_in(path)}
    assert {number for number in referred if number not in ROWS} == set()
    assert len(referred) == 40


@pytest.mark.parametrize('number', ROWS)
def test_the_tests_that_the_page_names_exist(number):
    """And have the number of the fault in their names."""
    named = re.findall(r'`([^`]+)::(\w+)`', ROWS[number][2])
    assert named
    for file, test in named:
        text = (ROOT / 'test' / file).read_text(encoding='utf-8')
        assert re.search(rf'^\s*def {test}\(', text, re.MULTILINE), f'{file}::{test}'
        assert f'F{number}_' in test, test
