"""Pictures of [Christidi 2017]: its motion as sensors see it, and the errors of the parameters."""

from collections.abc import Mapping

from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.lab.papers.plotting import tidy
from spacerobot_id.measurement import Record

_COLOURS = ('#4c72b0', '#dd8452', '#55a868')
_PAPER = '0.35'
_LEAST = 1e-5
"""Least error that is drawn, %."""


def sensed_motion(
    seen: Record, accelerations: NDArray[np.float64], true: FourierQuintic
) -> Figure:
    """Return Figure 3: joint angles, rates and accelerations as they are known with noise.

    Parameters
    ----------
    seen : Record
        N samples.
    accelerations : ndarray, shape (N, 3)
        Derived joint accelerations, rad/s^2.
    true : FourierQuintic
        The motion itself.
    """
    figure = Figure(figsize=(10.0, 7.6), layout='constrained')
    rows = figure.subplots(3, 1, sharex=True)
    truth = true.sample(seen.times)
    panels = (
        ('angles, rad', seen.q, truth.position),
        ('rates, rad/s', seen.qd, truth.velocity),
        ('accelerations, rad/s²', accelerations, truth.acceleration),
    )
    for axes, (label, values, exact) in zip(rows, panels, strict=True):
        for joint, colour in enumerate(_COLOURS):
            name = f'joint {joint + 1}'
            axes.plot(seen.times, values[:, joint], color=colour, linewidth=1.2, label=name)
            axes.plot(seen.times, exact[:, joint], 'k--', linewidth=0.6, alpha=0.7)
        axes.set_ylabel(label)
        tidy(axes)
    rows[0].legend(loc='center left', bbox_to_anchor=(1.0, 0.5), frameon=False)
    rows[0].set_title(
        'Motion of Table II as encoders show it; dashed: true ([Christidi 2017], Fig. 3)'
    )
    rows[-1].set(xlabel='time, s', xlim=(0.0, true.duration))
    return figure


def motion_comparison(motions: Mapping[str, FourierQuintic]) -> Figure:
    """Return the joint angles and rates of several motions.

    Parameters
    ----------
    motions : mapping of str to FourierQuintic
        By what they are called.
    """
    figure = Figure(figsize=(10.0, 5.6), layout='constrained')
    panels = figure.subplots(2, len(motions), sharex='col', sharey='row', squeeze=False)
    for column, (name, motion) in enumerate(motions.items()):
        times = np.linspace(0.0, motion.duration, 600)
        sampled = motion.sample(times)
        for axes, values in zip(
            panels[:, column], (sampled.position, sampled.velocity), strict=True
        ):
            for joint, colour in enumerate(_COLOURS):
                label = f'joint {joint + 1}'
                axes.plot(times, values[:, joint], color=colour, linewidth=1.3, label=label)
            axes.set_xlim(0.0, motion.duration)
            tidy(axes)
        panels[0, column].set_title(name)
        panels[1, column].set_xlabel('time, s')
    panels[0, 0].set_ylabel('angles, rad')
    panels[1, 0].set_ylabel('rates, rad/s')
    panels[0, -1].legend(loc='center left', bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def reduced_errors(errors: Mapping[str, NDArray[np.float64]]) -> Figure:
    """Return the error of every parameter on a logarithmic scale, the paper's and ours.

    Parameters
    ----------
    errors : mapping of str to ndarray, shape (19,)
        Magnitudes of relative errors, %, by what gave them; names that begin with "paper" are
        drawn hollow.
    """
    figure = Figure(figsize=(11.0, 5.6), layout='constrained')
    axes = figure.subplots()
    own = [name for name in errors if not name.startswith('paper')]
    colours = dict(zip(own, _OURS, strict=False))
    for name, values in errors.items():
        places = np.arange(1, len(values) + 1)
        drawn = np.maximum(np.abs(values), _LEAST)
        hollow = name.startswith('paper')
        axes.semilogy(
            places,
            drawn,
            ('s' if 'equations' in name else 'o') if hollow else 'D',
            color=_PAPER if hollow else colours[name],
            markerfacecolor='none' if hollow else colours[name],
            markersize=8 if hollow else 5,
            label=name,
        )
    axes.set_xticks(places, [f'π{number}' for number in places])
    axes.set(ylabel='relative error, %', xlim=(0, len(places) + 1))
    axes.set_title('Errors of the 19 parameters with noise ([Christidi 2017], Table III)')
    tidy(axes)
    axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


_OURS = ('#dd8452', '#4c72b0', '#8172b3', '#55a868', '#c44e52', '#937860')
