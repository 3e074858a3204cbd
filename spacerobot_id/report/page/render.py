"""A page as one HTML file that needs no network: text by jinja2, charts by plotly.js within it.

Python draws nothing: charts are written as plotly.js's own JSON, and the library itself is taken
compressed from the package ``plotly``, which is not imported.
"""

import base64
from collections.abc import Mapping, Sequence
import gzip
from importlib.resources import files
from importlib.util import find_spec
import json
import math
from pathlib import Path

import jinja2
import numpy as np

from spacerobot_id import __version__
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.report.page.content import Page, Section
from spacerobot_id.whole_file import write_whole

_DIGITS = 5
"""Significant digits of what is drawn."""

_MARK = '<!-- further sections -->'
"""Where sections are put in that are known only after the page was written."""

_NAV_MARK = '<!-- further links -->'


def write_page(page: Page, path: Path) -> None:
    """Write a page; whoever reads the file meanwhile sees a whole one.

    Parameters
    ----------
    page : Page
        Page.
    path : Path
        File.

    Raises
    ------
    ConfigurationError
        If plotly, which brings the charts' library, is not installed.
    OSError
        If the file cannot be written.
    """
    write_whole(path, page_html(page), folders=True)


def page_html(page: Page) -> str:
    """Return a page as HTML."""
    folder = files('spacerobot_id.report.page')
    return _template('page.html.j2').render(
        page=page,
        version=__version__,
        style=(folder / 'page.css').read_text(),
        script=(folder / 'page.js').read_text(),
        library=_library(),
        mark=_MARK,
        nav_mark=_NAV_MARK,
    )


def add_sections(path: Path, sections: Sequence[Section]) -> None:
    """Put sections into a page that is written, before its first other section.

    Parameters
    ----------
    path : Path
        File of the page.
    sections : sequence of Section
        Sections; their keys must be new.
    """
    text = path.read_text()
    template = _template('section.html.j2').module
    inserted = ''.join(template.section(each) for each in sections)
    links = ''.join(template.link(each) for each in sections)
    text = text.replace(_MARK, _MARK + inserted, 1).replace(_NAV_MARK, _NAV_MARK + links, 1)
    write_whole(path, text, folders=True)


def chart_json(chart: object) -> str:
    """Return a chart as JSON that may stand inside of HTML."""
    content = {'data': chart.traces, 'layout': chart.layout, 'frames': chart.frames}
    return json.dumps(_plain(content), separators=(',', ':')).replace('</', '<\\/')


def _template(name: str) -> jinja2.Template:
    """Return one of the templates beside this file."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader('spacerobot_id.report', 'page'),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        autoescape=True,
    )
    environment.filters['chart_json'] = chart_json
    environment.filters['kind'] = lambda block: type(block).__name__.lower()
    environment.filters['powers'] = lambda text: text.replace('^2', '²')
    return environment.get_template(name)


def _library() -> str:
    """Return plotly.js, compressed, as text.

    Raises
    ------
    ConfigurationError
        If it is not installed; the message has the command that installs it.
    """
    spec = find_spec('plotly')
    folders = [] if spec is None else spec.submodule_search_locations or []
    for folder in folders:
        path = Path(folder) / 'package_data' / 'plotly.min.js'
        if path.exists():
            return base64.b64encode(gzip.compress(path.read_bytes(), 6, mtime=0)).decode()
    raise ConfigurationError(
        "the page's charts need plotly, which is not installed: pip install plotly"
    )


def _plain(value: object) -> object:
    """Return a value as JSON has it: arrays as lists, numbers with the digits that are seen."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return float(f'{number:.{_DIGITS}g}') if math.isfinite(number) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
