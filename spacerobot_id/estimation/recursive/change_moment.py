"""When a robot changed: the moment that leaves least to chance before and after it.

What a small body does is rejected late, as sample by sample it hardly shows; until then samples of
the changed robot are taken for the old one. Once the change is known, its moment is the one at
which all samples around are likeliest (generalised likelihood ratio, Willsky and Jones, 1976).
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import (
    absorb_rows,
    gauss_newton,
    known_information,
)
from spacerobot_id.estimation.recursive.gate import fitting
from spacerobot_id.estimation.recursive.rejection_window import HORIZON
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import log_determinant, SquareRootInformation

_MOMENTS = 100
"""Most moments that are tried."""

_ROUNDS = 4
"""Most times that they are, each about the estimate from the samples before the last moment."""


def divided(state: Identification, rejected: Record) -> tuple[SquareRootInformation, Record]:
    """Return what was known before a change, and the samples since that were taken for old.

    Parameters
    ----------
    state : Identification
        State that a change was found in.
    rejected : Record
        Rejected samples that are of the changed robot.
    """
    first = float(rejected.times[0])
    kept = Record.concatenate([rejected[:0], *state.recorded])  # none since a restart
    prior, known = state.beforehand
    samples, centre, moment = kept, state.centre, np.inf
    for _ in range(_ROUNDS):  # what was taken for old has moved the centre, too
        begin, end = np.searchsorted(samples.times, [first - HORIZON, first])
        edges = np.unique(np.linspace(begin, end, _MOMENTS + 1).astype(int))
        before = _before(state, samples, edges, centre, known_information(centre, prior, known))
        later = _since(state, rejected, samples, edges, before[-1])
        costs = [_cost(state, rejected, *each) for each in zip(before, later, strict=True)]
        best = int(np.argmin(costs))
        edge, last = edges[best], moment
        moment = float(samples.times[edge]) if edge < len(samples) else first
        fit = gauss_newton(state.method, samples[:edge], centre, prior, known)
        if moment == last or not fit.information.has_full_rank():
            break
        centre = fit.values
        back = _taken_back(state, rejected, fit.information, later[best])
        samples = Record.concatenate([kept, back])
        samples = samples[np.argsort(samples.times, kind='stable')]
    return fit.information, samples[samples.times >= moment]


def changed_robot(
    state: Identification, before: SquareRootInformation, rejected: Record
) -> tuple[Method, SquareRootInformation]:
    """Return the method of the changed robot, and what was known before that still holds of it.

    Parameters
    ----------
    state : Identification
        State that a change was found in.
    before : SquareRootInformation
        What was known before the change.
    rejected : Record
        Rejected samples that are of the changed robot.
    """
    lately = float(rejected.times[0]) - HORIZON
    has_poses = any(
        (part.has('attitude') & (part.times > lately)).any()
        for part in (rejected, *state.recorded)
    )
    return state.method.changed(
        before.with_noise(state.noise), rejected, state.settings.change, has_poses=has_poses
    )


def _taken_back(
    state: Identification,
    rejected: Record,
    before: SquareRootInformation,
    since: SquareRootInformation,
) -> Record:
    """Return what was set aside or rejected and fits the robot before or since a change."""
    aside = Record.concatenate([rejected[:0], *state.aside, *state.rejections.earlier])
    times, first = aside.times, rejected.times[0]
    aside = aside[(times > first - HORIZON) & (times < first)]
    if not len(aside):
        return aside
    gate = state.settings.change.gate
    fits = fitting(state.method, aside, before, gate, noise=state.noise)
    method, known = changed_robot(state, before, rejected)
    usable = method.usable(aside)
    if not len(usable) or not since.rows:  # anything fits a robot that no sample shows
        return aside[fits]
    seen = known.absorb(since.factor, since.target)
    fits_since = fitting(method, usable, seen, gate, known.values(), state.noise)
    return aside[fits | np.isin(aside.times, usable.times[fits_since])]


def _before(
    state: Identification,
    samples: Record,
    edges: NDArray[np.int64],
    centre: NDArray[np.float64],
    information: SquareRootInformation,
) -> list[SquareRootInformation]:
    """Return the information of the samples up to every edge, linear about a centre."""
    found, last = [], 0
    for edge in edges:
        part = samples[last:edge]
        if len(part):
            since = float(samples.times[last - 1]) if last else None
            information = absorb_rows(state.method, part, centre, information, since)
        found.append(information)
        last = int(edge)
    return found


def _since(
    state: Identification,
    rejected: Record,
    samples: Record,
    edges: NDArray[np.int64],
    known: SquareRootInformation,
) -> list[SquareRootInformation]:
    """Return the information of the samples from every edge on about the changed robot alone.

    Unknowns that walk stand still, which makes an early moment the less likely.
    """
    method, changed = changed_robot(state, known, rejected)
    about = changed.values()
    about[method.unknowns.constants :] = 0.0
    information, found = SquareRootInformation.nothing(len(about)), []
    stretches = [(edges[-1], len(samples)), *zip(edges[-2::-1], edges[:0:-1], strict=True)]
    for part in (rejected, *(samples[a:b] for a, b in stretches)):
        usable = method.usable(part)
        if len(usable):
            rows = method.equations(usable, about)
            information = information.absorb(rows.matrix, rows.right, rows.count)
        if part is not rejected:
            found.append(information)
    return found[::-1]


def _cost(
    state: Identification,
    rejected: Record,
    before: SquareRootInformation,
    since: SquareRootInformation,
) -> float:
    """Return minus twice the logarithm of the likelihood of a moment, but for a constant.

    Samples that give no information on the changed robot, as without poses, are neither for a
    moment nor against it.
    """
    _, known = changed_robot(state, before, rejected)
    both = known.absorb(since.factor, since.target)
    left = (before.residual + since.residual + both.residual) / state.noise
    left -= before.rows + since.rows
    volumes = [log_determinant(each.factor) for each in (before, both, known)]
    return left + volumes[0] + volumes[1] - volumes[2]
