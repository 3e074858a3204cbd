"""Whether a body came to a link, or left it, within the latest seconds of a flight, and when.

From some moment on the robot may be another one, and the system's momentum too: the body brings
its own. The moment is the one that makes all readings likeliest; that it happened at all is shown
by how much likelier they are than without, and than after a mere push (generalised likelihood
ratio, Willsky and Jones, 1976), all linear about the motion of the robot as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.flight_fit import BalanceFit
from spacerobot_id.methods.balance.live.border import Border, widened
from spacerobot_id.methods.body_prior import (
    brought_momentum_std,
    changeable_links,
    payload_std,
)
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.spatial import skew
from spacerobot_id.statistics.square_root_information import log_determinant

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_MOMENTS, _FINER = 12, 3
"""Moments that are tried at first, and then on each side of the likeliest."""

_SURE = 10.0
"""Twice the logarithm of a ratio of likelihoods beyond which it is very strong evidence."""

_TOUCHING, _ANYTHING = 1.0, 100.0
"""Time after a change within which forces may be anything, s, and by how much larger they are than
pushes else: grippers touch, and a command that was lost is no body."""

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


def likeliest_change(
    method: 'MomentumBalance', fit: BalanceFit, settings: ChangeSettings, since: float
) -> BodyChange | None:
    """Return the likeliest change of the robot within a flight; None if it is too short for one.

    Parameters
    ----------
    method : MomentumBalance
        Robot.
    fit : BalanceFit
        States and pushes along the flight, the robot being held as it was.
    settings : ChangeSettings
        Which links can change, and by how much.
    since : float
        Time since which it may have been, s: right at the beginning of a flight a change cannot be
        distinguished from an error of the description.
    """
    edges = fit.flights[0].flight.edges
    first, last = max(int(np.searchsorted(edges, since)), 1), len(edges) - 1 - _FEWEST
    if last < first:
        return None
    search = _Search(method, fit, settings)
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
    pushed = min(each.pushed for each in tried.values())
    found = tried[best]
    later = search.costs([best], max(round(_TOUCHING / float(edges[1] - edges[0])), 1))[best]
    ratios = min(search.unchanged, pushed) - found.joined, later.pushed - later.joined
    return BodyChange(best, min(ratios) / max(found.noise, later.noise))


def _between(low: int, high: int, count: int) -> list[int]:
    """Return some segments between two others."""
    inner = np.unique(np.linspace(low, high, count + 2).astype(int))
    return [int(each) for each in inner if low < each < high]


def changed_border(
    method: 'MomentumBalance',
    fit: BalanceFit,
    segment: int,
    before: Border | None,
    settings: ChangeSettings,
) -> tuple[Border, Border]:
    """Return what is known where a segment begins, and the same after a change of the robot.

    Parameters
    ----------
    method, fit, settings
        As for ``likeliest_change``.
    segment : int
        Segment that begins with the change.
    before : Border, optional
        Border that the flight began with.
    """
    known = Border.within(fit, segment, before, held=True)
    return known, known.moved(*_noise(method, fit, segment, settings))


class _Costs(NamedTuple):
    """Costs of a body that comes or goes and of a push alone; variance of the noise since then."""

    joined: float
    pushed: float
    noise: float


class _Search:
    """Costs of moments: twice the negative logarithms of likelihoods, but for a constant."""

    def __init__(
        self, method: 'MomentumBalance', fit: BalanceFit, settings: ChangeSettings
    ) -> None:
        self._method, self._fit, self._settings = method, fit, settings
        self._white = fit.problem.white(0, fit.sizes)
        solved = fit.problem.solved(fit.sizes)
        self.unchanged = solved.squares + solved.determinant

    def costs(self, segments: Sequence[int], touching: int = 0) -> dict[int, _Costs]:
        """Return the costs of moments; of some segments from each on forces may be anything."""
        problem, white = self._fit.problem, self._white
        v, end = white.push_rows.shape[1], len(white.push_rows)
        rows, known, pivots, last = white.carried[:, v:], problem.prior, 0.0, 0
        read, pushes = self._fit.flights[0].linear.row_edges, len(self._method.free)
        found = {}
        for segment in sorted(segments):
            before = problem.passed(white, 0, last, segment, rows)
            rows, pivots, last = before.rows, pivots + before.pivots, segment
            known = known.absorb(before.left[:, :-1], before.left[:, -1])
            noise = _noise(self._method, self._fit, segment, self._settings)
            push_rows = white.push_rows.copy()
            push_rows[segment : segment + touching, :pushes] /= _ANYTHING
            loose, costs = white._replace(push_rows=push_rows), []
            for part in (slice(pushes), slice(None)):
                begun = widened(rows, known, *(each[:, part] for each in noise))
                after = problem.passed(loose, 0, segment, end, begun.rows)
                whole = begun.information.absorb(after.left[:, :-1], after.left[:, -1])
                volumes = begun.pivots + after.pivots + log_determinant(whole.factor)
                costs.append(whole.residual + pivots + volumes)
            left = (whole.residual - known.residual) / max(int(read[-1] - read[segment]), 1)
            found[segment] = _Costs(costs[1], costs[0], max(left, 1.0))
        return found


def _noise(
    method: 'MomentumBalance', fit: BalanceFit, segment: int, settings: ChangeSettings
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how a change moves state (n, c) and unknowns (u, c) by numbers of unit deviation.

    The first numbers are of the momentum that the body brings or takes, the others of its own
    parameters.
    """
    own, problem = fit.flights[0], fit.problem
    payload = payload_std(method.model, method.minimal, settings)
    edges = own.flight.edges
    twist = own.flight.nominal_motion(edges)[1]
    turning = np.abs(twist[:, 3:]).sum(axis=1)
    turning += np.abs(own.flight.joints.at(edges)[1]).sum(axis=1)
    speed = float(np.linalg.norm(twist[:, :3], axis=1).max())
    linear, angular = brought_momentum_std(method.model, float(turning.max()), payload, speed)
    brought = np.zeros((6, 6))
    brought[:3, :3] = linear * np.eye(3)
    brought[3:, :3] = linear * skew(own.trajectory.states[segment, :3])
    brought[3:, 3:] = angular * np.eye(3)
    free, links = method.free, changeable_links(method.model, settings)
    count = len(free)
    of_state = np.zeros((own.linear.back.shape[1], count + 10 * len(links)))
    of_state[problem.main - count : problem.main, :count] = brought[np.ix_(free, free)]
    of_unknowns = np.zeros((len(method.unknowns), of_state.shape[1]))
    parts = [method.minimal.grouping[:, 10 * k : 10 * k + 10] * payload for k in links]
    of_unknowns[: len(method.minimal), count:] = np.hstack(parts)
    return of_state, of_unknowns
