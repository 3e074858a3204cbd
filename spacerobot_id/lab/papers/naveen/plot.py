"""Pictures of [Naveen 2024]: Figure 4, errors of the parameters, prediction on another motion."""

from collections.abc import Mapping

from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.pruning import IntervalCurves
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.lab.papers.plotting import tidy
from spacerobot_id.multibody.free_floating.inverse_dynamics import FreeFloatingDynamics

_OURS, _THEIRS, _PAPER = '#4c72b0', '#dd8452', '0.35'
_LARGEST_DRAWN = 1e20
"""Condition number at which an interval alone is drawn when it has none."""


def interval_curves(
    curves: IntervalCurves, parameters: int, published: Mapping[int, float]
) -> Figure:
    """Return Figure 4: condition number and significant singular values against the interval.

    Parameters
    ----------
    curves : IntervalCurves
        What to draw.
    parameters : int
        Number of minimal parameters.
    published : mapping of int to float
        Significant singular values that the paper states, by the number of intervals.
    """
    figure = Figure(figsize=(11.0, 6.4), layout='constrained')
    upper, lower = figure.subplots(2, 1, sharex=True)
    count = np.arange(1, len(curves.together_condition) + 1)
    for condition, significant, colour, name in (
        (curves.alone_condition, curves.alone_significant, _THEIRS, 'interval alone'),
        (curves.together_condition, curves.together_significant, _OURS, 'all up to it'),
    ):
        style = {'color': colour, 'linewidth': 1.2, 'markersize': 4}
        upper.semilogy(count, np.minimum(condition, _LARGEST_DRAWN), '.-', label=name, **style)
        lower.plot(count, significant, '.-', **style)
    lower.plot(
        list(published),
        list(published.values()),
        'o',
        markerfacecolor='none',
        markeredgecolor=_PAPER,
        markersize=9,
        label='stated in the paper',
    )
    lower.axhline(parameters, color=_PAPER, linewidth=0.8, linestyle=':')
    upper.set_ylabel('condition number')
    lower.set(ylabel='significant singular values', xlabel='interval', xlim=(0, count[-1] + 1))
    upper.set_title('Kept intervals on the true robot ([Naveen 2024], Figure 4)')
    for axes in (upper, lower):
        tidy(axes)
        axes.legend(loc='center right', frameon=False)
    return figure


def parameter_errors(
    names: tuple[str, ...], relative: Mapping[str, NDArray[np.float64]]
) -> Figure:
    """Return the relative error of every parameter, on a logarithmic scale.

    Parameters
    ----------
    names : tuple of str
        Names of the p parameters.
    relative : mapping of str to ndarray, shape (p,)
        Relative errors by what gave them: the paper's, least squares, ours.
    """
    figure = Figure(figsize=(13.0, 5.2), layout='constrained')
    axes = figure.subplots()
    places = np.arange(len(names))
    styles = zip(
        relative.items(), (_PAPER, _THEIRS, _OURS), 'xsD', (-0.15, 0.0, 0.15), strict=True
    )
    for (name, errors), colour, marker, shift in styles:
        percent = 100.0 * np.maximum(errors, 1e-6)
        axes.semilogy(places + shift, percent, marker, color=colour, markersize=5, label=name)
        axes.axhline(np.median(percent), color=colour, linewidth=1.0, linestyle='--', alpha=0.7)
    axes.set_xticks(places, names, rotation=90, fontsize=8)
    axes.set(ylabel='relative error, %', xlim=(-1, len(names)))
    axes.set_title('Errors of the minimal parameters; dashed: medians')
    tidy(axes, 'y')
    axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def prediction(
    motion: PlannedMotion,
    want: FreeFloatingDynamics,
    got: Mapping[str, FreeFloatingDynamics],
) -> Figure:
    """Return how far predictions are from the truth along the validation motion.

    Parameters
    ----------
    motion : PlannedMotion
        The motion.
    want : FreeFloatingDynamics
        The truth.
    got : mapping of str to FreeFloatingDynamics
        Predictions by what gave the parameters: least squares, ours.
    """
    figure = Figure(figsize=(13.0, 8.6), layout='constrained')
    rows = figure.subplots(3, 4, sharex=True)
    panels = [
        (f'{kind} {axis}, {unit}', 'base_twist', 3 * part + place, 1e6)
        for part, (kind, unit) in enumerate([('v', 'µm/s'), ('ω', 'µrad/s')])
        for place, axis in enumerate('xyz')
    ]
    panels += [(f'torque {joint + 1}, mN m', 'joint_torques', joint, 1e3) for joint in range(6)]
    for axes, (title, field, column, unit) in zip(rows.ravel(), panels, strict=True):
        for (name, dynamics), colour in zip(got.items(), (_THEIRS, _OURS), strict=True):
            error = getattr(dynamics, field)[:, column] - getattr(want, field)[:, column]
            axes.plot(motion.times, unit * error, color=colour, linewidth=1.2, label=name)
        axes.set_title(f'error of {title}', fontsize=10)
        tidy(axes)
    for axes in rows[-1]:
        axes.set_xlabel('time, s')
    handles, names = rows[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc='outside upper right', ncols=2, frameon=False)
    figure.suptitle('Prediction on a Fourier motion that was not used ([Naveen 2024], 6.4)')
    return figure
