"""Equations of motion: torques and derived accelerations, to compare ([Christidi 2017] III).

Accelerations are not measured but derived, by local polynomials as a live system has to, or from a
Fourier series and quintic fitted to a whole motion. Their noise is in the regressor, so least
squares is biased, the more so the rougher they are.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.fourier_series import best_fourier_polynomial, Span
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.angular_momentum import (
    AngularMomentum,
    moving_stretch,
    ReducedInformation,
)
from spacerobot_id.methods.angular_momentum_and_torques import check_torques
from spacerobot_id.methods.information.motion_information import (
    InformationSettings,
    InformationSource,
)
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.methods.solution import Solution
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum
from spacerobot_id.regressor import equations_of_motion_regressor
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_MOST_HARMONICS = 30
"""Most harmonics of a fit to a whole motion: the base turns with more than the joints have."""


@dataclass(frozen=True, eq=False)
class EquationsOfMotion(AngularMomentum):
    """Least squares on torques and accelerations by local polynomials ([Christidi 2017] Eq. 13).

    Its covariance is scaled to the residual, as if the regressor were free of noise.
    """

    name: ClassVar[str] = 'equations_of_motion'
    summary: ClassVar[str] = 'torques and accelerations by local polynomials, to compare'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED,
        gyro=Need.NEEDED,
        velocity=Need.UNUSED,
        pose=Need.USED,
        torque=Need.NEEDED,
    )
    takes: ClassVar[frozenset[str]] = frozenset(
        {'prior_relative_std', 'known_angular_momentum', 'trust_zeros', 'acceleration_window'}
    )
    is_for_comparison: ClassVar[bool] = True
    has_stated_noise: ClassVar[bool] = False
    no_gate: ClassVar[str] = (
        'derived accelerations have no stated noise, so that no sample stands out by chance alone'
    )

    @classmethod
    def information(cls, model: RobotModel, settings: InformationSettings) -> InformationSource:
        """Return the same, seen by torques, too, where no noise counts."""
        found = super().information(model, settings)
        return TorqueInformation(found.models, found.method_of, momentum=found.momentum)

    @property
    def context(self) -> int:
        """Samples that the accelerations of the next ones need."""
        return self.settings.acceleration_window - 1

    def prepared(self, record: Record) -> Record:
        """Return the samples with accelerations.

        Raises
        ------
        EstimationError
            If torques are not measured, or a wheel sits on a link that moves.
        """
        check_torques(self.model, record)
        return with_accelerations(super().prepared(record), self.settings.acceleration_window)

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return all samples: accelerations are those of neighbours."""
        return record

    def equations(self, record: Record, values: NDArray[np.float64]) -> Rows:
        """Return the rows of [Christidi 2017] Eq. 11: three moments, then n torques, a sample."""
        if record.qdd is None:
            raise EstimationError(f'{self.name} needs accelerations: see prepared')
        matrix, angular_velocity = self.excitation_rows(record), record.base_twist[:, 3:]
        wheels, wheel_acceleration = (
            wheel_momentum(self.model, record.q, rates)[:, 3:]
            for rates in (record.wheel_rates, record.wheel_acceleration)
        )
        moment = -wheel_acceleration - np.cross(angular_velocity, wheels)
        right = np.hstack([moment, record.joint_torque])
        return Rows(matrix, right.ravel())

    def excitation_rows(self, record: Record) -> NDArray[np.float64]:
        """Return the regressor of moments and torques, 3 + n rows a sample."""
        if record.angular_acceleration is None:
            return super().excitation_rows(record)
        joints = record.q, record.qd, record.qdd
        base = record.base_twist[:, 3:], record.angular_acceleration
        rows = equations_of_motion_regressor(self.model, self.reduced, *joints, *base)
        return rows.reshape(-1, rows.shape[-1])


@dataclass(frozen=True, eq=False)
class TorqueInformation(ReducedInformation):
    """What a motion shows of reduced parameters by torques, too.

    These state no noise: standard deviations are those of angular momentum alone.
    """

    @property
    def blind_spot(self) -> str:
        """Torques give the scale, where there are joints and no noise counts."""
        return '' if self.models[0].joints and not self.is_weighted else super().blind_spot


@dataclass(frozen=True, eq=False)
class FittedEquationsOfMotion(EquationsOfMotion):
    """The same with a Fourier series and quintic fitted to the whole motion."""

    name: ClassVar[str] = 'equations_of_motion_fourier'
    summary: ClassVar[str] = 'torques and accelerations of a fitted Fourier series, to compare'
    takes: ClassVar[frozenset[str]] = frozenset(
        {'prior_relative_std', 'known_angular_momentum', 'trust_zeros'}
    )
    solves_at_once: ClassVar[bool] = True

    @property
    def context(self) -> int:
        """None: the whole motion is fitted."""
        return 0

    def prepared(self, record: Record) -> Record:
        """Return the samples whose attitude is known; torques are checked."""
        check_torques(self.model, record)
        return AngularMomentum.prepared(self, record)

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return the samples from the first in which something moves to the last."""
        return moving_stretch(self, record)

    def solution(self, record: Record, start: NDArray[np.float64]) -> Solution:
        """Return least squares on the fitted motion."""
        rows = self.equations(with_fitted_rates(record, _MOST_HARMONICS), start)
        nothing = SquareRootInformation.nothing(len(self.unknowns))
        found = nothing.absorb(rows.matrix, rows.right)
        return Solution(found.values(), found)


def with_fitted_rates(
    record: Record, most_harmonics: int = 12, span: Span | None = None
) -> Record:
    """Return the samples with rates and accelerations of a Fourier series and quintic.

    Joint angles and angular velocity are fitted over the whole record, with as many harmonics as
    their residuals ask for.

    Parameters
    ----------
    record : Record
        N samples in the order of time.
    most_harmonics : int
        Most harmonics that are tried.
    span : Span, optional
        When the motion took place, if that is known.
    """
    times = record.times
    joints = best_fourier_polynomial(times, record.q, most_harmonics, span)
    base = best_fourier_polynomial(times, record.base_twist[:, 3:], most_harmonics, span)
    rates, wheel_acceleration = record.wheel_rates, np.zeros_like(record.wheel_rates)
    if rates.any():
        wheels = best_fourier_polynomial(times, rates, most_harmonics, span)
        rates, wheel_acceleration = wheels.derivative(times), wheels.derivative(times, 1)
    return replace(
        record,
        q=joints.derivative(times),
        qd=joints.derivative(times, 1),
        wheel_rates=rates,
        base_twist=np.hstack([record.base_twist[:, :3], base.derivative(times)]),
        qdd=joints.derivative(times, 2),
        angular_acceleration=base.derivative(times, 1),
        wheel_acceleration=wheel_acceleration,
    )
