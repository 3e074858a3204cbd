"""Campaigns on Dask: the table is that of one process, though workers and client are killed."""

import os
from pathlib import Path
import subprocess
import sys

import pytest

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign import cluster

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_table_is_the_same_on_any_cluster_and_through_kills():
    """One process; a scheduler by address and kill -9 of a worker; kill -9 of the client.

    The benchmark goes all ways, without kills too.
    """
    ran = subprocess.run(
        [sys.executable, 'campaign_kills.py', '12', '--hardest'],
        cwd=ROOT / 'benchmarks',
        env=os.environ | {'PYTHONPATH': str(ROOT / 'benchmarks')},
        capture_output=True,
        text=True,
        timeout=1700.0,
        check=False,
    )
    assert ran.returncode == 0, f'{ran.stdout}{ran.stderr}'
    assert ran.stdout.count(' yes') == 3


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(cluster, '_PATIENCE', 0.5)
    with (
        pytest.raises(ConfigurationError, match=r'no Dask scheduler answers at tcp://127.0.0.1:9'),
        cluster.local_or_remote_client(0, 'tcp://127.0.0.1:9'),
    ):
        pass
