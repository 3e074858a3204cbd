"""A thread that plans, can be asked to stop, and keeps what it found."""

from collections.abc import Callable
import threading
import time

Job = Callable[[Callable[[int, float], bool]], object]
"""Makes a plan; is given a callback for its progress, which returns whether to stop."""


class PlanningWorker:
    """One planning at a time, beside the callbacks.

    Parameters
    ----------
    plan : callable
        Plans; is given a function of the number of evaluations and the best cost that returns
        whether to stop.
    """

    def __init__(self, plan: Job) -> None:
        self.evaluations = 0
        self.best_cost = float('inf')
        self.seconds = 0.0
        self.result: object | None = None
        self.error: Exception | None = None
        self._plan = plan
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name='planning', daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether there is a result or an error."""
        return not self._thread.is_alive()

    def stop(self, timeout: float = 5.0) -> None:
        """Ask the search to end and wait for it, s at most."""
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        begin = time.monotonic()
        try:
            self.result = self._plan(self._on_progress)
        except Exception as error:
            self.error = error
        self.seconds = time.monotonic() - begin

    def _on_progress(self, evaluations: int, best_cost: float) -> bool:
        self.evaluations, self.best_cost = evaluations, best_cost
        return self._stop.is_set()
