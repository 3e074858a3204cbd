"""Samples that do not fit: outliers while they are few, a changed robot when they go on."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.settings import ChangeSettings

HORIZON = 15.0
"""Time of motion before a change is found within which it may have been, s."""


@dataclass(frozen=True, eq=False)
class RejectionWindow:
    """Samples rejected lately, and how many there were beside them.

    Parameters
    ----------
    rejected : tuple of Record
        Rejected samples of the latest blocks.
    earlier : tuple of Record
        Rejected samples of those before, as far back as a change may have been.
    blocks : tuple of (float, int, int)
        Time, samples and rejected samples of the latest blocks, those at rest counted: where only
        outliers move, they are no changed robot.
    """

    rejected: tuple[Record, ...] = ()
    earlier: tuple[Record, ...] = ()
    blocks: tuple[tuple[float, int, int], ...] = ()

    def with_block(
        self, block: Record, good: NDArray[np.bool_], resting: int, window: float
    ) -> 'RejectionWindow':
        """Return the window after a block of which some samples are good; the old forgotten.

        Parameters
        ----------
        block : Record
            N samples in which something moves.
        good : ndarray of bool, shape (N,)
            Which of them fit.
        resting : int
            Samples between them in which nothing moves.
        window : float
            Time that rejected samples are counted over, s.
        """
        now = float(block.times[-1])
        rejected = tuple(part for part in self.rejected if part.times[-1] > now - window)
        past = self.rejected[: len(self.rejected) - len(rejected)]
        earlier = (part for part in (*self.earlier, *past) if part.times[-1] > now - HORIZON)
        blocks = tuple(each for each in self.blocks if each[0] > now - window)
        if not good.all():
            rejected = (*rejected, block[~good])
        latest = (now, len(block) + resting, int(np.sum(~good)))
        return RejectionWindow(rejected, tuple(earlier), (*blocks, latest))

    def with_rest(self, now: float, resting: int, window: float) -> 'RejectionWindow':
        """Return the window after a block in which nothing moves."""
        blocks = tuple(each for each in self.blocks if each[0] > now - window)
        return replace(self, blocks=(*blocks, (now, resting, 0)) if blocks else ())

    def exceeds_share(self, settings: ChangeSettings) -> bool:
        """Return whether rejected samples are no longer the exception."""
        times, samples, rejected = zip(*self.blocks, strict=True)
        long_enough = times[-1] - times[0] >= 0.5 * settings.window
        is_rule = sum(rejected) > settings.share * sum(samples)
        return long_enough and is_rule and bool(self.rejected)

    def samples(self) -> Record:
        """Return the rejected samples."""
        return Record.concatenate(self.rejected)

    def since_change(self, settings: ChangeSettings) -> Record:
        """Return the rejected samples since they became the rule, outliers of before left out."""
        times, samples, rejected = (np.array(each) for each in zip(*self.blocks, strict=True))
        excess = rejected - settings.share * samples
        first = int(np.argmax(np.cumsum(excess[::-1])[::-1]))
        found = self.samples()
        return found[found.times > times[first - 1]] if first else found


NO_REJECTIONS = RejectionWindow()
