"""The change indicator: what every method finds in committed logs moves only with a reason.

Run as a program, this file writes the figures again, and prints the entry that ``changes.yaml``
then needs, but for the reason.
"""

from pathlib import Path

from frozen_figures import acknowledged, assert_as_frozen, figures_of, hash_of, ROOT, write_figures
import pytest
from reference_logs import CASES, METHODS_BY_LOG, recorded, REFERENCE

from spacerobot_id.estimation import identify
from spacerobot_id.methods.registry import method_names

FIGURES = REFERENCE / 'figures.json'
LARGEST = 300_000
"""Most bytes of a reference log."""


def found(log, method):
    """Return what a method finds in a reference log: all parameters."""
    record, begun = recorded(log, method)
    result = identify(record.measurement, begun, with_links=False)
    shown = len(result.estimate.names)
    return figures_of(result.estimate, shown) | {'usable': result.is_usable}


@pytest.mark.parametrize(('log', 'method'), CASES)
def test_results_stay_what_they_were(log, method):
    """From the messages of the log to every parameter, to a millionth of a deviation."""
    assert_as_frozen(found(log, method), FIGURES, f'{log}: {method}')


def test_every_method_has_a_reference_log():
    assert {method for _, method in CASES} == set(method_names())


@pytest.mark.parametrize('name', METHODS_BY_LOG)
def test_reference_logs_are_small(name):
    assert sum(path.stat().st_size for path in (REFERENCE / name).iterdir()) < LARGEST


@pytest.mark.parametrize(
    'path', [FIGURES, ROOT / 'estimation' / 'frozen_figures.json'], ids=lambda path: path.name
)
def test_figures_change_with_a_reason_only(path: Path):
    """The last entry of a file in changes.yaml has its hash, and says why it changed."""
    entry = acknowledged()[path.relative_to(ROOT).as_posix()]
    now = hash_of(path)
    assert entry['hash'] == now, f'{path.name} has changed: append {now} and why to changes.yaml'
    assert len(entry['reason'].split()) >= 3, 'changes.yaml: the reason is to be a sentence'


if __name__ == '__main__':
    write_figures({f'{log}: {method}': found(log, method) for log, method in CASES}, FIGURES)
