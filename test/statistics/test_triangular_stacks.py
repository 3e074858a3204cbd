"""Stacks of triangles are solved as LAPACK solves each."""

import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.statistics.square_root_information import inverse_lower, solved_lower


def triangles(count, size):
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(count, size, size))
    return np.linalg.cholesky(roots @ np.swapaxes(roots, -1, -2) + np.eye(size))


@pytest.mark.parametrize('count', [0, 1, 50])
@pytest.mark.parametrize('size', [1, 3, 6])
def test_solutions_are_those_of_lapack(count, size):
    lower, rng = triangles(count, size), np.random.default_rng(1)
    right, columns = rng.normal(size=(count, size)), rng.normal(size=(count, size, 4))
    before = right.copy()
    expected = np.linalg.solve(lower, right[..., None])[..., 0]
    assert_allclose(solved_lower(lower, right), expected, rtol=1e-11, atol=1e-13)
    expected = np.linalg.solve(lower, columns)
    assert_allclose(solved_lower(lower, columns), expected, rtol=1e-11, atol=1e-13)
    assert_allclose(inverse_lower(lower), np.linalg.inv(lower), rtol=1e-11, atol=1e-13)
    assert_allclose(right, before, rtol=0)


def test_a_singular_triangle_is_refused():
    lower = triangles(3, 3)
    lower[1, 2, 2] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        solved_lower(lower, np.ones((3, 3)))
