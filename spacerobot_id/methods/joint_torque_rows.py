"""Rows of linear equations from joint torques, without accelerations.

Lagrange's equations of the joints in weak form: against smooth test functions only momenta,
forces and torques are integrated. Base and joint rates are first adjusted to the known angular
momentum, which leaves noise that is independent of the misfit of the gyro. What remains of it in
each integral is the covariance of its row (weighted as errors in variables, D. Bortz,
D. Messenger and V. Dukic, *Direct estimation of parameters in ODE models using WENDy*, 2023).

Integrated by parts against a test function that vanishes at both ends of its support, a derivative
becomes that of the function, which is known (method of modulating functions, M. Shinbrot, *On the
analysis of linear and nonlinear systems*, 1957).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.locked_inertia import locked_inertia
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    joint_momentum_matrix,
    joint_momentum_regressor,
)
from spacerobot_id.spatial import skew

if TYPE_CHECKING:
    from spacerobot_id.methods.angular_momentum import AngularMomentum


_POWER = 4
"""Power of ``1 - s^2``: three derivatives are zero at the ends, so sums are good integrals."""

_OVERLAP = 4
"""Test functions whose supports hold a time."""


@dataclass(frozen=True, eq=False)
class WeakForm:
    """Weights that make sums over N samples integrals against K test functions.

    Parameters
    ----------
    values, slopes : ndarray, shape (K, N)
        Test functions (s) and their derivatives, times the step of each sample.
    """

    values: NDArray[np.float64]
    slopes: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of test functions."""
        return len(self.values)

    def integral(self, signal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integrals of a signal, shapes (N, ...) to (K, ...)."""
        return np.tensordot(self.values, signal, axes=1)

    def integral_of_rate(self, signal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integrals of a signal's rate of change, shapes (N, ...) to (K, ...)."""
        return -np.tensordot(self.slopes, signal, axes=1)


def weak_form(times: NDArray[np.float64], support: float) -> WeakForm:
    """Return the weak form with bumps ``(1 - s^2)^4`` that follow one another.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, ascending, without holes, s.
    support : float
        How long each bump is, s.
    """
    half = 0.5 * support
    step = np.gradient(times) if len(times) > 1 else np.zeros(len(times))
    spare = times[-1] - times[0] - support
    count = int(spare / (support / _OVERLAP)) + 1 if spare >= 0.0 else 0
    centres = times[0] + half + np.linspace(0.0, max(spare, 0.0), count)
    phase = np.clip((times - centres[:, None]) / half, -1.0, 1.0)
    rest = 1.0 - phase**2
    slopes = -2.0 * _POWER * phase * rest ** (_POWER - 1) / half
    return WeakForm(step * rest**_POWER, step * slopes)


@dataclass(frozen=True, eq=False)
class JointTorqueRows:
    """Equations ``matrix @ x = right`` of K test functions and n joints, and their noise.

    Parameters
    ----------
    matrix : ndarray, shape (K n, u + 1)
        Of the u unknowns and of the time, s, that torques are ahead of their stamps.
    right : ndarray, shape (K n,)
        Integrals, N m s (N s of prismatic joints).
    of_rates : ndarray, shape (K n, K n)
        Covariance that the noise of gyro, joint rates and attitude makes.
    of_torques : ndarray, shape (K, K)
        Covariance that torques with unit noise make, of each joint alike.
    """

    matrix: NDArray[np.float64]
    right: NDArray[np.float64]
    of_rates: NDArray[np.float64]
    of_torques: NDArray[np.float64]


def joint_torque_rows(
    method: 'AngularMomentum',
    record: Record,
    values: NDArray[np.float64],
    support: float,
) -> JointTorqueRows:
    """Return the rows of samples without a hole, linear about some values.

    Parameters
    ----------
    method : AngularMomentum
        Robot and noise.
    record : Record
        N samples with torques.
    values : ndarray, shape (u,)
        Unknowns to linearise about.
    support : float
        Length of a test function, s.
    """
    count, unknowns = len(method.reduced), len(values)
    adjusted = _adjusted(method, record, values)
    angular_velocity, qd = adjusted.rates[:, :3], adjusted.rates[:, 3:]
    of = joint_momentum_regressor(method.model, method.reduced, record.q, qd, angular_velocity)
    per_rate = joint_momentum_matrix(method.model, method.reduced, values[:count], record.q)
    force_slope = of.force_slope @ values[:count]
    weak = weak_form(record.times, support)
    momentum_slope = per_rate @ adjusted.slope
    momentum_slope[:, :, :count] += of.momentum
    of_force = force_slope @ adjusted.slope
    of_force[:, :, :count] += of.force
    matrix = weak.integral_of_rate(momentum_slope) - weak.integral(of_force)
    explained = weak.integral_of_rate(of.momentum @ values[:count])
    explained -= weak.integral(of.force @ values[:count])
    right = weak.integral(record.joint_torque) - explained + matrix @ values
    # A torque that is ahead by a time differs by its own rate of change.
    ahead = weak.integral_of_rate(record.joint_torque)
    matrix = np.concatenate([matrix, -ahead[..., None]], axis=-1)
    return JointTorqueRows(
        matrix.reshape(-1, unknowns + 1),
        right.ravel(),
        _covariance(weak, per_rate, force_slope, adjusted.covariance),
        weak.values @ weak.values.T,
    )


@dataclass(frozen=True, eq=False)
class _AdjustedRates:
    """Angular velocity and joint rates with the known momentum, slopes and covariance."""

    rates: NDArray[np.float64]
    slope: NDArray[np.float64]
    covariance: NDArray[np.float64]


def _adjusted(
    method: 'AngularMomentum', record: Record, values: NDArray[np.float64]
) -> _AdjustedRates:
    """Return the rates nearest to the measured ones that have the known momentum."""
    count, unknowns, joints = len(method.reduced), len(values), len(method.model.joints)
    locked = locked_inertia(method.model, method.reduced, values[:count], record.q)
    of_bias = np.eye(3 + joints)[:, : unknowns - count]
    measured = np.hstack([record.base_twist[:, 3:], record.qd])
    measured = measured - of_bias @ values[count:]
    known = method.known(record)
    noise = np.diag(method.rate_std**2)
    turned = method.attitude_std * skew(known)
    spread = locked @ noise @ np.swapaxes(locked, -1, -2) + turned @ np.swapaxes(turned, -1, -2)
    gain = np.swapaxes(np.linalg.solve(spread, locked @ noise), -1, -2)
    excess = np.einsum('nij,nj->ni', locked, measured) - known
    rates = measured - np.einsum('nij,nj->ni', gain, excess)
    at_rates = angular_momentum_regressor(
        method.model, method.reduced, record.q, rates[:, 3:], rates[:, :3]
    )
    slope = np.empty((len(record), 3 + joints, unknowns))
    slope[:, :, :count] = -gain @ at_rates
    slope[:, :, count:] = gain @ (locked @ of_bias) - of_bias
    return _AdjustedRates(rates, slope, noise - gain @ (locked @ noise))


def _covariance(
    weak: WeakForm,
    momentum_slope: NDArray[np.float64],
    force_slope: NDArray[np.float64],
    of_rates: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the covariance that noisy rates give the integrals, shape (K n, K n)."""
    slope = np.einsum('an,nij->ainj', weak.slopes, momentum_slope)
    slope += np.einsum('an,nij->ainj', weak.values, force_slope)
    spread = np.einsum('ainj,njk->aink', slope, of_rates, optimize=True)
    size = len(weak) * momentum_slope.shape[1]
    return slope.reshape(size, -1) @ spread.reshape(size, -1).T
