"""Figures of every method that change only on purpose: no result moves unnoticed.

Run as a program, this file writes the figures again.
"""

from pathlib import Path

from frozen_figures import assert_as_frozen, figures_of, write_figures
from method_cases import case_of, METHODS
import pytest

from spacerobot_id.estimation import identify

FIGURES = Path(__file__).with_name('frozen_figures.json')


def found(name):
    """Return what a method finds in the samples of its case."""
    case = case_of(name)
    return figures_of(identify(case.record, case.method, with_links=False).estimate)


@pytest.mark.parametrize('name', METHODS)
def test_results_stay_what_they_were(name):
    """To a millionth of a standard deviation."""
    assert_as_frozen(found(name), FIGURES, name)


if __name__ == '__main__':
    write_figures({name: found(name) for name in METHODS}, FIGURES)
