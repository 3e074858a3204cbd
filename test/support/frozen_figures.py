"""Figures that are frozen: compared beyond rounding, and changed only with a reason.

A file of figures is only as good as the last line of ``test/reference/changes.yaml`` that names
it: that line has the hash of the file and says why its figures are what they are.
"""

import hashlib
import json
from pathlib import Path
import sys

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[1]
CHANGES = ROOT / 'reference' / 'changes.yaml'
SHOWN = 6
"""Parameters of each method, spread over all of them."""


def figures_of(estimate, shown=SHOWN):
    """Return what is frozen of an estimate."""
    count = len(estimate.names)
    rows = np.linspace(0, count - 1, min(shown, count)).round().astype(int)
    return {
        'samples': estimate.samples,
        'chi_square': float(estimate.chi_square),
        'names': [estimate.names[row] for row in rows],
        'values': estimate.values[rows].tolist(),
        'std': estimate.std[rows].tolist(),
    }


def assert_as_frozen(found, path, name):
    """Hold figures to those of a file: to a millionth of a standard deviation."""
    frozen = json.loads(path.read_text(encoding='utf-8'))[name]
    assert found['samples'] == frozen['samples']
    assert found['names'] == frozen['names']
    assert found.get('usable') == frozen.get('usable')
    std = np.array(frozen['std'])
    assert np.abs((np.array(found['values']) - frozen['values']) / std).max() < 1e-6
    np.testing.assert_allclose(found['std'], std, rtol=1e-6)
    assert found['chi_square'] == pytest.approx(frozen['chi_square'], rel=1e-6, nan_ok=True)


def write_figures(figures, path):
    """Write figures again, and the entry that ``changes.yaml`` then needs to standard output."""
    path.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
    entry = f'- file: {path.relative_to(ROOT).as_posix()}\n  hash: {hash_of(path)}\n  reason:\n'
    sys.stdout.write(entry)


def hash_of(path):
    """Return the beginning of a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def acknowledged():
    """Return the last entry of each file of figures in ``changes.yaml``."""
    entries = yaml.safe_load(CHANGES.read_text(encoding='utf-8'))
    return {entry['file']: entry for entry in entries}
