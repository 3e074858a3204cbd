"""Rows of linear equations in the minimal parameters, at the rates as they are measured.

ordinary
    Momentum regressor at the measured rates, every row alike ([Naveen 2024] Eq. 26).
weighted
    The same rows, divided by the noise that the measured rates put into them.

The noise of the rates is in the regressor itself, so both are biased; those of output error are
not.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.multibody import momentum_matrix, wheel_momentum


def ordinary_rows(method: CalibratedMethod, record: Record) -> Rows:
    """Return the rows of [Naveen 2024] Eq. 26: robot's momentum equals minus the wheels'."""
    matrix = method.regressor(record, record.base_twist)[:, method.free]
    return Rows(_stacked(matrix), -_wheel_momentum(method, record).ravel())


def weighted_rows(method: CalibratedMethod, record: Record, values: NDArray[np.float64]) -> Rows:
    """Return the ordinary rows with unit noise, as it is at some minimal parameters.

    Raises
    ------
    numpy.linalg.LinAlgError
        If some rate is stated to be free of noise.
    """
    matrix = method.regressor(record, record.base_twist)[:, method.free]
    generalized = momentum_matrix(method.with_values(values), record.q)[:, method.free]
    return _whitened(method, generalized, matrix, -_wheel_momentum(method, record))


def _noise_factor(
    method: CalibratedMethod, generalized: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the lower root of ``H S H^T``, the covariance that the rates' noise gives."""
    scaled = generalized * method.rate_std
    return np.linalg.cholesky(scaled @ np.swapaxes(scaled, -1, -2))


def _whitened(
    method: CalibratedMethod,
    generalized: NDArray[np.float64],
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
) -> Rows:
    """Return rows divided by the root of the covariance ``H S H^T`` of their noise."""
    both = np.concatenate([matrix, right[..., None]], axis=-1)
    whitened = np.linalg.solve(_noise_factor(method, generalized), both)
    return Rows(_stacked(whitened[..., :-1]), whitened[..., -1].ravel())


def _stacked(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows of all samples below one another."""
    return matrix.reshape(-1, matrix.shape[-1])


def _wheel_momentum(method: CalibratedMethod, record: Record) -> NDArray[np.float64]:
    """Return the wheels' spin momentum in the free components, shape (N, 6) or (N, 3)."""
    return wheel_momentum(method.model, record.q, record.wheel_rates)[:, method.free]
