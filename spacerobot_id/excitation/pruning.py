"""Algorithm 1 of [Naveen 2024]: which intervals of a motion teach something new.

The text leaves two things open. Its listing never renews the values that it compares with; the
text beside it states that they are those of the intervals kept so far, and so it is done here.
And with a falling condition number as a reason of its own, and idle intervals counted again after
each that is dropped, as printed, almost nothing is dropped: 234 to 250 of the 256 intervals of
the dual-arm robot stay, in any order. The paper keeps 67. Without those two, 64 to 69 stay in
the orders whose counts of significant singular values are the paper's. Both readings are here.

A dropped interval leaves no gap: the knots of those that stay are laid again from the start by
Eqs. 30 and 31, with ``knots_from_seeds``, so that each joint goes on from where it is. The angles
of the intervals that stay change by that, which is why the paper optimises once more (step 3).
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.predicted_motion import predict_motion
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import MinimalParameters, momentum_regressor


class PruningRule(Enum):
    """What lets an interval stay.

    PRINTED
        More significant singular values; or a smaller condition number; or as many significant
        values, at most ``u_max + 1`` times in a row, counted again after a dropped interval.
    RUN
        The first and the third alone, the count going on until the number of significant values
        rises: what gives the paper's 67.
    """

    PRINTED = 'printed'
    RUN = 'run'


@dataclass(frozen=True, eq=False)
class IntervalCurves:
    """Figure 4 of [Naveen 2024]: intervals alone, and all up to each; arrays have shape (K,).

    Parameters
    ----------
    alone_condition, together_condition : ndarray
        Condition numbers of the regressor.
    alone_significant, together_significant : ndarray of int
        Singular values above ``delta`` times the largest.
    """

    alone_condition: NDArray[np.float64]
    alone_significant: NDArray[np.intp]
    together_condition: NDArray[np.float64]
    together_significant: NDArray[np.intp]


def interval_regressors(
    model: RobotModel, minimal: MinimalParameters, plan: ExcitationPlan, per_interval: int
) -> NDArray[np.float64]:
    """Return the minimal regressor along a plan, interval by interval.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    minimal : MinimalParameters
        Its p minimal parameters.
    plan : ExcitationPlan
        Motion of K intervals.
    per_interval : int
        Samples per interval.

    Returns
    -------
    ndarray, shape (K, 6 per_interval, p)
        Rows of each interval.
    """
    motion = predict_motion(model, plan, per_interval)
    regressor = momentum_regressor(model, motion.q, motion.qd, motion.base_twist, minimal.columns)
    return regressor.reshape(len(plan.durations), 6 * per_interval, -1)


def prune_intervals(
    regressors: NDArray[np.float64],
    u_max: int = 5,
    delta: float = 1.0 / 300.0,
    rule: PruningRule = PruningRule.RUN,
) -> NDArray[np.intp]:
    """Return the intervals that stay, in their order (Algorithm 1).

    Parameters
    ----------
    regressors : ndarray, shape (K, r, p)
        Rows of the regressor in each interval, as ``interval_regressors`` gives them.
    u_max : int
        Intervals in a row that may stay though they add no significant singular value, less one.
    delta : float
        Share of the largest singular value above which one is significant.
    rule : PruningRule
        What lets an interval stay.

    Returns
    -------
    ndarray of int, shape (k,)
        Indices from 0; the first intervals are among them, until there are more rows than
        parameters.
    """
    intervals, rows, parameters = regressors.shape
    first = min(parameters // rows + 1, intervals)
    factors = np.linalg.qr(regressors, mode='r')
    kept = list(range(first))
    together = np.linalg.qr(np.vstack(list(factors[:first])), mode='r')
    before = _Spectrum.of(together, delta)
    idle = 0
    for index in range(first, intervals):
        trial = np.linalg.qr(np.vstack([together, factors[index]]), mode='r')
        now = _Spectrum.of(trial, delta)
        is_idle = now.significant == before.significant and idle <= u_max
        better = now.significant > before.significant
        if rule is PruningRule.PRINTED:
            better = better or now.condition < before.condition
        if better or is_idle:
            kept.append(index)
            together, before = trial, now
            idle = idle + 1 if is_idle else 0
        elif rule is PruningRule.PRINTED:
            idle = 0
    return np.array(kept)


def interval_curves(regressors: NDArray[np.float64], delta: float = 1.0 / 300.0) -> IntervalCurves:
    """Return condition numbers and significant singular values against the interval (Figure 4).

    Parameters
    ----------
    regressors : ndarray, shape (K, r, p)
        Rows of the regressor in each interval.
    delta : float
        Share of the largest singular value above which one is significant.
    """
    factors = np.linalg.qr(regressors, mode='r')
    together = [factors[0]]
    for factor in factors[1:]:
        together.append(np.linalg.qr(np.vstack([together[-1], factor]), mode='r'))
    alone = [_Spectrum.of(factor, delta) for factor in factors]
    joined = [_Spectrum.of(factor, delta) for factor in together]
    return IntervalCurves(
        np.array([each.condition for each in alone]),
        np.array([each.significant for each in alone]),
        np.array([each.condition for each in joined]),
        np.array([each.significant for each in joined]),
    )


@dataclass(frozen=True)
class _Spectrum:
    """Condition number of a matrix and how many of its singular values are significant."""

    condition: float
    significant: int

    @classmethod
    def of(cls, factor: NDArray[np.float64], delta: float) -> '_Spectrum':
        """Return it for a triangular factor; with fewer rows than columns it is singular."""
        values = np.linalg.svd(factor, compute_uv=False)
        smallest = values[-1] if len(factor) >= factor.shape[1] else 0.0
        with np.errstate(divide='ignore', invalid='ignore'):
            condition = np.divide(values[0], smallest)
        return cls(
            float(condition) if np.isfinite(condition) else np.inf,
            int(np.sum(values > delta * values[0])),
        )
