"""The site of the docs: ``make docs``, and rosdoc2, which reads this file."""

from importlib import metadata
from io import StringIO
from pathlib import Path
import sys

from docutils import nodes
from matplotlib import rc_context
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import math_to_image
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = 'spacerobot_id'
author = 'spacerobot_id developers'
project_copyright = author
try:
    release = metadata.version('spacerobot-id')
except metadata.PackageNotFoundError:
    release = ''

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.napoleon',
    'sphinx_copybutton',
]
source_suffix = {'.md': 'markdown'}

myst_enable_extensions = ['dollarmath']
myst_heading_anchors = 3
myst_links_external_new_tab = True

autodoc_member_order = 'bysource'
autodoc_typehints = 'none'  # docstrings give shapes and units beside the types
autodoc_mock_imports = ['casadi']
napoleon_google_docstring = False
napoleon_use_rtype = False

html_math_renderer = 'svg'  # the site needs no network
html_theme = 'furo'
html_title = 'spacerobot_id'
html_show_sourcelink = False
copybutton_prompt_text = '$ '
copybutton_line_continuation_character = '\\'


FORMULA_SIZE = 13.0
"""Size of the letters of formulas, pt."""


def formula(text: str) -> str:
    """Return a formula drawn by matplotlib, as SVG that stands on the line of the text."""
    drawn = StringIO()
    with rc_context({'mathtext.fontset': 'cm', 'svg.hashsalt': text}):
        line = ' '.join(text.split())
        size = FontProperties(size=FORMULA_SIZE)
        depth = math_to_image(f'${line}$', drawn, prop=size, dpi=72, format='svg')
    picture = drawn.getvalue().strip()
    picture = picture[picture.index('<svg') :]
    style = f'vertical-align: {-depth:.2f}pt; height: auto; overflow: visible'
    return picture.replace('<svg', f'<svg role="math" fill="currentColor" style="{style}"', 1)


def inline_math(page: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    page.body.append(formula(node.astext()))
    raise nodes.SkipNode


def displayed_math(page: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    page.body.append(f'<div style="text-align: center">{formula(node.astext())}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Find what lies beside the pages, also where rosdoc2 runs this file; draw formulas."""
    folder = Path(app.srcdir)
    sys.path.insert(0, str(folder.parent))  # a checkout that is not installed
    app.config.html_search_scorer = str(folder / 'search_scorer.js')
    app.add_html_math_renderer('svg', (inline_math, None), (displayed_math, None))
