"""The robot in three dimensions: links, and inertia ellipsoids of description and estimate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.analysis.bodies import BodyEstimate, inertia_matrix
from spacerobot_id.kinematics.link_motion import link_poses
from spacerobot_id.model import RobotModel
from spacerobot_id.report.page.charts import ESTIMATE, layout, LINE, PRIOR, SOFT, space_curve
from spacerobot_id.report.page.content import Chart, Section
from spacerobot_id.report.result_files import Subject

_MERIDIANS, _PARALLELS = 24, 12
_ROUND = np.linspace(0.0, 2.0 * np.pi, _MERIDIANS + 1)
_BAND = 1.96
"""Standard deviations of an interval of 95 %."""


def robot_section(
    subject: Subject, whole: BodyEstimate | None, links: tuple[BodyEstimate, ...]
) -> Section | None:
    """Return the picture of the robot; None where no body is known.

    Parameters
    ----------
    subject : Subject
        What is reported.
    whole : BodyEstimate, optional
        The whole robot, as far as it shows.
    links : tuple of BodyEstimate
        Its links; empty where they are not known.
    """
    if whole is None:
        return None
    model, q = subject.result.method.model, subject.result.positions
    poses = link_poses(model, q[None])
    frames = [
        _Placed(poses.axes[place, :, :, 0].T @ link.R_UL.T, poses.origins[place, :, 0])
        for place, link in enumerate(model.links)
    ]
    traces = list(_skeleton(model, q))
    for body, frame in zip(links, frames, strict=False):
        traces += _body(body, frame, is_first=body is links[0])
    if not links or len(links) > 1:
        traces += _body(whole, _Placed(np.eye(3), np.zeros(3)), is_first=not links, of_whole=True)
    caption = (
        'Each ellipsoid is that of uniform density with the mass and inertia of the body: orange '
        'wires the description, blue the estimate, thin blue wires the estimate with 1.96 '
        'standard deviations more and less of its principal moments; crosses are the 95 % '
        'intervals of the centre of mass. Turn it with the mouse; a click on a name in the legend '
        'shows or hides what it stands for.'
    )
    figure = scene_layout(*_extent(traces))
    return Section('robot', 'The robot', [Chart(traces, figure, caption, height=520)])


def _extent(traces: list[dict]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest coordinates of what is shown from the begin, m."""
    shown = [trace for trace in traces if trace.get('visible', True) is True]
    ends = [
        [(np.nanmin(trace[name]), np.nanmax(trace[name])) for name in 'xyz'] for trace in shown
    ]
    low, high = np.array(ends)[..., 0], np.array(ends)[..., 1]
    return np.nanmin(low, axis=0), np.nanmax(high, axis=0)


def _skeleton(model: RobotModel, q: NDArray[np.float64]) -> Iterator[dict]:
    """Yield lines from joint to joint and a mark at the base; joint positions of shape (n,)."""
    yield space_curve(skeleton_lines(model, q[None])[0], SOFT, 7, name='links')
    joints = link_poses(model, q[None]).origins[:, :, 0]
    yield {
        'type': 'scatter3d',
        'mode': 'markers',
        **dict(zip('xyz', joints.T, strict=True)),
        'text': ['base', *model.joint_names],
        'hovertemplate': '%{text}<extra></extra>',
        'marker': {'size': 4, 'color': SOFT},
        'name': 'joints',
        'showlegend': False,
    }


