"""Noise of sensors as large as the residuals show it, where that is not as stated.

Which streams are noisier than stated, or less noisy, and by how much, are variance components
(``variance_components``). Weights that are wrong cost accuracy, and intervals that no single
factor mends.

Residuals that a wrong model makes larger are no noise: they go one way for long, or come and go
with the motion. What is found is taken only if all that is left is white and as large all along.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.robust_start import truncated_cost
from spacerobot_id.estimation.batch.variance_components import components_of
from spacerobot_id.estimation.fit_quality import WINDOW
from spacerobot_id.estimation.recursive.gate import is_settled
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.record import STREAMS
from spacerobot_id.measurement.stream import TOPICS
from spacerobot_id.methods.solution import FoundNoise

_ROUNDS = 4
"""Most times that a fit is reweighted."""

_AS_STATED = 0.7, 1.05
"""Variances over those stated that are near enough."""

_LEFT = 0.4, 1.1
"""Chi-square of a fit weighed by what was found, outside of which that is not the noise.

Readings half-way between messages have half of their noise.
"""

_SETTLED = 0.02
"""Relative change of a variance at which it is found."""

_READINGS, _STEADY = 200, 2.0
"""Readings about whose mean square is compared, and ratio of the ninth to the first decile of
these that noise may have."""


def reweighted(
    state: Identification,
    refit: Callable[[Identification], Identification],
    samples: Record | None = None,
) -> Identification:
    """Return a state fitted with the noise that residuals show; as it is if that is as stated.

    Parameters
    ----------
    state : Identification
        State of a fit.
    refit : callable
        Refits a state's samples.
    samples : Record, optional
        Samples that the noise is found of, weighed as stated; those of the fit by default.
    """
    if not _can_be_weighed(state):
        return state
    tried = [
        _weighed(refit(state.weighed(change)), change, refit, samples)
        for change in shown_variances(state, _seen(state, samples))
    ]
    found = [each for each in tried if _is_noise(each)]
    if not found:
        return state
    gains = [likelier_by(each, state) for each in found]
    best = int(np.argmax(gains))
    return found[best] if gains[best] > 0.0 else state


def likelier_by(found: Identification, state: Identification) -> float:
    """Return twice the logarithm of how much likelier all samples are with noise that was found.

    Components are found of single samples. Where neighbours share noise, as rates from encoders
    do, all of them together may contradict what these seem to show, and distinguish streams that
    single samples do not.

    Parameters
    ----------
    found : Identification
        State fitted with that noise.
    state : Identification
        State before.
    """
    samples = Record.concatenate(state.recorded)
    before = np.ones(len(STREAMS)) if state.shown is None else state.shown
    after, now = (
        truncated_cost(state.method, taken, fit.information.values(), np.inf)
        for fit, taken in ((found, samples.weighed(found.shown / before)), (state, samples))
    )
    return now - after


def _weighed(
    found: Identification,
    change: NDArray[np.float64],
    refit: Callable[[Identification], Identification],
    samples: Record | None,
) -> Identification:
    """Return a fit with noise that was shown, reweighted until its noise stays."""
    for _ in range(_ROUNDS - 1):
        if np.abs(np.log(change)).max() < _SETTLED:
            break
        changes = shown_variances(found, _seen(found, samples))
        if not changes:
            break
        change = changes[0]
        found = refit(found.weighed(change))
    return found


def _seen(state: Identification, samples: Record | None) -> Record:
    """Return samples weighed as those of a fit; these by default."""
    return Record.concatenate(state.recorded) if samples is None else state.reweighted(samples)


def _is_noise(found: Identification) -> bool:
    """Return whether what is left with the noise that was found is white, steady, and as found."""
    quality, (least, most) = found.quality, _LEFT
    is_noise = is_settled(found.information) and quality.is_white and _is_steady(found)
    return is_noise and least <= quality.chi_square <= most


def _is_steady(state: Identification) -> bool:
    """Return whether residuals are about as large at all times, which those of motions are not."""
    left, times = state.residuals.values, state.residuals.times
    there = np.isfinite(left)
    counts, squares = there.sum(axis=1), np.nansum(left**2, axis=1)
    most = max(int(counts.sum()) // _READINGS, 1)
    seconds = (times - times[0]) // max(WINDOW, (times[-1] - times[0]) / most)
    window = np.unique(seconds, return_inverse=True)[1]
    read = np.bincount(window, counts)
    power = np.bincount(window, squares)[read > 0] / read[read > 0]
    low, high = np.quantile(power, [0.1, 0.9])
    return bool(high <= _STEADY * low)


def shown_variances(state: Identification, samples: Record) -> list[NDArray[np.float64]]:
    """Return the variances of streams over those that a fit took, each (4,); none if as they are.

    The likeliest first; several where single samples do not show whose they are.

    Parameters
    ----------
    state : Identification
        State of a fit.
    samples : Record
        Samples in the order of time, weighed as those of the fit.
    """
    try:
        components = components_of(state.method, samples, state.information.values(), state.shown)
        found = [] if components is None else components.variances()
    except np.linalg.LinAlgError:  # a robot that hardly resists motion: rounding hides the noise
        return []
    low, high = _AS_STATED
    # once weighed, what is left to mend is small
    is_first = state.shown is None
    return [
        each for each in found if np.any((each < low) | (each > high) if is_first else each != 1.0)
    ]


def found_noise(shown: NDArray[np.float64] | None) -> tuple[FoundNoise, ...]:
    """Return noise that is not as stated, as sizes that were found.

    Parameters
    ----------
    shown : ndarray, shape (4,), optional
        Variances of streams over those stated; None if they are as stated.
    """
    if shown is None:
        return ()
    return tuple(
        FoundNoise(f'noise of {TOPICS[stream]}', 'times that stated', float(np.sqrt(each)))
        for stream, each in zip(STREAMS, shown, strict=True)
        if each != 1.0
    )


def noise_note(shown: NDArray[np.float64] | None) -> tuple[str, ...]:
    """Return notes on noise that is larger than stated, a sentence each.

    Parameters
    ----------
    shown : ndarray, shape (4,), optional
        Variances of streams over those stated; None if they are as stated.
    """
    found = [each for each in found_noise(shown) if each.value**2 > _AS_STATED[1]]
    if not found:
        return ()
    sizes = ', '.join(f'{each.name} {each.value:.3g} {each.unit}' for each in found)
    return (
        f'{sizes}: readings are weighed by what residuals show; correct the noise of the '
        'description or of the messages',
    )


def _can_be_weighed(state: Identification) -> bool:
    """Return whether a state has samples whose noise can be separated."""
    method = state.method
    return bool(
        state.recorded
        and state.quality is not None
        and method.has_stated_noise
        and not method.is_for_comparison
        and not method.solves_at_once
        and not len(method.unknowns.walk)
        and method.judges_residuals
    )
