"""What drives the error: rank correlations and first-order Sobol indices of the runs as they are.

The first-order index of a dispersed number is the share of the variance of an outcome that is left
in its mean over everything else (Sobol, 1993). It is estimated from any sample by the variance
between bins of equal count (Plischke et al., 2013), less what chance puts there: with k bins of n
runs that is (k - 1) times the variance within over n - k, as in the analysis of variance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher
from scipy.stats import rankdata, spearmanr

from spacerobot_id.lab.campaign.analysis.results import Results

_FEWEST, _MOST_BINS = 20, 20
"""Fewest runs of a sensitivity, and most bins."""


@dataclass(frozen=True)
class Influence:
    """How much one dispersed number drives an outcome.

    Parameters
    ----------
    key : str
        What was drawn.
    correlation : float
        Spearman's rank correlation.
    index : float
        First-order Sobol index, its bias by chance subtracted; it may come out below zero.
    p_value : float
        How probable an index at least as large is if the number has no influence on the mean.
    """

    key: str
    correlation: float
    index: float
    p_value: float


def first_order_index(
    inputs: NDArray[np.float64], outputs: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the first-order index of one input, and how probable it is by chance alone.

    Parameters
    ----------
    inputs, outputs : ndarray, shape (N,)
        Numbers drawn, and what came of them.

    Returns
    -------
    tuple of 2 floats
        Index and p-value; NaN where the outputs or the inputs do not vary.
    """
    count = len(inputs)
    bins = int(np.clip(np.sqrt(count), 2, _MOST_BINS))
    ranks = rankdata(inputs, method='dense')
    if ranks.max() > bins:  # else each value is a bin of its own, as of a choice
        ranks = np.floor((rankdata(inputs, method='ordinal') - 1.0) * bins / count)
    _, labels = np.unique(ranks, return_inverse=True)
    counts = np.bincount(labels)
    groups = len(counts)
    total = float(np.sum((outputs - outputs.mean()) ** 2))
    if groups < 2 or count <= groups or total <= 0.0:
        return np.nan, np.nan
    means = np.bincount(labels, outputs) / counts
    between = float(np.sum(counts * (means - outputs.mean()) ** 2))
    within = max(total - between, 0.0) / (count - groups)
    index = (between - (groups - 1) * within) / total
    ratio = between / (groups - 1) / max(within, np.finfo(float).tiny)
    return index, float(fisher.sf(ratio, groups - 1, count - groups))


def influences(results: Results, outcome: str) -> tuple[Influence, ...]:
    """Return how much each dispersed number drives an outcome, the largest index first.

    Parameters
    ----------
    results : Results
        Table of runs.
    outcome : str
        Column.
    """
    outputs = np.abs(results[outcome])
    there = np.isfinite(outputs)
    if there.sum() < _FEWEST or np.ptp(outputs[there]) == 0.0:
        return ()
    found = []
    for key in results.names('read'):
        inputs = results[f'read.{key}']
        both = there & np.isfinite(inputs)
        if both.sum() < _FEWEST or np.ptp(inputs[both]) == 0.0:
            continue
        index, p_value = first_order_index(inputs[both], outputs[both])
        correlation = float(spearmanr(inputs[both], outputs[both]).statistic)
        found.append(Influence(key, correlation, index, p_value))
    return tuple(sorted(found, key=lambda each: -each.index))


def worst_runs(results: Results, outcome: str, count: int = 10) -> NDArray[np.intp]:
    """Return the indices of the runs with the largest outcome, of those that have one."""
    size = np.abs(results[outcome])
    order = np.lexsort([results['index'], -np.nan_to_num(size)])
    order = order[np.isfinite(size[order])]
    return results['index'][order[:count]]
