"""The gate before every live method: what does not fit is refused, until it is the rule."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.change_detection import Doubt
from spacerobot_id.estimation.square_root_information import SquareRootInformation

_GOOD_FIT = 2.0
"""Sum of squares per degree of freedom, over that of the noise, up to which a robot fits."""

_MOST_NOISE = 100.0
"""Variance of the residuals beyond which they are no noise: little is known yet."""


class _Gated(Protocol):
    """What the gate has to know of a state, a frozen dataclass."""

    problem: Any
    settings: Any
    information: SquareRootInformation
    noise: float
    linearised: int
    rejected: int
    doubt: Doubt


State = TypeVar('State', bound=_Gated)
"""A state of a live method."""


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
    return freedom > 0 and fits and noise < _MOST_NOISE


def gated(
    state: State,
    block: Measurement,
    fitting: Callable[[State, Measurement], NDArray[np.bool_]],
    reconciled: Callable[[State, Measurement], State | None],
    changed: Callable[[State, int], State],
) -> tuple[State, Measurement]:
    """Return the state and the samples that fit; or the state of a changed robot, and its samples.

    Parameters
    ----------
    state : State
        State before.
    block : Measurement
        New samples in which something moves.
    fitting : callable
        Returns which samples fit what a state knows.
    reconciled : callable
        Returns the state that explains the refused samples beside all others and the good ones
        of the block, or None.
    changed : callable
        Returns the state of a robot that has changed, of which so many refused samples are.
    """
    change = state.settings.change
    moved = state.linearised / state.problem.model.noise.rate
    settled = is_settled(state.information, state.noise)
    if not change.gate or moved < change.settle or not settled:
        return state, block
    good = fitting(state, block)
    watched = replace(
        state,
        rejected=state.rejected + int(np.sum(~good)),
        doubt=state.doubt.with_block(block, good, change.window),
    )
    if not watched.doubt.is_the_rule(change):
        return watched, block[good]
    joint = reconciled(watched, block[good])
    if joint:
        return joint, block[:0]
    other = watched.doubt.since_change(change)
    return changed(watched, len(other)), other


def explains_doubt(
    joint: State, before: State, fitting: Callable[[State, Measurement], NDArray[np.bool_]]
) -> bool:
    """Return whether one robot explains all samples, those refused among them.

    Parameters
    ----------
    joint : State
        State with all of them.
    before : State
        State in doubt.
    fitting : callable
        As for ``gated``.
    """
    if not is_settled(joint.information, before.noise):
        return False
    fits = fitting(replace(joint, noise=before.noise), before.doubt.samples())
    return bool(fits.mean() > 1.0 - before.settings.change.share)
