"""QUALITY_DECLARATION.md lists every run-time dependency, with the licence that it states."""

from importlib.metadata import metadata, PackageNotFoundError
from pathlib import Path
import re

import pytest
from test_packaging import DISTRIBUTION, MANIFEST, PYPI_NAME, required

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'QUALITY_DECLARATION.md').read_text()
LICENCES = dict(re.findall(r'^\| (\w+) \| [^|]* \| ([^|]*) \|$', PAGE, re.MULTILINE))
del LICENCES['dependency']
FAMILIES = {
    'Apache-2.0': 'apache',
    'BSD-2-Clause': 'bsd',
    'BSD-3-Clause': 'bsd',
    'LGPL-3.0-or-later': 'lesser general public',
    'MIT': 'mit',
    'MPL-2.0 AND MIT': 'mpl-2.0 and mit',
    'PSF-2.0': 'python software foundation',
}
"""Words that each licence has in the metadata of a distribution."""


def test_every_dependency_is_listed():
    keys = {element.text for element in MANIFEST.iter('exec_depend')}
    from_ros = {PYPI_NAME.get(key, key.removeprefix('python3-')) for key in keys}
    optional = {name for extra in ('lab', 'nmpc', 'xacro') for name in required(extra)}
    assert set(LICENCES) == from_ros | required() | optional


@pytest.mark.parametrize('name', sorted(LICENCES))
def test_licence_is_that_of_the_distribution(name):
    try:
        found = metadata(name)
    except PackageNotFoundError:
        pytest.skip(f'{name} is not installed')
    classifiers = [each for each in found.get_all('Classifier', []) if 'License' in each]
    stated = ' '.join(
        [found.get('License-Expression') or '', found.get('License') or '', *classifiers]
    )
    if not stated.strip():
        pytest.skip(f'the distribution of {name} states none')
    word = FAMILIES[LICENCES[name]]
    assert word in stated.lower() or (word == 'bsd' and 'redistribution' in stated.lower())


def test_version_is_at_least_one():
    """What level 2 asks for."""
    assert int(MANIFEST.findtext('version').split('.')[0]) >= 1
    assert DISTRIBUTION.metadata['License'] == 'Apache-2.0'
