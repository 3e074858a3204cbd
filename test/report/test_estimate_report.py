"""Errors of an estimate, one by one and all together, and its table."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.cli.demo import estimate_table
from spacerobot_id.report.metrics import estimate_errors, joint_error
from spacerobot_id.report.page.content import percent, vector

NAMES = ('L0.m', 'L1.Ixx-Iyy', 'L2.mx')
UNITS = ('kg', 'kg m^2', 'kg m')
TRUE = (100.0, -20.0, 5.0)
VALUES = (101.0, -20.6, 5.5)
STD = (1.0, 0.2, 0.1)


def table(names, units, *numbers):
    """Return the table of parameters with their values, standard deviations and truth."""
    keys = 'name', 'unit', 'value', 'std', 'true'
    rows = (dict(zip(keys, row, strict=True)) for row in zip(names, units, *numbers, strict=True))
    return estimate_table(list(rows))


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
    head, rule, *lines = table(NAMES, UNITS, VALUES, STD, TRUE).splitlines()
    assert head.split() == ['parameter', 'unit', 'true', 'estimate', 'std', 'error']
    assert set(rule) == {'-'}
    assert {len(line) for line in (head, rule, *lines)} == {len(head)}
    assert ' '.join(lines[1].split()) == 'L1.Ixx-Iyy kg m^2 -20.00 -20.60 0.200 +3.0 %'
    assert [line.split()[0] for line in lines] == list(NAMES)


def test_the_joint_error_is_chi_square_by_chance():
    """Strongly correlated errors, 95 of 100 within the bounds, though coverage scatters widely."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(12, 12)) + 4.0 * np.ones((12, 1))
    covariance, true = root @ root.T, rng.normal(size=12)
    found = [joint_error(true + root @ rng.normal(size=12), covariance, true) for _ in range(2000)]
    assert np.mean([each.value for each in found]) == pytest.approx(12.0, abs=0.5)
    assert np.mean([each.is_by_chance for each in found]) == pytest.approx(0.95, abs=0.02)
    assert found[0].bounds == pytest.approx((4.4038, 23.3367), abs=1e-3)


@given(st.integers(0, 2**32 - 1))
def test_the_joint_error_does_not_depend_on_the_parameters_chosen(seed):
    """Of any combinations of them it is the same."""
    rng = np.random.default_rng(seed)
    root, error = rng.normal(size=(5, 5)) + 3.0 * np.eye(5), rng.normal(size=5)
    change = rng.normal(size=(5, 5)) + 3.0 * np.eye(5)
    one = joint_error(error, root @ root.T, np.zeros(5))
    other = joint_error(change @ error, change @ root @ root.T @ change.T, np.zeros(5))
    assert other.value == pytest.approx(one.value, rel=1e-5)


def test_the_joint_error_says_what_it_means():
    """Too large, too small, as it should be."""
    identity, zero = np.eye(4), np.zeros(4)
    assert 'what the covariance says' in joint_error(np.ones(4), identity, zero).sentence()
    assert '3 times as large' in joint_error(3.0 * np.ones(4), identity, zero).sentence()
    assert 'smaller than' in joint_error(0.1 * np.ones(4), identity, zero).sentence()


def test_the_joint_error_is_of_what_is_identified():
    """What is not known, or not identified, is left out."""
    covariance = np.diag([1.0, np.inf, 4.0, 1.0])
    found = joint_error([1.0, 5.0, 2.0, 9.0], covariance, np.zeros(4), [True, True, True, False])
    assert (found.value, found.count, found.left_out) == (pytest.approx(2.0), 2, 2)
    assert 'the 2 identified parameters' in found.sentence()


def test_small_bodies_are_printed_with_their_digits():
    """Of a body of a gram: no column is zero where the number is not."""
    scale = 1e-9
    arrays = [scale * np.asarray(each) for each in (VALUES, STD, TRUE)]
    small = table(NAMES, UNITS, *arrays).splitlines()[2:]
    large = table(NAMES, UNITS, VALUES, STD, TRUE).splitlines()[2:]
    for name, *lines in zip(NAMES, small, large, strict=True):
        assert all(line.startswith(name) for line in lines)
        found, wanted = (np.array(line.split()[-5:-2], dtype=float) for line in lines)
        np.testing.assert_allclose(found / scale, wanted, rtol=2e-3)


@pytest.mark.parametrize('zero', [0.0, 1e-17, -3e-14])
def test_a_share_of_zero_is_none(zero):
    """Be it the zero of a rounding: no percentage is printed, nor counted."""
    true = np.array([1.0, zero, 200.0])
    errors = estimate_errors([1.1, 0.3, 200.0], [0.1, 0.1, 1.0], true)
    assert np.isnan(errors.relative[1])
    assert errors.largest == pytest.approx(0.1)
    lines = table(['a', 'b', 'c'], 3 * ['kg'], [1.1, 0.3, 200.0], np.ones(3), true)
    assert [line.endswith(' %') for line in lines.splitlines()[2:]] == [True, False, True]
    assert percent(0.3 / (zero or 1e-300) - 1.0) == ''
    assert percent(-0.034) == '-3.4 %'


def test_vectors_of_small_bodies_have_their_digits():
    assert vector([1.234e-5, -2e-19, 0.0]) == '1.234e-5, 0, 0'
    assert vector([0.0, 0.0, 0.0]) == '0, 0, 0'
