"""Angular momentum about the centre of mass, moments and torques, linear in reduced parameters."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import assert_close, dual_arm, random_tree

from spacerobot_id.methods.locked_inertia import locked_inertia
from spacerobot_id.multibody import free_floating_inverse_dynamics, momentum
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    equations_of_motion_regressor,
    reduced_parameters,
)

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 5)
SAMPLES = 4


def random_motion(model, seed):
    """Return states whose linear momentum is zero, the angular momentum, and what they take."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, SAMPLES, len(model.joints)))
    angular = rng.normal(size=(SAMPLES, 3))
    total = np.hstack([np.zeros((SAMPLES, 3)), angular])
    dynamics = free_floating_inverse_dynamics(model, q, qd, qdd, total_momentum=total)
    return q, qd, qdd, angular, dynamics


@settings(deadline=None, max_examples=20)
@given(SEEDS, JOINTS)
def test_regressor_times_parameters_is_the_momentum(seed, joints):
    """Whatever the tree, prismatic joints and all: the momentum that the motion was made with."""
    model = random_tree(seed, joints)
    q, qd, _, angular, dynamics = random_motion(model, seed)
    reduced = reduced_parameters(model)
    turning = dynamics.base_twist[:, 3:]
    regressor = angular_momentum_regressor(model, reduced, q, qd, turning)
    assert regressor.shape == (SAMPLES, 3, len(reduced))
    assert_close(regressor @ reduced.values(model), angular, 1e-9)
    locked = locked_inertia(model, reduced, reduced.values(model), q)
    assert_close(np.einsum('nij,nj->ni', locked, np.hstack([turning, qd])), angular, 1e-9)


@settings(deadline=None, max_examples=20)
@given(SEEDS, JOINTS)
def test_regressor_times_parameters_are_moment_and_torques(seed, joints):
    """No moment from outside; the torques of inverse dynamics, which is another road."""
    model = random_tree(seed, joints)
    q, qd, qdd, _, dynamics = random_motion(model, seed)
    reduced = reduced_parameters(model)
    turning, bending = dynamics.base_twist[:, 3:], dynamics.base_acceleration[:, 3:]
    regressor = equations_of_motion_regressor(model, reduced, q, qd, qdd, turning, bending)
    wanted = np.hstack([np.zeros((SAMPLES, 3)), dynamics.joint_torques])
    assert_close(regressor @ reduced.values(model), wanted, 1e-9)


@settings(deadline=None, max_examples=10)
@given(SEEDS, JOINTS)
def test_the_combinations_are_all_there_are(seed, joints):
    """No column of the regressor depends on the others, at states of another seed."""
    model = random_tree(seed, joints)
    reduced = reduced_parameters(model)
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, len(reduced), len(model.joints)))
    rows = angular_momentum_regressor(model, reduced, q, qd, rng.normal(size=(len(reduced), 3)))
    rows = rows.reshape(-1, len(reduced))
    assert np.linalg.matrix_rank(rows / np.linalg.norm(rows, axis=0)) == len(reduced)


@settings(deadline=None, max_examples=10)
@given(SEEDS, JOINTS)
def test_the_seed_of_the_states_does_not_matter(seed, joints):
    """The same combinations with the same coefficients."""
    model = random_tree(seed, joints)
    one, other = reduced_parameters(model, seed=1), reduced_parameters(model, seed=2)
    assert one.names == other.names
    np.testing.assert_allclose(one.grouping, other.grouping, atol=1e-7)


@pytest.mark.parametrize('joints', [1, 3, 6])
def test_the_slope_is_the_derivative(joints):
    """Central differences by minimal parameters."""
    reduced = reduced_parameters(model := random_tree(joints, joints))
    values, step = reduced.minimal.values(model), 1e-5
    columns = [
        (reduced.from_minimal(values + step * unit) - reduced.from_minimal(values - step * unit))
        / (2.0 * step)
        for unit in np.eye(len(values))
    ]
    assert_close(reduced.slope(values), np.stack(columns, axis=1), 1e-6)


def test_what_the_description_has_zero_is_left_out():
    """Fewer combinations, the same momentum."""
    model = dual_arm()
    flat = model.parameters.copy()
    flat.reshape(-1, 10)[1:, [3, 4, 5, 8, 9]] = 0.0
    model = model.with_parameters(flat)
    every, described = reduced_parameters(model), reduced_parameters(model, as_described=True)
    assert len(described) < len(every)
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, SAMPLES, 6))
    turning = rng.normal(size=(SAMPLES, 3))
    both = [
        angular_momentum_regressor(model, each, q, qd, turning) @ each.values(model)
        for each in (every, described)
    ]
    assert_close(both[1], both[0], 1e-10)


def test_names_and_units():
    """Inertias and what first moments of different links share, all in kg m^2."""
    reduced = reduced_parameters(random_tree(3, 3, prismatic_share=0.0))
    assert set(reduced.units) == {'kg m^2'}
    assert len(set(reduced.names)) == len(reduced)
    assert reduced.names[:6] == tuple(
        f'link_00.{each}' for each in ('Ixx', 'Iyy', 'Izz', 'Ixy', 'Iyz', 'Izx')
    )
    assert any(':' in name for name in reduced.names)


def test_base_position_and_velocity_play_no_part():
    """Of the whole momentum, linear part zero, the angular part about any point is this one."""
    model = dual_arm()
    q, qd, _, angular, dynamics = random_motion(model, 5)
    whole = momentum(model, q, qd, dynamics.base_twist)
    np.testing.assert_allclose(whole[:, :3], 0.0, atol=1e-9)
    np.testing.assert_allclose(whole[:, 3:], angular, atol=1e-9)
