"""The site of the docs: ``make docs``, and rosdoc2, which reads this file."""

from importlib import metadata
from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # rosdoc2 builds from a checkout that is not installed

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
    'sphinx.ext.mathjax',
    'sphinx.ext.napoleon',
    'sphinx_copybutton',
]
source_suffix = {'.md': 'markdown'}
exclude_patterns = ['_build', 'images']

myst_enable_extensions = ['colon_fence', 'deflist', 'dollarmath']
myst_heading_anchors = 3
myst_links_external_new_tab = True

autodoc_member_order = 'bysource'
autodoc_typehints = 'none'  # docstrings give shapes and units beside the types
autodoc_mock_imports = ['casadi']
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = 'furo'
html_title = 'spacerobot_id'
html_show_sourcelink = False
html_search_scorer = str(ROOT / 'docs/search_scorer.js')
copybutton_prompt_text = '$ '
