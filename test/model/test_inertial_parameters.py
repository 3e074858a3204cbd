"""The ten parameters of a link: conversions are exact, and impossible bodies are found out."""

import re

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_inertial, random_rotation

from spacerobot_id.model import (
    InertialParameters,
    PARAMETER_NAMES,
    parameter_transform,
    PARAMETER_UNITS,
)
from spacerobot_id.model.inertial_parameters import MASS, MX, MZ
from spacerobot_id.spatial import skew

SEEDS = st.integers(0, 2**32 - 1)


def pinocchio_inertia(body):
    return pin.Inertia(body.mass, body.com, body.inertia_about_com)


def points_of_body(rng, count=6):
    """Return masses and positions of points that make up a body."""
    return rng.uniform(0.1, 2.0, count), rng.uniform(-1.0, 1.0, (count, 3))


def body_of_points(masses, positions):
    inertia = sum(-m * skew(p) @ skew(p) for m, p in zip(masses, positions, strict=True))
    return InertialParameters(masses.sum(), masses @ positions, inertia)


def body_with_moments(*moments):
    return InertialParameters.from_com(2.0, [0.1, 0.2, 0.3], np.diag(moments))


def test_every_parameter_has_a_name_and_a_unit():
    """Ten names, ten units, the mass between the inertia and the first moment."""
    assert len(PARAMETER_NAMES) == len(PARAMETER_UNITS) == 10
    assert (PARAMETER_NAMES[MASS], PARAMETER_NAMES[MX], PARAMETER_NAMES[MZ]) == ('m', 'mx', 'mz')
    assert [PARAMETER_UNITS[i] for i in (0, MASS, MX)] == ['kg m^2', 'kg', 'kg m']


def test_the_order_of_the_vector_is_that_of_the_paper():
    """Ixx Iyy Izz Ixy Iyz Izx m mx my mz, off-diagonal elements as in the matrix."""
    inertia = np.array([[1.0, 4.0, 6.0], [4.0, 2.0, 5.0], [6.0, 5.0, 3.0]])
    body = InertialParameters(7.0, [8.0, 9.0, 10.0], inertia)
    np.testing.assert_array_equal(body.vector, np.arange(1.0, 11.0))


@given(SEEDS)
def test_a_vector_and_its_body_are_the_same(seed):
    """Any ten numbers come back from the body that they make."""
    vector = np.random.default_rng(seed).normal(size=10)
    np.testing.assert_array_equal(InertialParameters.from_vector(vector).vector, vector)


@given(SEEDS)
def test_mass_centre_and_inertia_come_back(seed):
    """Parameters built about the centre of mass give that centre and inertia again."""
    rng = np.random.default_rng(seed)
    mass, com, inertia = rng.uniform(0.1, 10.0), rng.normal(size=3), np.diag(rng.random(3))
    body = InertialParameters.from_com(mass, com, inertia)
    np.testing.assert_allclose(body.com, com, rtol=1e-14)
    np.testing.assert_allclose(
        body.inertia_about_com, inertia, atol=1e-12 * mass * (1 + com @ com)
    )


@given(SEEDS)
def test_sums_are_sums_of_points(seed):
    """The parameters of two clouds of points are those of all points together."""
    rng = np.random.default_rng(seed)
    (m1, p1), (m2, p2) = points_of_body(rng), points_of_body(rng)
    together = body_of_points(np.append(m1, m2), np.vstack([p1, p2]))
    both = body_of_points(m1, p1) + body_of_points(m2, p2)
    np.testing.assert_allclose(both.vector, together.vector, atol=1e-12)


@given(SEEDS)
def test_another_frame_moves_the_points(seed):
    """Parameters in another frame are those of the points' positions in that frame."""
    rng = np.random.default_rng(seed)
    masses, positions = points_of_body(rng)
    R_AL, p_AL_A = random_rotation(rng), rng.normal(size=3)
    moved = body_of_points(masses, positions @ R_AL.T + p_AL_A)
    body = body_of_points(masses, positions).expressed_in(R_AL, p_AL_A)
    np.testing.assert_allclose(body.vector, moved.vector, atol=1e-12)


