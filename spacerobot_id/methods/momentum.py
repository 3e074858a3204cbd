"""Momentum output error: the base twist that momentum conservation predicts, against the measured.

Noise sits in the measured rates, not in the wheels' momentum, so least squares on the regressor
is biased. Here the measured base twist is compared with the predicted one, every sample weighted
by the noise of base twist and joint rates: maximum likelihood to first order in the noise.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.resampling import lasting
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.body_prior import (
    brought_momentum_std,
    changeable_links,
    payload_std,
)
from spacerobot_id.methods.calibrations.active import Calibrations, ReadingAxes
from spacerobot_id.methods.calibrations.calibrated_method import (
    CalibratedMethod,
    LEAST_STD,
    MOVING,
)
from spacerobot_id.methods.calibrations.calibration import CALIBRATION_KEYS, CalibrationSettings
from spacerobot_id.methods.derived_rates import at_calm_rates, encoder_std
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.method import chunks
from spacerobot_id.methods.momentum_output import (
    base_motion_misfit,
    displaced_twist,
    predicted_base_motion,
)
from spacerobot_id.methods.momentum_rows import weighted_rows
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.methods.prior import DescriptionPrior
from spacerobot_id.methods.settings import ChangeSettings, MethodSettings, PriorSettings
from spacerobot_id.methods.unknowns import laid_out, momentum_groups, NuisanceSettings, Unknowns
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import minimal_parameters, MinimalParameters, momentum_regressor
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

_MOST_GROWTH = 0.9
"""Most by which the inverse of the mass may shrink in a step, as a share of it."""

GATE_KEYS = frozenset({'gate', 'settle_time', 'change_window', 'forgetting_time'})
"""Settings of the gate, the search for changes and forgetting."""


@dataclass(frozen=True, eq=False)
class Momentum(CalibratedMethod):
    """A robot whose minimal parameters are wanted, and the noise of what is measured of it.

    Parameters
    ----------
    model : RobotModel
        Prior model: its geometry and wheels are taken as known.
    rate_std : ndarray, shape (6 + n,)
        Standard deviations of base twist (m/s, rad/s) and joint rates (rad/s or m/s).
    pose_std : tuple of float
        Standard deviations of position (m) and attitude (rad) of the base.
    nuisance : NuisanceSettings
        What is unknown beside the parameters.
    from_pose : bool
        Whether the base's position is used and not its linear velocity.
    planar : bool
        Whether the base can only move along x and y and turn about z, as on an air-bearing
        table; momentum is conserved in these three alone.
    prior_settings : PriorSettings
        How far the description may be wrong.
    epoch : float
        Time that motions are counted from, s.
    calibration : CalibrationSettings
        Which errors of sensors and geometry are unknown.
    derives_rates : bool
        Whether joint rates are slopes of the positions.
    minimal : MinimalParameters
        The p minimal parameters of the model.
    unknowns : Unknowns
        These, and what else is unknown.
    calibrations : Calibrations
        Errors of sensors and geometry that are among these.
    """

    name: ClassVar[str] = 'momentum'
    summary: ClassVar[str] = 'linear and angular momentum by output error'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED,
        gyro=Need.NEEDED,
        velocity=Need.USED,
        pose=Need.USED,
        rates=Need.USED,
        in_part=True,
    )
    takes: ClassVar[frozenset[str]] = (
        GATE_KEYS
        | CALIBRATION_KEYS
        | {
            'prior_relative_std',
            'prior_mass_std',
            'known_mass',
            'planar',
            'gyro_noise',
            'gyro_bias',
            'gyro_bias_walk',
            'linear_momentum',
            'angular_momentum',
            'force_walk',
            'torque_walk',
            'wheel_scale',
            'walk_segment',
            'change_links',
            'change_mass',
            'base_velocity',
            'velocity_window',
        }
    )
    gauge: ClassVar[str] = 'without turning wheels the common scale of all parameters'

    model: RobotModel
    rate_std: NDArray[np.float64]
    pose_std: tuple[float, float] = (LEAST_STD, LEAST_STD)
    nuisance: NuisanceSettings = NuisanceSettings()
    from_pose: bool = False
    planar: bool = False
    prior_settings: PriorSettings = PriorSettings()
    epoch: float = 0.0
    calibration: CalibrationSettings = CalibrationSettings()
    derives_rates: bool = False
    minimal: MinimalParameters = field(init=False)
    unknowns: Unknowns = field(init=False)
    calibrations: Calibrations = field(init=False)

    def __post_init__(self) -> None:
        if self.from_pose and self.nuisance.force_walk:
            raise ConfigurationError(
                'force_walk: positions cannot be predicted under forces that walk; measure '
                'base_twist, or set it to 0'
            )
        minimal = minimal_parameters(self.model)
        calibrations = self.switched_on()
        groups = momentum_groups(self.nuisance, self.model.wheel_names, from_pose=self.from_pose)
        groups += calibrations.groups(self.model)
        found = laid_out(minimal.names, minimal.units, groups, self.nuisance.walk_segment)
        object.__setattr__(self, 'minimal', minimal)
        object.__setattr__(self, 'unknowns', found)
        object.__setattr__(self, 'calibrations', calibrations)

    @classmethod
    def from_model(
        cls,
        model: RobotModel,
        nuisance: NuisanceSettings = NuisanceSettings(),
        *,
        from_pose: bool = False,
        planar: bool = False,
        prior: PriorSettings = PriorSettings(),
        calibration: CalibrationSettings = CalibrationSettings(),
    ) -> 'Self':
        """Return the method with the noise that the description states, or a little at least."""
        noise = model.noise
        stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
        stds += [noise.joint_rate] * len(model.joints)
        pose_std = max(noise.base_position, LEAST_STD), max(noise.base_attitude, LEAST_STD)
        rate_std = np.maximum(stds, LEAST_STD)
        return cls(
            model,
            rate_std,
            pose_std,
            nuisance,
            from_pose,
            planar,
            prior,
            calibration=calibration,
            derives_rates=cls.prefers_encoders(model),
        )

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot; a stated noise of the gyro counts."""
        return cls.from_model(
            model,
            settings.nuisance,
            from_pose=from_pose,
            planar=settings.planar,
            prior=settings.prior,
            calibration=settings.calibration,
        ).with_gyro_noise(settings.gyro_noise)

    def with_gyro_noise(self, std: float) -> 'Self':
        """Return the method with another noise of the gyro, rad/s; with its own if zero."""
        if not std > 0.0:
            return self
        rate_std = self.rate_std.copy()
        rate_std[3:6] = max(std, LEAST_STD)
        return replace(self, rate_std=rate_std)

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return the information of the output error, with its gradient."""
        given = replace(settings.given, planar=settings.planar)
        return MomentumInformation.of_method(Momentum.from_settings(model, given))

    @property
    def free(self) -> list[int]:
        """Components of the twist, and of the momentum, that are free."""
        return free_axes(self.planar)

    @property
    def streams(self) -> tuple[str, ...]:
        """Readings of the base that are used."""
        return ('gyro', *['velocity'] * (not self.from_pose), *['pose'] * self.uses_pose)

    @property
    def precision(self) -> tuple[float, float]:
        """Standard deviations of joint positions and rates."""
        return encoder_std(self.model), float(self.rate_std[6:].max(initial=0.0))

    @property
    def uses_pose(self) -> bool:
        """Whether positions are used, or attitudes for a momentum that is not zero."""
        return self.from_pose or self.nuisance.needs_attitude

    @property
    def finest(self) -> float:
        """Least standard deviation of gyro and velocity."""
        return float(self.rate_std[3:6].min() if self.from_pose else self.rate_std[:6].min())

    @property
    def outputs(self) -> int:
        """Number of readings of a sample: the free components of the twist."""
        return len(self.free)

    @property
    def output_units(self) -> tuple[str, ...]:
        """Velocities, then rates; with positions rates, then positions."""
        if self.from_pose:
            angular = 1 if self.planar else 3
            return ('rad/s',) * angular + ('m',) * (self.outputs - angular)
        linear = 2 if self.planar else 3
        return ('m/s',) * linear + ('rad/s',) * (self.outputs - linear)

    def prior(self) -> DescriptionPrior:
        """Return the description as a prior of shape and one of scale."""
        return DescriptionPrior.from_settings(
            self.model, self.minimal, self.unknowns, self.prior_settings
        )

    def since(self, epoch: float) -> 'Self':
        """Return the method with times counted from another one, s."""
        return replace(self, epoch=epoch)

    def prepared(self, record: Record) -> Record:
        """Return the samples with attitudes, where a momentum that is not zero needs them.

        Accelerations are added where a delay is unknown, smoothed motion where noise is large.
        """
        record = super().prepared(record)
        if not self.nuisance.needs_attitude:
            return record
        if record.attitude is None:
            raise EstimationError('an unknown momentum needs base_pose, which is not in the log')
        return record[_has_attitude(record)]

    def is_moving(self, record: Record) -> NDArray[np.bool_]:
        """Return where something moves beyond its noise, and not for a sample, shape (N,)."""
        skipped = 3 if self.from_pose else 0
        base = np.abs(record.base_twist[:, skipped:]) > MOVING * self.rate_std[skipped:6]
        return lasting(base.any(axis=1) | self.motors_move(record))

    def is_read(self, record: Record) -> NDArray[np.bool_]:
        """Return in which samples rates count, or positions where they are used, shape (N,).

        None does without a pose, where a momentum that is not zero needs it.
        """
        second = 'pose' if self.from_pose else 'velocity'
        counted = super().is_read(record) | np.isfinite(record.noise_of(second))
        return counted & _has_attitude(record) if self.nuisance.needs_attitude else counted

    def with_values(self, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot that moves as given by minimal parameters, or by all unknowns."""
        model = self.described(values) if len(values) == len(self.unknowns) else self.model
        return model.with_parameters(self.minimal.expand(values[: len(self.minimal)]))

    def regressor(self, record: Record, base_twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the regressor of the minimal parameters, shape (N, 6, p)."""
        return momentum_regressor(
            self.model, record.q, record.qd, base_twist, self.minimal.columns
        )

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return the regressor at the measured rates, six rows a sample, shape (6 N, p).

        A velocity that is not there, of no use where positions are, counts as zero.
        """
        calm = at_calm_rates(record)
        rows = self.regressor(calm, np.nan_to_num(calm.base_twist))
        return rows.reshape(-1, rows.shape[-1])

    def predict_base(
        self,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
        *,
        with_slope: bool,
    ) -> Prediction:
        """Compare base twist, or rates and position, with what momentum conservation predicts."""
        return predicted_base_motion(self, model, record, values, with_slope=with_slope)

    def base_misfit(
        self, model: RobotModel, record: Record, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the misfit of ``predict_base`` alone, shape (N, k)."""
        return base_motion_misfit(self, model, record, values)

    def slope_by_displacements(
        self, model: RobotModel, record: Record, values: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return what displaced joints do to the base twist; None where that is not known."""
        return displaced_twist(self, model, record, values)

    @property
    def reading_axes(self) -> ReadingAxes:
        """What the outputs are: components of the twist, then positions where they are used."""
        if not self.from_pose:
            return ReadingAxes(tuple(self.free))
        return ReadingAxes((5, -1, -1) if self.planar else (3, 4, 5, -1, -1, -1))

    def is_possible(self, values: NDArray[np.float64]) -> bool:
        """Return whether the total mass is positive."""
        return bool(values[MASS] > 0.0)

    def stepped(
        self, values: NDArray[np.float64], linear: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return where a linear step leads when the mass's inverse takes it, and ratios to mass.

        The minimal parameters share the scale of the total mass, which early data know far worse
        than their ratios to it. What the wheels' momentum does is in proportion to its inverse,
        so the prediction is nearly linear in that and in the ratios, of the system's own momentum
        to the mass, too. A straight step would leave the ratios behind where the mass moves far,
        and could make it negative.
        """
        share = min(linear[MASS] / values[MASS] - 1.0, _MOST_GROWTH)
        scaled = np.zeros(len(values), dtype=bool)
        scaled[: len(self.minimal)] = True
        for name in ('momentum', 'impulse'):
            scaled[self.unknowns.places.get(name, slice(0))] = True
        return np.where(scaled, (linear - share * values) / (1.0 - share), linear)

    def starts(
        self, record: Record, about: NDArray[np.float64], known: SquareRootInformation
    ) -> Iterator[NDArray[np.float64]]:
        """Yield weighted least squares, biased but linear, where there are no other unknowns.

        Where there are, these are fitted to the samples first, the parameters held: a drift that
        is not known yet looks like a mass without end.
        """
        if len(self.unknowns) == len(self.minimal) and not self.from_pose:
            rows = weighted_rows(self, at_calm_rates(record), about)
            yield known.absorb(rows.matrix, rows.right).values()
        elif len(self.unknowns) > len(self.minimal):
            yield self._with_others_fitted(record, about)

    def _with_others_fitted(
        self, record: Record, about: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return values whose constants beside the parameters fit a record best, shape (u,)."""
        p, constants = len(self.minimal), self.unknowns.constants
        std = self.unknowns.std[: constants - p]
        others = SquareRootInformation.from_prior(np.zeros(constants - p), np.diag(std**2))
        for chunk in chunks(record):
            rows = self.equations(chunk, about)
            right = rows.right - rows.matrix[:, :p] @ about[:p]
            others = others.absorb(rows.matrix[:, p:constants], right)
        return np.concatenate([about[:p], others.values(), about[constants:]])

    def robot(
        self, values: NDArray[np.float64], q: NDArray[np.float64]
    ) -> InertialParameters | None:
        """Return the whole robot at joint positions."""
        return whole_robot(self.with_values(values), q)

    def changed(
        self,
        information: SquareRootInformation,
        samples: Record,
        change: ChangeSettings,
        *,
        has_poses: bool,
    ) -> 'tuple[Self, SquareRootInformation]':
        """Return method and knowledge after a body may have come or gone.

        It brought or took its own momentum, so that the system's is unknown from then on, where
        poses give attitude and position; so is the place of the system's centre of mass.
        """
        known = self.loosened(information, change)
        if not has_poses:
            return self, known
        there = samples.has('attitude')
        around = samples[there] if there.any() else samples
        angular_rate = np.abs(around.base_twist[:, 3:]).sum(axis=1) + np.abs(around.qd).sum(axis=1)
        payload = payload_std(self.model, self.minimal, change)
        brought = brought_momentum_std(self.model, float(np.nanmax(angular_rate)), payload)
        momentum = np.hypot(self.momentum_std, brought)
        method = self.with_momentum(momentum)
        old, new = self.unknowns, method.unknowns
        covariance = np.diag(np.append(np.zeros(old.parameters), new.std**2))
        values = np.zeros(len(new))
        kept = [
            name for name in old.names if not name.startswith(('momentum.', 'center_of_mass.'))
        ]
        rows = [new.names.index(name) for name in kept]
        before = [old.names.index(name) for name in kept]
        covariance[np.ix_(rows, rows)] = known.covariance()[np.ix_(before, before)]
        values[rows] = known.values()[before]
        return method, SquareRootInformation.from_prior(values, covariance)

    @property
    def momentum_std(self) -> NDArray[np.float64]:
        """Standard deviations of linear and angular momentum of the system, shape (2,)."""
        return np.array([self.nuisance.linear_momentum, self.nuisance.angular_momentum])

    def with_momentum(self, std: NDArray[np.float64]) -> 'Self':
        """Return the method with the system's momentum as uncertain as that, shape (2,)."""
        linear, angular = (float(each) for each in std)
        nuisance = replace(self.nuisance, linear_momentum=linear, angular_momentum=angular)
        return replace(self, nuisance=nuisance)

    def loosened(
        self, information: SquareRootInformation, change: ChangeSettings
    ) -> SquareRootInformation:
        """Return what is known after a body of unknown inertia may have come or gone.

        The ten parameters of every link that can change become uncertain by that much; all else
        keeps its covariance.
        """
        std = payload_std(self.model, self.minimal, change)
        covariance = information.covariance()
        p = len(self.minimal)
        for link in changeable_links(self.model, change):
            spread = self.minimal.grouping[:, 10 * link : 10 * link + 10] * std
            covariance[:p, :p] += spread @ spread.T
        return SquareRootInformation.from_prior(information.values(), covariance)


def _has_attitude(record: Record) -> NDArray[np.bool_]:
    """Return which samples have an attitude, shape (N,)."""
    return np.isfinite(record.attitude).all(axis=1)
