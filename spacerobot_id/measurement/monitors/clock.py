"""Whether time that is given from outside, by a simulator, goes on (F19)."""

PERIOD = 2.0
"""Time without a step of the simulated clock after which there is a warning, s."""


class ClockMonitor:
    """Compares the clock with what it was a while ago.

    Attributes
    ----------
    is_still : bool
        Whether time should go on and does not.
    """

    def __init__(self) -> None:
        self.is_still = False
        self._seen = 0

    def look(self, now: int, *, is_simulated: bool) -> bool:
        """Look at the clock; return whether that it stands still, or goes on again, is news.

        Parameters
        ----------
        now : int
            Time on the clock, ns.
        is_simulated : bool
            Whether it is given from outside; another clock never stands still.
        """
        was_still, self.is_still = self.is_still, is_simulated and now == self._seen
        self._seen = now
        return was_still != self.is_still
