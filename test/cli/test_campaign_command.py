"""``spacerobot-id campaign``: runs, verdicts, a page, and a run again."""

import json
from pathlib import Path

from campaigns import inputs_of
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.lab.campaign import run
from spacerobot_id.lab.cli.campaign import campaign_tables

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope='module')
def results(tmp_path_factory):
    """Return a folder of three runs of the small campaign, one of which fails."""
    folder = tmp_path_factory.mktemp('campaign')
    failing = {
        'keys': 'links.bus.mass',
        'value': {'choice': {'values': [220.0, -1.0], 'weights': [0.7, 0.3]}},
        'unit': 'kg',
    }
    inputs_of(folder, dispersions=[failing], runs=3, seed=1)
    out = folder / 'out'
    assert main(['campaign', str(folder / 'small.yaml'), '--out', str(out), '--workers', '0']) == 0
    return out


def test_a_campaign_leaves_tables_a_summary_and_a_page(results, capsys):
    summary = json.loads((results / 'summary.json').read_text())
    assert (summary['runs'], summary['budget']) == (3, 3)
    assert summary['requirements'][0]['verdict'] == 'not yet decided'
    assert summary['not_applied'] == []
    page = (results / 'report.html').read_text()
    for words in ('Requirements', 'Drawn against asked', 'The worst runs', 'campaign replay'):
        assert words in page
    assert {'runs.parquet', 'timings.parquet'} <= {each.name for each in results.iterdir()}


def test_what_is_there_is_not_run_again(results, capsys):
    before = (results / 'runs.parquet').read_bytes()
    file = str(results.parent / 'small.yaml')
    assert main(['campaign', file, '--out', str(results), '--workers', '0', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['runs'] == 3
    assert (results / 'runs.parquet').read_bytes() == before


def test_another_campaign_is_refused(results, capsys):
    file = str(results.parent / 'small.yaml')
    command = ['campaign', file, '--out', str(results), '--workers', '0', '--runs', '9']
    assert main(command) == 1
    assert 'results of another campaign' in capsys.readouterr().err


@pytest.mark.slow
def test_every_run_is_replayed_as_it_was(results, capsys):
    summary = json.loads((results / 'summary.json').read_text())
    printed = []
    for index in range(3):
        assert main(['campaign', 'replay', str(results), str(index)]) == 0
        printed.append(capsys.readouterr().out)
        assert 'the same as is kept of it, to the last bit' in printed[-1]
    failed = [text for text in printed if 'links.bus: mass -1 kg is not positive' in text]
    assert len(failed) == summary['failed']
    flown = next(each for each in (results / 'replay').iterdir() if (each / 'log').exists())
    assert {'report.html', 'true_robot.urdf', 'run.json'} <= {e.name for e in flown.iterdir()}


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['small.yaml'], '--out: the folder of the results is missing'),
        (['no_such', '--out', 'x'], 'campaign: no_such is neither a file nor one of'),
        (['replay', 'x'], 'a FOLDER and the INDEX of a run are needed'),
        (['replay', 'no_such', '3'], 'no_such: no folder of a campaign'),
        (['a', 'b', '--out', 'x'], 'one file at a time'),
    ],
)
def test_wrong_use_is_said(arguments, message, capsys):
    assert main(['campaign', *arguments]) == 1
    assert message in capsys.readouterr().err


def test_a_library_that_is_missing_is_named_with_what_installs_it(monkeypatch, tmp_path, capsys):
    def none(name):
        raise ImportError(name)

    monkeypatch.setattr(run, 'import_module', none)
    assert main(['campaign', 'servicer', '--out', str(tmp_path / 'out')]) == 1
    errors = capsys.readouterr().err
    assert "campaigns need pyarrow, which is not installed: pip install 'spacerobot_id" in errors


def test_the_tables_of_the_docs_are_those_of_the_code():
    assert campaign_tables() in (ROOT / 'docs/campaigns.md').read_text()


def test_keys_are_printed_with_units(capsys):
    assert main(['campaign', 'keys', 'servicer']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ['grasp.mass', '30', 'kg'] for line in lines)
