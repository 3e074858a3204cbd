"""Errors of an estimate, its table and its picture."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.report.estimate_plot import estimate_figure
from spacerobot_id.report.estimate_table import estimate_table
from spacerobot_id.report.metrics import estimate_errors

NAMES = ('L0.m', 'L1.Ixx-Iyy', 'L2.mx')
UNITS = ('kg', 'kg m^2', 'kg m')
TRUE = (100.0, -20.0, 5.0)
VALUES = (101.0, -20.6, 5.5)
STD = (1.0, 0.2, 0.1)


def dots(axes):
    """Return the heights of the points of a picture."""
    (line,) = [line for line in axes.lines if line.get_marker() == 'o']
    return line.get_ydata()


def test_errors_of_a_worked_example():
    """One, three and ten per cent off; only the first is inside its interval."""
    errors = estimate_errors(VALUES, STD, TRUE)
    assert_allclose(errors.relative, [0.01, 0.03, 0.10])
    assert errors.median == pytest.approx(0.03)
    assert errors.largest == pytest.approx(0.10)
    assert errors.coverage == pytest.approx(1.0 / 3.0)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_errors_do_not_depend_on_the_unit(seed, unit):
    rng = np.random.default_rng(seed)
    values, true, std = rng.normal(size=20), rng.normal(size=20), rng.uniform(0.1, 2.0, 20)
    one = estimate_errors(values, std, true)
    other = estimate_errors(unit * values, unit * std, unit * true)
    assert_allclose(other.relative, one.relative, rtol=1e-9)
    assert (other.median, other.largest) == pytest.approx((one.median, one.largest))


def test_true_intervals_hold_the_truth_in_95_percent():
    rng = np.random.default_rng(0)
    true, std = rng.normal(size=20_000), rng.uniform(0.1, 2.0, 20_000)
    errors = estimate_errors(true + std * rng.normal(size=20_000), std, true)
    assert errors.coverage == pytest.approx(0.95, abs=0.005)


def test_where_the_truth_is_zero_there_is_no_relative_error():
    """It neither warns nor counts; the interval is judged all the same."""
    errors = estimate_errors([1.1, 0.3], [0.2, 0.1], [1.0, 0.0])
    assert_allclose(errors.relative, [0.1, np.nan])
    assert (errors.median, errors.largest) == pytest.approx((0.1, 0.1))
    assert errors.coverage == 0.5
    nowhere = estimate_errors([0.3], [0.1], [0.0])
    assert np.isnan([nowhere.median, nowhere.largest]).all()


def test_the_table_has_a_line_for_each_parameter():
    """Columns are aligned; every line has name, unit, truth, estimate, std and error."""
    head, rule, *lines = estimate_table(NAMES, UNITS, VALUES, STD, TRUE).splitlines()
    assert head.split() == ['parameter', 'unit', 'true', 'estimate', 'std', 'error']
    assert set(rule) == {'-'}
    assert {len(line) for line in (head, rule, *lines)} == {len(head)}
    assert lines[1].split() == ['L1.Ixx-Iyy', 'kg', 'm^2', '-20.000', '-20.600', '0.200', '+3.00%']
    assert [line.split()[0] for line in lines] == list(NAMES)


@pytest.mark.parametrize('rows', [0, 1, 30])
def test_the_picture_shows_errors_and_their_fall(tmp_path, rows):
    """Every point where it belongs, with and without a history; infinite std is no harm."""
    times = np.arange(rows, dtype=float)
    history = np.column_stack([times, np.exp(-times), 10.0 * np.exp(-times)])
    figure = estimate_figure(
        (*NAMES, 'zero'), (*VALUES, 0.1), (*STD, np.inf), (*TRUE, 0.0), history
    )
    scores, shares, progress = figure.axes
    assert_allclose(dots(scores), [1.0, -3.0, 3.9, 0.0])  # the third at the edge: it is 5
    assert_allclose(dots(shares)[:3], [1.0, 3.0, 10.0])
    assert_allclose([bar.get_height() for bar in shares.patches][:3], [1.0, 1.0, 2.0])
    assert [text.get_text() for text in shares.get_xticklabels()] == [*NAMES, 'zero']
    for line, column in zip(progress.lines, (2, 1), strict=bool(rows)):
        assert_allclose(line.get_xdata(), times)
        assert_allclose(line.get_ydata(), 100.0 * history[:, column])
    assert scores.get_title() == (
        '4 minimal parameters: median error 3.00 %, largest 10.0 %, 50 % of the true values '
        'inside their 95 % intervals'
    )
    figure.savefig(tmp_path / 'estimate.png')


def test_the_picture_leaves_out_what_is_only_the_prior():
    """Estimates before the data determine anything would stretch the axis over thirty decades."""
    history = np.array([[0.0, 1e14, 1e30], [1.0, 2.0, 1e4], [2.0, 0.1, 0.5], [3.0, 0.01, 0.05]])
    progress = estimate_figure(NAMES, VALUES, STD, TRUE, history).axes[2]
    worst, median = (line.get_ydata() for line in progress.lines)
    assert_allclose(worst, [50.0, 5.0])
    assert_allclose(median, [10.0, 1.0])
    low, high = progress.get_ylim()
    assert high / low < 1e4
