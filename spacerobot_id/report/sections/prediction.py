"""How the robot found predicts samples that it was not made of: twist of the base, torques."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.analysis.torque_prediction import (
    predicted_torques,
    TorquePrediction,
)
from spacerobot_id.estimation.fit_quality import ResidualSeries
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.report.page.charts import (
    axis,
    curve,
    ESTIMATE,
    grid,
    INK,
    layout,
    on,
    PRIOR,
    thinned,
)
from spacerobot_id.report.page.content import Chart, number, Section, Table, Text
from spacerobot_id.report.result_files import Subject

_SHOWN = 40.0
"""Time of the motion that is drawn where nothing is held out, s."""

_POINTS = 500
"""Points of a line that are drawn."""

_MOST_SAMPLES = 1500
"""Samples that the description is held against."""

_HEAD = ('reading', 'unit', 'measured, RMS', 'description off by', 'estimate off by', 'better by')


def prediction_section(subject: Subject) -> Section | None:
    """Return measured and predicted readings and torques; None if nothing was fitted."""
    result = subject.result
    held = result.validation is not None and result.validation.residuals is not None
    left = result.validation.residuals if held else result.residuals
    if left is None or not len(left):
        return None
    samples = subject.record[subject.used :] if held else subject.record[: subject.used]
    sentence = (
        f'{len(left)} samples at the end were held out of the fit; the estimate predicts them '
        f'with a chi-square of {number(result.validation.chi_square, 3)} per reading.'
        if held
        else 'No samples were held out: what follows are the samples of the fit itself. '
        '--holdout 0.2 keeps a fifth of them.'
    )
    before = _by_description(subject, samples)
    readings = [
        _Reading(left, before, sensor, name, place)
        for sensor, places in left.sensors().items()
        for name, place in zip('xyz' if len(places) > 1 else 'z', places, strict=False)
    ]
    rows = [each.row(_measured(samples, each)) for each in readings]
    blocks = [
        Text(sentence),
        Table(_HEAD, rows, 'RMS of readings and of what is missed', text_columns=(1,)),
    ]
    twist = [each for each in readings if each.unit in _TWIST and each.matches(samples)]
    if twist:
        blocks.append(_twist_chart(subject, samples, twist))
    torques = _torques(subject, samples)
    if torques is not None:
        blocks += _torque_blocks(subject, torques)
    title = 'Prediction of samples held out' if held else 'Prediction'
    return Section('prediction', title, blocks)


_TWIST = {'m/s': 0, 'rad/s': 3}
"""Where in a twist the readings of a unit begin."""


class _Reading:
    """A reading as it was, as the estimate predicts it, and as the description does."""

    def __init__(
        self,
        left: ResidualSeries,
        before: ResidualSeries | None,
        sensor: str,
        name: str,
        place: int,
    ) -> None:
        self.sensor, self.name, self.unit = sensor, name, left.units[place]
        self.times, self.misfit = left.times, left.misfit[:, place]
        self.before = None if before is None else before.misfit[:, place]
        self.times_before = None if before is None else before.times
        self.column = _TWIST.get(self.unit, 0) + 'xyz'.index(name)

    def matches(self, samples: Record) -> bool:
        """Return whether the reading is one of the twist in the samples."""
        known = samples.base_twist is not None
        return known and np.isfinite(samples.base_twist[:, self.column]).any()

    def row(self, measured: NDArray[np.float64] | None) -> tuple[str, ...]:
        """Return how far it is missed."""
        now = _rms(self.misfit)
        was = np.nan if self.before is None else _rms(self.before)
        return (
            f'{self.sensor} {self.name}',
            self.unit,
            '' if measured is None else number(_rms(measured), 3),
            '' if np.isnan(was) else number(was, 3),
            number(now, 3),
            '' if np.isnan(was) or not now else f'{number(was / now, 3)} times',
        )


def _rms(values: NDArray[np.float64]) -> float:
    there = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(there**2))) if len(there) else np.nan


def _measured(samples: Record, reading: _Reading) -> NDArray[np.float64] | None:
    """Return what a reading of the twist was."""
    if reading.unit not in _TWIST or not reading.matches(samples):
        return None
    return samples.base_twist[:, reading.column]


def _by_description(subject: Subject, samples: Record) -> ResidualSeries | None:
    """Return what the description leaves over; None where that takes whole stretches."""
    method = subject.result.method
    if method.solves_at_once:
        return None
    values = np.append(subject.description, subject.result.values[len(subject.description) :])
    try:
        prepared = method.prepared(samples)
        every = 1 + len(prepared) // _MOST_SAMPLES
        return ResidualSeries.of(method, prepared[::every], values)
    except (EstimationError, np.linalg.LinAlgError):
        return None


def _twist_chart(subject: Subject, samples: Record, readings: list[_Reading]) -> Chart:
    """Return measured and predicted twists over time."""
    sensors = list(dict.fromkeys(each.sensor for each in readings))
    rows = max(sum(each.sensor == sensor for each in readings) for sensor in sensors)
    traces, titles, place = [], {}, 0
    for reading in readings:
        column = sensors.index(reading.sensor)
        place = 'xyz'.index(reading.name) * len(sensors) + column + 1
        place = min(place, rows * len(sensors))
        titles[place] = ('time, s', f'{reading.name}, {reading.unit}')
        traces += [on(place, each) for each in _curves(subject, samples, reading, not traces)]
    every = [titles.get(k, ('', '')) for k in range(1, rows * len(sensors) + 1)]
    caption = f'Measured and predicted: {", ".join(sensors)}, one row for each axis.'
    if not subject.result.method.solves_at_once:
        caption += ' The prediction is from joints and wheels alone.'
    return Chart(traces, grid(rows, len(sensors), every), caption, height=90 + 150 * rows)


def _curves(
    subject: Subject, samples: Record, reading: _Reading, is_first: bool
) -> Iterator[dict]:
    """Yield measurement, description and estimate of one reading."""
    from_time = samples.times[-1] - _SHOWN if subject.result.validation is None else -np.inf
    twist = samples.times, samples.base_twist[:, reading.column]
    measured = np.interp(reading.times, *twist)
    drawn = [('measured', reading.times, measured, INK, {'width': 2.6, 'color': '#b9c2cb'})]
    if reading.before is not None:
        predicted = np.interp(reading.times_before, *twist) - reading.before
        drawn.append(('description', reading.times_before, predicted, PRIOR, {'width': 1}))
    predicted = measured - reading.misfit
    drawn.append(('estimate', reading.times, predicted, ESTIMATE, {'width': 1.2}))
    for name, times, values, colour, line in drawn:
        shown = times >= from_time
        points = thinned(times[shown] - subject.begin, values[shown], _POINTS)
        group = {'legendgroup': name, 'showlegend': is_first}
        yield curve(*points, name, colour, line=line, **group)


def _torques(subject: Subject, samples: Record) -> TorquePrediction | None:
    """Return torques by description and estimate, where links that can exist were found."""
    links = subject.result.links
    if links is None or links.contradicts_data:
        return None
    robots = {'description': subject.result.method.model, 'estimate': links.model}
    return predicted_torques(samples, robots)


def _torque_blocks(subject: Subject, torques: TorquePrediction) -> list[Table | Chart]:
    """Return table and chart of the torques."""
    names, measured = subject.result.method.model.joint_names, torques.measured
    described, found = (torques.predicted[key] for key in ('description', 'estimate'))
    sizes = np.array(
        [
            [_rms(each[:, joint]) for each in (measured, described - measured, found - measured)]
            for joint in range(len(names))
        ]
    )
    rows = [
        (name, *(number(size, 3) for size in of_joint))
        for name, of_joint in zip(names, sizes, strict=True)
    ]
    head = ('torque of', 'measured, RMS', 'description off by', 'estimate off by')
    caption = (
        'Torques of the joints, N m or N: what the inverse dynamics of the description and of '
        'the links found miss. Friction of the joints is in what is measured and not in them.'
    )
    worst = int(np.argmax(np.nan_to_num(sizes[:, 1] - sizes[:, 2])))
    times, begin = torques.times, subject.begin
    shown = times >= times[-1] - _SHOWN
    traces = [
        curve(*thinned(times[shown] - begin, each[shown, worst], _POINTS), name, colour)
        for name, colour, each in (
            ('measured', '#b9c2cb', measured),
            ('description', PRIOR, described),
            ('estimate', ESTIMATE, found),
        )
    ]
    figure = layout(xaxis=axis('time, s'), yaxis=axis('torque, N m'))
    chart = Chart(traces, figure, f'Torque of {names[worst]}, measured and predicted.', 260)
    return [Table(head, rows, caption), chart]
