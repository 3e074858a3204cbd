"""The table of what the papers have: every row is there in the code, and something checks it."""

from pathlib import Path
import re

import pytest

from spacerobot_id.lab.papers import STUDIES

ROOT = Path(__file__).parents[2]
PACKAGE = '\n'.join(
    path.read_text(encoding='utf-8') for path in (ROOT / 'spacerobot_id').rglob('*.py')
)
ROWS = [
    [cell.strip() for cell in line.strip('|').split(' | ')]
    for line in (ROOT / 'docs' / 'notation.md').read_text(encoding='utf-8').splitlines()
    if line.startswith('| ') and not line.startswith('| symbol')
]


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row[0])
def test_every_row_is_in_the_code_and_checked(row):
    """Names are those of the package; checks are tests that name one of them, or studies."""
    symbol, code, *_, checks = row
    names = re.findall(r'[A-Za-z_]{3,}', ' '.join(code.split('`')[1::2]))
    assert names, symbol
    for name in names:
        assert re.search(rf'\b{name}\b', PACKAGE), name
    for check in checks.strip(' |').split(', '):
        if check in STUDIES:
            continue
        text = (ROOT / 'test' / f'{check}.py').read_text(encoding='utf-8')
        assert any(name.lower() in text.lower() for name in names), (check, names)
