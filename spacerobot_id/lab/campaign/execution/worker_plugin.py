"""Dask's plugin that brings a campaign to workers; imported where Dask is."""

from distributed import Worker, WorkerPlugin

from spacerobot_id.lab.campaign.execution.work import bring, Work


class CampaignPlugin(WorkerPlugin):
    """Brings the texts of a campaign to every worker, to those started later too.

    Parameters
    ----------
    work : Work
        Texts.
    """

    def __init__(self, work: Work) -> None:
        self._work = work

    def setup(self, worker: Worker) -> None:
        """Keep the texts."""
        bring(self._work)
