"""The gate before the recursion: what does not fit is rejected, until that is the rule."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.resampling import rates_off_positions
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_GOOD_FIT = 2.0
"""Sum of squares per degree of freedom, over that of the noise, up to which a robot fits."""

_MOST_OUTLIERS = 0.2
"""Share of samples beyond which what stands out is no outlier."""

MOST_NOISE = 100.0
"""Variance of the residuals beyond which they are no noise: little is known yet."""


def is_settled(information: SquareRootInformation, noise: float = 1.0) -> bool:
    """Return whether an estimate fits its own data, so that a misfit means something.

    Parameters
    ----------
    information : SquareRootInformation
        Everything known.
    noise : float
        Variance of the noise, where 1 is stated.
    """
    freedom = information.rows - len(information.target)
    fits = information.residual < _GOOD_FIT * noise * freedom
    return freedom > 0 and fits and noise < MOST_NOISE


def chi_squares(
    method: Method,
    record: Record,
    information: SquareRootInformation,
    centre: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return how badly each sample fits what is known, shape (N,).

    A sample's chi-square is that of its readings, with the covariance of their noise and of the
    unknowns together.

    Parameters
    ----------
    method : Method
        Robot and noise.
    record : Record
        N samples.
    information : SquareRootInformation
        What is known, without them.
    centre : ndarray, shape (u,), optional
        Unknowns that the readings are linearised about; the estimate by default, which while
        little is known may be of no robot.
    """
    about = information.values() if centre is None else centre
    return method.equations(record, about).chi_squares(information, method.outputs)


def fitting(
    method: Method,
    record: Record,
    information: SquareRootInformation,
    probability: float,
    centre: NDArray[np.float64] | None = None,
    noise: float = 1.0,
) -> NDArray[np.bool_]:
    """Return which samples fit what is known, shape (N,).

    Parameters
    ----------
    method, record, information, centre
        As for ``chi_squares``.
    probability : float
        Probability of a good sample to be rejected.
    noise : float
        Variance of the noise, where 1 is stated.
    """
    limit = noise * chdtri(method.outputs, probability)
    return chi_squares(method, record, information, centre) <= limit


def far_off(squares: NDArray[np.float64], outputs: int, probability: float) -> NDArray[np.bool_]:
    """Return which chi-squares are too large beside the middle one, shape (N,).

    Parameters
    ----------
    squares : ndarray, shape (N,)
        Chi-squares of samples.
    outputs : int
        Readings of a sample.
    probability : float
        Probability of a good sample to be rejected.
    """
    usual = max(float(np.median(squares)) / chdtri(outputs, 0.5), 1.0)
    return squares > usual * chdtri(outputs, probability)


def standing_out(
    method: Method,
    record: Record,
    information: SquareRootInformation,
    values: NDArray[np.float64],
    probability: float,
) -> NDArray[np.bool_]:
    """Return which samples fit much worse than the middle one, or contradict themselves, (N,).

    So outliers show even where they have spoilt the estimate themselves. None do if they would be
    too many for that. Rates of joints that contradict the positions around them stand out whatever
    the fit.

    Parameters
    ----------
    method, record, probability
        As for ``fitting``.
    information : SquareRootInformation
        How well the unknowns are known.
    values : ndarray, shape (u,)
        What a fit has come to, which need not be its end.
    """
    noise = method.model.noise
    off = rates_off_positions(
        record.times, record.q, record.qd, noise.joint_position, noise.joint_rate
    )
    out = _unlikely(method, record, information, values, probability)
    return off if np.count_nonzero(out) > _MOST_OUTLIERS * len(out) else off | out


def _unlikely(
    method: Method,
    record: Record,
    information: SquareRootInformation,
    values: NDArray[np.float64],
    probability: float,
) -> NDArray[np.bool_]:
    """Return which samples have a chi-square far larger than the middle one, shape (N,)."""
    limit, middle = chdtri(method.outputs, probability), chdtri(method.outputs, 0.5)
    known = replace(information, target=information.factor @ values)
    if method.judges_residuals:
        left = method.residuals(record, values).values
        at_most = np.nansum(left**2, axis=1)  # with unknowns known: no chi-square is larger
        out = at_most > limit
        if not out.any():
            return out
        if np.median(at_most) <= middle:  # then the middle chi-square is no larger than stated
            at = np.flatnonzero(out)
            out[at] = chi_squares(method, record[at], known, values) > limit
            return out
    return far_off(chi_squares(method, record, known, values), method.outputs, probability)


def watched(state: Identification, block: Record, resting: int) -> tuple[Identification, Record]:
    """Return the state with rejected samples noted, and those of a block that fit.

    Parameters
    ----------
    state : Identification
        State before.
    block : Record
        New samples in which something moves.
    resting : int
        New samples in which nothing moves.
    """
    change = state.settings.change
    moved = state.linearised / state.method.model.noise.rate
    settled = is_settled(state.information, state.noise)
    if not state.gates_samples or moved < change.settle or not settled:
        return state, block
    good = fits(state, block)
    return replace(
        state,
        rejected=state.rejected + int(np.sum(~good)),
        rejections=state.rejections.with_block(block, good, resting, change.window),
    ), block[good]


def fits(state: Identification, samples: Record) -> NDArray[np.bool_]:
    """Return which samples fit what a state knows, shape (N,)."""
    gate = state.settings.change.gate
    return fitting(state.method, samples, state.information, gate, state.centre, state.noise)


def explains_rejected(joint: Identification, before: Identification) -> bool:
    """Return whether one robot explains all samples, those rejected among them.

    Parameters
    ----------
    joint : Identification
        State with all of them.
    before : Identification
        State whose latest samples are mostly rejected.
    """
    if not is_settled(joint.information, before.noise):
        return False
    explained = fits(replace(joint, noise=before.noise), before.rejections.samples())
    return bool(explained.mean() > 1.0 - before.settings.change.share)
