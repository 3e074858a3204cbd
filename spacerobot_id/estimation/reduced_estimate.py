"""What is known of reduced parameters, as an estimate that says how sure it is."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.estimate import (
    Estimate,
    OtherUnknown,
    regressor_condition,
    shrunk_combinations,
)
from spacerobot_id.estimation.square_root_information import SquareRootInformation


def reduced_estimate(
    problem: AngularMomentumProblem,
    information: SquareRootInformation,
    prior: SquareRootInformation,
    gram: NDArray[np.float64],
    samples: int,
) -> Estimate:
    """Return the estimate that information holds.

    Where the residual shows more noise than is stated, the covariance is that of the noise shown.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot.
    information : SquareRootInformation
        Prior and data, of the k reduced parameters or of these and a bias.
    prior : SquareRootInformation
        Prior alone, of at least the k reduced parameters.
    gram : ndarray, shape (k, k)
        ``Y^T Y`` of the regressor at the measured rates.
    samples : int
        Number of samples in it.
    """
    k, unknowns = len(problem.reduced), len(information.target)
    before = prior.covariance()[:k, :k]
    values, variance = information.values(), information.noise_variance()
    known = information.with_noise(variance, prior) if variance > 1.0 else information
    covariance = known.covariance()
    freedom = information.rows - unknowns
    std = np.sqrt(np.diag(covariance))
    others = zip(problem.names[k:unknowns], problem.units[k:unknowns], strict=True)
    return Estimate(
        names=problem.reduced.names,
        units=problem.reduced.units,
        values=values[:k],
        covariance=covariance[:k, :k],
        prior_std=np.sqrt(np.diag(before)),
        rank=shrunk_combinations(covariance[:k, :k], before),
        condition=regressor_condition(gram),
        samples=samples,
        chi_square=information.residual / freedom if freedom > 0 else np.nan,
        others=tuple(
            OtherUnknown(name, unit, float(values[place]), float(std[place]))
            for place, (name, unit) in enumerate(others, k)
        ),
    )
