"""Runs on Dask: each is a task, and a window of them is under way at a time.

Workers get the texts of the campaign by a plugin, so that one that is started, or started again,
has them too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
import time
import warnings

import dask
from distributed import as_completed, Client, get_worker, LocalCluster, WorkerPlugin
import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.campaign_file import CampaignInputs
from spacerobot_id.lab.campaign.execution import finished_run, FinishedRun, lost_run


class CampaignPlugin(WorkerPlugin):
    """Brings the texts of a campaign to every worker, to those started later too.

    Parameters
    ----------
    work : CampaignInputs
        Texts.
    """

    def __init__(self, work: CampaignInputs) -> None:
        self.work = work


def _run_of(plugin: str, index: int) -> FinishedRun:
    """Return a run of the campaign that a plugin brought to this worker."""
    return finished_run(get_worker().plugins[plugin].work, index)


_AHEAD = 3
"""Tasks per thread of the workers that are under way or waiting."""

_LOOK, _PATIENCE = 5.0, 30.0
"""Time between two looks at the workers, and longest that a scheduler may take to answer, s."""

_LEAN = {
    'distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_': None,
    'distributed.worker.profile.enabled': False,
}
"""Settings of Dask for workers on this computer: by its own they give memory back after every
large array, for 70 % more processor time, and keep an hour of profiles, half a MB of it a run."""


def dask_runs(
    client: Client, work: CampaignInputs, indices: Iterator[int]
) -> Iterator[FinishedRun]:
    """Yield runs of a cluster as they are finished.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    work : CampaignInputs
        Texts of the campaign.
    indices : iterator of int
        Indices; taken as workers become free.
    """
    digest, threads = work.digest, _threads(client)
    plugin, done = f'campaign-{digest}', as_completed()
    client.register_plugin(CampaignPlugin(work), name=plugin)
    waiting: dict[str, int] = {}

    def fill() -> None:
        while len(waiting) < _AHEAD * next(threads):
            index = next(indices, None)
            if index is None:
                return
            key = f'run-{digest[:12]}-{index}'
            waiting[key] = index
            done.add(client.submit(_run_of, plugin, index, key=key, pure=False))

    fill()
    for future in done:
        index = waiting.pop(future.key)
        if future.status == 'finished':
            yield future.result()
        else:
            yield lost_run(work, index, future.exception())
        future.release()
        fill()


def _threads(client: Client) -> Iterator[int]:
    """Yield how many threads the workers have, one at least; looked at every few seconds.

    A cluster may grow and shrink while runs are under way.
    """
    looked, count = -np.inf, 1
    while True:
        if time.monotonic() > looked + _LOOK:
            looked, count = time.monotonic(), max(sum(client.nthreads().values()), 1)
        yield count


@contextmanager
def local_or_remote_client(workers: int, scheduler: str) -> Iterator[Client]:
    """Start a client: of a cluster on this computer, or of one that runs.

    Parameters
    ----------
    workers : int
        Processes of a cluster on this computer, each with one thread.
    scheduler : str
        Address of the scheduler of another one; a local one if empty.

    Raises
    ------
    ConfigurationError
        If no scheduler answers at the address.
    """
    if scheduler:
        try:
            found = Client(scheduler, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f'--scheduler: no Dask scheduler answers at {scheduler}: {error}'
            ) from None
        with found as client:
            yield client
        return
    with _local_cluster(workers) as cluster, Client(cluster) as client:
        yield client


def _local_cluster(workers: int) -> LocalCluster:
    """Return a cluster on this computer; its dashboard has another port where one has 8787."""
    with dask.config.set(_LEAN), warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='Port 8787 is already in use')
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address='localhost:8787',
            memory_limit=0,
            silence_logs=50,
        )
