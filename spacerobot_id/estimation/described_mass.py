"""The total mass that an estimate has, against that of the description."""

from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification


@dataclass(frozen=True)
class DescribedMass:
    """Total mass of an estimate and of its description, where both are of one robot.

    Parameters
    ----------
    mass, described : float
        Total mass estimated and described, kg, both above zero.
    std : float
        Standard deviation of the logarithm of their ratio that the description leaves open.
    """

    mass: float
    described: float
    std: float

    @classmethod
    def of(cls, state: 'Identification') -> 'DescribedMass | None':
        """Return that of a state; None without a prior, after a change, or with no mass."""
        prior = state.method.prior_settings
        masses = list(state.method.masses)
        if prior is None or not masses or state.changes:
            return None
        described = float(state.method.prior().mean[masses].sum())
        mass = float(np.asarray(state.estimate().values)[masses].sum())
        return cls(mass, described, prior.mass_std) if mass > 0.0 else None

    @property
    def ratio(self) -> float:
        """Mass over that described."""
        return self.mass / self.described

    @property
    def deviations(self) -> float:
        """How many standard deviations its logarithm is from one."""
        return abs(math.log(self.ratio)) / self.std