@given(SEEDS)
def test_another_frame_is_that_of_pinocchio(seed):
    """Pinocchio moves mass, centre and inertia the same way."""
    rng = np.random.default_rng(seed)
    body, placement = random_inertial(rng), pin.SE3(random_rotation(rng), rng.normal(size=3))
    moved = body.expressed_in(placement.rotation, placement.translation)
    oracle = placement.act(pinocchio_inertia(body))
    assert moved.mass == pytest.approx(oracle.mass, rel=1e-14)
    np.testing.assert_allclose(moved.com, oracle.lever, atol=1e-12)
    np.testing.assert_allclose(moved.inertia_about_com, oracle.inertia, atol=1e-11)


@given(SEEDS)
def test_transforms_compose(seed):
    """From L to A to B is from L to B; back again is the identity."""
    rng = np.random.default_rng(seed)
    R_AL, p_AL_A = random_rotation(rng), rng.normal(size=3)
    R_BA, p_BA_B = random_rotation(rng), rng.normal(size=3)
    direct = parameter_transform(R_BA @ R_AL, p_BA_B + R_BA @ p_AL_A)
    steps = parameter_transform(R_BA, p_BA_B) @ parameter_transform(R_AL, p_AL_A)
    back = parameter_transform(R_AL.T, -R_AL.T @ p_AL_A) @ parameter_transform(R_AL, p_AL_A)
    np.testing.assert_allclose(steps, direct, atol=1e-11)
    np.testing.assert_allclose(back, np.eye(10), atol=1e-11)


def test_staying_in_the_frame_changes_nothing():
    """The identity leaves every bit of the parameters."""
    np.testing.assert_array_equal(parameter_transform(np.eye(3), np.zeros(3)), np.eye(10))


@given(SEEDS)
def test_random_bodies_are_physical(seed):
    """Bodies with a positive spread of mass have no defects in any frame."""
    rng = np.random.default_rng(seed)
    body = random_inertial(rng).expressed_in(random_rotation(rng), rng.normal(size=3))
    assert body.is_physical()
    assert np.linalg.eigvalsh(body.pseudo_inertia).min() > 0.0


@given(SEEDS)
def test_defects_agree_with_the_pseudo_inertia(seed):
    """A body has defects if and only if its pseudo-inertia is not positive definite."""
    rng = np.random.default_rng(seed)
    body = InertialParameters.from_com(
        rng.uniform(0.5, 2.0), rng.normal(size=3), np.diag(rng.uniform(-0.2, 1.0, 3))
    )
    smallest = np.linalg.eigvalsh(body.pseudo_inertia).min()
    assert body.is_physical() == (smallest > 0.0)


@pytest.mark.parametrize(
    ('body', 'reason'),
    [
        (body_with_moments(1.0, 1.0, np.nan), 'not finite'),
        (InertialParameters(-1.0, np.zeros(3), np.eye(3)), 'mass -1 kg is not positive'),
        (InertialParameters.zero(), 'mass 0 kg is not positive'),
        (body_with_moments(1.0, 1.0, -0.1), r'not positive definite .*-0\.1 kg m\^2'),
        (body_with_moments(1.0, 1.0, 2.1), r'triangle inequality \(2\.1 > 1 \+ 1 kg m\^2\)'),
    ],
)
def test_a_defect_is_told_with_its_numbers(body, reason):
    """What no rigid body can have is reported in one sentence."""
    (defect,) = body.defects()
    assert not body.is_physical()
    assert re.search(reason, defect)


def test_motion_in_the_plane_asks_for_mass_and_one_moment_alone():
    """What it does not show is that of a description, and may break any inequality."""
    assert body_with_moments(1.0, 1.0, 2.1).defects(planar=True) == []
    (defect,) = body_with_moments(1.0, 1.0, -0.1).defects(planar=True)
    assert 'about z through the centre of mass' in defect


def test_a_flat_plate_is_possible():
    """A plate's moments add up exactly and stay inside the triangle inequality."""
    assert body_with_moments(0.3, 0.4, 0.7).is_physical()


def test_a_body_without_mass_has_no_centre():
    """The centre of mass of nothing is NaN, its inertia what it is."""
    nothing = InertialParameters.zero()
    assert np.isnan(nothing.com).all()
    assert not nothing.inertia_about_com.any()


def test_arrays_cannot_be_changed():
    """Parameters are values: their arrays are read-only copies."""
    moment = np.ones(3)
    body = InertialParameters(1.0, moment, np.eye(3))
    moment[0] = 5.0
    assert body.first_moment[0] == 1.0
    with pytest.raises(ValueError, match='read-only'):
        body.first_moment[0] = 2.0
