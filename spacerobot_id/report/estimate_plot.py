"""An estimate as a picture: errors against what the estimate says of itself."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.report.metrics import estimate_errors, EstimateErrors, relative_to

_ACROSS = '#4c72b0'
_TRUE = '#c44e52'

_MOST_SHOWN = 1e5
"""Largest relative standard deviation in the picture, %."""
_HIGHEST = 4.0
"""Error in standard deviations at the edge of the picture; larger ones are drawn there."""


def estimate_figure(
    names: Sequence[str],
    values: ArrayLike,
    std: ArrayLike,
    true: ArrayLike,
    history: NDArray[np.float64],
) -> Figure:
    """Return a picture of an estimate whose truth is known.

    Above, errors in units of the standard deviation with the 95 % band; in the middle, relative
    errors and standard deviations; below, the standard deviations over the motion.

    Parameters
    ----------
    names : sequence of str
        Names of p parameters.
    values, std, true : array_like, shape (p,)
        Estimates, standard deviations and true values.
    history : ndarray, shape (N, 3)
        Time (s), median and largest relative standard deviation; what is above 1e5 % is left
        out, as it is only the prior.

    Returns
    -------
    Figure
    """
    values, std, true = (np.asarray(array, dtype=float) for array in (values, std, true))
    errors = estimate_errors(values, std, true)
    figure = Figure(figsize=(13.0, 10.0), layout='constrained')
    scores, shares, progress = figure.subplots(3, 1, height_ratios=[1.0, 1.2, 1.0])
    _draw_scores(scores, (values - true) / std)
    scores.set_title(_summary(errors))
    _draw_shares(shares, names, np.abs(relative_to(true, std)), np.abs(errors.relative))
    _draw_progress(progress, history)
    for axes in (scores, shares, progress):
        axes.grid(visible=True, axis='y', alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
    for axes in (scores, shares):
        axes.set_xlim(-1, len(names))
        axes.legend(loc='upper left', ncols=2)
    return figure


def _summary(errors: EstimateErrors) -> str:
    """Return the errors in a sentence."""
    return (
        f'{len(errors.relative)} minimal parameters: median error {100 * errors.median:.2f} %, '
        f'largest {100 * errors.largest:.1f} %, {100 * errors.coverage:.0f} % of the true values '
        'inside their 95 % intervals'
    )


def _draw_scores(axes: Axes, scores: NDArray[np.float64]) -> None:
    """Draw errors in units of the standard deviation."""
    places = np.arange(len(scores))
    inside = np.clip(scores, -0.975 * _HIGHEST, 0.975 * _HIGHEST)
    axes.axhspan(-1.96, 1.96, color=_ACROSS, alpha=0.15, label='95 % interval')
    axes.axhline(0.0, color='0.5', linewidth=0.8)
    axes.plot(places, inside, 'o', color=_TRUE, markersize=4, label='error')
    axes.set_ylabel('error / standard deviation')
    axes.set_xticks(places, [])
    axes.set_ylim(-_HIGHEST, _HIGHEST)


def _draw_shares(
    axes: Axes, names: Sequence[str], std: NDArray[np.float64], errors: NDArray[np.float64]
) -> None:
    """Draw standard deviations and errors as shares of the true values."""
    places = np.arange(len(names))
    axes.bar(places, 100 * std, color=_ACROSS, alpha=0.5, label='std / |true|')
    axes.plot(places, 100 * errors, 'o', color=_TRUE, markersize=4, label='|error|')
    axes.set_yscale('log')
    axes.set_ylabel('% of the true value')
    axes.set_xticks(places, names, rotation=90, fontsize=8)


def _draw_progress(axes: Axes, history: NDArray[np.float64]) -> None:
    """Draw how the standard deviations fell."""
    shown = history[100 * history[:, 2] <= _MOST_SHOWN]  # at first they are next to infinite
    history = shown if len(shown) else history
    if len(history):
        axes.plot(history[:, 0], 100 * history[:, 2], color=_TRUE, label='worst')
        axes.plot(history[:, 0], 100 * history[:, 1], color=_ACROSS, label='median')
        axes.legend(loc='upper right')
    axes.set_yscale('log')
    axes.set_xlabel('time, s')
    axes.set_ylabel('relative standard deviation, %')
