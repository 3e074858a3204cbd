"""Correlations of the estimates, and the pairs with the largest ones."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.report.page.charts import axis, layout
from spacerobot_id.report.page.content import Chart, Section, Table, Text
from spacerobot_id.report.result_files import Subject

_WORST = 8
"""Pairs that are named."""

_HIGH = 0.9
"""Correlation from which two parameters are hard to distinguish."""

_SCALE = [[0.0, '#b8762b'], [0.5, '#ffffff'], [1.0, '#23628f']]


def correlations_section(subject: Subject) -> Section | None:
    """Return heat map and worst pairs; None where no covariance is known."""
    estimate = subject.result.estimate
    if len(estimate.names) < 2 or not np.isfinite(estimate.covariance).all():
        return None
    correlation = correlations(estimate.covariance)
    rows, columns = np.triu_indices(len(correlation), 1)
    order = np.argsort(-np.abs(correlation[rows, columns]))
    pairs = [
        (estimate.names[rows[k]], estimate.names[columns[k]], correlation[rows[k], columns[k]])
        for k in order[:_WORST]
    ]
    many = int(np.sum(np.abs(correlation[rows, columns]) > _HIGH))
    sentence = (
        f'{many} of {len(rows)} pairs are correlated by more than {_HIGH}: of these the data '
        'show rather a sum or a difference than each alone.'
        if many
        else f'No two parameters are correlated by more than {_HIGH}.'
    )
    table = Table(
        ('parameter', 'with', 'correlation'),
        [(first, second, f'{value:+.4f}') for first, second, value in pairs],
        'The most correlated pairs',
        text_columns=(1,),
    )
    return Section(
        'correlations', 'Correlations', [Text(sentence), _map(subject, correlation), table]
    )


def correlations(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations of a covariance, shape (p, p)."""
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    return covariance / np.outer(scale, scale)


def _map(subject: Subject, correlation: NDArray[np.float64]) -> Chart:
    """Return the heat map."""
    names = list(subject.result.estimate.names)
    trace = {
        'type': 'heatmap',
        'x': names,
        'y': names,
        'z': np.round(correlation, 3),
        'zmin': -1,
        'zmax': 1,
        'colorscale': _SCALE,
        'hovertemplate': '%{y} with %{x}: %{z}<extra></extra>',
        'colorbar': {'thickness': 10, 'outlinewidth': 0, 'tickvals': [-1, 0, 1], 'len': 0.6},
    }
    small = {'tickfont': {'size': 8 if len(names) > 30 else 10, 'color': '#5c6875'}}
    figure = layout(
        xaxis=axis(**small, tickangle=-90, showgrid=False, constrain='domain'),
        yaxis=axis(**small, autorange='reversed', showgrid=False, scaleanchor='x'),
    )
    return Chart([trace], figure, 'Correlations of the estimates.', height=620)
