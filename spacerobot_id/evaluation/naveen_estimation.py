"""Estimates of papers/000 6.3: the paper's least squares and ours, on the same noisy data."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation import identify_batch, MomentumProblem, Rows
from spacerobot_id.evaluation.conserved_flight import with_sensor_noise
from spacerobot_id.evaluation.estimate_statistics import EstimateStatistics
from spacerobot_id.evaluation.euler_rates import from_rates, inertial_rows, measured_rates


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
        Parameters that ours says the data show.
    """

    sensing: Sensing
    intervals: int
    least_squares: EstimateStatistics
    ours: EstimateStatistics
    identified: NDArray[np.intp]


def estimate_case(
    problem: MomentumProblem,
    clean: Measurement,
    true: NDArray[np.float64],
    intervals: int,
    sensing: Sensing,
    seeds: Sequence[int],
) -> CaseEstimates:
    """Return the estimates of both methods from the first intervals of a flight.

    Parameters
    ----------
    problem : MomentumProblem
        Robot as it is told, and noise.
    clean : Measurement
        What perfect sensors see in intervals of a second.
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
        ours.append(identify_batch(problem, for_ours).estimate)
    unknown = np.full_like(squares, np.nan)
    return CaseEstimates(
        sensing,
        intervals,
        EstimateStatistics(np.array(squares), unknown, true),
        EstimateStatistics(
            np.array([each.values for each in ours]), np.array([each.std for each in ours]), true
        ),
        np.array([len(each.names) - len(each.not_identified()) for each in ours]),
    )


def least_squares(rows: Rows) -> NDArray[np.float64]:
    """Return the solution of least squares (papers/000 Eq. 27)."""
    factor = np.linalg.qr(np.column_stack([rows.matrix, rows.right]), mode='r')
    return np.linalg.solve(factor[:-1, :-1], factor[:-1, -1])


def _measured(
    problem: MomentumProblem, clean: Measurement, sensing: Sensing, seed: int
) -> tuple[Measurement, Measurement]:
    """Return what the paper's method is given, and ours: the same samples.

    From rates alone, ours adds up by the trapezoid rule, which is not late by half a step.
    """
    if sensing is Sensing.POSES:
        noisy = with_sensor_noise(clean, problem, seed)
        return noisy, noisy
    rates = measured_rates(clean, problem, seed)
    return from_rates(rates), from_rates(rates, trapezoid=True)
