"""The calibrations that settings switch on, and a prediction with them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.base_sensors import (
    GyroMounting,
    GyroScale,
    PoseMounting,
    PosePoint,
    TwistMounting,
    TwistPoint,
    TwistScale,
)
from spacerobot_id.methods.calibrations.calibration import Calibration, CalibrationSettings
from spacerobot_id.methods.calibrations.delay import (
    Delay,
    ImuDelay,
    PoseDelay,
    turned_on,
    TwistDelay,
)
from spacerobot_id.methods.calibrations.encoder_offset import EncoderOffset
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.methods.unknowns import UnknownGroup, Unknowns
from spacerobot_id.model import RobotModel

CALIBRATIONS: tuple[type[Calibration], ...] = (
    JointAxis,
    JointOrigin,
    EncoderOffset,
    PoseMounting,
    PosePoint,
    TwistPoint,
    GyroMounting,
    TwistMounting,
    GyroScale,
    TwistScale,
    ImuDelay,
    TwistDelay,
    PoseDelay,
)
"""All of them, in the order in which they act."""

_STEP = 1e-3
"""Difference that slopes are taken over, in prior standard deviations."""

_WINDOW = 0.07
"""Time that the local polynomial spans which gives accelerations, s: they change within it."""

_LEAST_WINDOW = 5
"""Least samples of that polynomial."""

_SOON = 1e-3
"""Time over which rates of predicted readings are taken, s."""

Predict = Callable[[RobotModel, Record, bool], Prediction]
"""From geometry and record to the base's own readings against the measured ones."""

Misfit = Callable[[RobotModel, Record], NDArray[np.float64]]
"""The same misfit alone, shape (N, k): differences need neither slopes nor noise."""

Displaced = Callable[[RobotModel, Record], NDArray[np.float64] | None]
"""Slope of the predicted readings in displacements of the joints, shape (N, k, t, 6); None where
it has to come from differences."""


@dataclass(frozen=True)
class ReadingAxes:
    """What the outputs of a method are.

    Parameters
    ----------
    twist : tuple of int
        Component of the twist (0 to 2 velocity, 3 to 5 gyro) that each output is; -1 where it
        is a position.
    """

    twist: tuple[int, ...]

    def streams(self) -> tuple[str, ...]:
        """Return the stream of each output."""
        return tuple('pose' if k < 0 else 'velocity' if k < 3 else 'gyro' for k in self.twist)


