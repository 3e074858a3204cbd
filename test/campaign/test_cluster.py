"""Campaigns on Dask: the table is that of one process, though workers and client are killed."""

import os
import signal
import subprocess
import sys
import time

from campaigns import inputs_of, work_of
import pytest

from spacerobot_id.campaign.execution.cluster import dask_runs, local_or_remote_client
from spacerobot_id.campaign.execution.execution import Execution
from spacerobot_id.campaign.execution.work import prepared, serial_runs
from spacerobot_id.campaign.tables.result_folder import ResultFolder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings('ignore'),  # of Dask's own event loops while workers die
]

CAMPAIGN = [sys.executable, '-m', 'spacerobot_id.cli.main', 'campaign']


def table(path, work, runs):
    """Return the bytes of the table that some way to run gives."""
    ready = prepared(work)
    folder = ResultFolder(path, ready.columns, ready.campaign.runs, ready.campaign.batch)
    with folder.held():
        execution = Execution(ready.campaign, folder)
        execution.run(runs)
        return folder.combine(execution.count).read_bytes()


def test_a_worker_that_is_killed_changes_no_bit(tmp_path):
    work = work_of(tmp_path, runs=12)
    expected = table(tmp_path / 'serial', work, lambda indices: serial_runs(work, indices))

    def killing(client):
        def runs(indices):
            for count, finished in enumerate(dask_runs(client, work, indices)):
                if count == 2:
                    victim = next(iter(client.run(os.getpid).values()))
                    os.kill(victim, signal.SIGKILL)
                yield finished

        return runs

    with local_or_remote_client(2, '') as client:
        assert table(tmp_path / 'cluster', work, killing(client)) == expected


def test_a_client_that_is_killed_is_gone_on_with(tmp_path):
    inputs_of(tmp_path, runs=12)
    file, out = tmp_path / 'small.yaml', tmp_path / 'killed'
    command = [*CAMPAIGN, str(file), '--out', str(out), '--workers', '0']
    begun = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    journal = out / 'journal' / '000001.jsonl'
    deadline = time.monotonic() + 300.0
    while not journal.exists() and begun.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    begun.kill()
    begun.communicate()
    there = (out / 'batches' / 'runs-000000.parquet').stat().st_mtime_ns
    assert not (out / 'runs.parquet').exists()
    subprocess.run(command, check=True, capture_output=True, timeout=300.0)
    assert (out / 'batches' / 'runs-000000.parquet').stat().st_mtime_ns == there
    straight = tmp_path / 'straight'
    again = [*command[:-3], str(straight), '--workers', '0']
    subprocess.run(again, check=True, capture_output=True, timeout=300.0)
    assert (out / 'runs.parquet').read_bytes() == (straight / 'runs.parquet').read_bytes()
