"""Least squares on the regressor of angular momentum, to compare."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.angular_momentum import AngularMomentum, ordinary_angular_rows
from spacerobot_id.methods.prediction import Rows


@dataclass(frozen=True, eq=False)
class AngularMomentumLeastSquares(AngularMomentum):
    """Least squares on the regressor at the measured rates ([Christidi 2017] Eq. 18).

    Its covariance is scaled to the residual, as if the regressor were free of noise.
    """

    name: ClassVar[str] = 'angular_momentum_least_squares'
    summary: ClassVar[str] = 'angular momentum by least squares on the regressor, to compare'
    takes: ClassVar[frozenset[str]] = frozenset(
        {'prior_relative_std', 'known_angular_momentum', 'trust_zeros'}
    )
    is_for_comparison: ClassVar[bool] = True
    has_stated_noise: ClassVar[bool] = False
    no_gate: ClassVar[str] = (
        'rows at measured rates have no stated noise, so that no sample stands out by chance alone'
    )

    def equations(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows of [Christidi 2017] Eq. 15."""
        return ordinary_angular_rows(self, record)
