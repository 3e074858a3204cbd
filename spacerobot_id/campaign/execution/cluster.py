"""Runs on Dask: each is a task, and a window of them is under way at a time.

Workers get the texts of the campaign by a plugin, so that one that is started, or started again,
has them too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spacerobot_id.campaign.execution.work import finished_run, FinishedRun, lost_run, Work
from spacerobot_id.campaign.libraries import library

if TYPE_CHECKING:
    from distributed import Client, WorkerPlugin

_AHEAD = 3
"""Tasks per thread of the workers that are under way or waiting."""

_WORK: dict[str, Work] = {}
"""What plugins brought to this worker, by hash."""


def dask_runs(client: 'Client', work: Work, indices: Iterator[int]) -> Iterator[FinishedRun]:
    """Yield runs of a cluster as they are finished.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    work : Work
        Texts of the campaign.
    indices : iterator of int
        Indices; taken as workers become free.
    """
    distributed = library('distributed')
    client.register_plugin(_plugin(work), name=f'campaign-{work.inputs.digest}')
    digest = work.inputs.digest
    done = distributed.as_completed()
    waiting: dict[str, int] = {}

    def submit() -> bool:
        index = next(indices, None)
        if index is None:
            return False
        key = f'run-{digest[:12]}-{index}'
        future = client.submit(_run_on_worker, digest, index, key=key, pure=False)
        waiting[key] = index
        done.add(future)
        return True

    threads = max(sum(client.nthreads().values()), 1)
    for _ in range(_AHEAD * threads):
        if not submit():
            break
    for future in done:
        index = waiting.pop(future.key)
        if future.status == 'finished':
            yield future.result()
        else:
            yield lost_run(work, index, future.exception())
        future.release()
        submit()


@contextmanager
def local_or_remote_client(workers: int, scheduler: str) -> Iterator['Client']:
    """Start a client: of a cluster on this computer, or of one that runs.

    Parameters
    ----------
    workers : int
        Processes of a cluster on this computer, each with one thread.
    scheduler : str
        Address of the scheduler of another one; a local one if empty.
    """
    distributed = library('distributed')
    if scheduler:
        with distributed.Client(scheduler, timeout=30.0) as client:
            yield client
        return
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address='localhost:8787',
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def is_single_threaded(client: 'Client') -> bool:
    """Return whether every worker of a cluster runs one task at a time."""
    return all(threads == 1 for threads in client.nthreads().values())


def _plugin(work: Work) -> 'WorkerPlugin':
    """Return what brings the texts to every worker of a cluster."""
    from spacerobot_id.campaign.execution.worker_plugin import CampaignPlugin

    return CampaignPlugin(work)


def bring(work: Work) -> None:
    """Have the texts of a campaign known in this process; what was known before is forgotten."""
    _WORK.clear()
    _WORK[work.inputs.digest] = work


def _run_on_worker(digest: str, index: int) -> FinishedRun:
    return finished_run(_WORK[digest], index)
