"""Proof of application: what runs were really flown with, against what was asked to be drawn.

Two things can go wrong: a value was drawn and not used, which the values read back from the
simulation show run by run; and the values used are not of the distribution that was asked for,
which a test of all of them shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spacerobot_id.lab.campaign.analysis.results import Results
from spacerobot_id.lab.campaign.draws.dispersions import Dispersion

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
    spread = (np.nan,) * 4
    if len(there):
        spread = (there.mean(), there.std(), there.min(), there.max())
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
