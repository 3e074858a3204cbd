"""Estimates of [Naveen 2024] 6.3 over seeds of the noise: least squares, ours, and the bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation import identify
from spacerobot_id.flight.conserved_flight import with_sensor_noise
from spacerobot_id.lab.papers.estimates import EstimateStatistics
from spacerobot_id.lab.papers.naveen.euler_rates import (
    from_rates,
    inertial_rows,
    measured_rates,
    Poses,
)
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.prediction import Rows


class Sensing(Enum):
    """What is measured.

    RATES
        Rates alone, poses and joint angles added up from them, as in the paper.
    POSES
        Encoders and the pose of the base too.
    """

    RATES = 'rates only'
    POSES = 'encoders and poses'


@dataclass(frozen=True, eq=False)
class CaseEstimates:
    """One case of Tables 5 and 6 over several seeds of the noise.

    Parameters
    ----------
    sensing : Sensing
        What is measured.
    intervals : int
        Intervals that were used.
    least_squares, ours : EstimateStatistics
        The paper's method, and momentum output error.
    identified : ndarray of int, shape (seeds,)
        Number of parameters that ours counts as identified.
    """

    sensing: Sensing
    intervals: int
    least_squares: EstimateStatistics
    ours: EstimateStatistics
    identified: NDArray[np.intp]


def table_5_estimates(
    problem: Momentum,
    clean: Record,
    dropped: int,
    seeds: Sequence[int],
    poses: Poses = Poses.MEASURED,
) -> NDArray[np.float64]:
    """Return least squares as in Table 5, over draws of the noise of the rates.

    Parameters
    ----------
    problem : Momentum
        Robot and noise.
    clean : Record
        What noise-free sensors measure.
    dropped : int
        How many of the first samples are left out.
    seeds : sequence of int
        Seeds of the noise.
    poses : Poses
        Where poses and joint angles come from.

    Returns
    -------
    ndarray, shape (seeds, p)
        Minimal parameters.
    """
    found = []
    for seed in seeds:
        measured = from_rates(clean, measured_rates(clean, problem, seed), poses)
        found.append(least_squares(inertial_rows(problem, measured[dropped:])))
    return np.array(found)


def estimate_case(
    problem: Momentum,
    clean: Record,
    true: NDArray[np.float64],
    intervals: int,
    sensing: Sensing,
    seeds: Sequence[int],
) -> CaseEstimates:
    """Return the estimates of both methods from the first intervals of a flight.

    Parameters
    ----------
    problem : Momentum
        Prior model of the robot, and noise.
    clean : Record
        What noise-free sensors measure in intervals of a second.
    true : ndarray, shape (p,)
        True minimal parameters.
    intervals : int
        Intervals to use.
    sensing : Sensing
        What is measured.
    seeds : sequence of int
        Seeds of the noise.
    """
    used = clean[clean.times < intervals]
    squares, ours = [], []
    for seed in seeds:
        for_paper, for_ours = _measured(problem, used, sensing, seed)
        squares.append(least_squares(inertial_rows(problem, for_paper)))
        ours.append(identify(for_ours, problem, with_links=False).estimate)
    unknown = np.full_like(squares, np.nan)
    return CaseEstimates(
        sensing,
        int(used.times[-1]) + 1,  # those there are
        EstimateStatistics(np.array(squares), unknown, true),
        EstimateStatistics(
            np.array([each.values for each in ours]), np.array([each.std for each in ours]), true
        ),
        np.array([len(each.names) - len(each.not_identified()) for each in ours]),
    )


def least_squares(rows: Rows) -> NDArray[np.float64]:
    """Return the solution of least squares ([Naveen 2024] Eq. 27)."""
    factor = np.linalg.qr(np.column_stack([rows.matrix, rows.right]), mode='r')
    return np.linalg.solve(factor[:-1, :-1], factor[:-1, -1])


def _measured(
    problem: Momentum, clean: Record, sensing: Sensing, seed: int
) -> tuple[Record, Record]:
    """Return what the paper's method is given, and ours: the same samples.

    From rates alone, ours adds up by the trapezoid rule, which is not late by half a step.
    """
    if sensing is Sensing.POSES:
        noisy = with_sensor_noise(clean, problem, seed)
        return noisy, noisy
    rates = measured_rates(clean, problem, seed)
    return from_rates(clean, rates), from_rates(clean, rates, Poses.TRAPEZOID)


def cramer_rao_std(
    problem: Momentum, clean: Record, true: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the least standard deviations of unbiased estimates.

    Parameters
    ----------
    problem : Momentum
        Robot and noise, with u unknowns.
    clean : Record
        Samples without noise.
    true : ndarray, shape (u,)
        True values of the unknowns.

    Returns
    -------
    ndarray, shape (u,)
        Standard deviations, in the units of the unknowns.
    """
    rows = problem.predict(clean, true).rows(true).matrix
    scale = np.linalg.norm(rows, axis=0)
    inverse = np.linalg.inv((rows / scale).T @ (rows / scale))
    return np.sqrt(np.diag(inverse)) / scale
