"""How the messages came: rates, gaps, delays, and what was not used."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.measurement.log_record import StreamSummary
from spacerobot_id.report.page.charts import axis, curve, layout, SERIES, thinned
from spacerobot_id.report.page.content import Chart, number, Section, Table
from spacerobot_id.report.result_files import Subject

_POINTS = 500
"""Steps of a topic that are drawn."""

_HEAD = ('topic', 'messages', 'used', 'rate, Hz', 'longest gap, s', 'missing', 'delay, ms')


def streams_section(subject: Subject) -> Section | None:
    """Return the topics, and why messages and samples were not used; None if nothing is known."""
    result, blocks = subject.result, []
    if subject.streams:
        caption = 'Messages by topic; delays are the middle and the 99th of 100'
        blocks.append(Table(_HEAD, [_row(each) for each in subject.streams], caption))
    reasons = list(_reasons(subject))
    if reasons:
        blocks.append(Table(('not used', 'reason', 'how many'), reasons, text_columns=(1,)))
    late = [(topic, str(count)) for topic, count in result.reordered.items() if count]
    if late:
        blocks.append(Table(('put in order', 'messages'), late))
    steps = [each for each in subject.streams if len(each.stamps) > 2]
    if steps:
        blocks.append(_chart(steps))
    return Section('streams', 'Streams', blocks) if blocks else None


def _row(stream: StreamSummary) -> tuple[str, ...]:
    """Return the row of a topic."""
    late = stream.delays[np.isfinite(stream.delays)]
    delay = ''
    if len(late):
        middle, most = 1e3 * np.quantile(late, [0.5, 0.99])
        delay = f'{middle:.1f}, {most:.1f}'
    used = stream.messages - sum(stream.rejected.values())
    return (
        stream.topic,
        str(stream.messages),
        str(used),
        number(stream.rate, 3) if np.isfinite(stream.rate) else '',
        number(stream.longest_gap, 3) if np.isfinite(stream.longest_gap) else '',
        str(stream.missing),
        delay,
    )


def _reasons(subject: Subject) -> Iterator[tuple[str, ...]]:
    """Yield what was not used, why and how often."""
    for reason, count in subject.result.rejected.items():
        if count:
            topic, _, why = reason.partition(': ')
            yield (topic, why, str(count)) if why else ('samples', reason, str(count))


def _chart(streams: list[StreamSummary]) -> Chart:
    """Return the times between the messages of each topic, over time."""
    begin = min(float(each.stamps.min()) for each in streams)
    traces = []
    for colour, each in zip(SERIES, streams, strict=False):
        stamps = np.sort(each.stamps)
        times, steps = thinned(stamps[1:] - begin, 1e3 * each.steps, _POINTS)
        traces.append(curve(times, steps, each.topic, colour, line={'width': 1}))
    log = {'type': 'log', 'exponentformat': 'power', 'dtick': 1}
    figure = layout(xaxis=axis('time, s'), yaxis=axis('time since the last message, ms', **log))
    return Chart(traces, figure, 'Times between two messages of a topic: gaps stand out.', 260)
