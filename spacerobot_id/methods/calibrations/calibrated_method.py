"""What methods have in common that can calibrate sensors and geometry beside the parameters."""

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Need, Record
from spacerobot_id.methods.calibrations.active import (
    CALIBRATIONS,
    Calibrations,
    Misfit,
    ReadingAxes,
)
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings, with_calibration
from spacerobot_id.methods.derived_rates import (
    are_followed,
    at_calm_rates,
    encoder_covariances,
    encoder_std,
    has_rates,
    in_band_std,
    is_poor,
    MARGIN,
    with_derived_rates,
)
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.methods.smoothing import (
    smoothing_window,
    with_smooth_joints,
    with_smoothed,
)
from spacerobot_id.methods.unknowns import NuisanceSettings, SUSPECTED_NUISANCE
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from typing import Self

LEAST_STD = 1e-7
"""Least noise of a rate, m/s or rad/s: where none is stated, no weight is infinite."""

MOVING = 10.0
"""Rate, in standard deviations, that is no noise."""

_BRISK, _NEGLIGIBLE = 0.3, 0.2
"""Usual rate of joints (rad/s), and share of the noise of a reading that makes no difference."""

_PATH = 3.0
"""Time that the curves of joints are found from before the newest sample, s."""

_EVERY = 8
"""Samples of which one shows what the noise of joint positions does to all of them."""


class CalibratedMethod(Method):
    """A method that predicts readings of the base, and what sensors that are off make of them."""

    nuisance: NuisanceSettings
    """What else is unknown."""

    calibration: CalibrationSettings
    """Which errors of sensors and geometry are unknown."""

    calibrations: Calibrations
    """Those that are."""

    derives_rates: bool
    """Whether joint rates are slopes of the positions, and readings of them are left out."""

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

    def slope_by_displacements(
        self, model: RobotModel, record: Record, values: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return what displaced joints do to the readings of ``predict_base``.

        Shape (N, k, t, 6), displacements as in ``momentum_by_displacements``; None by default,
        where slopes come from differences.
        """
        return None

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

    @classmethod
    def prefers_encoders(cls, model: RobotModel) -> bool:
        """Return whether rates are better derived from joint positions than measured."""
        return cls.needs.rates is Need.USED and is_poor(model.noise.joint_rate, encoder_std(model))

    def without_joint_rates(self) -> 'Self':
        """Return the method for joint states without rates."""
        return replace(self, derives_rates=True)

    def calm_std(self, record: Record) -> NDArray[np.float64]:
        """Return the noise of rates that motion is judged by, shape (N, n)."""
        measured = np.full(record.q.shape, self.precision[1])
        if record.derived is None:
            return measured
        return np.where(record.derived > 0.0, in_band_std(self.precision[0]), measured)

    def motors_move(self, record: Record) -> NDArray[np.bool_]:
        """Return where a joint or a wheel moves beyond its noise, shape (N,)."""
        rates = np.abs(at_calm_rates(record).qd)
        joints = np.any(rates > MOVING * self.calm_std(record), axis=1)
        return joints | np.any(np.abs(record.wheel_rates) > MOVING * LEAST_STD, axis=1)

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

        def displaced(model: RobotModel, seen: Record) -> NDArray[np.float64] | None:
            return self.slope_by_displacements(model, seen, values)

        return self.calibrations.predicted(
            own,
            self._own_misfit(values),
            displaced,
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
        std, is_derived = self.precision[0], record.derived is not None
        is_negligible = std * _BRISK < _NEGLIGIBLE * self.finest and not is_derived
        if is_negligible or not len(record) or not self.model.joints:
            return found
        scale = np.sqrt(record.noise_of('joints'))[:, None, None]
        if found.counted is not None:
            scale = scale * found.counted[..., None]
        of_positions = scale * self._moved_by(std, 'q', found, record, values)
        factor, shared = found.noise_factor, None
        if is_derived:
            of_rates = scale * self._moved_by(std, 'qd', found, record, values)
            own, shared = encoder_covariances(record, of_positions, of_rates)
        else:
            own = of_positions @ np.swapaxes(of_positions, -1, -2)
        covariance = factor @ np.swapaxes(factor, -1, -2) + own
        return replace(found, noise_factor=np.linalg.cholesky(covariance), shared=shared)

    def _moved_by(
        self,
        step: float,
        column: str,
        found: Prediction,
        record: Record,
        values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return how misfits change with a step of each joint's position, or rate, (N, k, n)."""
        some, spread = record[::_EVERY], []
        moved = getattr(some, column).copy()
        for joint in range(moved.shape[1]):
            before = moved[:, joint].copy()
            moved[:, joint] += step
            seen = self.calibrations.misfit(
                self._own_misfit(values),
                self.reading_axes,
                self.model,
                self.unknowns,
                replace(some, **{column: moved}),
                values,
            )
            spread.append(seen - found.error[::_EVERY])
            moved[:, joint] = before
        return np.repeat(np.stack(spread, axis=-1), _EVERY, axis=0)[: len(record)]

    @property
    def smooths(self) -> bool:
        """Whether slopes are taken at smoothed motion, and not at the noise of the measured one.

        Methods to compare take it as it is measured.
        """
        return not self.is_for_comparison

    def prepared(self, record: Record) -> Record:
        """Return the samples with rates, accelerations and smoothed motion, where needed."""
        followed = are_followed(record)[:, None]
        derived = ~np.isfinite(record.qd) | (self.derives_rates & followed)
        is_derived = self.derives_rates or bool(derived.any())
        if is_derived:
            record = with_derived_rates(record, derived, self.precision[0])
        record = self.calibrations.prepared(record)
        if self.smooths or is_derived:
            record = with_smoothed(record, self.precision, self._window, with_pose=self.uses_pose)
        return record[has_rates(record)] if is_derived else record

    def renewed(self, record: Record) -> Record:
        """Return samples with the smoothed motion of joints found again from all of them."""
        if record.smoothed is None:
            return record
        return with_smooth_joints(record, self.precision)

    @property
    def _window(self) -> int:
        """Samples that are smoothed over."""
        return smoothing_window(self.model.noise.rate)

    def switched_on(self) -> Calibrations:
        """Return the calibrations that the settings switch on."""
        return Calibrations.from_settings(self.model, self.calibration, self.streams, self.takes)

    @property
    def context(self) -> int:
        """Samples that accelerations need, where a delay is unknown, rates and smoothing."""
        poses = (self._window - 1) * (self.smooths and self.uses_pose)
        smoothing = poses + round(_PATH * self.model.noise.rate) * self.smooths
        return self.calibrations.context + smoothing + 2 * MARGIN * self.derives_rates

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
    def candidate_errors(self) -> dict[str, float]:
        """Calibrations that are off, with deviations to try."""
        found = {
            each.key: each.suspected
            for each in CALIBRATIONS
            if not each.stream or each.stream in self.streams
        }
        found |= SUSPECTED_NUISANCE
        unknown = self.unknowns.places.keys() | {
            key for key in SUSPECTED_NUISANCE if getattr(self.nuisance, key)
        }
        return {key: std for key, std in found.items() if key in self.takes - unknown}

    def with_calibration(self, key: str, std: float) -> 'Self':
        """Return the method with a calibration switched on."""
        return replace(
            self,
            nuisance=with_calibration(self.nuisance, key, std),
            calibration=with_calibration(self.calibration, key, std),
        )
