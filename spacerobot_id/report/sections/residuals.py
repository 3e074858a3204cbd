"""What the fit leaves over, sensor by sensor: over time, by size, by frequency, by lag."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.estimation.fit_quality import ResidualSeries
from spacerobot_id.report.page.charts import (
    band,
    curve,
    dots,
    grid,
    INK,
    on,
    SERIES,
)
from spacerobot_id.report.page.content import Chart, number, Section, Table, Text
from spacerobot_id.report.result_files import Subject
from spacerobot_id.statistics.white_noise import autocorrelation, spectrum

_WINDOWS = 80
"""Means over the motion."""

_POINTS = 700
"""Samples of a reading that are drawn one by one."""

_EDGE = 6.0
"""Residual at the edge of the charts, in standard deviations; larger ones are drawn there."""

_LARGE = 4.0
"""Residual that chance gives once in 16 000 readings, in standard deviations."""

_LEAST = 1e-3
"""Power at the edge of the charts: states that are fitted take what is slow out of readings."""

_HEAD = ('reading', 'unit', 'RMS', 'RMS / noise', 'mean / its std', 'beyond 4 std', 'lags outside')


def residuals_section(subject: Subject) -> Section | None:
    """Return charts and numbers for each sensor; None before anything was fitted."""
    left = subject.result.residuals
    if left is None or not len(left):
        return None
    blocks = []
    for name, places in left.sensors().items():
        readings = [_Reading(left, place) for place in places]
        readings = [each for each in readings if len(each.values) > 8]
        if readings:
            blocks.append(_charts(name, readings, subject.begin))
    blocks.append(Table(_HEAD, list(_rows(left)), 'All readings', text_columns=(1,)))
    quality = subject.result.quality
    if quality is not None:
        blocks.insert(0, Text(_description(quality)))
    return Section('residuals', 'What the fit leaves over', blocks)


class _Reading:
    """The residuals of one reading where it counts."""

    def __init__(self, left: ResidualSeries, place: int) -> None:
        there = np.isfinite(left.values[:, place])
        self.times = left.times[there]
        self.values = left.values[there, place]
        self.misfit = left.misfit[there, place]
        self.unit = left.units[place]

    @property
    def step(self) -> float:
        """Time between two readings, s."""
        return float(np.median(np.diff(self.times))) if len(self.times) > 1 else 1.0


def _description(quality: object) -> str:
    """Return a description of size and colour of the residuals."""
    size = (
        f'Chi-square per degree of freedom is {number(quality.chi_square)}, where chance allows '
        f'1 ± {number(1.96 * quality.chi_square_std, 2)}.'
    )
    if not quality.is_white:
        return (
            f'{size} Residuals stay on one side for longer than noise does: the model is wrong '
            'somewhere, and no factor on the standard deviations makes up for it.'
        )
    return (
        f'{size} Lines that leave zero for long come from the model: slow forces, a joint that '
        'bends, a wheel or a sensor that is not as described. Points too far apart all along '
        'are noise that is stated too small.'
    )


def _charts(name: str, readings: list[_Reading], begin: float) -> Chart:
    """Return the four charts of a sensor."""
    names = _axis_names(len(readings))
    times = ('time, s', 'residual / noise')
    titles = [times, ('residual / noise', 'density'), ('frequency, Hz', 'power / white noise')]
    figure = grid(2, 2, [*titles, ('lag, samples', 'autocorrelation')])
    figure['yaxis']['range'] = [-_EDGE, _EDGE]
    figure['xaxis3'] |= {'type': 'log', 'exponentformat': 'SI'}
    figure['yaxis3'] |= {'type': 'log', 'exponentformat': 'power', 'dtick': 1}
    powers = np.concatenate([spectrum(each.values, each.step).power for each in readings])
    figure['yaxis3']['range'] = np.log10([max(0.7 * powers.min(), _LEAST), 1.5 * powers.max()])
    longest, slowest = (
        max(readings, key=lambda each: len(each.values)),
        spectrum(readings[0].values, readings[0].step),
    )
    lags = autocorrelation(longest.values)
    ends = slowest.frequencies[[0, -1]]
    limits = lags.lags[[0, -1]]
    traces = [
        on(3, band(ends, [slowest.low] * 2, [slowest.high] * 2, 'chance, 95 %', showlegend=False)),
        on(4, band(limits, [-lags.chance] * 2, [lags.chance] * 2, 'chance, 95 %')),
    ]
    for axis_name, reading, colour in zip(names, readings, SERIES, strict=False):
        traces += _traces(axis_name, reading, colour, begin)
    places = np.linspace(-_EDGE, _EDGE, 121)
    normal = np.exp(-0.5 * places**2) / np.sqrt(2.0 * np.pi)
    line = {'dash': 'dot', 'width': 1.6}
    traces.append(on(2, curve(places, normal, 'normal distribution', INK, line=line)))
    caption = (
        f'{name[0].upper()}{name[1:]}: residuals over time with their means over '
        f'{_WINDOWS} windows; their sizes beside the normal distribution; their spectrum and '
        'their autocorrelation beside what white noise stays within in 95 of 100 cases.'
    )
    return Chart(traces, figure, caption, height=560)


def _traces(name: str, reading: _Reading, colour: str, begin: float) -> Iterator[dict]:
    """Yield what is drawn of one reading."""
    times, shown = reading.times - begin, np.clip(reading.values, -_EDGE, _EDGE)
    every = 1 + len(times) // _POINTS
    group = {'legendgroup': name, 'showlegend': False, 'hoverinfo': 'skip'}
    faint = {'size': 3, 'opacity': 0.35}
    yield on(1, dots(times[::every], shown[::every], name, colour, marker=faint, **group))
    windows = np.array_split(np.arange(len(times)), min(_WINDOWS, len(times)))
    middle, means = ([each[rows].mean() for rows in windows] for each in (times, shown))
    yield on(1, curve(middle, means, name, colour, legendgroup=name, line={'width': 2}))
    density, edges = np.histogram(shown, bins=48, range=(-_EDGE, _EDGE), density=True)
    centres = 0.5 * (edges[1:] + edges[:-1])
    yield on(2, curve(centres, density, name, colour, line={'shape': 'hvh'}, **group))
    power = spectrum(reading.values, reading.step)
    yield on(3, curve(power.frequencies, power.power, name, colour, **group))
    lags = autocorrelation(reading.values)
    yield on(4, curve(lags.lags, lags.values, name, colour, **group))


def _rows(left: ResidualSeries) -> Iterator[tuple[str, ...]]:
    """Yield a row for each reading."""
    for name, places in left.sensors().items():
        for axis_name, place in zip(_axis_names(len(places)), places, strict=True):
            reading = _Reading(left, place)
            values = reading.values
            if len(values) < 2:
                continue
            lags = autocorrelation(reading.values)
            beyond = int(np.sum(np.abs(values) > _LARGE))
            yield (
                f'{name} {axis_name}',
                reading.unit,
                number(float(np.sqrt(np.mean(reading.misfit**2))), 3),
                number(float(np.sqrt(np.mean(values**2))), 3),
                f'{float(values.mean() * np.sqrt(len(values))):+.1f}',
                f'{beyond} of {len(values)}',
                f'{lags.outside} of {len(lags.lags)} (chance: to {lags.expected})',
            )


def _axis_names(count: int) -> tuple[str, ...]:
    """Return the names of a sensor's axes."""
    named: dict[int, tuple[str, ...]] = {1: ('z',), 2: ('x', 'y'), 3: ('x', 'y', 'z')}
    return named.get(count, tuple(str(place) for place in range(1, count + 1)))
