"""Log-Cholesky numbers: every ten of them are a body that can exist, and the other way round."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.model import (
    bodies_from_log_cholesky,
    InertialParameters,
    log_cholesky_from_body,
)

REFERENCE = InertialParameters.from_com(
    5.0, [0.1, 0.0, -0.2], np.array([[0.3, 0.02, 0.0], [0.02, 0.4, 0.05], [0.0, 0.05, 0.5]])
).vector
NUMBERS = st.lists(st.floats(-2.0, 2.0), min_size=10, max_size=10)


@settings(deadline=None)
@given(NUMBERS)
def test_every_body_can_exist_and_has_its_numbers(numbers):
    body = bodies_from_log_cholesky(REFERENCE, numbers)
    assert InertialParameters.from_vector(body).is_physical()
    np.testing.assert_allclose(log_cholesky_from_body(REFERENCE, body), numbers, atol=1e-6)


def test_zeros_are_the_reference_and_units_mean_what_they_say():
    """The seventh is half the logarithm of the mass ratio; the last three move the centre."""
    np.testing.assert_allclose(bodies_from_log_cholesky(REFERENCE, np.zeros(10)), REFERENCE)
    heavier = bodies_from_log_cholesky(REFERENCE, 0.5 * np.log(3.0) * np.eye(10)[6])
    np.testing.assert_allclose(heavier, 3.0 * REFERENCE)
    batch = bodies_from_log_cholesky(REFERENCE, np.eye(10)[[7, 8, 9]])
    assert batch.shape == (3, 10)
    np.testing.assert_allclose(batch[:, 6], REFERENCE[6])
    assert (np.abs(batch[:, 7:] - REFERENCE[7:]).max(axis=1) > 0.5).all()


def test_what_cannot_exist_has_no_numbers():
    with pytest.raises(ValueError, match='no body'):
        log_cholesky_from_body(REFERENCE, -REFERENCE)
