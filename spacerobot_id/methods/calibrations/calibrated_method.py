"""What methods have in common that can calibrate sensors and geometry beside the parameters."""

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.active import (
    CALIBRATIONS,
    Calibrations,
    Misfit,
    ReadingAxes,
)
from spacerobot_id.methods.calibrations.settings import CalibrationSettings, freed
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.nuisance import NuisanceSettings
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.methods.smoothing import smoothing_window, with_smoothed
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from typing import Self

_SUSPECTED = {
    'gyro_bias': 0.01,
    'linear_momentum': 100.0,
    'angular_momentum': 100.0,
    'wheel_scale': 0.1,
}
"""Deviations of unknowns that nobody has given any for: rad/s, kg m/s, kg m^2/s, a share."""

_PRECISE = 3e-4
"""Noise of joint positions (rad) and rates (rad/s) up to which slopes at them are as good."""

_BRISK, _NEGLIGIBLE = 0.3, 0.2
"""Usual rate of joints (rad/s), and share of the noise of a reading that makes no difference."""

_EVERY = 8
"""Samples of which one tells what the noise of joint positions does to all of them."""


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

    @abstractmethod
    def base_misfit(
        self, model: RobotModel, record: Record, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the misfit of ``predict_base`` alone, shape (N, k): neither slopes nor noise."""

    @property
    @abstractmethod
    def precision(self) -> tuple[float, float]:
        """Standard deviations of joint positions (rad) and rates (rad/s); the largest of them."""

    @property
    @abstractmethod
    def uses_pose(self) -> bool:
        """Whether predictions follow from the pose of the base."""

    @property
    @abstractmethod
    def finest(self) -> float:
        """Least standard deviation of a reading that joint positions matter for."""

    def predict(
        self, record: Record, values: NDArray[np.float64], *, with_slope: bool = True
    ) -> Prediction:
        """Compare measured readings with what conservation and the calibrations predict.

        Slopes are those at the smoothed motion, where the record has it.
        """
        is_smoothed = record.smoothed is not None
        found = self._compared(record, values, with_slope=with_slope and not is_smoothed)
        if with_slope and is_smoothed:
            smooth = self._compared(record.at_smoothed(), values, with_slope=True)
            found = replace(found, slope=smooth.slope)
        return self._with_encoder_noise(found, record, values)

    def _compared(
        self, record: Record, values: NDArray[np.float64], *, with_slope: bool
    ) -> Prediction:
        """Compare readings, all at the same motion."""

        def own(model: RobotModel, seen: Record, with_slope: bool) -> Prediction:
            return self.predict_base(model, seen, values, with_slope=with_slope)

        return self.calibrations.predicted(
            own,
            self._own_misfit(values),
            self.reading_axes,
            self.model,
            self.unknowns,
            record,
            values,
            with_slope=with_slope,
        )

    def _own_misfit(self, values: NDArray[np.float64]) -> Misfit:
        """Return the misfit of geometry and record at some unknowns."""
        return lambda model, record: self.base_misfit(model, record, values)

    def _with_encoder_noise(
        self, found: Prediction, record: Record, values: NDArray[np.float64]
    ) -> Prediction:
        """Return a comparison with what the noise of joint positions adds to its covariance."""
        std = self.precision[0]
        if std * _BRISK < _NEGLIGIBLE * self.finest or not len(record):
            return found
        some = record[::_EVERY]
        moved, spread = some.q.copy(), []
        for joint in range(some.q.shape[1]):
            moved[:, joint] += std
            seen = self.calibrations.misfit(
                self._own_misfit(values),
                self.reading_axes,
                self.model,
                self.unknowns,
                replace(some, q=moved),
                values,
            )
            spread.append(seen - found.error[::_EVERY])
            moved[:, joint] = some.q[:, joint]
        columns = np.repeat(np.stack(spread, axis=-1), _EVERY, axis=0)[: len(record)]
        columns *= np.sqrt(record.noise_of('joints'))[:, None, None]
        if found.counted is not None:
            columns = columns * found.counted[..., None]
        factor = found.noise_factor
        covariance = factor @ np.swapaxes(factor, -1, -2) + columns @ np.swapaxes(columns, -1, -2)
        return replace(found, noise_factor=np.linalg.cholesky(covariance))

    @property
    def smooths(self) -> bool:
        """Whether noise of what slopes are taken at could bias them, and is to be kept out."""
        is_noisy = self.uses_pose or max(self.precision) > _PRECISE
        return is_noisy and not self.is_for_comparison

    def prepared(self, record: Record) -> Record:
        """Return the samples with accelerations and smoothed motion, where they are needed."""
        record = self.calibrations.prepared(record)
        if not self.smooths:
            return record
        return with_smoothed(record, self._window, with_pose=self.uses_pose)

    @property
    def _window(self) -> int:
        """Samples that are smoothed over."""
        return smoothing_window(self.model.noise.rate)

    def switched_on(self) -> Calibrations:
        """Return the calibrations that the settings switch on."""
        return Calibrations.from_settings(self.model, self.calibration, self.streams, self.takes)

    @property
    def context(self) -> int:
        """Samples that accelerations need, where a delay is unknown, and smoothing."""
        return self.calibrations.context + (self._window - 1) * self.smooths

    def described(self, values: NDArray[np.float64]) -> RobotModel:
        """Return the description with joints, sensors and wheels as calibrations found them."""
        found = self.calibrations.described(self.model, self.unknowns, values)
        if 'wheel_scale' not in self.unknowns.places:
            return found
        scales = 1.0 + values[self.unknowns.places['wheel_scale']]
        wheels = [
            replace(wheel, spin_inertia=float(scale * wheel.spin_inertia))
            for wheel, scale in zip(found.wheels, scales, strict=True)
        ]
        return replace(found, wheels=wheels)

    @property
    def suspects(self) -> dict[str, float]:
        """Calibrations that are off, with deviations to try."""
        found = {
            each.key: each.suspected
            for each in CALIBRATIONS
            if not each.stream or each.stream in self.streams
        }
        found |= _SUSPECTED
        unknown = self.unknowns.places.keys() | {
            key for key in _SUSPECTED if getattr(self.nuisance, key)
        }
        return {key: std for key, std in found.items() if key in self.takes - unknown}

    def freed(self, key: str, std: float) -> 'Self':
        """Return the method with a calibration switched on."""
        return replace(
            self,
            nuisance=freed(self.nuisance, key, std),
            calibration=freed(self.calibration, key, std),
        )