@dataclass(frozen=True)
class Calibrations:
    """Those that are switched on.

    Parameters
    ----------
    active : tuple of Calibration
        In the order in which they act; those without a standard deviation are known.
    window : int
        Samples of the local polynomial that gives accelerations, odd.
    """

    active: tuple[Calibration, ...]
    window: int

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.active)

    @classmethod
    def from_settings(
        cls,
        model: RobotModel,
        settings: CalibrationSettings,
        streams: Sequence[str],
        keys: Collection[str],
    ) -> 'Calibrations':
        """Return those with a standard deviation and of what there is, geometry and some streams.

        Parameters
        ----------
        model : RobotModel
            Robot, for the rate of its sensors.
        settings : CalibrationSettings
            Standard deviations.
        streams : sequence of str
            Readings that a method uses: ``gyro``, ``velocity``, ``pose``.
        keys : collection of str
            Those that it takes.
        """
        made = (
            each(settings.std(each.key), model.calibration.get(each.key, ()))
            for each in CALIBRATIONS
            if each.key in keys
        )
        used = (each for each in made if not each.stream or each.stream in streams)
        active = tuple(
            each for each in used if (each.std or any(each.known)) and each.names(model)
        )
        middle = max(int(0.5 * _WINDOW * model.noise.rate), _LEAST_WINDOW // 2)
        return cls(active, 2 * middle + 1)

    @property
    def by_key(self) -> dict[str, Calibration]:
        """The calibrations by the names of their settings."""
        return {each.key: each for each in self.active if each.std}

    @property
    def has_delays(self) -> bool:
        """Whether a delay is among them: it needs accelerations."""
        return any(isinstance(each, Delay) for each in self.active)

    @property
    def context(self) -> int:
        """Samples that ``prepared`` needs beside those that it returns."""
        return self.window - 1 if self.has_delays else 0

    def prepared(self, record: Record) -> Record:
        """Return the record with accelerations, where a delay needs them."""
        return with_accelerations(record, self.window) if self.has_delays else record

    def groups(self, model: RobotModel) -> list[UnknownGroup]:
        """Return them as unknowns."""
        return [each.group(model) for each in self.active if each.std]

    def delays_of(self, unknowns: Unknowns, values: NDArray[np.float64]) -> dict[str, float]:
        """Return by how much each reading is late against the joints, s, by stream."""
        parts = self.parts(unknowns, values)
        return {each.stream: each.delay(part) for each, part in parts if isinstance(each, Delay)}

    def robot(
        self, model: RobotModel, unknowns: Unknowns, values: NDArray[np.float64]
    ) -> RobotModel:
        """Return the robot with the geometry of the values."""
        for each, part in self.parts(unknowns, values):
            model = each.robot(model, part)
        return model

    def described(
        self, model: RobotModel, unknowns: Unknowns, values: NDArray[np.float64]
    ) -> RobotModel:
        """Return a description by which encoders are right as they read."""
        for each, part in self.parts(unknowns, values):
            model = each.described(model, part)
        return model

    def predicted(
        self,
        predict: Predict,
        misfit: Misfit,
        displaced: Displaced,
        axes: ReadingAxes,
        model: RobotModel,
        unknowns: Unknowns,
        record: Record,
        values: NDArray[np.float64],
        *,
        with_slope: bool,
    ) -> Prediction:
        """Compare measured readings with what sensors and geometry with these errors give.

        Parameters
        ----------
        predict, misfit : callable
            The method's own comparison, its bias of the gyro included, and its misfit alone.
        displaced : callable
            What displaced joints do to its readings.
        axes : ReadingAxes
            What its outputs are.
        model : RobotModel
            Robot as described.
        unknowns : Unknowns
            Layout of the values.
        record : Record
            N samples; with accelerations if there are delays.
        values : ndarray, shape (u,)
            Unknowns.
        with_slope : bool
            Whether slopes are wanted: those of calibrations that do not only displace joints come
            from differences.
        """
        if not self:
            return predict(model, record, with_slope)
        view = _View(self, misfit, axes, model, unknowns, record)
        own, rates = predict(*view.seen(values), with_slope), view.rates(values)
        error = view.error(own.error, rates, values)
        if not with_slope:
            return replace(own, error=error)
        slope, sensed = own.slope, view.sensed(values)
        if not np.array_equal(sensed, np.eye(len(sensed))):
            slope, bias = sensed @ own.slope, unknowns.places.get('gyro_bias')
            if bias is not None:
                slope[:, :, bias] = own.slope[:, :, bias]
        known = view.slopes_by_displacements(displaced, values)
        for each in self.by_key.values():
            if each.key in known:
                slope[:, :, unknowns.places[each.key]] = known[each.key]
                continue
            for place in range(unknowns.places[each.key].start, unknowns.places[each.key].stop):
                moved, step = values.copy(), _STEP * each.std
                moved[place] += step
                there = misfit(*view.seen(moved)) if each.moves_base else own.error
                slope[:, :, place] = (error - view.error(there, rates, moved)) / step
        return replace(own, error=error, slope=slope)

    def misfit(
        self,
        misfit: Misfit,
        axes: ReadingAxes,
        model: RobotModel,
        unknowns: Unknowns,
        record: Record,
        values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the misfit of ``predicted`` alone, shape (N, k); parameters as there."""
        if not self:
            return misfit(model, record)
        view = _View(self, misfit, axes, model, unknowns, record)
        return view.error(misfit(*view.seen(values)), view.rates(values), values)

    def parts(
        self, unknowns: Unknowns, values: NDArray[np.float64]
    ) -> list[tuple[Calibration, NDArray[np.float64]]]:
        """Return each calibration with its numbers: those known, and what is unknown beside."""
        found = []
        for each in self.active:
            own = values[unknowns.places[each.key]] if each.std else np.zeros(len(each.known))
            found.append((each, own + np.array(each.known) if each.known else own))
        return found


@dataclass(frozen=True, eq=False)
class _View:
    """One record, as a method with calibrations sees it."""

    calibrations: Calibrations
    misfit: Misfit
    axes: ReadingAxes
    model: RobotModel
    unknowns: Unknowns
    record: Record

    def seen(self, values: NDArray[np.float64]) -> tuple[RobotModel, Record]:
        """Return geometry and record as the method's own comparison takes them."""
        calibrations, unknowns, record = self.calibrations, self.unknowns, self.record
        for each, part in calibrations.parts(unknowns, values):
            record = each.inputs(self.model, record, part)
        return calibrations.robot(self.model, unknowns, values), record

    def rates(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the rates of the base's readings, shape (N, k); None if nothing is late."""
        if not self.calibrations.has_delays:
            return None
        model, record = self.seen(values)
        before, after = (self.misfit(model, _moved_on(record, step)) for step in (-_SOON, _SOON))
        return (before - after) / (2.0 * _SOON)

    def error(
        self,
        own: NDArray[np.float64],
        rates: NDArray[np.float64] | None,
        values: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return measured readings less those of the sensors, by the base's own misfit."""
        bias = np.zeros(6)
        bias[3:] = self.unknowns.part(values, 'gyro_bias', 3)
        twist = np.array(self.axes.twist)
        bias = np.where(twist < 0, 0.0, bias[twist])
        base = self.measured - own - bias
        if rates is not None:
            late = self.calibrations.delays_of(self.unknowns, values)
            base = base - rates * [late.get(name, 0.0) for name in self.axes.streams()]
        return self.measured - base @ self.sensed(values).T - bias

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from the base's readings to those of the sensors, (k, k)."""
        matrix = np.eye(6)
        for each, part in self.calibrations.parts(self.unknowns, values):
            matrix = each.sensed(part) @ matrix
        twist = np.array(self.axes.twist)
        seen = np.eye(len(twist))
        rows = np.flatnonzero(twist >= 0)
        seen[np.ix_(rows, rows)] = matrix[np.ix_(twist[rows], twist[rows])]
        return seen

    def slopes_by_displacements(
        self, displaced: Displaced, values: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Return the slopes of calibrations that displace joints and no more, (N, k, f) each."""
        calibrations, unknowns = self.calibrations, self.unknowns
        model, record = self.seen(values)
        moves = {
            each.key: moved
            for each, part in calibrations.parts(unknowns, values)
            if each.std and (moved := each.displacements(model, part)) is not None
        }
        by_joint = displaced(model, record) if moves else None
        if by_joint is None:
            return {}
        samples, outputs, joints, axes = by_joint.shape
        seen = self.sensed(values) @ by_joint.reshape(samples, outputs, -1)
        return {key: seen @ moved.reshape(joints * axes, -1) for key, moved in moves.items()}

    @cached_property
    def measured(self) -> NDArray[np.float64]:
        """The measured readings in the order of the outputs, shape (N, k)."""
        twist = np.array(self.axes.twist)
        measured = np.empty((len(self.record), len(twist)))
        seen = twist >= 0
        measured[:, seen] = self.record.base_twist[:, twist[seen]]
        if not seen.all():
            places = np.arange(np.sum(~seen))
            measured[:, ~seen] = self.record.position[:, places]
        return measured


def _moved_on(record: Record, step: float) -> Record:
    """Return the record as joints, wheels and attitude are a little later."""
    later = replace(
        record,
        times=record.times + step,
        q=record.q + step * record.qd,
        qd=record.qd + step * record.qdd,
        wheel_rates=record.wheel_rates + step * record.wheel_acceleration,
    )
    return later if record.attitude is None else turned_on(later, step)
