"""A thread that changes the state of the identification, so that no callback waits for it."""

from collections.abc import Callable
from dataclasses import dataclass
import math
import queue
import threading
import time

from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.measurement import Record

_LONGEST_REST = 3.0
"""Longest time that it rests after work, s."""

Change = Callable[[Identification], Identification]
"""Makes the next state from the present one."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state at one moment.

    Parameters
    ----------
    state : Identification
        State after the changes that are done.
    backlog : int
        Number of changes that are not in it yet.
    """

    state: Identification
    backlog: int


class EstimationWorker:
    """Applies changes to a state one after the other; readers see whole states only.

    Samples that come while it works are absorbed together: however long a fit takes, the next
    update is as recent as it can be.

    Parameters
    ----------
    state : Identification
        State to begin with.
    on_error : callable
        Called in the thread with an exception that a change raised; the state stays as it was.
    capacity : int
        Changes, and blocks of samples, that may wait; more are refused.
    """

    def __init__(
        self,
        state: Identification,
        on_error: Callable[[Exception], None],
        capacity: int = 500,
    ) -> None:
        self._state = state
        self._restarts = 0
        self._lock = threading.Lock()
        self._last = (-math.inf, 0.0)
        self._on_error = on_error
        self._blocks: list[Record] = []
        self._capacity = capacity
        self._changes: queue.Queue[tuple[Change, int] | None] = queue.Queue(capacity)
        self._thread = threading.Thread(target=self._run, name='estimation', daemon=True)
        self._thread.start()

    @property
    def state(self) -> Identification:
        """State after the last change that is done."""
        return self._state

    @property
    def backlog(self) -> int:
        """Number of changes that wait or are under way."""
        return self._changes.unfinished_tasks

    def is_to_rest(self, share: float) -> bool:
        """Return whether it works, or has worked for more than a share of the time lately.

        Parameters
        ----------
        share : float
            Share of the time that it may work.
        """
        ended, took = self._last
        rest = min(took * (1.0 / share - 1.0), _LONGEST_REST)
        return self.backlog > 0 or time.monotonic() - ended < rest

    def snapshot(self) -> Snapshot:
        """Return state and backlog; what the backlog has no more of is in the state."""
        backlog = self.backlog  # first: a change that is made meanwhile is then still counted
        return Snapshot(self._state, backlog)

    def apply(self, change: Change) -> bool:
        """Queue a change; return whether there was room for it."""
        try:
            self._changes.put_nowait((change, self._restarts))
        except queue.Full:
            return False
        return True

    def absorb(self, block: Record) -> bool:
        """Queue samples; return whether there was room for them."""
        with self._lock:
            if len(self._blocks) >= self._capacity:
                return False
            self._blocks.append(block)
            if len(self._blocks) > 1:
                return True  # those before them are waited for already
        if self.apply(self._absorb_waiting):
            return True
        with self._lock:
            self._blocks = []
        return False

    def restart(self, state: Identification) -> None:
        """Go on from another state at once; changes that wait or are under way come to nothing."""
        with self._lock:
            self._state = state
            self._blocks = []
            self._restarts += 1

    def close(self, timeout: float = 5.0) -> None:
        """Drop what waits and end the thread.

        Parameters
        ----------
        timeout : float
            Longest time to wait for the change under way, s.
        """
        while True:
            try:
                self._changes.get_nowait()
            except queue.Empty:
                break
        self._changes.put(None)
        self._thread.join(timeout)

    def _absorb_waiting(self, state: Identification) -> Identification:
        """Return a state with all samples that wait in it."""
        with self._lock:
            blocks, self._blocks = self._blocks, []
        return absorb(state, Record.concatenate(blocks)) if blocks else state

    def _run(self) -> None:
        while (queued := self._changes.get()) is not None:
            begin = time.monotonic()
            self._make(*queued)
            end = time.monotonic()
            self._last = (end, end - begin)
            self._changes.task_done()

    def _make(self, change: Change, restarts: int) -> None:
        """Make a change, unless there was a restart since it was asked for."""
        if restarts != self._restarts:
            return
        try:
            state = change(self._state)
        except Exception as error:
            self._on_error(error)
            return
        with self._lock:
            if restarts == self._restarts:
                self._state = state
