"""The links that an estimate makes, looked for in a thread of their own."""

from functools import partial
import time

from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.nodes.estimator.estimation_worker import EstimationWorker

_SHARE = 0.05
"""Share of the time that links may be looked for."""


class LinkWatch:
    """Links that can exist and are likeliest by the latest estimate that was looked at.

    Parameters
    ----------
    worker : EstimationWorker
        Thread that they are looked for in.
    relative_std : float
        How far the description may be wrong, as a share.
    """

    def __init__(self, worker: EstimationWorker, relative_std: float) -> None:
        self._worker, self._relative_std = worker, relative_std
        self._found: tuple[Identification, ConsistentParameters | None] | None = None
        self._is_looking = False
        self._begins = 0
        self._rests_until = 0.0

    def of(self, state: Identification) -> ConsistentParameters | None:
        """Return the links last found, which may be some updates old; None without samples."""
        if not state.samples:
            return None
        if self._found is None:  # nothing is called valid whose links were not checked
            self._found = state, state.links(self._relative_std)
        return self._found[1]

    def look(self, state: Identification) -> None:
        """Have the thread look for the links of its state, unless they are of this one."""
        is_known = self._found is not None and self._found[0] is state
        is_early = time.monotonic() < self._rests_until
        if is_known or is_early or self._is_looking or not state.samples:
            return
        self._is_looking = self._worker.apply(partial(self._find, self._begins))

    def forget(self) -> None:
        """Start again: the next links are those of another estimate."""
        self._found, self._is_looking = None, False
        self._begins += 1

    def _find(self, begins: int, state: Identification) -> Identification:
        """Find the links of a state, which stays as it is."""
        begin = time.monotonic()
        try:
            found = state.links(self._relative_std) if state.samples else None
        finally:
            end = time.monotonic()
            self._rests_until = end + (end - begin) * (1.0 / _SHARE - 1.0)
            if begins == self._begins:
                self._is_looking = False
        if state.samples and begins == self._begins:
            self._found = state, found
        return state
