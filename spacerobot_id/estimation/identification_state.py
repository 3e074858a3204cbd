"""All that identification carries from block to block, and how it is to run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.change_detection import ChangeSettings, Doubt, NO_DOUBT
from spacerobot_id.estimation.estimate import Estimate, estimate_from_information
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.square_root_information import SquareRootInformation


@dataclass(frozen=True)
class RecursionSettings:
    """How the recursion starts and how often it looks back.

    Parameters
    ----------
    prior_relative_std : float
        How far the description may be wrong: 1 for 100 % of mass, moments and inertias.
    prior_mass_std : float
        How far the total mass may be wrong, as the standard deviation of its logarithm.
    growth : float
        Share by which the samples grow before all are linearised anew.
    least_growth : float
        The same when the estimate has moved by more than its standard deviation.
    iterations : int
        Most Gauss-Newton steps each time.
    tolerance : float
        Step, in standard deviations, that ends them.
    most_samples : int
        Samples kept; older ones stay in the estimate, with the linearisation they have.
    forgetting_time : float
        Time of motion after which samples that are no longer kept lose weight, s; never if 0.
    change : ChangeSettings
        When samples are refused, and when the robot is thought to have changed.
    """

    prior_relative_std: float = 1.0
    prior_mass_std: float = 0.5
    growth: float = 1.0
    least_growth: float = 0.03
    iterations: int = 3
    tolerance: float = 0.1
    most_samples: int = 60_000
    forgetting_time: float = 0.0
    change: ChangeSettings = ChangeSettings()


@dataclass(frozen=True, eq=False)
class Identification:
    """State of the recursion.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    settings : RecursionSettings
        How it runs.
    prior : Prior
        What the description says.
    known : SquareRootInformation
        What samples say that are no longer kept; after a change of the robot or a restart, all
        that was known before it, the description included.
    information : SquareRootInformation
        Everything.
    centre : ndarray, shape (p,)
        Minimal parameters that new samples are linearised about.
    recorded : tuple of Measurement
        Samples kept.
    gram : ndarray, shape (p, p)
        ``G^T G`` of the regressor at the measured rates.
    samples : int
        Samples absorbed.
    linearised : int
        Samples absorbed when all were last linearised.
    noise : float
        Variance of the noise when all were last linearised, where 1 is stated; at least 1.
    rejected : int
        Samples refused so far because they did not fit.
    changes : int
        Times the robot was found changed.
    doubt : Doubt
        Samples refused lately, in case the robot has changed.
    unchanged : SquareRootInformation, optional
        What was known before the last change.
    described : bool
        Whether the description still counts as the prior; after a change or a restart it is in
        what is known.
    """

    problem: MomentumProblem
    settings: RecursionSettings
    prior: Prior
    known: SquareRootInformation
    information: SquareRootInformation
    centre: NDArray[np.float64]
    recorded: tuple[Measurement, ...]
    gram: NDArray[np.float64]
    samples: int = 0
    linearised: int = 0
    noise: float = 1.0
    rejected: int = 0
    changes: int = 0
    doubt: Doubt = NO_DOUBT
    unchanged: SquareRootInformation | None = None
    described: bool = True

    def estimate(self) -> Estimate:
        """Return what is known now."""
        return estimate_from_information(
            self.problem, self.information, self.prior, self.gram, self.samples
        )
