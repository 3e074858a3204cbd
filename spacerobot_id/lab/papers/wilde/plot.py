"""The simulations of [Wilde 2018] as pictures, like its Figures 5 to 8."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.lab.papers.plotting import tidy
from spacerobot_id.lab.papers.wilde.motion import WildeMotion
from spacerobot_id.model import RobotModel

_COLOURS = ('#4c72b0', '#dd8452', '#55a868', '#c44e52', '#8172b3', '#937860')
_ROUNDING = 1e-17
"""Least value on the logarithmic axis, where zero has no place."""


def motion_figure(model: RobotModel, motion: WildeMotion) -> Figure:
    """Return a picture of joints and base, like Figures 5 and 7.

    Parameters
    ----------
    model : RobotModel
        The robot.
    motion : WildeMotion
        Its motion.
    """
    samples = motion.samples
    turned = Rotation.from_quat(samples.attitude).as_rotvec()
    joints = [name.replace('_', ' ') for name in model.joint_names]
    figure, rows = _figure(5)
    _draw(rows[0], samples.times, samples.qd, joints, 'joint rates,\nrad/s')
    _draw(rows[1], samples.times, motion.base_rate, 'xyz', 'base angular\nvelocity, rad/s')
    _draw(rows[2], samples.times, samples.q, joints, 'joint angles,\nrad')
    _draw(rows[3], samples.times, samples.position, 'xyz', 'base position,\nm')
    _draw(rows[4], samples.times, turned, 'xyz', 'base rotation\nvector, rad')
    rows[0].set_title(f'{model.name}: joints one after the other, and the reaction of the base')
    return _with_time_axis(figure, motion.samples.times[-1])


def momentum_figure(model: RobotModel, motion: WildeMotion) -> Figure:
    """Return a picture of the momenta of base and arm, like Figures 6 and 8.

    Parameters
    ----------
    model : RobotModel
        The robot.
    motion : WildeMotion
        Its motion.
    """
    times = motion.samples.times
    figure, rows = _figure(3)
    for axes, part, label in (
        (rows[0], slice(0, 3), 'linear momentum,\nkg m/s'),
        (rows[1], slice(3, 6), 'angular momentum,\nkg m²/s'),
    ):
        _draw(axes, times, motion.base_momentum[:, part], [f'base {k}' for k in 'xyz'], label)
        _draw(axes, times, motion.arm_momentum[:, part], [f'arm {k}' for k in 'xyz'], label, '--')
    total = motion.base_momentum + motion.arm_momentum
    sizes = {
        'linear, kg m/s': total[:, :3],
        'angular, kg m²/s': total[:, 3:],
        'centre of mass, m': motion.centre - motion.centre[0],
    }
    lengths = np.stack([np.linalg.norm(each, axis=1) for each in sizes.values()], axis=1)
    largest = np.maximum.accumulate(np.maximum(lengths, _ROUNDING))
    rows[2].axhline(1e-9, color='0.4', linewidth=0.8, linestyle=':', label='limit')
    _draw(rows[2], times, largest, list(sizes), 'sum of both and drift,\nlargest so far')
    rows[2].set(yscale='log', ylim=(_ROUNDING, 1e-8))
    rows[0].set_title(f'{model.name}: momenta of base and arm cancel')
    return _with_time_axis(figure, motion.samples.times[-1])


def _figure(rows: int) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of panels above one another."""
    figure = Figure(figsize=(11.0, 1.0 + 2.1 * rows), layout='constrained')
    return figure, figure.subplots(rows, 1, sharex=True)


def _draw(
    axes: Axes,
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    names: Sequence[str],
    label: str,
    style: str = '-',
) -> None:
    """Draw columns over time, with a legend beside the panel."""
    for column, (name, colour) in enumerate(zip(names, _COLOURS, strict=False)):
        axes.plot(times, values[:, column], style, color=colour, linewidth=1.3, label=name)
    axes.set_ylabel(label)
    axes.legend(loc='center left', bbox_to_anchor=(1.0, 0.5), frameon=False)
    tidy(axes)


def _with_time_axis(figure: Figure, end: float) -> Figure:
    """Return the figure with a time axis under its panels that has an end."""
    figure.axes[-1].set_xlabel('time, s')
    figure.axes[-1].set_xlim(0.0, end)
    figure.align_ylabels()
    return figure
