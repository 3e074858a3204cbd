"""How far a fault moves an estimate, by what the estimate states of itself."""

from dataclasses import dataclass

import numpy as np

from spacerobot_id.estimation.estimate import Estimate

HARMED = 3.0
"""Standard deviations beyond which an estimate is harmed."""


@dataclass(frozen=True)
class Harm:
    """How far an estimate is from that of the clean log, in the deviations that it states.

    Parameters
    ----------
    joint : float
        Root mean square over all directions of the covariance (Mahalanobis distance over the
        root of the number of parameters).
    worst : float
        Largest of a parameter.
    parameter : str
        That parameter.
    """

    joint: float
    worst: float
    parameter: str

    @property
    def is_harm(self) -> bool:
        """Whether it is more than ``HARMED``."""
        return not (self.joint <= HARMED and self.worst <= HARMED)


def harm(found: Estimate, clean: Estimate) -> Harm:
    """Return how far an estimate is from that of the clean log, by what it states of itself."""
    off, scale = found.values - clean.values, np.sqrt(np.diag(found.covariance))
    scores = np.abs(off) / scale
    worst = int(np.argmax(np.where(np.isfinite(scores), scores, np.inf)))
    correlation = found.covariance / np.outer(scale, scale)
    squares = np.nan
    if np.isfinite(correlation).all() and np.isfinite(off).all():
        signed = off / scale
        squares = signed @ np.linalg.lstsq(correlation, signed, rcond=None)[0]
    return Harm(float(np.sqrt(squares / len(off))), float(scores[worst]), found.names[worst])
