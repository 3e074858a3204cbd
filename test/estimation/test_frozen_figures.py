"""Figures of every method that change only on purpose: no result moves unnoticed.

Run as a program, this file writes the figures anew.
"""

import json
from pathlib import Path

from method_cases import case_of, METHODS
import numpy as np
import pytest

from spacerobot_id.estimation import identify

FIGURES = Path(__file__).with_name('frozen_figures.json')
SHOWN = 6
"""Parameters of each method, spread over all of them."""


def figures_of(name):
    """Return what a method finds in the samples of its case."""
    case = case_of(name)
    estimate = identify(case.record, case.method, with_links=False).estimate
    rows = np.linspace(0, len(estimate.names) - 1, SHOWN).round().astype(int)
    return {
        'samples': estimate.samples,
        'chi_square': float(estimate.chi_square),
        'names': [estimate.names[row] for row in rows],
        'values': estimate.values[rows].tolist(),
        'std': estimate.std[rows].tolist(),
    }


@pytest.mark.parametrize('name', METHODS)
def test_results_stay_what_they_were(name):
    """To a millionth of a standard deviation."""
    frozen = json.loads(FIGURES.read_text(encoding='utf-8'))[name]
    found = figures_of(name)
    assert found['samples'] == frozen['samples']
    assert found['names'] == frozen['names']
    std = np.array(frozen['std'])
    assert np.abs((np.array(found['values']) - frozen['values']) / std).max() < 1e-6
    np.testing.assert_allclose(found['std'], std, rtol=1e-6)
    assert found['chi_square'] == pytest.approx(frozen['chi_square'], rel=1e-6, nan_ok=True)


if __name__ == '__main__':
    figures = {name: figures_of(name) for name in METHODS}
    FIGURES.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
