"""The pictures of a report: what is drawn is what the result says, by every method."""

from method_cases import case_of, METHODS
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.estimation.batch.identify import identify
from spacerobot_id.report.result_plot import parameter_figure, residual_figure


@pytest.fixture(scope='module', name='result', params=METHODS)
def result_of_a_method(request):
    """Return method, samples and the result of most of them."""
    case = case_of(request.param)
    return case, identify(case.record, case.method)


def test_parameters_beside_their_prior(result):
    """Points and bars of all parameters, each once, in units of what was open before."""
    case, found = result
    estimate = found.estimate
    change, left = parameter_figure(found).axes
    prior = case.method.prior().mean[: len(estimate.names)]
    points = np.hstack([each.lines[0].get_xydata().T for each in change.containers])
    places, shares = points[:, np.argsort(points[0])]
    assert_allclose(places, np.arange(len(estimate.names)))
    has_prior = np.isfinite(estimate.prior_std).all()
    scale = estimate.prior_std if has_prior else estimate.std
    assert_allclose(shares, (estimate.values - prior) / scale, rtol=1e-12, atol=1e-9)
    bars = {
        round(each.get_x() + 0.5 * each.get_width()): each.get_height() for each in left.patches
    }
    heights = [bars[place] for place in range(len(estimate.names))]
    scale = estimate.prior_std if has_prior else np.abs(estimate.values)
    assert_allclose(heights, 100.0 * estimate.std / scale, rtol=1e-9)
    assert (left.get_ylabel() == 'std after / std before, %') == has_prior
    assert [text.get_text() for text in left.get_xticklabels()] == list(estimate.names)
    assert found.method.name in change.get_title()


def test_residuals_of_all_readings(result):
    """One panel for each unit; its points are the whitened misfit, and their spread is one."""
    case, found = result
    used = len(case.record) * 4 // 5
    figure = residual_figure(found, case.record, used)
    panels = figure.axes[::2]
    prepared = found.method.prepared(case.record)
    read = np.isfinite(found.method.residuals(prepared, found.values).values).any(axis=0)
    units = list(dict.fromkeys(np.array(found.method.output_units)[read].tolist()))
    assert [panel.get_ylabel().split(',')[0] for panel in panels] == [
        f'readings in {unit or "its unit"}' for unit in units
    ]
    points = [line for panel in panels for line in panel.lines if line.get_marker() == '.']
    assert len(points) == read.sum()
    drawn = np.concatenate([line.get_ydata() for line in points])
    assert np.all(np.abs(drawn) <= 6.0)
    if not found.method.is_for_comparison:
        assert np.std(drawn) == pytest.approx(1.0, abs=0.15)
    for panel in panels:
        assert any('held out' in text.get_text() for text in panel.texts)
