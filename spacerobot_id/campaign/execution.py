"""Execution of a campaign on Dask: a run is a task, and a window of them is under way at a time.

Workers get the texts of the campaign by a plugin, so that one that is started, or started again,
has them too; whoever ran an index, the row is the same.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
import resource
from typing import TYPE_CHECKING
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.campaign.analysis.requirements import judged, Judgement, looks, Verdict
from spacerobot_id.campaign.campaign_file import Campaign, campaign_from_inputs, CampaignInputs
from spacerobot_id.campaign.libraries import library
from spacerobot_id.campaign.run import parameters_of, Run, run_of
from spacerobot_id.campaign.tables import Columns, columns_of, ResultFolder, Row
from spacerobot_id.excitation.trajectory.plan_file import parse_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion

if TYPE_CHECKING:
    from distributed import Client, WorkerPlugin

_AHEAD = 3
"""Tasks per thread of the workers that are under way or waiting."""

_KIBIBYTE = 1024


@dataclass(frozen=True)
class Work:
    """What a worker needs for the runs of a campaign.

    Parameters
    ----------
    inputs : CampaignInputs
        Texts of the campaign.
    plan : str
        Text of the plan of all runs; empty if each is planned for alone.
    """

    inputs: CampaignInputs
    plan: str


@dataclass(frozen=True)
class FinishedRun:
    """A row of the table of runs, and what it took.

    Parameters
    ----------
    row : mapping
        Row.
    seconds : float
        Wall time, s.
    memory : float
        Memory of the process after it, bytes.
    """

    row: Row
    seconds: float
    memory: float


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A campaign that was read, once per process."""

    campaign: Campaign
    plan: ExcitingMotion | None
    columns: Columns


@lru_cache(maxsize=1)
def prepared(work: Work) -> _Prepared:
    """Return the campaign of some texts, its plan and its columns; kept for the next run."""
    with warnings.catch_warnings():  # of descriptions; who started the campaign has seen them
        warnings.simplefilter('ignore')
        campaign = campaign_from_inputs(work.inputs)
    plan = parse_plan(work.plan, 'plan.yaml') if work.plan else None
    return _Prepared(campaign, plan, columns_of(campaign, parameters_of(campaign)))


def finished_run(work: Work, index: int) -> FinishedRun:
    """Return the row of a run."""
    ready = prepared(work)
    run = run_of(ready.campaign, ready.plan, index)
    return FinishedRun(ready.columns.row(run), run.seconds, _memory())


def _memory() -> float:
    """Return the memory of this process, bytes; the most that it has had where Linux is not."""
    pages = Path('/proc/self/statm')
    if pages.exists():
        return float(int(pages.read_text().split()[1]) * resource.getpagesize())
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE)


_WORK: dict[str, Work] = {}
"""What plugins brought to this worker, by hash."""


def _plugin(work: Work) -> 'WorkerPlugin':
    """Return what brings the texts to every worker of a cluster."""
    from spacerobot_id.campaign.worker_plugin import CampaignPlugin

    return CampaignPlugin(work)


def bring(work: Work) -> None:
    """Have the texts of a campaign known in this process; what was known before is forgotten."""
    _WORK.clear()
    _WORK[work.inputs.digest] = work


def _run_on_worker(digest: str, index: int) -> FinishedRun:
    return finished_run(_WORK[digest], index)


def serial_runs(work: Work, indices: Iterator[int]) -> Iterator[FinishedRun]:
    """Yield runs of this process, one after the other."""
    for index in indices:
        yield finished_run(work, index)


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
            yield _lost(work, index, future.exception())
        future.release()
        submit()


def _lost(work: Work, index: int, error: BaseException) -> FinishedRun:
    """Return the row of a run that brought its workers down."""
    ready = prepared(work)
    words = f'{type(error).__name__}: the workers that ran it died'
    drawn = ready.campaign.draws.of_run(index)
    run = Run(index, words, drawn, {}, (), None, np.nan)
    return FinishedRun(ready.columns.row(run), np.nan, np.nan)


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


@dataclass(frozen=True)
class Progress:
    """How far a campaign is.

    Parameters
    ----------
    finished : int
        Runs that are there.
    failed : int
        Runs without an outcome.
    budget : int
        Runs at most.
    """

    finished: int
    failed: int
    budget: int


class Execution:
    """A campaign on its way: what is there, what is to be done, and when it is decided.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    folder : ResultFolder
        Where results go.
    """

    def __init__(self, campaign: Campaign, folder: ResultFolder) -> None:
        self._campaign, self._folder = campaign, folder
        budget = campaign.runs
        self._there = np.zeros(budget, dtype=bool)
        self._failed = 0
        self._kept = {each.name: np.zeros(budget, dtype=bool) for each in campaign.requirements}
        self._schedule = looks(budget)
        self._passed_looks = 0
        self.count = budget
        for row in folder.finished_rows():
            self._take(row)
        self._look()

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(int(self._there[: self.count].sum()), self._failed, self.count)

    def pending(self) -> Iterator[int]:
        """Yield what is to be done, as long as it is: it ends when all is decided."""
        for index in range(len(self._there)):
            if index >= self.count:
                return
            if not self._there[index]:
                yield index

    def run(
        self,
        runs: Callable[[Iterator[int]], Iterator[FinishedRun]],
        report: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        """Run what is to be done, until all is decided or the budget is spent.

        Parameters
        ----------
        runs : callable
            Returns an iterator of finished runs from one of indices.
        report : callable
            Is told the progress.
        """
        report(self.progress)
        for finished in runs(self.pending()):
            self._folder.add(finished.row, finished.seconds, finished.memory)
            self._take(finished.row)
            self._look()
            report(self.progress)
            if self.progress.finished == self.count:
                break

    def judgements(self) -> tuple[Judgement, ...]:
        """Return the verdicts on all requirements."""
        return tuple(
            judged(each, self._of(each.name), self._campaign.runs)
            for each in self._campaign.requirements
        )

    def _of(self, name: str) -> NDArray[np.bool_]:
        """Return which of the first runs, as far as all are there, keep a requirement."""
        return self._kept[name][: self._ready()]

    def _ready(self) -> int:
        """Return how many runs are there from the first on without a gap, up to the end."""
        there = self._there[: self.count]
        return self.count if there.all() else int(np.argmin(there))

    def _take(self, row: Row) -> None:
        index = row['index']
        self._there[index] = True
        self._failed += bool(row['error'])
        for each in self._campaign.requirements:
            value = row.get(each.metric)
            value = np.nan if value is None else value
            self._kept[each.name][index] = bool(each.kept(np.array(value)))

    def _look(self) -> None:
        """End the campaign at the first look at which all requirements are decided."""
        if not self._campaign.stops_when_decided or not self._campaign.requirements:
            return
        ready = self._ready()
        while self._passed_looks < len(self._schedule):
            runs = self._schedule[self._passed_looks]
            if runs > ready:
                return
            self._passed_looks += 1
            verdicts = [
                judged(each, self._kept[each.name][:runs], self._campaign.runs).verdict
                for each in self._campaign.requirements
            ]
            if all(verdict is not Verdict.UNDECIDED for verdict in verdicts):
                self.count = runs
                return


def is_single_threaded(client: 'Client') -> bool:
    """Return whether every worker of a cluster runs one task at a time."""
    return all(threads == 1 for threads in client.nthreads().values())
