"""Charts of one style: traces and layouts of plotly.js as plain values."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

INK, SOFT, LINE = '#1c2733', '#5c6875', '#dde3e9'

ESTIMATE, PRIOR, TRUE, UNSEEN = '#23628f', '#b8762b', '#b03a35', '#aab4be'
"""Colours of the estimate, the description, the truth, and what is not identified."""

SERIES = ('#23628f', '#b8762b', '#3d8361', '#8a4f7d', '#7a7f36', '#b03a35', '#4b8f9c', '#6b6f7a')
"""Colours of several curves in one chart."""

BAND = 'rgba(35, 98, 143, 0.13)'
"""Where chance takes what is drawn in 95 of 100 cases."""

_MOST_POINTS = 1200
"""Points of a curve that a screen can show."""

_FONT = {'family': 'system-ui, "DejaVu Sans", Arial, sans-serif', 'size': 12, 'color': INK}


def axis(title: str = '', **others: object) -> dict[str, object]:
    """Return an axis of a chart.

    Parameters
    ----------
    title : str
        What it is of, with its unit.
    **others
        Further settings of plotly.js.
    """
    return {
        'title': {'text': title, 'font': {'size': 12, 'color': SOFT}, 'standoff': 6},
        'gridcolor': LINE,
        'linecolor': SOFT,
        'zerolinecolor': LINE,
        'tickfont': {'size': 11, 'color': SOFT},
        'automargin': True,
        **others,
    }


def layout(**others: object) -> dict[str, object]:
    """Return a layout; axes are those of ``axis`` unless they are given."""
    return {
        'font': _FONT,
        'paper_bgcolor': 'rgba(0,0,0,0)',
        'plot_bgcolor': 'rgba(0,0,0,0)',
        'margin': {'l': 52, 'r': 12, 't': 12, 'b': 40},
        'hovermode': 'closest',
        'modebar': {'bgcolor': 'rgba(0,0,0,0)', 'color': UNSEEN, 'activecolor': ESTIMATE},
        'legend': {
            'orientation': 'h',
            'y': 1.02,
            'yanchor': 'bottom',
            'x': 0,
            'font': {'size': 11},
        },
        'xaxis': axis(),
        'yaxis': axis(),
        **others,
    }


def curve(x: ArrayLike, y: ArrayLike, name: str, colour: str, **others: object) -> dict:
    """Return a line.

    Parameters
    ----------
    x, y : array_like, shape (N,)
        Points.
    name : str
        Name in the legend.
    colour : str
        Colour.
    **others
        Further settings of plotly.js.
    """
    line = {'color': colour, 'width': 1.4} | dict(others.pop('line', {}))
    shown = {'type': 'scatter', 'mode': 'lines', 'x': np.asarray(x), 'y': np.asarray(y)}
    return shown | {'name': name, 'line': line, **others}


def dots(x: ArrayLike, y: ArrayLike, name: str, colour: str, **others: object) -> dict:
    """Return points; as for ``curve``."""
    marker = {'color': colour, 'size': 6} | dict(others.pop('marker', {}))
    shown = {'type': 'scatter', 'mode': 'markers', 'x': np.asarray(x), 'y': np.asarray(y)}
    return shown | {'name': name, 'marker': marker, **others}


def space_curve(points: NDArray[np.float64], colour: str, width: float, **others: object) -> dict:
    """Return a line in three dimensions, with no text on hovering.

    Parameters
    ----------
    points : ndarray, shape (N, 3)
        Points, m; NaN between two lines.
    colour : str
        Colour.
    width : float
        Width, pixels.
    **others
        Further settings of plotly.js.
    """
    line = {'color': colour, 'width': width}
    shown = {'type': 'scatter3d', 'mode': 'lines', 'line': line, 'hoverinfo': 'skip'}
    return shown | dict(zip('xyz', points.T, strict=True)) | others


def band(x: ArrayLike, low: ArrayLike, high: ArrayLike, name: str, **others: object) -> dict:
    """Return the area between two curves."""
    x, low, high = (np.asarray(each, dtype=float) for each in (x, low, high))
    return {
        'type': 'scatter',
        'x': np.concatenate([x, x[::-1]]),
        'y': np.concatenate([np.broadcast_to(high, x.shape), np.broadcast_to(low, x.shape)[::-1]]),
        'fill': 'toself',
        'fillcolor': BAND,
        'line': {'width': 0},
        'mode': 'lines',
        'hoverinfo': 'skip',
        'name': name,
        **others,
    }


def grid(rows: int, columns: int, titles: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Return a layout of several charts, row by row.

    Parameters
    ----------
    rows, columns : int
        How many there are.
    titles : sequence of (str, str)
        What the two axes of each are of.
    """
    axes: dict[str, object] = {}
    for place, (x, y) in enumerate(titles, 1):
        number = '' if place == 1 else place
        axes[f'xaxis{number}'], axes[f'yaxis{number}'] = axis(x), axis(y)
    shape = {'rows': rows, 'columns': columns, 'pattern': 'independent'}
    return layout(**axes, grid=shape | {'xgap': 0.16, 'ygap': 0.28})


def on(place: int, trace: Mapping[str, object]) -> dict[str, object]:
    """Return a trace on one of the charts of a ``grid``, counted from 1."""
    number = '' if place == 1 else place
    return {**trace, 'xaxis': f'x{number}', 'yaxis': f'y{number}'}


def thinned(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int = _MOST_POINTS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a curve with no more points than a screen shows, its extremes kept.

    Parameters
    ----------
    x, y : ndarray, shape (N,)
        Points; those that are not finite are left out.
    most : int
        Points at most: the least and the largest of each of half as many stretches.
    """
    there = np.isfinite(y) & np.isfinite(x)
    x, y = x[there], y[there]
    if len(x) <= most:
        return x, y
    parts = np.array_split(np.arange(len(x)), most // 2)
    kept = np.unique([[part[np.argmin(y[part])], part[np.argmax(y[part])]] for part in parts])
    return x[kept], y[kept]
