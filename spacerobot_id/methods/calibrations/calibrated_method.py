"""What methods have in common that can calibrate sensors and geometry beside the parameters."""

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.active import CALIBRATIONS, Calibrations, ReadingAxes
from spacerobot_id.methods.calibrations.settings import CalibrationSettings, freed
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.nuisance import NuisanceSettings
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from typing import Self

_SUSPECTED_BIAS = 0.01
"""How large a bias of the gyro may be that nobody has given a deviation for, rad/s."""


class CalibratedMethod(Method):
    """A method that predicts readings of the base, and what sensors that are off make of them."""

    nuisance: NuisanceSettings
    """What else is unknown."""

    calibration: CalibrationSettings
    """Which errors of sensors and geometry are unknown."""

    calibrations: Calibrations
    """Those that are."""

    @property
    @abstractmethod
    def streams(self) -> tuple[str, ...]:
        """Readings of the base that are used: ``gyro``, ``velocity``, ``pose``."""

    @property
    @abstractmethod
    def reading_axes(self) -> ReadingAxes:
        """What the outputs are."""

    @abstractmethod
    def predict_base(
        self,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
        *,
        with_slope: bool,
    ) -> Prediction:
        """Compare measured readings with those of sensors that have no error but a gyro bias.

        Parameters
        ----------
        model : RobotModel
            Robot, for its geometry.
        record : Record
            N samples.
        values : ndarray, shape (u,)
            Unknowns.
        with_slope : bool
            Whether slopes are wanted.
        """

    def predict(
        self, record: Record, values: NDArray[np.float64], *, with_slope: bool = True
    ) -> Prediction:
        """Compare measured readings with what conservation and the calibrations predict."""

        def own(model: RobotModel, seen: Record, with_slope: bool) -> Prediction:
            return self.predict_base(model, seen, values, with_slope=with_slope)

        return self.calibrations.predicted(
            own,
            self.reading_axes,
            self.model,
            self.unknowns,
            record,
            values,
            with_slope=with_slope,
        )

    def switched_on(self) -> Calibrations:
        """Return the calibrations that the settings switch on."""
        return Calibrations.from_settings(self.model, self.calibration, self.streams, self.takes)

    @property
    def context(self) -> int:
        """Samples that accelerations need, where a delay is unknown."""
        return self.calibrations.context

    def described(self, values: NDArray[np.float64]) -> RobotModel:
        """Return the description with joints where calibrations found them."""
        return self.calibrations.described(self.model, self.unknowns, values)

    @property
    def suspects(self) -> dict[str, float]:
        """Calibrations that are off, with deviations to try."""
        found = {
            each.key: each.suspected
            for each in CALIBRATIONS
            if not each.stream or each.stream in self.streams
        }
        found |= {'gyro_bias': _SUSPECTED_BIAS}
        unknown = self.unknowns.places
        return {key: std for key, std in found.items() if key in self.takes - unknown.keys()}

    def freed(self, key: str, std: float) -> 'Self':
        """Return the method with a calibration switched on."""
        return replace(
            self,
            nuisance=freed(self.nuisance, key, std),
            calibration=freed(self.calibration, key, std),
        )
