"""Causes that residuals hide: what parameters take up, and units that scale all of them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.cause import (
    calibration_text,
    Cause,
    HARMFUL,
    MOST_CAUSES,
    NEAR,
)
from spacerobot_id.estimation.batch.common_mistakes import UNITS_OF_WHEELS
from spacerobot_id.estimation.batch.score_test import Score, scores
from spacerobot_id.estimation.batch.suspects import freed_samples
from spacerobot_id.estimation.described_mass import DescribedMass
from spacerobot_id.estimation.recursive.gate import far_off
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification

_MOST_SCORED = 4000
"""Samples about by which calibrations are judged where residuals are as stated."""

_FALSE_ALARM = {1.0: 1e-3, HARMFUL: 1e-2}
"""Probability that one of them is named although none is off, by the standard deviations by which
it has to move a parameter: an estimate that may be far off is doubted on less evidence."""

_OF_HALVES = {1.0: 1e-3}
"""The same of calibrations that are off in the first or the second half of the samples alone."""

_IN_HALF = ('in the first half of the samples alone', 'in the second half of the samples alone')

_FAR_SCALE = 3.0
"""Prior deviations of the logarithm of the total mass beyond which its unit is doubted."""


def hidden_causes(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    gate: float = 0.0,
) -> tuple[Cause, ...]:
    """Return the calibrations that bias a fit whose residuals are as stated, the likeliest first.

    What the parameters take up of an error leaves little over, and moves them by many of their
    standard deviations. A score test of all samples sees far less than chi-square does; one of
    either half sees what began or ended on the way.

    Parameters
    ----------
    method, record, values, known
        As for ``likely_causes``.
    gate : float
        Probability by which a sample has to stand out to be an outlier, which calibrations would
        be fitted to; none is if 0.
    """
    samples = freed_samples(method, record, _MOST_SCORED)
    if samples is None:
        return ()
    freed, part = samples
    left = method.residuals(part, values).values
    if gate > 0.0:
        fits = ~far_off(np.nansum(left**2, axis=1), method.outputs, gate)
        part, left = part[fits], left[fits]
    squares, read = float(np.nansum(left**2)), int(np.sum(~np.isnan(left)))
    noise = max(squares / max(read, 1), 1.0)
    found = scores(method, freed, part, values, known, halves=(None, 0, 1))
    judged = [each.with_noise(noise) for each in found]
    sure = _beyond_chance([each for each in judged if each.half is None], _FALSE_ALARM)
    sure += _beyond_chance([each for each in judged if each.half is not None], _OF_HALVES)
    if not sure:
        return ()
    count = np.log(len(part) * method.outputs)
    sure.sort(key=lambda each: each.freedom * count - each.gain)
    best: dict[str, Score] = {}
    for each in sure:
        best.setdefault(each.key, each)
    causes = []
    for each in list(best.values())[:MOST_CAUSES]:
        if each.gain < NEAR * sure[0].gain:
            continue
        suspect = method.freed(each.key, method.suspects[each.key])
        description, remedy = calibration_text(method, suspect, each.key, each.values, each.std)
        if each.half is not None:
            description = f'{description} {_IN_HALF[each.half]}'
            remedy = 'it changed on the way: identify what came before and after on its own'
        after = (squares - noise * each.gain) / read
        causes.append(
            Cause(description, remedy, squares / read, after, shift=each.moved, is_hidden=True)
        )
    return tuple(causes)


def _beyond_chance(judged: list[Score], false_alarms: dict[float, float]) -> list[Score]:
    """Return the scores that chance makes as seldom as is allowed for how far they move."""
    return [
        each
        for each in judged
        if any(
            each.moved > shift and each.chance * len(judged) < false_alarm
            for shift, false_alarm in false_alarms.items()
        )
    ]


def causes_of_scale(state: 'Identification') -> tuple[Cause, ...]:
    """Return the unit of wheel rates that explains a total mass far from that described."""
    mass = DescribedMass.of(state)
    if mass is None or not state.method.model.wheels or mass.deviations <= _FAR_SCALE:
        return ()
    chi_square = state.quality.chi_square
    return tuple(
        Cause(description, 'check the unit of the wheel rates', chi_square, chi_square, mass.ratio)
        for description, factor in UNITS_OF_WHEELS.items()
        if abs(np.log(mass.ratio / factor)) <= mass.std
    )
