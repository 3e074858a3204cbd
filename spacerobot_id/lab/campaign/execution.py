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

from spacerobot_id.lab.campaign.analysis.requirements import judged, Judgement, looks, Verdict
from spacerobot_id.lab.campaign.campaign_file import Campaign, campaign_from_inputs, CampaignInputs
from spacerobot_id.lab.campaign.result_folder import Columns, columns_of, ResultFolder, Row
from spacerobot_id.lab.campaign.run import flown_run, Run

_KIBIBYTE = 1024


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


@lru_cache(maxsize=1)
def prepared(work: CampaignInputs) -> tuple[Campaign, Columns]:
    """Return the campaign of some texts, its plan among them, and its columns; kept, too."""
    with warnings.catch_warnings():  # of descriptions; who started the campaign has seen them
        warnings.simplefilter('ignore')
        campaign = campaign_from_inputs(work)
    return campaign, columns_of(campaign)


def finished_run(work: CampaignInputs, index: int) -> FinishedRun:
    """Return the row of a run."""
    campaign, columns = prepared(work)
    run, _ = flown_run(campaign, index)
    return FinishedRun(columns.row(run), run.seconds, _memory())


def lost_run(work: CampaignInputs, index: int, error: BaseException) -> FinishedRun:
    """Return the row of a run that brought its workers down."""
    campaign, columns = prepared(work)
    reason = f'{type(error).__name__}: the workers that ran it died'
    drawn = campaign.draws.of_run(index)
    run = Run(index, reason, drawn, {}, (), None, np.nan)
    return FinishedRun(columns.row(run), np.nan, np.nan)


def _memory() -> float:
    """Return the memory of this process, bytes; the most that it has had where Linux is not."""
    pages = Path('/proc/self/statm')
    if pages.exists():
        return float(int(pages.read_text().split()[1]) * resource.getpagesize())
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE)


class Execution:
    """A campaign on its way: what is there, what is to be done, and when it is decided.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    folder : ResultFolder
        Where results go.

    Attributes
    ----------
    count, finished, failed : int
        Runs at most, those that are there, and those of them without an outcome.
    """

    def __init__(self, campaign: Campaign, folder: ResultFolder) -> None:
        self._campaign, self._folder = campaign, folder
        budget = campaign.runs
        self._there = np.zeros(budget, dtype=bool)
        self.finished = self.failed = self._gapless = 0
        self._kept = {each.name: np.zeros(budget, dtype=bool) for each in campaign.requirements}
        self._schedule = list(looks(budget))
        self.count = budget
        for row in folder.finished_rows():
            self._take(row)
        self._look()

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
        report: Callable[[], None] = lambda: None,
    ) -> None:
        """Run what is to be done, until all is decided or the budget is spent.

        Parameters
        ----------
        runs : callable
            Returns an iterator of finished runs from one of indices.
        report : callable
            Is called at the beginning, and after every run.
        """
        report()
        for finished in runs(self.pending()):
            self._folder.add(finished.row, finished.seconds, finished.memory)
            self._take(finished.row)
            self._look()
            report()
            if self.finished == self.count:
                break

    def judgements(self) -> tuple[Judgement, ...]:
        """Return the verdicts on all requirements."""
        return self._judged(min(self._gapless, self.count))

    def _judged(self, runs: int) -> tuple[Judgement, ...]:
        """Return the verdicts by the first runs, all of which are there."""
        return tuple(
            judged(each, self._kept[each.name][:runs], self._campaign.runs)
            for each in self._campaign.requirements
        )

    def _take(self, row: Row) -> None:
        index = row['index']
        self._there[index] = True
        self.finished += index < self.count
        while self._gapless < len(self._there) and self._there[self._gapless]:
            self._gapless += 1
        self.failed += bool(row['error'])
        for each in self._campaign.requirements:
            value = row.get(each.metric)
            value = np.nan if value is None else value
            self._kept[each.name][index] = bool(each.kept(np.array(value)))

    def _look(self) -> None:
        """End the campaign at the first look at which all requirements are decided."""
        if not self._campaign.stops_when_decided or not self._campaign.requirements:
            return
        while self._schedule and self._schedule[0] <= min(self._gapless, self.count):
            runs = self._schedule.pop(0)
            if all(each.verdict is not Verdict.UNDECIDED for each in self._judged(runs)):
                self.count, self.finished = runs, int(self._there[:runs].sum())
                return
