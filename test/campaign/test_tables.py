"""Results survive whatever ends the process, and no two campaigns share a folder."""

import json
import shutil

from campaigns import campaign_of, inputs_of
import numpy as np
import pyarrow.parquet as parquet
import pytest

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.execution import Execution, FinishedRun
from spacerobot_id.lab.campaign.outcome import METRICS, Outcome
from spacerobot_id.lab.campaign.result_folder import (
    claim,
    Columns,
    kept_row,
    ResultFolder,
)
from spacerobot_id.lab.campaign.run import Run

PARAMETERS = ('bus.m', 'bus.mx')


class Flights:
    """Runs that take no time: every third fails, the order is not that of the indices."""

    def __init__(self, campaign, most=None, backwards=False):
        self.campaign, self.most, self.backwards = campaign, most, backwards
        self.columns = Columns(campaign.draws.keys, PARAMETERS)
        self.flown = []

    def row(self, index):
        rng = np.random.default_rng(index)
        drawn = self.campaign.draws.of_run(index)
        if index % 3 == 2:
            return self.columns.row(Run(index, 'EstimationError: no', drawn, {}, (), None, 0.1))
        metrics = dict.fromkeys(METRICS, np.nan) | {'mass_error': float(rng.random())}
        values = rng.normal(size=(2, 2))
        outcome = Outcome(metrics, values[0], np.abs(values[1]), np.array([True, False]), '')
        return self.columns.row(Run(index, '', drawn, drawn, (), outcome, 0.1))

    def __call__(self, indices):
        indices = list(indices)[: self.most]
        for index in reversed(indices) if self.backwards else indices:
            self.flown.append(index)
            yield FinishedRun(self.row(index), float(np.random.random()), 1.0)  # noqa: NPY002


def finished(path, campaign, flights):
    """Go on with a folder; return the execution, closed."""
    folder = ResultFolder(path, flights.columns, campaign.runs, campaign.batch)
    with folder.held():
        execution = Execution(campaign, folder)
        execution.run(flights)
        if execution.finished == execution.count:
            folder.combine(execution.count)
    return execution


@pytest.fixture
def campaign(tmp_path):
    return campaign_of(tmp_path)


def test_the_table_is_the_same_whatever_the_order_and_the_interruptions(tmp_path, campaign):
    straight = tmp_path / 'straight'
    finished(straight, campaign, Flights(campaign))
    backwards = tmp_path / 'backwards'
    finished(backwards, campaign, Flights(campaign, backwards=True))
    pieces = tmp_path / 'pieces'
    flown = []
    for most in (7, 1, 9, None):
        flights = Flights(campaign, most, backwards=most == 9)
        finished(pieces, campaign, flights)
        flown += flights.flown
    assert sorted(flown) == list(range(24))  # none twice
    expected = (straight / 'runs.parquet').read_bytes()
    assert (backwards / 'runs.parquet').read_bytes() == expected
    assert (pieces / 'runs.parquet').read_bytes() == expected
    table = parquet.read_table(straight / 'runs.parquet')
    assert table['index'].to_pylist() == list(range(24))
    assert table['error'].to_pylist().count('EstimationError: no') == 8
    assert 'seconds' not in table.column_names


def test_a_kill_at_any_moment_loses_the_runs_under_way_and_repeats_none(tmp_path, campaign):
    """A journal cut off within a line, and parts of files that were being written."""
    path, first = tmp_path / 'killed', Flights(campaign, 8)
    finished(path, campaign, first)
    journal = path / 'journal' / '000001.jsonl'
    whole = journal.read_text()
    journal.write_text(whole + '{"run": {"index": 8, "err')
    (path / 'batches' / 'runs-000001.parquet.part').write_bytes(b'PAR1')
    stale = path / 'journal' / '000000.jsonl'
    stale.write_text(whole)  # a kill after the batch was written, before its journal went
    second = Flights(campaign)
    finished(path, campaign, second)
    assert first.flown == list(range(8))
    assert second.flown == list(range(8, 24))
    assert not list((path / 'journal').iterdir())
    straight = tmp_path / 'straight'
    finished(straight, campaign, Flights(campaign))
    assert (path / 'runs.parquet').read_bytes() == (straight / 'runs.parquet').read_bytes()


def test_a_run_is_found_again(tmp_path, campaign):
    path, flights = tmp_path / 'some', Flights(campaign, 7)
    finished(path, campaign, flights)
    for index in (1, 6):  # of a finished batch, and of a journal
        assert kept_row(path, index, campaign.batch) == flights.row(index)
    assert kept_row(path, 20, campaign.batch) is None


def test_it_ends_at_the_look_that_decides_everything(tmp_path):
    """All runs keep it: decided at 62 of 1000, whatever has been flown beyond."""
    campaign = campaign_of(
        tmp_path,
        runs=1000,
        stop='decided',
        requirements=[{'require': 'mass_error < 200 %', 'share': '50 %'}],
    )
    flights = Flights(campaign)
    flights.row = lambda index: Flights.row(flights, 3 * index) | {'index': index}
    path = tmp_path / 'decided'
    execution = finished(path, campaign, flights)
    (judgement,) = execution.judgements()
    assert (judgement.verdict.value, execution.count) == ('passed', 31)
    assert parquet.read_table(path / 'runs.parquet').num_rows == 31
    again = Flights(campaign)
    finished(path, campaign, again)
    assert not again.flown


def test_two_campaigns_do_not_share_a_folder(tmp_path):
    path = tmp_path / 'results'
    claim(path, inputs_of(tmp_path))
    claim(path, inputs_of(tmp_path))  # the same one goes on
    with pytest.raises(ConfigurationError, match='another campaign: other settings or robots'):
        claim(path, inputs_of(tmp_path, seed=5))
    about = json.loads((path / 'campaign.json').read_text())
    (path / 'campaign.json').write_text(json.dumps(about | {'version': '0.0', 'digest': 'x'}))
    with pytest.raises(ConfigurationError, match=r'version 0.0 of the package'):
        claim(path, inputs_of(tmp_path))
    shutil.rmtree(path)
    path.mkdir()
    (path / 'thesis.txt').write_text('precious')
    with pytest.raises(ConfigurationError, match='not empty, and no folder of a campaign'):
        claim(path, inputs_of(tmp_path))


def test_a_folder_is_held_by_one_process_at_a_time(tmp_path, campaign):
    columns = Columns(campaign.draws.keys, PARAMETERS)
    one, two = (ResultFolder(tmp_path / 'it', columns, 24, 5) for _ in range(2))
    with one.held(), pytest.raises(ConfigurationError, match='another process'), two.held():
        pass
    with two.held():
        pass
