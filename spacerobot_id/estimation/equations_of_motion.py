"""Reduced parameters from the equations of motion: accelerations and joint torques.

The comparison of papers/004 section III. Accelerations are not measured but derived, by local
polynomials as a live system has to, or from a Fourier series and quintic fitted to a whole motion.
Their noise is in the regressor, so least squares is biased, the more so the rougher they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.data.fourier_polynomial import best_fourier_polynomial, Span
from spacerobot_id.data.local_polynomial import local_slopes
from spacerobot_id.dynamics import wheel_momentum
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.joint_torque_fit import check_torques
from spacerobot_id.estimation.momentum_rows import Rows
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.regressor import equations_of_motion_regressor


@dataclass(frozen=True, eq=False)
class AcceleratedMotion:
    """Samples with accelerations and torques: every row is one time.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (N, n)
        Joint positions, rates and accelerations.
    turning, bending : ndarray, shape (N, 3)
        Angular velocity (rad/s) and acceleration (rad/s^2) of the base in base axes.
    moment : ndarray, shape (N, 3)
        Moment on base and links about the centre of mass in base axes, that of the wheels, N m.
    joint_torque : ndarray, shape (N, n)
        Torques of the joints, N m.
    """

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    turning: NDArray[np.float64]
    bending: NDArray[np.float64]
    moment: NDArray[np.float64]
    joint_torque: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.q)

    def __getitem__(
        self, rows: slice | NDArray[np.bool_] | NDArray[np.intp]
    ) -> 'AcceleratedMotion':
        """Return some of the samples."""
        return AcceleratedMotion(*(each[rows] for each in vars(self).values()))


def differentiated_motion(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    window: int,
    longest_step: float = np.inf,
) -> AcceleratedMotion:
    """Return motion with accelerations by local polynomials of measured rates.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot.
    measurement : Measurement
        N samples with joint torques, in the order of time.
    window : int
        Samples of the local polynomial, odd; half of it is lost at each end.
    longest_step : float
        Largest time between two samples; across a hole there are no accelerations, s.

    Raises
    ------
    EstimationError
        If torques are not measured, or a wheel sits on a link that moves.
    """
    wheels = _checked_wheel_momentum(problem, measurement)
    turning = measurement.base_twist[:, 3:]
    signals = np.hstack([measurement.qd, turning, wheels])
    slopes = local_slopes(measurement.times, signals, window, longest_step)
    middle = window // 2
    inner = slice(middle, middle + len(slopes))
    joints = measurement.qd.shape[1]
    qdd, bending, spinning = np.split(slopes, [joints, joints + 3], axis=1)
    moment = -spinning - np.cross(turning[inner], wheels[inner])
    whole = AcceleratedMotion(
        measurement.q[inner],
        measurement.qd[inner],
        qdd,
        turning[inner],
        bending,
        moment,
        measurement.joint_torque[inner],
    )
    return whole[np.isfinite(slopes).all(axis=1)]


def fitted_motion(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    most_harmonics: int = 12,
    span: Span | None = None,
) -> AcceleratedMotion:
    """Return motion with rates and accelerations of a Fourier series and quintic.

    Joint angles and angular velocity are fitted over the whole measurement, with as many
    harmonics as their residuals ask for.

    Parameters
    ----------
    problem, measurement
        As for ``differentiated_motion``.
    most_harmonics : int
        Most harmonics that are tried.
    span : Span, optional
        When the motion took place, if that is known.
    """
    wheels = _checked_wheel_momentum(problem, measurement)
    times = measurement.times
    joints = best_fourier_polynomial(times, measurement.q, most_harmonics, span)
    base = best_fourier_polynomial(times, measurement.base_twist[:, 3:], most_harmonics, span)
    turning = base.derivative(times)
    moment = np.zeros_like(turning)
    if wheels.any():
        spin = best_fourier_polynomial(times, wheels, most_harmonics, span)
        moment = -spin.derivative(times, 1) - np.cross(turning, spin.derivative(times))
    return AcceleratedMotion(
        joints.derivative(times),
        joints.derivative(times, 1),
        joints.derivative(times, 2),
        turning,
        base.derivative(times, 1),
        moment,
        measurement.joint_torque,
    )


def equations_of_motion_rows(problem: AngularMomentumProblem, motion: AcceleratedMotion) -> Rows:
    """Return the rows of papers/004 Eq. 11: three moments, then n torques, for each sample."""
    matrix = equations_of_motion_regressor(
        problem.model,
        problem.reduced,
        motion.q,
        motion.qd,
        motion.qdd,
        motion.turning,
        motion.bending,
    )
    right = np.hstack([motion.moment, motion.joint_torque])
    return Rows(matrix.reshape(-1, matrix.shape[-1]), right.ravel())


def equations_of_motion_least_squares(
    problem: AngularMomentumProblem, motion: AcceleratedMotion
) -> SquareRootInformation:
    """Return the least-squares estimate of papers/004 Eq. 13.

    Its covariance is scaled to the residual, as if the regressor were free of noise.
    """
    rows = equations_of_motion_rows(problem, motion)
    nothing = SquareRootInformation.nothing(len(problem.reduced))
    return nothing.absorb(rows.matrix, rows.right).with_unit_residual()


def _checked_wheel_momentum(
    problem: AngularMomentumProblem, measurement: Measurement
) -> NDArray[np.float64]:
    """Return the spin momentum of wheels on the base, shape (N, 3)."""
    check_torques(problem, measurement)
    return wheel_momentum(problem.model, measurement.q, measurement.wheel_rates)[:, 3:]
