"""The page of a plan: the motion, what the base will do, and what will be known."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES, pose_motion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import centre_of_mass
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum, PlannedBase
from spacerobot_id.report.page.charts import (
    axis,
    curve,
    dots,
    ESTIMATE,
    layout,
    SERIES,
    SOFT,
    space_curve,
    thinned,
    UNSEEN,
)
from spacerobot_id.report.page.content import (
    Block,
    Chart,
    Fact,
    number,
    Page,
    percent,
    Section,
    Table,
    Text,
    Tone,
)
from spacerobot_id.report.sections.robot_picture import scene_layout, skeleton_lines

_SAMPLES = 2000
"""Samples of a motion that are drawn."""

_FRAMES = 90
"""Pictures of the animation."""

_ACTIVE = 12
"""Limits that are listed, the closest first."""


def plan_page(
    model: RobotModel,
    planned: PlannedExcitation,
    method: str,
    momentum: KnownMomentum | None = None,
) -> Page:
    """Return the page of a plan.

    Parameters
    ----------
    model : RobotModel
        Robot that it was planned with.
    planned : PlannedExcitation
        Plan, with the standard deviations that it promises.
    method : str
        Name of the method that it is for.
    momentum : KnownMomentum, optional
        Momentum that it was planned with; the robot starts at rest if None.
    """
    duration = planned.plan.duration
    spacing = np.full(_SAMPLES, duration / _SAMPLES)
    motion = planned.plan.sample(np.cumsum(spacing) - 0.5 * spacing)
    if planned.plan.names == POSE_COORDINATES:
        flown = _Flown.by_itself(motion)
    else:
        flown = _Flown.by_joints(model, motion, spacing, momentum)
    finite = planned.std[np.isfinite(planned.std)]
    tone = Tone.GOOD if len(finite) == len(planned.std) else Tone.WARNING
    known = planned.relative_std[np.isfinite(planned.relative_std)]
    median = percent(float(np.median(known))).lstrip('+') if len(known) else 'unknown'
    return Page(
        title=f'{model.name}: an exciting motion of {duration:.0f} s',
        subtitle=f'Planned for {method}; predicted with the description',
        sections=[
            Section('motion', 'The motion', [_animation(model, flown), *_curves(model, flown)]),
            Section('known', 'What will be known', [_deviations(planned)]),
            Section('limits', 'Limits', [_limits(planned)]),
        ],
        verdict=_verdict(planned),
        tone=tone,
        headline='Within every limit',
        facts=(
            Fact('duration', f'{duration:.1f} s'),
            Fact('condition number', number(planned.condition, 3)),
            Fact('median deviation', median, 'predicted'),
        ),
    )


@dataclass(frozen=True, eq=False)
class _Flown:
    """A planned motion with what the base does along it.

    Parameters
    ----------
    motion : PlannedMotion
        Samples of joints, then wheels.
    turned : Rotation
        Attitudes of the base, from its axes to inertial ones.
    rate : ndarray, shape (N, 3)
        Angular velocity in base axes, rad/s.
    position : ndarray, shape (N, 3), optional
        Where the base is, m; its system's centre of mass stays where it is if None.
    """

    motion: PlannedMotion
    turned: Rotation
    rate: NDArray[np.float64]
    position: NDArray[np.float64] | None = None

    @classmethod
    def by_itself(cls, motion: PlannedMotion) -> '_Flown':
        """Return the motion of a base that moves itself."""
        pose = pose_motion(motion.position, motion.velocity, motion.acceleration)
        turned = Rotation.from_matrix(pose.rotation)
        return cls(motion, turned, pose.angular_velocity, pose.position)

    @classmethod
    def by_joints(
        cls,
        model: RobotModel,
        motion: PlannedMotion,
        spacing: NDArray[np.float64],
        momentum: KnownMomentum | None,
    ) -> '_Flown':
        """Return the motion of a base that joints and wheels move."""
        base = PlannedBase(model, momentum=momentum)
        return cls(motion, base.turned(motion, spacing), base.twist(motion)[:, 3:])


def _verdict(planned: PlannedExcitation) -> str:
    """Return what the plan promises."""
    unseen = [
        name for name, std in zip(planned.names, planned.std, strict=True) if not np.isfinite(std)
    ]
    closest = planned.limits[0] if planned.limits else None
    verdict = 'The motion keeps every limit of the robot and of the settings'
    if closest is not None:
        verdict += f'; the closest is {closest.name} at {100.0 * closest.share:.0f} %'
    if not unseen:
        return f'{verdict}. It shows every parameter.'
    if len(unseen) == len(planned.names):
        return f'{verdict}. It does not show all parameters together: it needs more time.'
    return f'{verdict}. It does not show {", ".join(unseen)}.'


def _animation(model: RobotModel, flown: _Flown) -> Chart:
    """Return the robot along the motion, to be played."""
    rows = np.linspace(0, len(flown.motion.times) - 1, _FRAMES).astype(int)
    times = flown.motion.times[rows]
    if flown.position is None:
        q = flown.motion.position[rows, : len(model.joints)]
        centre = centre_of_mass(model, q)
        origin = -flown.turned[rows].apply(centre) + centre[0]
    else:
        q = np.zeros((len(rows), len(model.joints)))
        origin = flown.position[rows]
    skeleton = skeleton_lines(model, q)
    extent = np.ptp(np.nan_to_num(skeleton[:1]), axis=(0, 1)).max()
    cross = _cross(len(rows), max(0.12 * float(extent), 0.05))
    lines = np.concatenate([cross, skeleton], axis=1)
    turned = np.stack(
        [
            turn.apply(np.nan_to_num(each)) + at
            for turn, each, at in zip(flown.turned[rows], lines, origin, strict=True)
        ]
    )
    turned[~np.isfinite(lines)] = np.nan
    frames = [
        {
            'name': f'{time:.1f}',
            'data': [dict(zip('xyz', each.T, strict=True))],
            'traces': [0],
        }
        for time, each in zip(times, turned, strict=True)
    ]
    trace = space_curve(turned[0], ESTIMATE, 8, showlegend=False)
    figure = scene_layout(np.nanmin(turned, axis=(0, 1)), np.nanmax(turned, axis=(0, 1)))
    figure |= {'updatemenus': [_buttons(flown)], 'sliders': [_slider(frames)]}
    figure['margin'] = {'l': 0, 'r': 0, 't': 0, 'b': 70}
    caption = (
        'The robot along the motion in inertial axes: links from joint to joint, a cross for the '
        'axes of the base. Play it, or drag the time.'
    )
    return Chart([trace], figure, caption, height=560, frames=frames)


def _cross(count: int, size: float) -> NDArray[np.float64]:
    """Return three lines along the axes of the base, shape (count, 9, 3)."""
    points = [
        point for axis_ in np.eye(3) for point in (-size * axis_, size * axis_, np.full(3, np.nan))
    ]
    return np.broadcast_to(np.array(points), (count, 9, 3))


def _buttons(flown: _Flown) -> dict[str, object]:
    """Return the buttons that play and stop."""
    step = max(1e3 * float(np.ptp(flown.motion.times)) / _FRAMES / 4.0, 30.0)
    play = {'frame': {'duration': step, 'redraw': True}, 'fromcurrent': True}
    stop = {'frame': {'duration': 0}, 'mode': 'immediate'}
    buttons = [
        {'label': 'Play', 'method': 'animate', 'args': [None, play]},
        {'label': 'Stop', 'method': 'animate', 'args': [[None], stop]},
    ]
    place = {'x': 0, 'y': 0, 'xanchor': 'left', 'yanchor': 'top', 'pad': {'t': 26, 'l': 4}}
    return {'type': 'buttons', 'direction': 'left', 'buttons': buttons, **place}


def _slider(frames: list[dict]) -> dict[str, object]:
    """Return the slider of the time."""
    mode = {'mode': 'immediate', 'frame': {'duration': 0, 'redraw': True}}
    steps = [
        {'label': frame['name'], 'method': 'animate', 'args': [[frame['name']], mode]}
        for frame in frames
    ]
    return {
        'steps': steps,
        'x': 0.22,
        'len': 0.76,
        'y': 0,
        'pad': {'t': 14},
        'ticklen': 0,
        'minorticklen': 0,
        'font': {'size': 1, 'color': 'rgba(0,0,0,0)'},
        'currentvalue': {'prefix': 'time, s: ', 'font': {'size': 12, 'color': SOFT}},
    }


def _curves(model: RobotModel, flown: _Flown) -> Iterator[Block]:
    """Yield what joints, wheels and base do."""
    motion = flown.motion
    if flown.position is not None:
        yield _lines(motion.times, flown.position, 'xyz', 'base position, m')
    else:
        n = len(model.joints)
        if n:
            positions = motion.position[:, :n]
            yield _lines(motion.times, positions, model.joint_names, 'joint positions, rad or m')
            rates = motion.velocity[:, :n]
            yield _lines(motion.times, rates, model.joint_names, 'joint rates, per s')
        if model.wheels:
            momenta = motion.velocity[:, n:] * [wheel.spin_inertia for wheel in model.wheels]
            yield _lines(motion.times, momenta, model.wheel_names, 'wheel momenta, N m s')
    yield _lines(motion.times, np.rad2deg(flown.rate), 'xyz', 'base rate, deg/s')
    degrees = np.rad2deg(flown.turned.as_rotvec())
    yield _lines(motion.times, degrees, 'xyz', 'base turned by, deg')


def _lines(
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    names: tuple[str, ...] | str,
    what: str,
) -> Chart:
    """Return curves over time."""
    traces = [
        curve(*thinned(times, column, 500), name, SERIES[place % len(SERIES)])
        for place, (name, column) in enumerate(zip(names, values.T, strict=True))
    ]
    caption = f'{what[0].upper()}{what[1:]}.'
    return Chart(traces, layout(xaxis=axis('time, s'), yaxis=axis(what)), caption, 260)


def _deviations(planned: PlannedExcitation) -> Chart:
    """Return the predicted standard deviations, as shares of the description's values."""
    share, names = 100.0 * planned.relative_std, np.array(planned.names)
    shown, pairs = np.isfinite(share), zip(names, planned.std, strict=True)
    texts = np.array([f'{name}: {number(std, 3)}' for name, std in pairs])
    traces = [
        {
            'type': 'bar',
            'x': names[shown],
            'y': share[shown],
            'text': texts[shown],
            'textposition': 'none',
            'hovertemplate': '%{text}<extra></extra>',
            'marker': {'color': ESTIMATE},
            'name': 'predicted',
            'showlegend': False,
        }
    ]
    if shown.any() and not shown.all():
        low = np.full(np.sum(~shown), share[shown].min())
        cross = {'symbol': 'x', 'size': 7}
        note = 'zero in the description, or not shown'
        traces.append(dots(names[~shown], low, note, UNSEEN, marker=cross))
    order = {'type': 'category', 'categoryorder': 'array', 'categoryarray': names}
    small = {'tickfont': {'size': 9, 'color': SOFT}, 'tickangle': -90}
    log = {'type': 'log', 'exponentformat': 'power', 'dtick': 1}
    figure = layout(
        xaxis=axis(**order, **small), yaxis=axis('standard deviation, % of the description', **log)
    )
    caption = 'Predicted standard deviations as shares of the values in the description.'
    return Chart(traces, figure, caption, height=380)


def _limits(planned: PlannedExcitation) -> Table | Text:
    """Return the limits, the closest first."""
    if not planned.limits:
        return Text('No limits are given.')
    rows = [
        (use.name, f'{100.0 * use.share:.1f} %', 'active' if use.is_active else '')
        for use in planned.limits[:_ACTIVE]
    ]
    return Table(('limit', 'used', ''), rows, 'The closest first', text_columns=(2,))
