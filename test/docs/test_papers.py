"""The blocks of the page of the papers run as they stand and print what is under them."""

from contextlib import redirect_stdout
import io
from pathlib import Path
import re
import runpy
import warnings

import pytest

from spacerobot_id.exceptions import DescriptionWarning

PAGE = (Path(__file__).parents[2] / 'docs' / 'papers.md').read_text(encoding='utf-8')
BLOCKS = re.findall(r'```python\n(.*?)```\n\n```text\n(.*?)```', PAGE, re.S)


@pytest.mark.slow
@pytest.mark.parametrize(('code', 'printed'), BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_prints_what_is_under_it(code, printed, tmp_path, monkeypatch):
    """From an empty folder; robots of papers may not exist, which is known."""
    monkeypatch.chdir(tmp_path)
    script, found = tmp_path / 'block.py', io.StringIO()
    script.write_text(code, encoding='utf-8')
    with redirect_stdout(found), warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        runpy.run_path(str(script))
    assert found.getvalue() == printed


def test_there_is_one_for_each_paper():
    assert len(BLOCKS) == PAGE.count('\n## ') == 5
