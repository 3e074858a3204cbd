"""Whether the method knows how good it is: coverage, squared errors, detections, over all runs.

Two things can go wrong: a value was drawn and not used, which the values read back from the
simulation show run by run; and the values used are not of the distribution that was asked for,
which a test of all of them shows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from spacerobot_id.estimation.batch.cause import cause_name
from spacerobot_id.lab.campaign.analysis.requirements import share_bounds
from spacerobot_id.lab.campaign.draws.dispersions import Dispersion
from spacerobot_id.lab.campaign.result_folder import Results

_RISK = 1e-3
"""Probability that dispersions which are all as asked are called otherwise."""

_FEWEST = 8
"""Runs from which on a distribution is tested."""


@dataclass(frozen=True)
class Applied:
    """What became of one key.

    Parameters
    ----------
    key : str
        What was drawn.
    asked : str
        Description of its distribution, in SI units.
    nominal : float
        Its nominal value.
    runs : int
        Runs that it was read back from.
    mean, std, low, high : float
        Of the values read back, SI units.
    not_used : tuple of int
        Runs that were not flown with what was drawn.
    p_value : float
        How probable values at least as far from the distribution are; NaN if not tested.
    is_of_distribution : bool
        Whether chance allows that, all keys together.
    """

    key: str
    asked: str
    nominal: float
    runs: int
    mean: float
    std: float
    low: float
    high: float
    not_used: tuple[int, ...]
    p_value: float
    is_of_distribution: bool

    @property
    def is_applied(self) -> bool:
        """Whether it was used as it was drawn, and drawn as it was asked."""
        return not self.not_used and self.is_of_distribution


def applied(dispersions: Sequence[Dispersion], results: Results) -> tuple[Applied, ...]:
    """Return what became of all keys of a campaign.

    Parameters
    ----------
    dispersions : sequence of Dispersion
        What was asked.
    results : Results
        Table of runs.
    """
    pairs = [(each, place) for each in dispersions for place in range(len(each.keys))]
    limit = _RISK / max(len(pairs), 1)
    missed = [set(names.split(', ')) - {''} for names in results['not_applied']]
    return tuple(_applied(each, place, results, missed, limit) for each, place in pairs)


def _applied(
    dispersion: Dispersion,
    place: int,
    results: Results,
    missed: Sequence[set[str]],
    limit: float,
) -> Applied:
    key, law = dispersion.keys[place], dispersion.distributions[place]
    read = results[f'read.{key}']
    there = read[np.isfinite(read)]
    indices = results['index']
    not_used = tuple(
        int(index) for index, keys in zip(indices, missed, strict=True) if key in keys
    )
    p_value = np.nan
    if len(there) >= _FEWEST:
        p_value = law.p_value(dispersion.numbers(place, there))
    spread = (there.mean(), there.std(), there.min(), there.max()) if len(there) else [np.nan] * 4
    return Applied(
        key,
        f'{dispersion.meaning.value}: {law.description()}',
        dispersion.nominal[place],
        len(there),
        *map(float, spread),
        not_used,
        p_value,
        not p_value < limit,
    )


_HALF_WIDTH = 1.96
"""Half a 95 % interval, standard deviations."""


@dataclass(frozen=True)
class Coverage:
    """How often the 95 % interval of a parameter held the truth.

    Parameters
    ----------
    name : str
        Parameter.
    runs : int
        Runs that identified it.
    share : float
        Share of them whose interval held the truth.
    chance : tuple of 2 floats
        What chance leaves that share within in 95 of 100 campaigns.
    error : float
        Root mean square of the errors in standard deviations.
    bias : float
        Mean of them.
    """

    name: str
    runs: int
    share: float
    chance: tuple[float, float]
    error: float
    bias: float

    @property
    def is_by_chance(self) -> bool:
        """Whether chance allows it."""
        return self.chance[0] <= self.share <= self.chance[1]


@dataclass(frozen=True, eq=False)
class SquaredErrors:
    """Normalised estimation errors squared of all runs against their chi-square distribution.

    Parameters
    ----------
    probabilities : ndarray, shape (N,)
        Shares of the chi-square distribution of each run below its value: uniform if the
        covariances are true.
    mean : float
        Mean of value over degrees of freedom, weighted by these.
    chance : tuple of 2 floats
        What chance leaves that mean within in 95 of 100 campaigns.
    """

    probabilities: NDArray[np.float64]
    mean: float
    chance: tuple[float, float]

    @property
    def is_by_chance(self) -> bool:
        """Whether chance allows it."""
        return self.chance[0] <= self.mean <= self.chance[1]


@dataclass(frozen=True)
class CauseCount:
    """How often a cause of a misfit was there, and how often it was named.

    Parameters
    ----------
    name : str
        Key of a calibration, or a mistake.
    present, named, right : int
        Runs that had it, that named it, and both.
    right_bounds : tuple of 2 floats
        Interval of 95 % of the share of those named that were there.
    """

    name: str
    present: int
    named: int
    right: int
    right_bounds: tuple[float, float]


@dataclass(frozen=True)
class Detections:
    """What became of changes of the robot.

    Parameters
    ----------
    runs : int
        Runs with an outcome.
    grasps, announced : int
        Runs with a grasp, and those that announced it in time.
    announced_bounds : tuple of 2 floats
        Interval of 95 % of the share that is announced.
    false_alarms : int
        Changes that were announced and were none.
    delays : tuple of 3 floats
        Median, 95th percentile and largest delay, s; NaN without one.
    causes : tuple of CauseCount
        Causes of a misfit, those that were named most often first.
    """

    runs: int
    grasps: int
    announced: int
    announced_bounds: tuple[float, float]
    false_alarms: int
    delays: tuple[float, float, float]
    causes: tuple[CauseCount, ...]


def coverages(results: Results) -> tuple[Coverage, ...]:
    """Return how often intervals held the truth, of parameters that a run identified."""
    found = []
    for name in results.names('error'):
        seen = results[f'identified.{name}'] == 1.0
        with np.errstate(divide='ignore', invalid='ignore'):
            scores = (results[f'error.{name}'] / results[f'std.{name}'])[seen]
        scores = scores[np.isfinite(scores)]
        count = len(scores)
        if not count:
            continue
        chance = binom.ppf([0.025, 0.975], count, 0.95) / count
        share = float(np.mean(np.abs(scores) <= _HALF_WIDTH))
        rms, bias = float(np.sqrt(np.mean(scores**2))), float(np.mean(scores))
        found.append(Coverage(name, count, share, tuple(map(float, chance)), rms, bias))
    return tuple(found)


def squared_errors(results: Results) -> SquaredErrors | None:
    """Return the normalised squared errors of all runs; None where no run has one."""
    values, freedom = results['nees'], results['identified']
    there = np.isfinite(values) & (freedom > 0)
    if not there.any():
        return None
    values, freedom = values[there], freedom[there]
    total = float(freedom.sum())
    chance = chi2.ppf([0.025, 0.975], total) / total
    return SquaredErrors(
        chi2.cdf(values, freedom), float(values.sum() / total), tuple(map(float, chance))
    )


def detections(results: Results) -> Detections:
    """Return what became of changes of the robot, and the causes that were named."""
    grasped = results['grasp_detected']
    grasps = np.isfinite(grasped)
    announced = int(np.nansum(grasped))
    delays = results['detection_delay']
    delays = delays[np.isfinite(delays)]
    spread = (np.nan,) * 3
    if len(delays):
        spread = (np.median(delays), np.percentile(delays, 95), delays.max())
    return Detections(
        int(results.has_outcome.sum()),
        int(grasps.sum()),
        announced,
        share_bounds(announced, int(grasps.sum()), 0.975),
        int(np.nansum(results['false_changes'])),
        tuple(map(float, spread)),
        cause_counts(results),
    )


def cause_counts(results: Results) -> tuple[CauseCount, ...]:
    """Return which causes were there and which were named, those named most often first."""
    present, named, right = Counter(), Counter(), Counter()
    for found, errors in zip(results['causes'], results['errors_present'], strict=True):
        there = set(filter(None, (errors or '').split('; ')))
        causes = {cause_name(cause) for cause in filter(None, (found or '').split('; '))}
        present.update(there)
        named.update(causes)
        right.update(causes & there)
    names = sorted(present | named, key=lambda name: (-named[name], name))
    return tuple(
        CauseCount(
            name,
            present[name],
            named[name],
            right[name],
            share_bounds(right[name], named[name], 0.975),
        )
        for name in names
    )
