"""The page that compares results: before and after, several logs, several methods."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.report.metrics import joint_error
from spacerobot_id.report.page.charts import axis, dots, layout, SERIES
from spacerobot_id.report.page.content import (
    beside,
    Chart,
    Details,
    interval,
    listed,
    Listing,
    number,
    Page,
    Section,
    Table,
    Text,
    Tone,
)
from spacerobot_id.report.result_files import SavedResult

_MOST_DRAWN = 30
"""Parameters in the chart: those that differ most."""

_APART = 0.75
"""Share of a row of the chart that the results stand apart in."""

_DIFFERS = 3.0
"""Standard deviations of the difference from which a parameter is taken to differ."""

_HEAD = ('result', 'robot', 'method', 'usable', 'samples', 'chi-square', 'identified', 'mass, kg')


def comparison_page(results: Sequence[SavedResult]) -> Page:
    """Return the page that compares results.

    Parameters
    ----------
    results : sequence of SavedResult
        Two or more, of which each two have parameters of the same names.

    Raises
    ------
    ConfigurationError
        If they have no parameters in common.
    """
    names = [name for name in results[0].names if all(name in each.names for each in results)]
    if not names:
        raise ConfigurationError(
            f'{listed([each.name for each in results])} have no parameters in common: methods '
            'and robots must find the same ones'
        )
    compared = [_Compared(each, names) for each in results]
    scores = _scores(compared)
    differing = [name for name, score in zip(names, scores, strict=True) if score > _DIFFERS]
    verdict = _verdict(compared, differing)
    order = np.argsort(-scores)
    sections = [
        Section(
            'results',
            'The results',
            [Table(_HEAD, [_row(each) for each in results], text_columns=(1, 2, 3))],
        ),
        Section('together', 'All parameters together', _together(compared)),
        Section(
            'parameters',
            'Parameters, those that differ most first',
            [_chart(compared, order[:_MOST_DRAWN]), _table(compared, order, scores)],
        ),
        *_links(results),
    ]
    return Page(
        title=f'{listed([each.name for each in results])} compared',
        subtitle=f'{len(names)} parameters in common',
        sections=sections,
        verdict=verdict,
        tone=Tone.WARNING if differing else Tone.GOOD,
        headline='They differ' if differing else 'They agree',
    )


class _Compared:
    """The common parameters of one result."""

    def __init__(self, saved: SavedResult, names: list[str]) -> None:
        rows = [saved.names.index(name) for name in names]
        self.name, self.names = saved.name, names
        self.units = [saved.content['parameters']['units'][row] for row in rows]
        self.values, self.std = saved.column('values')[rows], saved.column('std')[rows]
        self.covariance = None
        if saved.covariance is not None:
            self.covariance = saved.covariance[np.ix_(rows, rows)]


def _scores(compared: list[_Compared]) -> np.ndarray:
    """Return the largest difference of two results in standard deviations, shape (p,)."""
    scores = [
        np.abs(one.values - other.values) / np.hypot(one.std, other.std)
        for one, other in combinations(compared, 2)
    ]
    return np.nan_to_num(np.max(scores, axis=0), nan=0.0)


def _verdict(compared: list[_Compared], differing: list[str]) -> str:
    """Return the verdict of the comparison."""
    names = listed([each.name for each in compared])
    if not differing:
        return (
            f'No parameter of {names} differs by more than {_DIFFERS:g} standard deviations of '
            'the difference.'
        )
    return (
        f'{len(differing)} of {len(compared[0].names)} parameters of {names} differ by more than '
        f'{_DIFFERS:g} standard deviations of the difference: {listed(differing)}. Either the '
        'robot has changed, or what one of them takes for granted is wrong.'
    )


def _row(saved: SavedResult) -> tuple[str, ...]:
    """Return the row of a result."""
    content = saved.content
    shown, robot = content.get('identifiability', {}), content.get('robot') or {}
    seen = shown.get('total', len(saved.names)) - len(shown.get('not_identified', ()))
    mass, std = robot.get('mass'), robot.get('mass_std')
    chi_square = content.get('chi_square')
    return (
        saved.name,
        content['robot_name'],
        content['method'],
        'yes' if content['usable'] else 'no',
        str(content.get('samples', '')),
        '' if chi_square is None else number(chi_square, 3),
        f'{seen} of {len(saved.names)}',
        '' if mass is None or std is None else f'{beside(mass, std)} {interval(std)}',
    )


def _together(compared: list[_Compared]) -> list[Text | Listing]:
    """Return how far results are from each other in all parameters together."""
    lines = []
    for one, other in combinations(compared, 2):
        if one.covariance is None or other.covariance is None:
            continue
        covariance = one.covariance + other.covariance
        if not np.isfinite(covariance).all():
            continue
        found = joint_error(one.values, covariance, other.values)
        low, high = found.bounds
        verdict = 'agree' if found.value <= high else 'differ'
        lines.append(
            f'{one.name} and {other.name} {verdict}: normalised squared difference '
            f'{found.value:.4g} of {found.count} parameters; chance allows {low:.4g} to '
            f'{high:.4g}.'
        )
    if not lines:
        return [Text('Their covariances were not kept: no joint figure can be given.')]
    note = (
        'Results that share a description are closer than chance where the data show little: '
        'only figures above the upper bound say that they differ.'
    )
    return [Listing(lines), Text(note)]


def _chart(compared: list[_Compared], order: np.ndarray) -> Chart:
    """Return values about their mean, in standard deviations of the most certain result."""
    rows = order[::-1]
    values = np.array([each.values[rows] for each in compared])
    std = np.array([each.std[rows] for each in compared])
    least = np.nanmin(std, axis=0)
    middle = np.nanmean(values, axis=0)
    names = [compared[0].names[row] for row in rows]
    traces, places = [], np.arange(len(names))
    for turn, (each, found, deviation) in enumerate(zip(compared, values, std, strict=True)):
        colour = SERIES[turn % len(SERIES)]
        height = places + _APART * (0.5 * (len(compared) - 1) - turn) / len(compared)
        texts = [
            f'{each.name}, {name}: {beside(value, one)} {interval(one)} {each.units[row]}'
            for name, value, one, row in zip(names, found, deviation, rows, strict=True)
        ]
        bars = {'type': 'data', 'array': 1.96 * deviation / least, 'color': colour, 'width': 2}
        hover = {'text': texts, 'hovertemplate': '%{text}<extra></extra>'}
        place = (found - middle) / least
        traces.append(dots(place, height, each.name, colour, error_x=bars, **hover))
    order_of = {'tickvals': places, 'ticktext': names, 'range': [-0.7, len(names) - 0.3]}
    figure = layout(
        xaxis=axis('distance to the mean / standard deviation of the most certain'),
        yaxis=axis(**order_of),
    )
    caption = 'Estimates with their 95 % intervals about their mean.'
    return Chart(traces, figure, caption, height=90 + (9 + 8 * len(compared)) * len(names))


def _table(compared: list[_Compared], order: np.ndarray, scores: np.ndarray) -> Details:
    """Return all values side by side."""
    head = ('parameter', 'unit', *(each.name for each in compared), 'difference in std')
    rows = [
        (
            compared[0].names[row],
            compared[0].units[row],
            *(
                f'{beside(each.values[row], each.std[row])} {interval(each.std[row])}'
                for each in compared
            ),
            f'{scores[row]:.1f}',
        )
        for row in order
    ]
    return Details(
        f'All {len(rows)} parameters as a table', [Table(head, rows, text_columns=(1,))]
    )


def _links(results: Sequence[SavedResult]) -> list[Section]:
    """Return masses and centres of mass of the links side by side, where all have the same."""
    is_known = [
        not (each.content.get('physics') or {}).get('contradicts_data') for each in results
    ]
    if not all(is_known):
        return []
    links = [each.content.get('links') or () for each in results]
    names = [[link['name'] for link in each] for each in links]
    if not names[0] or any(each != names[0] for each in names):
        return []
    rows = [
        (
            name,
            *(
                f'{number(each[place]["mass"])} kg at '
                f'({", ".join(number(value, 3) for value in each[place]["com"])})'
                for each in links
            ),
        )
        for place, name in enumerate(names[0])
    ]
    head = ('link', *(each.name for each in results))
    caption = 'Mass, and centre of mass in the axes of the description, m'
    return [Section('links', 'Links', [Table(head, rows, caption)])]
