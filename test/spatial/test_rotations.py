"""Rotations: exact where they can be, right at the corners."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_rotation
from scipy.spatial.transform import Rotation

from spacerobot_id.spatial import (
    exp_so3,
    normalise_quaternion,
    rotation_aligning_z,
    rotation_from_quaternion,
    skew,
)

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.floats(-10.0, 10.0)
AXES = st.tuples(NUMBERS, NUMBERS, NUMBERS).filter(lambda axis: np.linalg.norm(axis) > 1e-3)


def assert_rotation(matrix):
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(matrix) == pytest.approx(1.0)


@settings(deadline=None)
@given(SEEDS)
def test_skew_is_the_cross_product(seed):
    """For any leading axes, the matrix times a vector is the cross product."""
    a, b = np.random.default_rng(seed).normal(size=(2, 4, 2, 3))
    np.testing.assert_allclose((skew(a) @ b[..., None])[..., 0], np.cross(a, b), atol=1e-13)
    np.testing.assert_array_equal(skew(a), -np.swapaxes(skew(a), -1, -2))


@settings(deadline=None)
@given(SEEDS, st.sampled_from([0.0, 1e-300, 1e-12, 1e-6, 1e-3, 1.0, np.pi - 1e-9, np.pi]))
def test_exp_is_that_of_pinocchio(seed, angle):
    """At angles from nothing to half a turn."""
    axis = np.random.default_rng(seed).normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    np.testing.assert_allclose(exp_so3(vector), pin.exp3(vector), atol=1e-14)


@settings(deadline=None)
@given(SEEDS)
def test_opposite_rotations_cancel(seed):
    """For any leading axes, exp(-v) undoes exp(v)."""
    vectors = np.random.default_rng(seed).normal(size=(2, 3, 3))
    both = exp_so3(vectors) @ exp_so3(-vectors)
    np.testing.assert_allclose(both, np.broadcast_to(np.eye(3), both.shape), atol=1e-14)


def test_exp_of_a_small_rotation_is_its_skew_matrix():
    """The error of the first order falls with the square of the angle."""
    vector = np.array([0.3, -0.5, 0.2])
    errors = [
        np.abs(exp_so3(step * vector) - np.eye(3) - skew(step * vector)).max()
        for step in (1e-2, 1e-3)
    ]
    assert np.log10(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.01)


@settings(deadline=None)
@given(AXES)
@example((0.0, 2.2250738585e-313, -1.0))
@example((5e-324, 5e-324, -1.0))
def test_z_is_carried_onto_the_axis_the_shortest_way(axis):
    """A rotation, about a direction square to z, that takes z along the axis."""
    axis = np.array(axis) / np.linalg.norm(axis)
    matrix = rotation_aligning_z(3.0 * axis)
    assert_rotation(matrix)
    np.testing.assert_allclose(matrix[:, 2], axis, atol=1e-14)
    assert abs(Rotation.from_matrix(matrix).as_rotvec()[2]) < 1e-7


def test_z_itself_stays():
    """The z axis gives the identity to the last bit, its opposite half a turn about x."""
    np.testing.assert_array_equal(rotation_aligning_z([0.0, 0.0, 2.0]), np.eye(3))
    np.testing.assert_array_equal(
        rotation_aligning_z([0.0, 0.0, -2.0]), np.diag([1.0, -1.0, -1.0])
    )


@pytest.mark.parametrize('z', [1.0, -1.0])
@pytest.mark.parametrize('off', [1e-300, 1e-160, 1e-20, 1e-9, 1e-4])
def test_axes_close_to_z_are_carried_too(off, z):
    """Nothing is lost near the singular directions."""
    matrix = rotation_aligning_z([off, -off, z])
    assert_rotation(matrix)
    np.testing.assert_allclose(matrix[:, 2], [off, -off, z], atol=1e-8)


@pytest.mark.parametrize('axis', [[0.0, 0.0, 0.0], [np.nan, 0.0, 1.0], [np.inf, 0.0, 0.0]])
def test_an_axis_without_direction_is_refused(axis):
    """The error shows the axis."""
    with pytest.raises(ValueError, match='an axis needs a direction'):
        rotation_aligning_z(axis)


@settings(deadline=None)
@given(SEEDS)
def test_quaternions_are_x_y_z_w(seed):
    """The quaternion of a rotation gives that rotation; the order is pinocchio's."""
    matrix = random_rotation(np.random.default_rng(seed))
    quaternion = pin.Quaternion(matrix).coeffs()
    np.testing.assert_allclose(rotation_from_quaternion(quaternion), matrix, atol=1e-14)
    np.testing.assert_allclose(rotation_from_quaternion(-quaternion), matrix, atol=1e-14)


def test_quaternions_of_many_samples_make_as_many_rotations():
    """Leading axes stay."""
    quaternions = np.random.default_rng(0).normal(size=(4, 5, 4))
    assert rotation_from_quaternion(quaternions).shape == (4, 5, 3, 3)
    assert rotation_from_quaternion(np.zeros((0, 4))).shape == (0, 3, 3)
    assert exp_so3(np.zeros((0, 3))).shape == (0, 3, 3)


@settings(deadline=None)
@given(SEEDS, st.floats(0.951, 1.049))
def test_rounded_quaternions_become_unit_ones(seed, length):
    """Within the tolerance only the length changes."""
    unit = Rotation.random(random_state=seed % 2**31).as_quat()
    np.testing.assert_allclose(normalise_quaternion(length * unit), unit, atol=1e-15)


@pytest.mark.parametrize('length', [0.0, 0.9, 1.1, 100.0, np.nan, np.inf])
def test_what_is_no_quaternion_is_none(length):
    """Zero, far from one, or not finite."""
    assert normalise_quaternion(np.full(4, 0.5 * length)) is None
