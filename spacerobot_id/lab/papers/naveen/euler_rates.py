"""Measured as [Naveen 2024] section 7.3 does: rates alone, everything else added up from them.

The base's rates are the derivatives of its position in the inertial frame and of the angles
``z, x, y`` of ``R = Rz Rx Ry``; joint angles and poses are known at the start only.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.flight.conserved_flight import travelled
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.momentum_rows import ordinary_rows
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.spatial import skew

_ORDER = 'ZXY'


def measured_rates(clean: Record, problem: Momentum, seed: int | None) -> NDArray[np.float64]:
    """Return the rates that [Naveen 2024] measures.

    Parameters
    ----------
    clean : Record
        What noise-free sensors measure in N samples, at equal steps.
    problem : Momentum
        Noise of the rates.
    seed : int or None
        Seed of the noise; none for perfect rates.

    Returns
    -------
    ndarray, shape (N, 6 + n)
        Velocity of the base in the inertial frame (m/s), rates of the angles about z, x and y
        (rad/s), rates of the joints.
    """
    turned = Rotation.from_quat(clean.attitude)
    to_body = body_rates_from_euler(turned.as_euler(_ORDER))
    euler = np.linalg.solve(to_body, clean.base_twist[:, 3:, None])[..., 0]
    rates = np.hstack([turned.apply(clean.base_twist[:, :3]), euler, clean.qd])
    if seed is None:
        return rates
    return rates + np.random.default_rng(seed).normal(size=rates.shape) * problem.rate_std


class Poses(Enum):
    """Where poses and joint angles come from.

    MEASURED
        They are measured.
    TRAPEZOID
        Rates are added up by the trapezoid rule.
    EULER
        Rates are added up from the beginning of each step, which is late by half a step.
    """

    MEASURED = 'measured'
    TRAPEZOID = 'trapezoid sums'
    EULER = 'Euler sums'


def from_rates(clean: Record, rates: NDArray[np.float64], poses: Poses = Poses.EULER) -> Record:
    """Return the whole measurement from rates ([Naveen 2024] Eqs. 44 to 47).

    Parameters
    ----------
    clean : Record
        Where the robot started: its first pose and joint angles; times and wheels of all samples.
        Where poses are measured they are these.
    rates : ndarray, shape (N, 6 + n)
        What is measured, of ``measured_rates``.
    poses : Poses
        Where poses and joint angles come from.
    """
    start, step = clean[:1], float(clean.times[1] - clean.times[0])
    if poses is Poses.MEASURED:
        q, position, turned = clean.q, clean.position, Rotation.from_quat(clean.attitude)
        euler = turned.as_euler(_ORDER)
    else:
        moved = travelled(rates, step, trapezoid=poses is Poses.TRAPEZOID)
        q, position = start.q + moved[:, 6:], start.position + moved[:, :3]
        euler = Rotation.from_quat(start.attitude).as_euler(_ORDER) + moved[:, 3:6]
        turned = Rotation.from_euler(_ORDER, euler)
    turn_rates = (body_rates_from_euler(euler) @ rates[:, 3:6, None])[..., 0]
    return Record(
        clean.times,
        q,
        rates[:, 6:],
        clean.wheel_rates,
        np.hstack([turned.apply(rates[:, :3], inverse=True), turn_rates]),
        position,
        turned.as_quat(),
    )


def body_rates_from_euler(euler: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix ``M`` from Euler rates to body rates ([Naveen 2024] Eq. 46).

    Parameters
    ----------
    euler : ndarray, shape (N, 3)
        Angles about z, x and y, rad.

    Returns
    -------
    ndarray, shape (N, 3, 3)
        Body rates per unit of each Euler rate, in the order z, x, y.
    """
    x, y = euler[:, 1], euler[:, 2]
    matrix = np.zeros((len(euler), 3, 3))
    matrix[:, :, 0] = np.stack([-np.cos(x) * np.sin(y), np.sin(x), np.cos(x) * np.cos(y)], axis=1)
    matrix[:, 0, 1], matrix[:, 2, 1] = np.cos(y), np.sin(y)
    matrix[:, 1, 2] = 1.0
    return matrix


def inertial_rows(problem: Momentum, measurement: Record) -> Rows:
    """Return the rows of [Naveen 2024] Eq. 26 in inertial axes about the inertial origin.

    Parameters
    ----------
    problem : Momentum
        Robot.
    measurement : Record
        N samples, poses included.

    Returns
    -------
    Rows
        6 N rows: those in base axes, turned and moved by the measured pose.
    """
    rows = ordinary_rows(problem, measurement)
    R_WB = Rotation.from_quat(measurement.attitude).as_matrix()
    carried = np.zeros((len(measurement), 6, 6))
    carried[:, :3, :3] = carried[:, 3:, 3:] = R_WB
    carried[:, 3:, :3] = skew(measurement.position) @ R_WB
    matrix = carried @ rows.matrix.reshape(len(measurement), 6, -1)
    right = carried @ rows.right.reshape(len(measurement), 6, 1)
    return Rows(matrix.reshape(rows.matrix.shape), right.ravel())
