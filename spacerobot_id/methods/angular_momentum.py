"""Angular momentum alone, without the base's velocity: the gyro predicted from conservation.

``D w = h - D_q qd`` gives the angular velocity from joint rates and the known momentum
([Christidi 2017] Eq. 1); the noise of gyro, joint rates and attitude is not in the regressor, so
the estimate is not biased. The parameters are the *reduced* ones: the total mass does not show.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.resampling import lasting
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.calibrations.active import Calibrations, ReadingAxes
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod, LEAST_STD
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.derived_rates import at_calm_rates, encoder_std, planned_rate_std
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
    LEAST_NOISE,
)
from spacerobot_id.methods.information.predicted import PredictedInformation
from spacerobot_id.methods.locked_inertia import locked_inertia
from spacerobot_id.methods.momentum import GATE_KEYS
from spacerobot_id.methods.prediction import Prediction, Rows
from spacerobot_id.methods.prior import minimal_covariance
from spacerobot_id.methods.settings import KnownMomentumSettings, MethodSettings, PriorSettings
from spacerobot_id.methods.solution import LinearPrior
from spacerobot_id.methods.unknowns import gyro_bias_groups, laid_out, NuisanceSettings, Unknowns
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    reduced_parameters,
    ReducedParameters,
)
from spacerobot_id.spatial import skew
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from typing import Self

CALIBRATED = frozenset(
    {
        'calibrate',
        'encoder_offset',
        'gyro_mounting',
        'gyro_scale',
        'pose_mounting',
        'delay.imu',
        'delay.base_pose',
    }
)
"""Calibrations of sensors; reduced parameters of another geometry would be other combinations."""

_LEAST_SHARE = 1e-3
"""Least prior standard deviation, and size of a parameter that deviations are compared with, as a
share of the largest one: nothing is known for certain, and none counts for nothing."""


@dataclass(frozen=True, eq=False)
class AngularMomentum(CalibratedMethod):
    """A robot whose reduced parameters are wanted, and the noise of what is measured of it.

    Parameters
    ----------
    model : RobotModel
        Prior model: its geometry and wheels are taken as known.
    rate_std : ndarray, shape (3 + n,)
        Standard deviations of gyro and joint rates, rad/s (or m/s).
    attitude_std : float
        Standard deviation of the attitude, rad.
    settings : KnownMomentumSettings
        Momentum, and what is known to be zero.
    nuisance : NuisanceSettings
        Of which the bias of the gyro is taken.
    prior_settings : PriorSettings
        How far the description may be wrong.
    calibration : CalibrationSettings
        Which errors of the sensors are unknown.
    derives_rates : bool
        Whether joint rates are slopes of the positions.
    reduced : ReducedParameters
        The k reduced parameters of the model.
    unknowns : Unknowns
        These, then the bias if it is unknown, and the calibrations.
    calibrations : Calibrations
        Errors of the sensors that are among these.
    """

    name: ClassVar[str] = 'angular_momentum'
    summary: ClassVar[str] = 'angular momentum alone by output error of the gyro'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED, gyro=Need.NEEDED, velocity=Need.UNUSED, pose=Need.USED, rates=Need.USED
    )
    takes: ClassVar[frozenset[str]] = (
        GATE_KEYS
        | CALIBRATED
        | {
            'prior_relative_std',
            'known_angular_momentum',
            'trust_zeros',
            'gyro_bias',
            'gyro_bias_walk',
            'walk_segment',
            'gyro_noise',
        }
    )
    gauge: ClassVar[str] = 'the total mass'

    model: RobotModel
    rate_std: NDArray[np.float64]
    attitude_std: float = LEAST_STD
    settings: KnownMomentumSettings = KnownMomentumSettings()
    nuisance: NuisanceSettings = NuisanceSettings()
    prior_settings: PriorSettings = PriorSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    derives_rates: bool = False
    reduced: ReducedParameters = field(init=False)
    unknowns: Unknowns = field(init=False)
    calibrations: Calibrations = field(init=False)

    @property
    def known_angular_momentum(self) -> tuple[float, ...]:
        """Angular momentum that it is given to turn with, N m s."""
        return tuple(self.settings.known_angular_momentum)

    def __post_init__(self) -> None:
        if np.shape(self.settings.known_angular_momentum) != (3,):
            raise ConfigurationError(
                'known_angular_momentum: three numbers are needed, got '
                f'{self.settings.known_angular_momentum}'
            )
        reduced = reduced_parameters(self.model, as_described=self.settings.trust_zeros)
        calibrations = self.switched_on()
        groups = gyro_bias_groups(self.nuisance) + calibrations.groups(self.model)
        found = laid_out(reduced.names, reduced.units, groups, self.nuisance.walk_segment)
        object.__setattr__(self, 'reduced', reduced)
        object.__setattr__(self, 'unknowns', found)
        object.__setattr__(self, 'calibrations', calibrations)

    @classmethod
    def from_model(
        cls,
        model: RobotModel,
        settings: KnownMomentumSettings = KnownMomentumSettings(),
        nuisance: NuisanceSettings = NuisanceSettings(),
        prior: PriorSettings = PriorSettings(),
        calibration: CalibrationSettings = CalibrationSettings(),
    ) -> 'Self':
        """Return the method with the noise that the description states, or a little at least."""
        noise = model.noise
        stds = [noise.base_angular_velocity] * 3 + [noise.joint_rate] * len(model.joints)
        attitude_std = max(noise.base_attitude, LEAST_STD)
        rate_std = np.maximum(stds, LEAST_STD)
        derives = cls.prefers_encoders(model)
        return cls(model, rate_std, attitude_std, settings, nuisance, prior, calibration, derives)

    @classmethod
    def from_settings(
        cls, model: RobotModel, settings: MethodSettings, *, from_pose: bool = False
    ) -> 'Self':
        """Return the method for a robot; a stated noise of the gyro counts.

        Raises
        ------
        ConfigurationError
            If neither a momentum nor a wheel nor torques give the parameters a scale.
        """
        has_torques = cls.needs.torque is Need.NEEDED and model.joints
        if not (any(settings.momentum.known_angular_momentum) or model.wheels or has_torques):
            raise ConfigurationError(
                f'known_angular_momentum: zero, and {model.name} has no reaction wheels: only '
                'ratios of the parameters show, and nothing can be identified'
            )
        own = NuisanceSettings(
            gyro_bias=settings.nuisance.gyro_bias,
            gyro_bias_walk=settings.nuisance.gyro_bias_walk,
            walk_segment=settings.nuisance.walk_segment,
        )
        made = cls.from_model(model, settings.momentum, own, settings.prior, settings.calibration)
        return made.with_gyro_noise(settings.gyro_noise)

    def with_gyro_noise(self, std: float) -> 'Self':
        """Return the method with another noise of the gyro, rad/s; with its own if zero."""
        if not std > 0.0:
            return self
        rate_std = self.rate_std.copy()
        rate_std[:3] = max(std, LEAST_STD)
        return replace(self, rate_std=rate_std)

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return the information of the output error of the gyro."""
        momentum, given = settings.momentum, settings.given
        known = KnownMomentumSettings(momentum.angular_momentum, momentum.trust_zeros)
        method = cls.from_model(model, known, given.nuisance, calibration=given.calibration)
        rate_std = method.rate_std.copy()
        rate_std[3:] = max(planned_rate_std(model.noise), LEAST_NOISE)
        method = replace(method, rate_std=rate_std, derives_rates=False)
        return ReducedInformation([model], lambda _: method, momentum=momentum)

    @property
    def streams(self) -> tuple[str, ...]:
        """Readings of the base that are used."""
        return ('gyro', *['pose'] * any(self.settings.known_angular_momentum))

    @property
    def precision(self) -> tuple[float, float]:
        """Standard deviations of joint positions and rates."""
        return encoder_std(self.model), float(self.rate_std[3:].max(initial=0.0))

    @property
    def uses_pose(self) -> bool:
        """Whether a momentum that is not zero is seen from the base."""
        return bool(np.any(self.settings.known_angular_momentum))

    @property
    def finest(self) -> float:
        """Least standard deviation of the gyro."""
        return float(self.rate_std[:3].min())

    @property
    def outputs(self) -> int:
        """Number of readings of a sample: the axes of the gyro."""
        return 3

    @property
    def output_units(self) -> tuple[str, ...]:
        """Units of the gyro."""
        return ('rad/s',) * 3

    def prior(self) -> LinearPrior:
        """Return the prior from the description, each parameter on its own."""
        minimal = self.reduced.minimal
        values = minimal.values(self.model)
        slope = self.reduced.slope(values)
        covariance = minimal_covariance(self.model, minimal, self.prior_settings.relative_std)
        std = np.sqrt(np.einsum('ij,jk,ik->i', slope, covariance, slope))
        std = np.append(np.maximum(std, _LEAST_SHARE * std.max()), self.unknowns.std)
        mean = np.append(self.reduced.from_minimal(values), np.zeros(len(self.unknowns.std)))
        return LinearPrior(mean, np.diag(std**2))

    def prepared(self, record: Record) -> Record:
        """Return the samples whose attitude is known, where it is needed.

        Accelerations are added where a delay is unknown, smoothed motion where noise is large.
        """
        record = super().prepared(record)
        if not np.any(self.settings.known_angular_momentum):
            return record
        return record[record.has('attitude')]

    def is_moving(self, record: Record) -> NDArray[np.bool_]:
        """Return where a joint or a wheel moves beyond its noise, and not for a sample, (N,)."""
        return lasting(self.motors_move(record))

    def known(self, record: Record) -> NDArray[np.float64]:
        """Return the momentum that links and base make up, in base axes, shape (N, 3)."""
        momentum = np.array(self.settings.known_angular_momentum)
        seen = np.zeros((len(record), 3))
        if momentum.any():
            seen = Rotation.from_quat(record.attitude).apply(momentum, inverse=True)
        return seen - wheel_momentum(self.model, record.q, record.wheel_rates)[:, 3:]

    def regressor(
        self, record: Record, angular_velocity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the regressor of the reduced parameters, shape (N, 3, k)."""
        return angular_momentum_regressor(
            self.model, self.reduced, record.q, record.qd, angular_velocity
        )

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return the regressor at the measured rates, three rows a sample, shape (3 N, k)."""
        rows = self.regressor(at_calm_rates(record), record.base_twist[:, 3:])
        return rows.reshape(-1, rows.shape[-1])

    @property
    def reading_axes(self) -> ReadingAxes:
        """What the outputs are: the axes of the gyro."""
        return ReadingAxes((3, 4, 5))

    def predict_base(
        self,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
        *,
        with_slope: bool,
    ) -> Prediction:
        """Compare the gyro with the angular velocity that conservation predicts."""
        count = len(self.reduced)
        balance = self._balance(record, values)
        inverse = np.linalg.inv(balance.inertia)
        joint_std = np.sqrt(record.noise_of('joints'))[:, None] * self.rate_std[3:]
        joint_std = (joint_std * record.measured_rates())[:, None, :]
        of_attitude = self.attitude_std * skew(balance.known)
        sources = np.concatenate([balance.of_joints * joint_std, of_attitude], axis=-1)
        spread = inverse @ sources
        of_gyro = record.noise_of('gyro')[:, None] * np.ones(3)
        own = np.where(np.isfinite(of_gyro), of_gyro, 1.0) * self.rate_std[:3] ** 2
        covariance = spread @ np.swapaxes(spread, -1, -2) + own[:, None] * np.eye(3)
        slope = np.zeros((0, 3, len(values)))
        if with_slope:
            slope = np.zeros((len(record), 3, len(values)))
            slope[:, :, :count] = -inverse @ self.regressor(record, balance.angular_velocity)
            if 'gyro_bias' in self.unknowns.places:
                slope[:, :, self.unknowns.places['gyro_bias']] = np.eye(3)
        return Prediction.of_covariance(balance.error, slope, covariance, of_gyro)

    def base_misfit(
        self, model: RobotModel, record: Record, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the misfit of ``predict_base`` alone, shape (N, 3)."""
        return self._balance(record, values).error

    def _balance(self, record: Record, values: NDArray[np.float64]) -> '_AngularBalance':
        """Return the motion of the base by conservation at N samples."""
        locked = locked_inertia(self.model, self.reduced, values[: len(self.reduced)], record.q)
        inertia, of_joints, known = locked[:, :, :3], locked[:, :, 3:], self.known(record)
        momentum = known - np.einsum('nij,nj->ni', of_joints, record.qd)
        angular_velocity = np.linalg.solve(inertia, momentum[..., None])[..., 0]
        error = (
            record.base_twist[:, 3:]
            - angular_velocity
            - self.unknowns.part(values, 'gyro_bias', 3)
        )
        return _AngularBalance(inertia, of_joints, known, angular_velocity, error)

    def starts(
        self, record: Record, about: NDArray[np.float64], known: SquareRootInformation
    ) -> Iterator[NDArray[np.float64]]:
        """Yield least squares, weighted as a whole by what the gyro's noise makes of momentum."""
        inertia = self.inertia(about, record.q[0])
        weight = 1.0 / (np.linalg.norm(inertia, 2) * self.rate_std[:3].max())
        rows = ordinary_angular_rows(self, at_calm_rates(record))
        matrix = np.zeros((len(rows.right), len(about)))
        matrix[:, : len(self.reduced)] = weight * rows.matrix
        yield known.absorb(matrix, weight * rows.right).values()

    def inertia(self, values: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inertia about the system's centre of mass, joints locked, shape (3, 3)."""
        values = values[: len(self.reduced)]
        return locked_inertia(self.model, self.reduced, values, q[None])[0, :, :3]


@dataclass(frozen=True, eq=False)
class _AngularBalance:
    """Motion of the base by conservation of angular momentum at N samples.

    Parameters
    ----------
    inertia, of_joints : ndarray, shapes (N, 3, 3), (N, 3, n)
        Angular momentum per unit of the base's angular velocity, and of joint rate.
    known : ndarray, shape (N, 3)
        Momentum that these have to make up, N m s.
    angular_velocity, error : ndarray, shape (N, 3)
        Predicted angular velocity, and how far the gyro is off, rad/s.
    """

    inertia: NDArray[np.float64]
    of_joints: NDArray[np.float64]
    known: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]
    error: NDArray[np.float64]


def ordinary_angular_rows(method: AngularMomentum, record: Record) -> Rows:
    """Return the rows of [Christidi 2017] Eq. 15, here in base axes; a bias is no part of them."""
    matrix = method.regressor(record, record.base_twist[:, 3:])
    return Rows(matrix.reshape(-1, matrix.shape[-1]), method.known(record).ravel())


def moving_stretch(method: AngularMomentum, record: Record) -> Record:
    """Return the samples from the first in which something moves to the last."""
    moving = np.flatnonzero(method.is_moving(record))
    return record[moving[0] : moving[-1] + 1] if len(moving) else record[:0]


@dataclass(frozen=True, eq=False)
class ReducedInformation(PredictedInformation):
    """What a motion shows of reduced parameters, given an angular momentum.

    All robots have those of the first, by the same method.
    """

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the reduced parameters of a robot, shape (k,)."""
        return self.method_of(model).reduced.values(model)

    @property
    def scale(self) -> NDArray[np.float64]:
        """Sizes that standard deviations are compared with: no unit distinguishes products."""
        sizes = np.abs(self.values(self.models[0]))
        return np.maximum(sizes, _LEAST_SHARE * sizes.max())

    @property
    def blind_spot(self) -> str:
        """Either wheels or momentum have to give the parameters a scale."""
        if self.models[0].wheels or np.any(self.momentum.angular_momentum):
            return ''
        return (
            'known_angular_momentum: at zero momentum, without wheels, the scale of all '
            'parameters cannot be seen'
        )
