"""An identification from a log as pictures: the parameters, and what the fit leaves over."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.measurement import Record

_PRIOR = '#c44e52'
_FITTED = '#4c72b0'
_UNSEEN = '0.7'
_AXES = ('#4c72b0', '#dd8452', '#55a868')

_INTERVAL = 1.96
"""Half a 95 % interval, in standard deviations."""

_WINDOWS = 100
"""Mean residuals over the motion: slow ones are the model's, not the sensors'."""

_MOST_POINTS = 4000
"""Samples that are drawn one by one."""

_HIGHEST = 6.0
"""Residual at the edge of the picture, in standard deviations; larger ones are drawn there."""


def parameter_figure(result: Result) -> Figure:
    """Return a picture of the estimates beside the prior.

    Above, how far the robot is from its description; below, what is still open of each
    parameter. Both as shares of the standard deviation that the description left; by a method
    without a prior, as shares of the standard deviation and of the estimate.

    Parameters
    ----------
    result : Result
        Result of an identification.

    Returns
    -------
    Figure
    """
    estimate, method = result.estimate, result.method
    prior = method.prior().mean[: len(estimate.names)]
    is_known = bool(np.isfinite(estimate.prior_std).all())
    of_change = estimate.prior_std if is_known else estimate.std
    of_left = estimate.prior_std if is_known else np.abs(estimate.values)
    figure = Figure(figsize=(max(8.0, 0.22 * len(prior)), 8.0), layout='constrained')
    change, left = figure.subplots(2, 1, sharex=True)
    places = np.arange(len(prior))
    unseen = np.isin(estimate.names, estimate.not_identified())
    shares = (estimate.values - prior) / of_change
    bars = _INTERVAL * estimate.std / of_change
    remains = 100.0 * estimate.std / of_left
    change.axhline(0.0, color=_PRIOR, linewidth=1.0, label='description')
    for rows, colour, label in (
        (~unseen, _FITTED, 'estimate, 95 % interval'),
        (unseen, _UNSEEN, 'not identified'),
    ):
        if rows.any():
            change.errorbar(
                places[rows], shares[rows], bars[rows], fmt='o', ms=4, color=colour, label=label
            )
            left.bar(places[rows], remains[rows], color=colour, alpha=0.6)
    change.set_ylabel('change / std before' if is_known else 'change / std')
    change.set_title(f'{method.model.name}: {len(prior)} parameters by {method.name}')
    if is_known:
        left.axhline(100.0, color=_PRIOR, linewidth=1.0, label='what the description left open')
        left.set_ylim(top=500.0)
    left.set_yscale('log')
    left.set_ylabel('std after / std before, %' if is_known else 'std / |estimate|, %')
    left.set_xticks(places, estimate.names, rotation=90, fontsize=8)
    left.set_xlim(-1, len(prior))
    return _finished(figure, (change, left))


def residual_figure(result: Result, record: Record, used: int) -> Figure:
    """Return a picture of what the fit leaves over, in standard deviations of the sensors' noise.

    Parameters
    ----------
    result : Result
        Result of an identification.
    record : Record
        All samples of the log.
    used : int
        Samples from the begin that were fitted; the others are held out.

    Returns
    -------
    Figure
    """
    begin, ends = record.times[0], record.times[-1]
    split = record.times[used] if used < len(record) else np.inf
    seen = result.method.prepared(record)
    residuals = result.method.residuals(seen, result.values).values
    times, fitted = seen.times - begin, seen.times < split
    read = np.isfinite(residuals).any(axis=0)
    outputs = _outputs(result.method.output_units, read)
    figure = Figure(figsize=(12.0, 3.2 * len(outputs)), layout='constrained')
    rows = figure.subplots(len(outputs), 2, width_ratios=[4.0, 1.0], squeeze=False)
    for (over_time, spread), (unit, columns) in zip(rows, outputs.items(), strict=True):
        _draw_over_time(over_time, times, residuals[:, columns])
        over_time.set_ylabel(f'readings in {unit}, misfit / std')
        if used < len(record):
            over_time.axvspan(split - begin, ends - begin, color=_UNSEEN, alpha=0.3)
            over_time.text(split - begin, -0.95 * _HIGHEST, ' held out', va='bottom')
        _draw_spread(spread, residuals[fitted][:, columns])
    rows[0, 0].set_title('points: samples; lines: their means over a hundredth of the motion')
    rows[-1, 0].set_xlabel('time, s')
    rows[0, 1].set_title('beside the normal')
    return _finished(figure, rows[:, 0])


def _outputs(units: tuple[str, ...], read: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Return the columns of the readings of each unit that there are."""
    columns: dict[str, list[int]] = {}
    for place in np.flatnonzero(read).tolist():
        columns.setdefault(units[place] or 'its unit', []).append(place)
    return columns


def _draw_over_time(
    axes: Axes, times: NDArray[np.float64], residuals: NDArray[np.float64]
) -> None:
    """Draw residuals and their means."""
    for column in range(residuals.shape[1]):
        read = np.isfinite(residuals[:, column])
        stamps, shown = times[read], np.clip(residuals[read, column], -_HIGHEST, _HIGHEST)
        step = -(-len(stamps) // _MOST_POINTS)
        windows = np.array_split(np.arange(len(stamps)), min(_WINDOWS, len(stamps)))
        colour = _AXES[column % len(_AXES)]
        axes.plot(stamps[::step], shown[::step], '.', ms=1.5, color=colour, alpha=0.35)
        middles, means = ([each[rows].mean() for rows in windows] for each in (stamps, shown))
        axes.plot(middles, means, color=colour, linewidth=1.2, label=f'{column + 1}')
    axes.set_ylim(-_HIGHEST, _HIGHEST)
    axes.set_xlim(times[0], times[-1])


def _draw_spread(axes: Axes, residuals: NDArray[np.float64]) -> None:
    """Draw how often residuals are how large, beside the standard normal."""
    places = np.linspace(-_HIGHEST, _HIGHEST, 61)
    shown = np.clip(residuals[np.isfinite(residuals)], -_HIGHEST, _HIGHEST)
    axes.hist(shown, places, density=True, orientation='horizontal', color=_FITTED, alpha=0.5)
    normal = np.exp(-0.5 * places**2) / np.sqrt(2.0 * np.pi)
    axes.plot(normal, places, color=_PRIOR, linewidth=1.2)
    axes.set_ylim(-_HIGHEST, _HIGHEST)
    axes.set_xticks([])
    axes.spines[['top', 'right']].set_visible(False)


def _finished(figure: Figure, axes: Sequence[Axes] | NDArray) -> Figure:
    """Draw what all of them have."""
    for each in axes:
        each.grid(visible=True, axis='y', alpha=0.3)
        each.spines[['top', 'right']].set_visible(False)
        if each.get_legend_handles_labels()[0]:
            each.legend(loc='upper left', ncols=3)
    return figure
