"""The page of the references: every key that is cited is on it, every source has a user."""

from pathlib import Path
import re

ROOT = Path(__file__).parents[2]
KEY = re.compile(r'\[([A-Z][a-z]+ (?:19|20)[0-9]{2})\]')
PAGE = (ROOT / 'docs/references.md').read_text(encoding='utf-8')
FILES = [
    path
    for folder in ('spacerobot_id', 'test', 'benchmarks', 'launch', 'config', 'docs')
    for path in sorted((ROOT / folder).rglob('*'))
    if path.suffix in ('.py', '.md', '.yaml', '.urdf') and path.name != 'references.md'
]


def test_every_key_that_is_cited_is_on_the_page():
    """As a paragraph that begins with it; and no other is."""
    cited = {key for path in FILES for key in KEY.findall(path.read_text(encoding='utf-8'))}
    assert cited == set(re.findall(r'^\*\*\[(.+?)\]\*\*', PAGE, re.MULTILINE))


def test_every_other_source_is_named_where_the_page_says():
    """By the last name of its first author."""
    rows = re.findall(r'^\| (?:[A-Z]\. )+([A-Z]\w+).* \| `(\w+\.py)` \|$', PAGE, re.MULTILINE)
    assert len(rows) == PAGE.count('.py` |')
    for name, file in rows:
        (path,) = (ROOT / 'spacerobot_id').rglob(file)
        assert name in path.read_text(encoding='utf-8'), f'{file}: {name}'


def test_every_doi_is_a_link_to_itself():
    for text, link in re.findall(r'\[(10\.[^\]]+)\]\(([^)]+)\)', PAGE):
        assert link == f'https://doi.org/{text}'
