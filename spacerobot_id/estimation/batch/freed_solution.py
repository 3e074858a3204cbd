"""Calibrations that a fit of all samples at once shows when they are unknown, too.

Methods that fit the states of a flight with its unknowns have no likelihood of single samples that
a score test could be made of. All errors that they take for none are made unknown together, and
each is judged by what is found of it (Wald, Tests of statistical hypotheses concerning several
parameters, 1943): what one explains as well as another is of neither.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from spacerobot_id.estimation.batch.cause import (
    calibration_text,
    Cause,
    HARMFUL,
    MOST_CAUSES,
    NEAR,
)
from spacerobot_id.estimation.batch.common_mistakes import UNITS_OF_WHEELS
from spacerobot_id.estimation.batch.score_test import (
    all_freed,
    freed_samples,
    known_for,
    new_names,
    Score,
    scores,
    usable_samples,
    values_for,
)
from spacerobot_id.estimation.described_mass import DescribedMass
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.fit_quality import ResidualSeries
from spacerobot_id.estimation.recursive.gate import far_off
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.solution import Residuals, Solution
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification


_MOST_SCORED = 4000
"""Samples about by which calibrations are judged where residuals are as stated."""

_CHANCE = {1.0: 1e-3, HARMFUL: 1e-2}
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
    sure = _beyond_chance([each for each in judged if each.half is None], _CHANCE)
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


_FALSE_ALARM = 1e-3
"""Probability that a calibration is named although none is off."""

_RESOLUTION = 2e-3
"""Deviation of the time of the joints' curve, s, a twentieth of the distance of its knots: delays
against joints are known to it at best."""

_SHOWN = 3.0
"""Standard deviations from which on a combination of its unknowns counts as shown."""


def causes_of_solution(state: 'Identification', record: Record) -> tuple[Cause, ...]:
    """Return the calibrations that data show, the surest first; empty for other methods.

    Parameters
    ----------
    state : Identification
        State of a fit of all samples at once.
    record : Record
        Its samples, as they came.
    """
    method = state.method
    if not method.solves_at_once or not method.suspects:
        return ()
    freed = all_freed(method, record)
    usable = usable_samples(freed, record)
    known = None if state.described else state.known
    if usable is None:
        return ()
    try:
        start, known = values_for(method, freed, state.centre), known_for(method, freed, known)
        solution = freed.solution(usable, start, known)
    except (EstimationError, ConfigurationError, np.linalg.LinAlgError):
        return ()
    if not solution.converged:
        return ()
    fit = _FreedFit(method, freed, solution, state.estimate())
    keys = [key for key in method.suspects if key in freed.unknowns.places]
    found = [fit.calibration(key) for key in keys]
    shown = [each for each in found if each.chance * len(keys) < _FALSE_ALARM]
    shown.sort(key=lambda each: each.chance)
    shifts = [each.moved for each in shown[:MOST_CAUSES]]
    if shifts:
        shifts[0] = max(shifts[0], fit.moved_by_all())
    before, after = (_chi_square(each) for each in (state.residuals, solution.residuals))
    causes = []
    for each, shift in zip(shown, shifts, strict=False):
        suspect = method.freed(each.key, method.suspects[each.key])
        text = calibration_text(method, suspect, each.key, each.values, each.std)
        causes.append(Cause(*text, before, after, shift=shift, is_hidden=True))
    return tuple(causes)


@dataclass(frozen=True, eq=False)
class _Found:
    """A calibration as a fit found it.

    Parameters
    ----------
    key : str
        Its setting.
    values, std : ndarray, shape (f,)
        Its unknowns and their standard deviations.
    chance : float
        Probability that they are as far from zero by chance.
    moved : float
        Most standard deviations by which they move a parameter, as far as data show them.
    """

    key: str
    values: NDArray[np.float64]
    std: NDArray[np.float64]
    chance: float
    moved: float


@dataclass(frozen=True, eq=False)
class _FreedFit:
    """A fit with all calibrations unknown beside the estimate without them.

    Parameters
    ----------
    method, freed : Method
        Method without the calibrations and with all of them.
    solution : Solution
        The fit.
    estimate : Estimate
        Estimate of the p parameters without them.
    """

    method: Method
    freed: Method
    solution: Solution
    estimate: Estimate

    def calibration(self, key: str) -> _Found:
        """Return what is found of the calibration of a setting."""
        place = self.freed.unknowns.places[key]
        parts = self._parts(np.arange(place.start, place.stop))
        return _Found(
            key,
            self.solution.values[place],
            parts.std,
            float(chdtrc(len(parts.squares), parts.squares.sum())),
            self._deviations(parts.moved(shown=True)),
        )

    def moved_by_all(self) -> float:
        """Return by how far a parameter differs if all are unknown, in standard deviations.

        As far as data show them: what they do not is taken to be zero, as without them.
        """
        names = self.freed.unknowns.names
        places = [names.index(name) for name in new_names(self.method, self.freed)]
        unshown = self._parts(np.array(places)).moved(shown=False)
        found = self.solution.values[: len(unshown)] - unshown
        return self._deviations(found - self.estimate.values)

    def _deviations(self, moved: NDArray[np.float64]) -> float:
        """Return the largest of some moves of the parameters, (p,), in standard deviations."""
        return float(np.abs(moved / self.estimate.std).max())

    @cached_property
    def _covariance(self) -> NDArray[np.float64]:
        return self.solution.information.covariance()

    @cached_property
    def _floor(self) -> NDArray[np.float64]:
        """How exactly all unknowns can be known at best, as standard deviations, shape (u,)."""
        floor = np.zeros(len(self.freed.unknowns))
        if self.method.needs.joints and self.method.model.joints:
            for key, place in self.freed.unknowns.places.items():
                floor[place] = _RESOLUTION if key.startswith('delay.') else 0.0
        return floor

    def _parts(self, places: NDArray[np.intp]) -> '_Parts':
        """Return the independent combinations of the f unknowns at some places."""
        own, values = self._covariance[np.ix_(places, places)], self.solution.values[places]
        judged = own + np.diag(self._floor[places] ** 2)
        std = np.sqrt(np.diag(judged))
        spread, axes = np.linalg.eigh(judged / np.outer(std, std))
        along = axes.T @ (values / std)
        squares = along**2 / np.maximum(spread, np.finfo(float).eps)
        parameters = slice(self.method.unknowns.parameters)
        slope = np.linalg.solve(own, self._covariance[places, parameters]).T
        return _Parts(np.sqrt(np.diag(own)), squares, slope @ (std[:, None] * axes * along))


@dataclass(frozen=True, eq=False)
class _Parts:
    """Independent combinations of some unknowns of a fit.

    Parameters
    ----------
    std : ndarray, shape (f,)
        Standard deviations of the unknowns.
    squares : ndarray, shape (f,)
        Squares of the combinations, in their own standard deviations.
    moves : ndarray, shape (p, f)
        How far each, as it was found, moves the parameters from where they are without it.
    """

    std: NDArray[np.float64]
    squares: NDArray[np.float64]
    moves: NDArray[np.float64]

    def moved(self, *, shown: bool) -> NDArray[np.float64]:
        """Return how far those that data show, or do not, move the parameters, shape (p,)."""
        return self.moves[:, (self.squares > _SHOWN**2) == shown].sum(axis=1)


def _chi_square(left: Residuals | ResidualSeries) -> float:
    """Return the mean square of residuals."""
    return float(np.nanmean(left.values**2))
