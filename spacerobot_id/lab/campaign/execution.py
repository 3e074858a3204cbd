"""A campaign on its way: what is there, what is to be done, and when it is decided.

Whoever runs an index, the row is the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
import resource
import warnings

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.plan_file import parse_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.lab.campaign.analysis.requirements import judged, Judgement, looks, Verdict
from spacerobot_id.lab.campaign.campaign_file import Campaign, campaign_from_inputs, CampaignInputs
from spacerobot_id.lab.campaign.result_folder import Columns, columns_of, ResultFolder, Row
from spacerobot_id.lab.campaign.run import Run, run_of

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
    return _Prepared(campaign, plan, columns_of(campaign))


def finished_run(work: Work, index: int) -> FinishedRun:
    """Return the row of a run."""
    ready = prepared(work)
    run = run_of(ready.campaign, ready.plan, index)
    return FinishedRun(ready.columns.row(run), run.seconds, _memory())


def lost_run(work: Work, index: int, error: BaseException) -> FinishedRun:
    """Return the row of a run that brought its workers down."""
    ready = prepared(work)
    reason = f'{type(error).__name__}: the workers that ran it died'
    drawn = ready.campaign.draws.of_run(index)
    run = Run(index, reason, drawn, {}, (), None, np.nan)
    return FinishedRun(ready.columns.row(run), np.nan, np.nan)


def _memory() -> float:
    """Return the memory of this process, bytes; the most that it has had where Linux is not."""
    pages = Path('/proc/self/statm')
    if pages.exists():
        return float(int(pages.read_text().split()[1]) * resource.getpagesize())
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE)


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
        self._finished = self._gapless = self._failed = 0
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
        return Progress(self._finished, self._failed, self.count)

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
            Is called with the progress.
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
        return min(self._gapless, self.count)

    def _take(self, row: Row) -> None:
        index = row['index']
        self._there[index] = True
        self._finished += index < self.count
        while self._gapless < len(self._there) and self._there[self._gapless]:
            self._gapless += 1
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
                self.count, self._finished = runs, int(self._there[:runs].sum())
                return
