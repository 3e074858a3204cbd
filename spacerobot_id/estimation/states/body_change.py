"""Whether a body came to a link, or left it, within the latest seconds of a flight, and when.

From some moment on the robot may be another one, and the system's momentum too: the body brings
its own. The moment is the one that makes all readings likeliest; that it happened at all is shown
by how much likelier they are than without, and than after a mere bump (generalised likelihood
ratio, Willsky and Jones, 1976), all linear about the motion of the robot as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.estimation.states.marginal_prior import inflated, MarginalPrior
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.statistics.square_root_information import log_determinant

_MOMENTS, _FINER = 12, 3
"""Moments that are tried at first, and then on each side of the likeliest."""

_SURE = 10.0
"""Twice the logarithm of a ratio of likelihoods beyond which it is very strong evidence."""

_TOUCHING, _ANYTHING = 1.0, 100.0
"""Time after a change within which forces may be anything, s, and by how much larger they are than
bumps else: grippers touch, and a command that was lost is no body."""

_FEWEST = 10
"""Segments after a change below which it does not show."""


@dataclass(frozen=True, eq=False)
class BodyChange:
    """A change of the robot that readings show.

    Parameters
    ----------
    segment : int
        Segment of the flight that begins with it.
    ratio : float
        Twice the logarithm of how much likelier it makes the readings, its own unknowns
        integrated out, also but for those just after it; by the noise that they show since where
        that is larger than before.
    """

    segment: int
    ratio: float

    @property
    def is_sure(self) -> bool:
        """Whether the evidence is very strong (Kass and Raftery, Bayes factors, 1995)."""
        return self.ratio > _SURE


def likeliest_change(fit: StatesFit, settings: ChangeSettings, since: float) -> BodyChange | None:
    """Return the likeliest change of the robot within a flight; None if it is too short for one.

    Parameters
    ----------
    fit : StatesFit
        States and disturbances along the flight, the robot being held as it was.
    settings : ChangeSettings
        Which links can change, and by how much.
    since : float
        Time since which it may have been, s: right at the beginning of a flight a change cannot be
        distinguished from an error of the description.
    """
    edges = fit.flights[0].flight.edges
    first, last = max(int(np.searchsorted(edges, since)), 1), len(edges) - 1 - _FEWEST
    if last < first or fit.method.brought(fit.flights[0], first, settings) is None:
        return None
    search = _Search(fit, settings)
    tried = search.costs(_between(first - 1, last + 1, _MOMENTS))
    while True:
        best = min(tried, key=lambda each: tried[each].joined)
        around = [first - 1, *sorted(tried), last + 1]
        place = around.index(best)
        finer = _between(around[place - 1], best, _FINER) + _between(
            best, around[place + 1], _FINER
        )
        if not finer:
            break
        tried |= search.costs(finer)
    bumped = min(each.bumped for each in tried.values())
    found = tried[best]
    later = search.costs([best], max(round(_TOUCHING / float(edges[1] - edges[0])), 1))[best]
    ratios = min(search.unchanged, bumped) - found.joined, later.bumped - later.joined
    return BodyChange(best, min(ratios) / max(found.noise, later.noise))


def after_change(
    fit: StatesFit, segment: int, before: MarginalPrior | None, settings: ChangeSettings
) -> tuple[MarginalPrior, MarginalPrior]:
    """Return what is known where a segment begins, and the same after a change of the robot.

    Parameters
    ----------
    fit, settings
        As for ``likeliest_change``.
    segment : int
        Segment that begins with the change.
    before : MarginalPrior, optional
        That which the flight goes on from.
    """
    known = MarginalPrior.within(fit, segment, before, held=True)
    return known, known.after(fit.method.brought(fit.flights[0], segment, settings))


def _between(low: int, high: int, count: int) -> list[int]:
    """Return some segments between two others."""
    inner = np.unique(np.linspace(low, high, count + 2).astype(int))
    return [int(each) for each in inner if low < each < high]


class _Costs(NamedTuple):
    """Costs of a body that comes or goes and of a bump alone; variance of the noise since then."""

    joined: float
    bumped: float
    noise: float


class _Search:
    """Costs of moments: twice the negative logarithms of likelihoods, but for a constant."""

    def __init__(self, fit: StatesFit, settings: ChangeSettings) -> None:
        self._fit, self._settings = fit, settings
        self._white = fit.problem.white(0, fit.sizes)
        solved = fit.problem.solved(fit.sizes)
        self.unchanged = solved.squares + solved.determinant

    def costs(self, segments: Sequence[int], touching: int = 0) -> dict[int, _Costs]:
        """Return the costs of moments; of some segments from each on forces may be anything."""
        problem, white, own = self._fit.problem, self._white, self._fit.flights[0]
        v, end = white.disturbances.shape[1], len(white.disturbances)
        rows, known, pivots, last = white.carried[:, v:], problem.prior, 0.0, 0
        read, found = own.blocks.row_edges, {}
        for segment in sorted(segments):
            before = problem.passed(white, 0, last, segment, rows)
            rows, pivots, last = before.rows, pivots + before.pivots, segment
            known = known.absorb(before.left[:, :-1], before.left[:, -1])
            brought = self._fit.method.brought(own, segment, self._settings)
            loose = white.disturbances.copy()
            loose[segment : segment + touching, : own.blocks.bumps] /= _ANYTHING
            loose, costs = white._replace(disturbances=loose), []
            for part in (slice(brought.momenta), slice(None)):
                of_both = brought.of_state[:, part], brought.of_unknowns[:, part]
                begun = inflated(rows, known, *of_both)
                after = problem.passed(loose, 0, segment, end, begun.rows)
                whole = begun.information.absorb(after.left[:, :-1], after.left[:, -1])
                volumes = begun.pivots + after.pivots + log_determinant(whole.factor)
                costs.append(whole.residual + pivots + volumes)
            left = (whole.residual - known.residual) / max(int(read[-1] - read[segment]), 1)
            found[segment] = _Costs(costs[1], costs[0], max(left, 1.0))
        return found
