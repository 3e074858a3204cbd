"""Square-root information: least squares by orthogonal steps, whatever the blocks and scales."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import assert_close

from spacerobot_id.statistics.square_root_information import SquareRootInformation

SEEDS = st.integers(0, 2**32 - 1)


def random_rows(seed, rows=20, parameters=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, parameters)), rng.normal(size=rows)


def absorbed(matrix, right, sizes=()):
    """Return the information of rows, absorbed in blocks of given sizes, then the rest."""
    information = SquareRootInformation.nothing(matrix.shape[1])
    ends = [*np.cumsum(sizes).astype(int), len(right)]
    for begin, end in zip([0, *ends], ends, strict=False):
        information = information.absorb(matrix[begin:end], right[begin:end])
    return information


def random_prior(seed, parameters=5):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(parameters, parameters)) + 2.0 * np.eye(parameters)
    return rng.normal(size=parameters), root @ root.T


# What it is


@settings(deadline=None)
@given(SEEDS)
def test_values_are_those_of_least_squares(seed):
    """The estimate, and the sum of squares left, are numpy's."""
    matrix, right = random_rows(seed)
    information = absorbed(matrix, right)
    solution, residual, *_ = np.linalg.lstsq(matrix, right, rcond=None)
    assert_close(information.values(), solution, 1e-9)
    assert information.residual == pytest.approx(residual[0], rel=1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_the_covariance_is_the_inverse_normal_matrix(seed):
    """``(A^T A)^-1`` of rows with unit noise."""
    matrix, right = random_rows(seed)
    expected = np.linalg.inv(matrix.T @ matrix)
    assert_close(absorbed(matrix, right).covariance(), expected, 1e-8)


@settings(deadline=None)
@given(SEEDS, st.lists(st.integers(0, 8), max_size=4))
def test_blocks_are_as_good_as_the_whole(seed, sizes):
    """Recursive equals batch, single and no rows at a time included."""
    matrix, right = random_rows(seed, rows=40)
    whole, blocks = absorbed(matrix, right), absorbed(matrix, right, sizes)
    assert_close(blocks.values(), whole.values(), 1e-9)
    assert_close(blocks.covariance(), whole.covariance(), 1e-9)
    assert blocks.residual == pytest.approx(whole.residual, rel=1e-9)
    assert blocks.rows == whole.rows == 40


@settings(deadline=None)
@given(SEEDS)
def test_the_order_of_rows_does_not_matter(seed):
    """Shuffled rows give the same estimate and covariance."""
    matrix, right = random_rows(seed)
    order = np.random.default_rng(seed).permutation(len(right))
    first, other = absorbed(matrix, right, [7]), absorbed(matrix[order], right[order], [3, 9])
    assert_close(other.values(), first.values(), 1e-9)
    assert_close(other.covariance(), first.covariance(), 1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_the_factor_stays_triangular_and_the_information_definite(seed):
    """After a hundred blocks nothing is below the diagonal and no eigenvalue is negative."""
    information = SquareRootInformation.from_prior(*random_prior(seed))
    rng = np.random.default_rng(seed)
    for _ in range(100):
        scale = 10.0 ** rng.uniform(-6.0, 6.0)
        information = information.absorb(scale * rng.normal(size=(3, 5)), rng.normal(size=3))
    np.testing.assert_array_equal(np.tril(information.factor, -1), 0.0)
    np.linalg.cholesky(information.factor.T @ information.factor)


@settings(deadline=None)
@given(SEEDS)
def test_a_prior_comes_back(seed):
    """Mean and covariance of a prior are those of its information, which has no residual."""
    mean, covariance = random_prior(seed)
    information = SquareRootInformation.from_prior(mean, covariance)
    assert_close(information.values(), mean, 1e-8)
    assert_close(information.covariance(), covariance, 1e-8)
    np.testing.assert_array_equal(np.tril(information.factor, -1), 0.0)
    assert (information.residual, information.rows) == (0.0, 0)


@settings(deadline=None)
@given(SEEDS)
def test_a_prior_and_rows_combine_as_bayes_has_it(seed):
    """The posterior covariance is ``(P^-1 + A^T A)^-1``, the mean goes with it."""
    (mean, covariance), (matrix, right) = random_prior(seed), random_rows(seed)
    information = SquareRootInformation.from_prior(mean, covariance).absorb(matrix, right)
    precision = np.linalg.inv(covariance)
    expected = np.linalg.inv(precision + matrix.T @ matrix)
    assert_close(information.covariance(), expected, 1e-7)
    assert_close(information.values(), expected @ (precision @ mean + matrix.T @ right), 1e-7)


@settings(deadline=None)
@given(SEEDS)
def test_cost_and_deviations_are_those_of_the_rows(seed):
    """The sum of squares anywhere; and its growth is what a step is in deviations."""
    matrix, right = random_rows(seed)
    information, values = absorbed(matrix, right), random_rows(seed + 1)[0][0]
    assert information.cost(values) == pytest.approx(np.sum((matrix @ values - right) ** 2))
    step = values - information.values()
    growth = information.cost(values) - information.residual
    assert information.deviations(step) == pytest.approx(np.sqrt(growth / 5))


@settings(deadline=None)
@given(SEEDS, st.floats(0.01, 100.0))
def test_a_unit_residual_scales_the_covariance_to_what_is_left(seed, noise):
    """The estimate stays; the covariance is the textbook's, s^2 (A^T A)^-1."""
    matrix, right = random_rows(seed)
    information = absorbed(matrix, noise * right)
    scaled = information.with_unit_residual()
    variance = information.residual / (20 - 5)
    assert_close(scaled.values(), information.values(), 1e-9)
    assert_close(scaled.covariance(), variance * information.covariance(), 1e-9)
    assert scaled.residual == 15.0


def test_without_redundant_rows_there_is_no_residual_to_scale_to():
    """As many rows as parameters leave everything as it is."""
    information = absorbed(*random_rows(0, rows=5))
    assert information.with_unit_residual() is information


# Where it is singular


def test_nothing_is_known_of_nothing():
    """No rank, zeros for values, infinite covariance."""
    nothing = SquareRootInformation.nothing(3)
    assert nothing.rank() == 0
    np.testing.assert_array_equal(nothing.values(), np.zeros(3))
    assert np.isinf(nothing.covariance()).all()


@settings(deadline=None)
@given(SEEDS, st.integers(1, 4))
def test_too_few_rows_are_met_exactly(seed, rows):
    """The rank is their number, they hold at the values, the covariance is infinite."""
    matrix, right = random_rows(seed, rows=rows)
    information = absorbed(matrix, right)
    assert information.rank() == rows
    np.testing.assert_allclose(matrix @ information.values(), right, atol=1e-8)
    assert np.isinf(information.covariance()).all()


@settings(deadline=None)
@given(SEEDS, st.lists(st.integers(-9, 9), min_size=5, max_size=5))
def test_units_of_the_parameters_do_not_matter(seed, exponents):
    """Parameters in units of 1e-9 to 1e9 are as well determined as in units of one."""
    matrix, right = random_rows(seed)
    units = 10.0 ** np.array(exponents)
    information = absorbed(matrix * units, right)
    assert information.rank() == 5
    assert_close(units * information.values(), absorbed(matrix, right).values(), 1e-8)


# Against the plain form


def plain_recursive_least_squares(matrix, right, variance):
    """Return estimate and covariance of the textbook's recursion in covariance form."""
    values, covariance = np.zeros(matrix.shape[1]), variance * np.eye(matrix.shape[1])
    for row, measured in zip(matrix, right, strict=True):
        gain = covariance @ row / (1.0 + row @ covariance @ row)
        values = values + gain * (measured - row @ values)
        covariance = covariance - np.outer(gain, row @ covariance)
    return values, covariance


def test_on_rows_of_one_size_the_plain_form_agrees():
    """The textbook's recursion is right where nothing is hard."""
    matrix, right = random_rows(0, rows=60)
    values, covariance = plain_recursive_least_squares(matrix, right, 1e6)
    assert_close(values, absorbed(matrix, right).values(), 1e-5)
    assert_close(covariance, absorbed(matrix, right).covariance(), 1e-5)


def nearly_dependent_rows(seed):
    """Return rows whose columns are nearly the same, and what is measured."""
    rng = np.random.default_rng(seed)
    matrix = 100.0 * (rng.normal(size=(60, 1)) + 1e-5 * rng.normal(size=(60, 4)))
    return matrix, matrix @ [1.0, -2.0, 3.0, 4.0] + rng.normal(size=60)


def test_it_succeeds_where_the_plain_form_fails():
    """Nearly dependent columns and a vague prior: true variances here, rounding there.

    Which sign the rounding has differs from machine to machine, but not in twenty cases at once.
    """
    deviation, smallest = 1e6, []
    for seed in range(20):
        matrix, right = nearly_dependent_rows(seed)
        information = SquareRootInformation.from_prior(np.zeros(4), deviation**2 * np.eye(4))
        for row, measured in zip(matrix, right, strict=True):
            information = information.absorb(row[None], np.array([measured]))
        stacked = np.vstack([np.eye(4) / deviation, matrix])
        variances = np.linalg.svd(stacked, compute_uv=False) ** -2.0
        found = np.linalg.eigvalsh(information.covariance())
        np.testing.assert_allclose(found, variances, rtol=1e-3)
        _, plain = plain_recursive_least_squares(matrix, right, deviation**2)
        smallest.append(np.linalg.eigvalsh(plain).min() / variances.min())
    assert np.abs(smallest).min() > 1e3
    assert min(smallest) < 0.0


@settings(deadline=None)
@given(SEEDS)
def test_the_others_integrated_out_leave_the_marginal(seed):
    """Values and covariance of the first parameters are those they had among all."""
    rng = np.random.default_rng(seed)
    matrix, right = rng.normal(size=(20, 5)), rng.normal(size=20)
    whole = SquareRootInformation.nothing(5).absorb(matrix, right)
    part = whole.of_first(2)
    assert_close(part.values(), whole.values()[:2], 1e-8)
    assert_close(part.covariance(), whole.covariance()[:2, :2], 1e-8)


@settings(deadline=None)
@given(SEEDS, st.sampled_from([0, 1, 1023, 1024, 1025, 3000]))
def test_whitened_rows_are_in_standard_deviations(seed, count):
    """However many they are, their squares are variances of what they predict."""
    information = absorbed(*random_rows(seed))
    rows = random_rows(seed, rows=count)[0]
    white = information.whitened(rows)
    assert white.shape == rows.shape
    np.testing.assert_allclose(white @ information.factor, rows, rtol=0.0, atol=1e-9)
    variances = np.einsum('ni,ij,nj->n', rows, information.covariance(), rows)
    np.testing.assert_allclose(np.sum(white**2, axis=1), variances, rtol=1e-7)


@pytest.mark.parametrize('wrong', [np.nan, np.inf])
def test_information_that_is_not_finite_is_refused(wrong, capfd):
    """By an error that can be met, and not by a line of LAPACK's on the terminal."""
    known = SquareRootInformation(np.diag([1.0, wrong, 1.0]), np.ones(3))
    with pytest.raises(np.linalg.LinAlgError):
        known.values()
    assert not capfd.readouterr().err
