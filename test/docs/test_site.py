"""The site of the docs: builds without a warning, every link leads somewhere, search answers."""

from html import unescape
from html.parser import HTMLParser
import json
from pathlib import Path
import re
import subprocess
from urllib.parse import unquote, urlsplit

from browser import CHROMIUM, FLAGS, needs_browser
import pytest

pytestmark = pytest.mark.xdist_group('site')

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / 'docs').rglob('*.md'))
ANSWERS = 'howto/questions'
QUESTIONS = {
    'chi-square 3.7': (ANSWERS, 'what-is-chi-square-3-7'),
    'why is L1.Ixx-Iyy not identified': (ANSWERS, 'why-is-l1-ixx-iyy-not-identified'),
    'my gyro is NED': (ANSWERS, 'my-gyro-is-ned'),
    'no base_twist': ('reference/trouble', 'no-base-twist'),
    'mocap at 25 Hz': (ANSWERS, 'mocap-at-25-hz'),
    'how long must I move': (ANSWERS, 'how-long-must-i-move'),
    'can I trust the mass': (ANSWERS, 'can-i-trust-the-mass'),
    'how do I give it to my controller': (ANSWERS, 'how-do-i-give-it-to-my-controller'),
    'nothing happens after start': (ANSWERS, 'nothing-happens-after-start'),
    'it says frozen': (ANSWERS, 'it-says-frozen'),
}
"""What new users type, and the page and section that answer it."""

SEARCH = """<!doctype html><html data-content_root="./"><head>
<script src="_static/documentation_options.js"></script>
<script src="_static/doctools.js"></script>
<script src="_static/sphinx_highlight.js"></script>
<script src="_static/searchtools.js"></script>
<script src="_static/language_data.js"></script>
<script src="searchindex.js"></script>
</head><body><script>
const found = {questions}.map((question) => {{
  const results = Search._performSearch(...Search._parseQuery(question));
  return results.reverse().map(([page, title, anchor]) => [page, title, anchor]);
}});
const shown = document.createElement('pre');
shown.id = 'found';
shown.textContent = JSON.stringify(found);
document.body.appendChild(shown);
</script></body></html>"""
"""Asks Sphinx's own search, as the site's search page does, all questions at once."""


class Links(HTMLParser):
    """Links of a page, and what links may lead to in it."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = set(), {''}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ('id', 'name') if given.get(key)}
        for key in ('href', 'src'):
            if given.get(key):
                self.targets.add(given[key])


def searched(site):
    """Return the results of each question, the best first."""
    page = site / 'asked.html'
    page.write_text(SEARCH.format(questions=json.dumps(list(QUESTIONS))))
    shown = subprocess.run(
        [CHROMIUM, *FLAGS, f'--user-data-dir={site.parent / "profile"}', page.as_uri()],
        capture_output=True,
        text=True,
        timeout=200.0,
        check=False,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', shown.stdout, re.DOTALL)
    assert found, shown.stderr[-2000:]
    return dict(zip(QUESTIONS, json.loads(unescape(found[1])), strict=True))


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site):
    pages = {path: Links(path.read_text()) for path in site.rglob('*.html')}
    assert len(pages) >= len(DOCS)
    broken = []
    for path, page in pages.items():
        for target in page.targets:
            url = urlsplit(target)
            if url.scheme or url.netloc:
                continue
            file = (path.parent / unquote(url.path)).resolve() if url.path else path
            known = pages[file].anchors if file in pages else {unquote(url.fragment)}
            if not file.exists() or unquote(url.fragment) not in known:
                broken.append(f'{path.name}: {target}')
    assert not broken


def test_links_between_pages_work_where_they_are_read_as_files():
    """On GitHub a link is a path from the page that it stands in."""
    broken = []
    for path in [*DOCS, ROOT / 'README.md']:
        for target in re.findall(r'\]\(([^)\s]+)\)', path.read_text()):
            url = urlsplit(target)
            if not url.scheme and url.path and not (path.parent / unquote(url.path)).exists():
                broken.append(f'{path.name}: {target}')
    assert not broken


def test_every_page_is_in_the_order_of_the_index():
    listed = set(re.findall(r'^([\w/]+)$', (ROOT / 'docs/index.md').read_text(), re.MULTILINE))
    pages = {str(path.relative_to(ROOT / 'docs').with_suffix('')) for path in DOCS}
    assert listed == pages - {'index'}


@pytest.mark.slow
@needs_browser
def test_search_answers_the_questions_of_new_users(site):
    """The first hit of the search is the section with the answer."""
    for question, results in searched(site).items():
        assert results, question
        page, _, anchor = results[0]
        assert (page, anchor.lstrip('#')) == QUESTIONS[question], f'{question}: {results[:3]}'
