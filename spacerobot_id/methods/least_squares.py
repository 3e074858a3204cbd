"""Least squares on the momentum regressor: the paper's, and the same with weights."""

from dataclasses import dataclass
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.angular_momentum import AngularMomentum, ordinary_angular_rows
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.momentum_rows import ordinary_rows, weighted_rows
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from typing import Self


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


@dataclass(frozen=True, eq=False)
class LeastSquares(Momentum):
    """Least squares on the momentum regressor at the measured rates ([Naveen 2024] Eq. 27).

    Its covariance is scaled to the residual, as if the regressor were free of noise; it is not,
    so the estimate is biased and the covariance too small.
    """

    name: ClassVar[str] = 'least_squares'
    summary: ClassVar[str] = 'momentum by least squares on the regressor, to compare'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED, gyro=Need.NEEDED, velocity=Need.NEEDED, pose=Need.UNUSED
    )
    takes: ClassVar[frozenset[str]] = frozenset(
        {'prior_relative_std', 'prior_mass_std', 'planar', 'base_velocity'}
    )
    is_for_comparison: ClassVar[bool] = True
    has_stated_noise: ClassVar[bool] = False
    no_gate: ClassVar[str] = (
        'rows at measured rates have no stated noise, so that no sample stands out by chance alone'
    )

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot whose base velocity is measured.

        Raises
        ------
        ConfigurationError
            If it is not, or no wheel gives the parameters a scale.
        """
        if from_pose:
            raise ConfigurationError(f'base_velocity: {cls.name} needs a measured base velocity')
        if not model.wheels:
            raise ConfigurationError(
                f'{model.name}: has no reaction wheels, without which all parameters zero is what '
                f'{cls.name} finds; the method momentum finds their ratios'
            )
        return cls.from_model(model, planar=settings.planar, prior=settings.prior)

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return that of the output error, for a robot that least squares can be of."""
        cls.from_settings(model, settings.given)
        return super().information(model, settings)

    def equations(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows of [Naveen 2024] Eq. 26."""
        return ordinary_rows(self, record)


@dataclass(frozen=True, eq=False)
class WeightedLeastSquares(LeastSquares):
    """The same with every row divided by the noise that the measured rates put into it."""

    name: ClassVar[str] = 'weighted_least_squares'
    summary: ClassVar[str] = 'momentum by least squares weighted by the noise of the rates'
    has_stated_noise: ClassVar[bool] = True

    def equations(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows with unit noise, as it is at some values."""
        return weighted_rows(self, record, values)

    def unweighted(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows of [Naveen 2024] Eq. 26, which need no values."""
        return ordinary_rows(self, record)
