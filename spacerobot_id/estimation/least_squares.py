"""Least squares on the momentum regressor: the paper's, and the same with weights."""

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import ordinary_rows, weighted_rows
from spacerobot_id.estimation.square_root_information import SquareRootInformation


def ordinary_least_squares(
    problem: MomentumProblem, measurement: Measurement
) -> SquareRootInformation:
    """Return the least-squares estimate of papers/000 Eq. 27.

    Its covariance is scaled to the residual, as if the regressor were free of noise; it is not,
    so the estimate is biased and the covariance too small.

    Parameters
    ----------
    problem : MomentumProblem
        Robot.
    measurement : Measurement
        Samples.
    """
    rows = ordinary_rows(problem, measurement)
    nothing = SquareRootInformation.nothing(rows.matrix.shape[1])
    return nothing.absorb(rows.matrix, rows.right).with_unit_residual()


def weighted_least_squares(
    problem: MomentumProblem, measurement: Measurement, iterations: int = 2
) -> SquareRootInformation:
    """Return least squares weighted by the noise of the rates, as it is at the last estimate.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        Samples.
    iterations : int
        Times the weights are taken anew, from ordinary least squares on.
    """
    information = ordinary_least_squares(problem, measurement)
    for _ in range(iterations):
        rows = weighted_rows(problem, measurement, information.values())
        nothing = SquareRootInformation.nothing(rows.matrix.shape[1])
        information = nothing.absorb(rows.matrix, rows.right)
    return information
