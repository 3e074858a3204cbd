"""An identification from a log as pictures: the parameters, and what the fit leaves over."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation import LogIdentification

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


def save_parameter_plot(result: LogIdentification, path: Path) -> None:
    """Write a picture of the estimates beside the prior.

    Above, how far the robot is from its description; below, what is still open of each
    parameter. Both as shares of the standard deviation that the description left.

    Parameters
    ----------
    result : LogIdentification
        What a log told.
    path : Path
        File, its format by its ending.
    """
    estimate, problem = result.found.estimate, result.problem
    prior = problem.minimal.values(problem.model)
    open_before = np.array([each.before for each in result.before.parameters])
    figure = Figure(figsize=(max(8.0, 0.22 * len(prior)), 8.0), layout='constrained')
    change, left = figure.subplots(2, 1, sharex=True)
    places = np.arange(len(prior))
    unseen = np.isin(estimate.names, estimate.not_identified())
    shares = (estimate.values - prior) / open_before
    bars = _INTERVAL * estimate.std / open_before
    change.axhline(0.0, color=_PRIOR, linewidth=1.0, label='description')
    for rows, colour, label in (
        (~unseen, _FITTED, 'estimate, 95 % interval'),
        (unseen, _UNSEEN, 'not identified'),
    ):
        if rows.any():
            change.errorbar(
                places[rows], shares[rows], bars[rows], fmt='o', ms=4, color=colour, label=label
            )
            left.bar(places[rows], 100.0 * bars[rows] / _INTERVAL, color=colour, alpha=0.6)
    change.set_ylabel('change / std before')
    change.set_title(f'{problem.model.name}: {len(prior)} minimal parameters')
    left.axhline(100.0, color=_PRIOR, linewidth=1.0, label='what the description left open')
    left.set_yscale('log')
    left.set_ylim(top=500.0)
    left.set_ylabel('std after / std before, %')
    left.set_xticks(places, estimate.names, rotation=90, fontsize=8)
    left.set_xlim(-1, len(prior))
    _finish(figure, (change, left), path)


def save_residual_plot(result: LogIdentification, path: Path) -> None:
    """Write a picture of what the fit leaves over, in standard deviations of the sensors' noise.

    Parameters
    ----------
    result : LogIdentification
        What a log told.
    path : Path
        File, its format by its ending.
    """
    residuals = result.residuals()
    times = result.log.measurement.times - result.log.measurement.times[0]
    outputs = _outputs(result)
    figure = Figure(figsize=(12.0, 3.2 * len(outputs)), layout='constrained')
    rows = figure.subplots(len(outputs), 2, width_ratios=[4.0, 1.0], squeeze=False)
    for (over_time, spread), (name, columns, labels) in zip(rows, outputs, strict=True):
        _draw_over_time(over_time, times, residuals[:, columns], labels)
        over_time.set_ylabel(f'{name}, misfit / std')
        if result.used < len(times):
            over_time.axvspan(times[result.used], times[-1], color=_UNSEEN, alpha=0.3)
            over_time.text(times[result.used], -0.95 * _HIGHEST, ' held out', va='bottom')
        _draw_spread(spread, residuals[: result.used, columns])
    rows[0, 0].set_title('points: samples; lines: their means over a hundredth of the motion')
    rows[-1, 0].set_xlabel('time, s')
    rows[0, 1].set_title('beside the normal')
    _finish(figure, rows[:, 0], path)


def _outputs(result: LogIdentification) -> list[tuple[str, list[int], str]]:
    """Return name, columns and axes of the outputs that are fitted."""
    if result.problem.planar:
        first, second = ('yaw rate', [0], 'z'), ('position', [1, 2], 'xy')
        if not result.problem.from_pose:
            first, second = ('velocity', [0, 1], 'xy'), ('yaw rate', [2], 'z')
        return [first, second]
    if result.problem.from_pose:
        return [('angular velocity', [0, 1, 2], 'xyz'), ('position', [3, 4, 5], 'xyz')]
    return [('velocity', [0, 1, 2], 'xyz'), ('angular velocity', [3, 4, 5], 'xyz')]


def _draw_over_time(
    axes: Axes, times: NDArray[np.float64], residuals: NDArray[np.float64], labels: str
) -> None:
    """Draw residuals and their means."""
    step = -(-len(times) // _MOST_POINTS)
    shown = np.clip(residuals, -_HIGHEST, _HIGHEST)
    windows = np.array_split(np.arange(len(times)), min(_WINDOWS, len(times)))
    middles = [times[rows].mean() for rows in windows]
    for column, label in enumerate(labels):
        colour = _AXES['xyz'.index(label)]
        axes.plot(times[::step], shown[::step, column], '.', ms=1.5, color=colour, alpha=0.35)
        means = [shown[rows, column].mean() for rows in windows]
        axes.plot(middles, means, color=colour, linewidth=1.2, label=label)
    axes.set_ylim(-_HIGHEST, _HIGHEST)
    axes.set_xlim(times[0], times[-1])


def _draw_spread(axes: Axes, residuals: NDArray[np.float64]) -> None:
    """Draw how often residuals are how large, beside the standard normal."""
    places = np.linspace(-_HIGHEST, _HIGHEST, 61)
    shown = np.clip(residuals.ravel(), -_HIGHEST, _HIGHEST)
    axes.hist(shown, places, density=True, orientation='horizontal', color=_FITTED, alpha=0.5)
    normal = np.exp(-0.5 * places**2) / np.sqrt(2.0 * np.pi)
    axes.plot(normal, places, color=_PRIOR, linewidth=1.2)
    axes.set_ylim(-_HIGHEST, _HIGHEST)
    axes.set_xticks([])
    axes.spines[['top', 'right']].set_visible(False)


def _finish(figure: Figure, axes: list[Axes] | NDArray, path: Path) -> None:
    """Draw what all of them have, and write."""
    for each in axes:
        each.grid(visible=True, axis='y', alpha=0.3)
        each.spines[['top', 'right']].set_visible(False)
        each.legend(loc='upper left', ncols=3)
    figure.savefig(path, dpi=110)
