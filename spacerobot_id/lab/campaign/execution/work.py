"""What a process needs for the runs of a campaign, and a run of it as a row.

Whoever runs an index, the row is the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
import resource
import warnings

import numpy as np

from spacerobot_id.excitation.trajectory.plan_file import parse_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.lab.campaign.definition.campaign_file import Campaign, campaign_from_inputs
from spacerobot_id.lab.campaign.definition.inputs import CampaignInputs
from spacerobot_id.lab.campaign.run import parameters_of, Run, run_of
from spacerobot_id.lab.campaign.tables.columns import Columns, columns_of, Row

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


_BROUGHT: dict[str, Work] = {}
"""What was brought to this process, by hash."""


def bring(work: Work) -> None:
    """Have the texts of a campaign known in this process; what was known before is forgotten."""
    _BROUGHT.clear()
    _BROUGHT[work.inputs.digest] = work


def run_brought(digest: str, index: int) -> FinishedRun:
    """Return a run of the campaign that was brought to this process."""
    return finished_run(_BROUGHT[digest], index)


def serial_runs(work: Work, indices: Iterator[int]) -> Iterator[FinishedRun]:
    """Yield runs of this process, one after the other."""
    for index in indices:
        yield finished_run(work, index)


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
