"""The picture of a plan: joints, wheels, what the base will do, and what will be known."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES, pose_motion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum, PlannedBase

_SAMPLES = 2000

_NOTHING = 1e-12
"""Share of the largest parameter that is rounding."""


def plan_figure(
    model: RobotModel,
    planned: PlannedExcitation,
    momentum: KnownMomentum | None = None,
) -> Figure:
    """Return the picture of a plan.

    Parameters
    ----------
    model : RobotModel
        Robot that it was planned with.
    planned : PlannedExcitation
        Plan, with the standard deviations that it promises.
    momentum : KnownMomentum, optional
        Momentum that it was planned with; the robot starts at rest if None.

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(10.0, 11.0), layout='constrained')
    axes = figure.subplot_mosaic(
        [['joints', 'wheels'], ['rate', 'attitude'], ['std', 'std']],
        height_ratios=[1.0, 1.0, 1.4],
    )
    spacing = np.full(_SAMPLES, planned.plan.duration / _SAMPLES)
    motion = planned.plan.sample(np.cumsum(spacing) - 0.5 * spacing)
    if planned.plan.names == POSE_COORDINATES:
        _base_motion(axes, motion)
    else:
        _joint_motion(axes, model, motion)
        base = PlannedBase(model, momentum=momentum)
        _turning(axes, motion, base.twist(motion)[:, 3:], base.turned(motion, spacing))
    _deviations(axes['std'], planned.names, planned.values, planned.std)
    figure.suptitle(f'{model.name}: {planned.plan.duration:.0f} s, predicted with the prior')
    return figure


def _joint_motion(axes: Mapping[str, Axes], model: RobotModel, motion: PlannedMotion) -> None:
    """Draw what joints and wheels do."""
    count = len(model.joints)
    q, wheels = motion.position[:, :count], motion.velocity[:, count:]
    _lines(axes['joints'], motion.times, q, model.joint_names, 'joint positions, rad or m')
    if model.wheels:
        momenta = wheels * [wheel.spin_inertia for wheel in model.wheels]
        title = 'wheel momenta, N m s'
        _lines(axes['wheels'], motion.times, momenta, model.wheel_names, title)
    else:
        title = 'joint rates, per s'
        _lines(axes['wheels'], motion.times, motion.velocity, model.joint_names, title)


def _base_motion(axes: Mapping[str, Axes], motion: PlannedMotion) -> None:
    """Draw what a base does that moves itself."""
    pose = pose_motion(motion.position, motion.velocity, motion.acceleration)
    _lines(axes['joints'], motion.times, pose.position, 'xyz', 'base position, m')
    _lines(axes['wheels'], motion.times, pose.velocity, 'xyz', 'base velocity, m/s')
    turned = Rotation.from_matrix(pose.rotation)
    _turning(axes, motion, pose.angular_velocity, turned)


def _turning(
    axes: Mapping[str, Axes],
    motion: PlannedMotion,
    rate: NDArray[np.float64],
    turned: Rotation,
) -> None:
    """Draw how the base turns."""
    degrees = np.rad2deg(turned.as_rotvec())
    _lines(axes['rate'], motion.times, np.rad2deg(rate), 'xyz', 'base rate, deg/s')
    _lines(axes['attitude'], motion.times, degrees, 'xyz', 'base turned by, deg')


def _lines(
    axes: Axes,
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    names: tuple[str, ...] | str,
    title: str,
) -> None:
    """Draw curves over time; what they are beside them."""
    for name, column in zip(names, values.T, strict=True):
        axes.plot(times, column, linewidth=0.9, label=name)
    axes.set_title(title, fontsize='medium')
    axes.set_xlabel('time, s')
    axes.grid(alpha=0.3)
    axes.legend(
        fontsize='x-small', ncols=3, loc='upper center', bbox_to_anchor=(0.5, -0.16), frameon=False
    )


def _deviations(
    axes: Axes,
    names: Sequence[str],
    values: NDArray[np.float64],
    std: NDArray[np.float64],
) -> None:
    """Draw the relative standard deviations; those of parameters that are zero by their size."""
    values = np.abs(values)
    is_there = values > _NOTHING * values.max()
    share = 100.0 * std / np.where(is_there, values, np.nan)
    places = np.arange(len(names))
    shown = np.isfinite(share)
    axes.bar(places[shown], share[shown], color='tab:blue')
    axes.set_yscale('log')
    bottom, top = axes.get_ylim()
    for place in places[~shown]:
        text = 'prior is 0' if np.isfinite(std[place]) else 'not shown'
        axes.text(place, bottom * 1.2, text, rotation=90, ha='center', va='bottom', size=6)
    axes.set_ylim(bottom, top)
    axes.set_xticks(places, names, rotation=90, fontsize='xx-small')
    axes.set_xlim(-1.0, len(names))
    axes.set_title('predicted standard deviations, % of the prior values', fontsize='medium')
    axes.grid(axis='y', alpha=0.3)