def skeleton_lines(model: RobotModel, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lines from joint to joint and to the centres of mass of the last links.

    Parameters
    ----------
    model : RobotModel
        Robot.
    q : ndarray, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, K, 3)
        Points in base axes, m; NaN between two lines.
    """
    poses = link_poses(model, q)
    nothing = np.full((len(q), 3), np.nan)
    points: list[NDArray[np.float64]] = []
    parents = {joint.parent for joint in model.joints}
    for child, joint in enumerate(model.joints, 1):
        points += [poses.origins[joint.parent].T, poses.origins[child].T, nothing]
    for link, body in enumerate(model.links):
        if link and link not in parents and body.inertial.mass > 0.0:
            out = np.tensordot(2.0 * body.inertial.com, poses.axes[link], axes=1)
            points += [poses.origins[link].T, (poses.origins[link] + out).T, nothing]
    if not points:
        points = [np.zeros((len(q), 3))]
    return np.stack(points, axis=1)


def scene_layout(low: NDArray[np.float64], high: NDArray[np.float64]) -> dict[str, object]:
    """Return the layout of a picture in three dimensions, all axes alike.

    Parameters
    ----------
    low, high : ndarray, shape (3,)
        What is shown: least and largest coordinates, m.
    """
    room = 0.04 * float(np.max(high - low)) + 0.02
    low, high = low - room, high + room
    extent = (high - low) / np.max(high - low)
    axes = {
        f'{name}axis': {
            'range': [least, most],
            'title': {'text': f'{name}, m', 'font': {'size': 11, 'color': SOFT}},
            'gridcolor': LINE,
            'zerolinecolor': LINE,
            'tickfont': {'size': 10, 'color': SOFT},
            'showbackground': False,
        }
        for name, least, most in zip('xyz', low, high, strict=True)
    }
    camera = {'eye': {'x': 1.15, 'y': 1.0, 'z': 0.7}}
    ratio = dict(zip('xyz', extent, strict=True))
    return layout(
        scene={'aspectmode': 'manual', 'aspectratio': ratio, 'camera': camera, **axes},
        margin={'l': 0, 'r': 0, 't': 0, 'b': 0},
        legend={'orientation': 'h', 'y': 0, 'x': 0, 'font': {'size': 11}},
    )


@dataclass(frozen=True, eq=False)
class _Placed:
    """Axes of a frame in base axes (columns), and its origin."""

    axes: NDArray[np.float64]
    origin: NDArray[np.float64]


def _body(
    body: BodyEstimate, frame: _Placed, *, is_first: bool, of_whole: bool = False
) -> list[dict]:
    """Return the ellipsoids of a body and the interval of its centre of mass."""
    described, found, std = body.described, body.found, body.std
    mass_known = bool(np.isfinite(found[0]))
    if not mass_known:  # the inertia alone: drawn with the mass and the place described
        found = np.concatenate([described[:4], found[4:]])
        std = np.concatenate([np.zeros(4), std[4:]])
    shown = {'visible': 'legendonly'} if of_whole and not is_first else {}
    whole = ' of the whole robot' if of_whole else ''
    group = {'estimate': f'estimate{whole}', 'description': f'description{whole}'}
    edges = {'visible': 'legendonly'} if not of_whole or shown else {}
    edge_group = f'intervals{whole}'
    is_named = is_first or of_whole
    traces = []
    was = _ellipsoid(described[0], described[1:4], inertia_matrix(described), frame)
    if was is not None:
        traces.append(_wires(was, PRIOR, 1.6, group['description'], shown, is_named))
    now = _ellipsoid(found[0], found[1:4], inertia_matrix(found), frame)
    if now is not None:
        text = f'{body.name}: {found[0]:.4g} kg'
        traces.append(_surface(now, text, group['estimate'], shown, is_named))
        principal, axes = np.linalg.eigh(inertia_matrix(found))
        is_known = np.isfinite(body.covariance[4:, 4:]).all()
        for sign in (-1.0, 1.0) if is_known else ():
            moved = _moved_moments(body, principal, axes, sign)
            edge = _ellipsoid(found[0], found[1:4], moved, frame)
            if edge is not None:
                is_edge_named = is_named and sign > 0.0
                traces.append(_wires(edge, ESTIMATE, 0.8, edge_group, edges, is_edge_named))
    traces.append(_cross(found[1:4], std[1:4], frame, edge_group, edges))
    return traces


def _moved_moments(
    body: BodyEstimate, principal: NDArray[np.float64], axes: NDArray[np.float64], sign: float
) -> NDArray[np.float64]:
    """Return the inertia with principal moments at an edge of their intervals."""
    covariance = body.covariance[4:, 4:]
    moved = []
    for value, axis in zip(principal, axes.T, strict=True):
        x, y, z = axis
        slope = np.array([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z])
        moved.append(value + sign * _BAND * np.sqrt(max(slope @ covariance @ slope, 0.0)))
    return (axes * np.array(moved)) @ axes.T


def _ellipsoid(
    mass: float, com: NDArray[np.float64], inertia: NDArray[np.float64], frame: _Placed
) -> NDArray[np.float64] | None:
    """Return the surface of the body of uniform density, shape (a, b, 3); None if there is none.

    Its semi-axes follow from the second moments: ``m / 5 diag(a^2) = tr(I) / 2 - I``.
    """
    if not (np.isfinite(mass) and mass > 0.0 and np.isfinite(inertia).all()):
        return None
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second)
    if moments[-1] <= 0.0:
        return None
    semi = np.sqrt(5.0 * np.maximum(moments, 0.0) / mass)
    height = np.linspace(0.0, np.pi, _PARALLELS + 1)
    unit = np.stack(
        [
            np.outer(np.sin(height), np.cos(_ROUND)),
            np.outer(np.sin(height), np.sin(_ROUND)),
            np.outer(np.cos(height), np.ones_like(_ROUND)),
        ],
        axis=-1,
    )
    return (com + (unit * semi) @ axes.T) @ frame.axes.T + frame.origin


def _wires(
    surface: NDArray[np.float64],
    colour: str,
    width: float,
    group: str,
    shown: dict,
    is_named: bool,
) -> dict:
    """Return every third meridian and parallel of a surface as lines."""
    nothing = np.full((1, 3), np.nan)
    lines: list[NDArray[np.float64]] = []
    for place in range(0, _MERIDIANS, 3):
        lines += [surface[:, place], nothing]
    for place in range(3, _PARALLELS, 3):
        lines += [surface[place], nothing]
    named = {'name': group, 'legendgroup': group, 'showlegend': is_named}
    return space_curve(np.concatenate(lines), colour, width, **named, **shown)


def _surface(
    surface: NDArray[np.float64], text: str, group: str, shown: dict, is_named: bool
) -> dict:
    """Return a surface that can be seen through."""
    return {
        'type': 'surface',
        **dict(zip('xyz', np.moveaxis(surface, -1, 0), strict=True)),
        'opacity': 0.42,
        'showscale': False,
        'colorscale': [[0, ESTIMATE], [1, ESTIMATE]],
        'name': group,
        'legendgroup': group,
        'showlegend': is_named,
        'hovertemplate': f'{text}<extra></extra>',
        **shown,
    }


def _cross(
    com: NDArray[np.float64],
    std: NDArray[np.float64],
    frame: _Placed,
    group: str,
    shown: dict,
) -> dict:
    """Return the interval of a centre of mass along the axes of the body."""
    lines: list[Sequence[float]] = []
    for axis, deviation in zip(np.eye(3), np.nan_to_num(std), strict=True):
        lines += [com - _BAND * deviation * axis, com + _BAND * deviation * axis, [np.nan] * 3]
    points = np.array(lines) @ frame.axes.T + frame.origin
    return space_curve(points, ESTIMATE, 4, legendgroup=group, showlegend=False, **shown)
