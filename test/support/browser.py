"""A page as a person's browser shows it: what went wrong in it, and what stands where."""

from html import unescape
import json
import re
import shutil
import subprocess

import pytest

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason='no Chromium is installed')

FLAGS = (
    '--headless=new',
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--hide-scrollbars',
    '--window-size=1400,1000',
    '--virtual-time-budget=90000',
    '--dump-dom',
)

FIRST = """<script>
window.errors = [];
window.addEventListener('error', (event) => window.errors.push(String(event.message)));
window.addEventListener('unhandledrejection', (event) => window.errors.push(String(event.reason)));
console.error = (...texts) => window.errors.push(texts.join(' '));
</script>"""
"""Keeps what goes wrong; stands before all other scripts."""

LAST = """<script>
function findings() {
  const outside = [], near = 1.5;
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('svg, script, .chart > *') || !one.getClientRects().length) continue;
    const box = one.getBoundingClientRect(), around = one.parentElement.getBoundingClientRect();
    const name = `${one.tagName} ${one.textContent.trim().slice(0, 30)}`;
    const folded = one.closest('details:not([open])') && one.tagName !== 'SUMMARY';
    if (!folded && (box.left < around.left - near || box.right > around.right + near
        || box.top < around.top - near || box.bottom > around.bottom + near)) outside.push(name);
  }
  const cut = [];
  for (const chart of document.querySelectorAll('.chart')) {
    const around = chart.getBoundingClientRect();
    for (const words of chart.querySelectorAll('.main-svg text')) {
      const box = words.getBoundingClientRect();
      if (box.width && words.textContent.trim()
          && (box.left < around.left - near || box.right > around.right + near
              || box.top < around.top - near || box.bottom > around.bottom + near))
        cut.push(words.textContent);
    }
  }
  return {
    errors: window.errors,
    outside, cut,
    width: window.innerWidth,
    scrolled: document.documentElement.scrollWidth,
    drawn: Number(document.body.dataset.drawn ?? -1),
    charts: document.querySelectorAll('.chart').length,
    empty: [...document.querySelectorAll('.chart')].filter((each) => !each.querySelector('svg'))
      .length,
    sections: [...document.querySelectorAll('main > section')].map((each) => each.id),
    requests: performance.getEntriesByType('resource').map((each) => each.name)
      .filter((name) => !/^(data|blob):/.test(name)),
  };
}
const waiting = setInterval(() => {
  if (document.body.dataset.drawn === undefined) return;
  clearInterval(waiting);
  parent.postMessage(JSON.stringify(findings()), '*');
}, 200);
</script>"""
"""Looks at what was drawn; stands after all other scripts."""

AROUND = """<!doctype html>{frames}
<script>
const all = [];
window.addEventListener('message', (event) => {{
  all.push(JSON.parse(event.data));
  if (all.length < {count}) return;
  const found = document.createElement('pre');
  found.id = 'findings';
  found.textContent = JSON.stringify(all);
  document.body.appendChild(found);
}});
</script>"""
"""A page with windows within: browsers have no narrow ones of their own."""

WIDTHS = (1280, 480)


def opened(path, folder):
    """Open a page in windows of some widths; return what was found in each, by its width.

    Elements outside of their parents, words of charts that are cut off, errors of scripts.
    """
    text = path.read_text().replace('<head>', f'<head>{FIRST}', 1)
    probed, around = folder / 'probed.html', folder / 'around.html'
    probed.write_text(text.replace('</body>', f'{LAST}</body>'))
    frames = [
        f'<iframe src="{probed.name}" width="{each}" height="900"></iframe>' for each in WIDTHS
    ]
    around.write_text(AROUND.format(frames=''.join(frames), count=len(WIDTHS)))
    completed = subprocess.run(
        [CHROMIUM, *FLAGS, f'--user-data-dir={folder / "profile"}', f'file://{around}'],
        capture_output=True,
        text=True,
        timeout=200.0,
        check=False,
    )
    found = re.search(r'<pre id="findings">(.*?)</pre>', completed.stdout, re.DOTALL)
    assert found, f'the page was not drawn: {completed.stderr[-2000:]}'
    return {each['width']: each for each in json.loads(unescape(found[1]))}
