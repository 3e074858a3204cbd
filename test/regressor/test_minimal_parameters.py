"""Minimal parameters: the published ones, the paper's coefficients, and no more than the rank."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from random_robots import random_inertial
from robots import assert_close, dual_arm, published_parameters, random_tree
from scipy.spatial.transform import Rotation

from spacerobot_id.model import Joint, JointType, Link, parameter_transform, RobotModel
from spacerobot_id.multibody import momentum
from spacerobot_id.regressor import minimal_parameters, momentum_regressor
from spacerobot_id.spatial import skew

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 20)


def stacked_rank(model, seed):
    """Return the numerical rank of the standard regressor over many random states."""
    columns = 10 * len(model.links)
    states = random_states(model, seed, samples=columns)
    stacked = momentum_regressor(model, states.q, states.qd, states.base_twist)
    stacked = stacked.reshape(-1, columns)
    return np.linalg.matrix_rank(stacked / np.linalg.norm(stacked, axis=0), tol=1e-9)


def modified_dh_pair(alpha, b, seed=0):
    """Return a base and a link behind one joint of the paper's table: Rx(alpha) Rz(q), b."""
    rng = np.random.default_rng(seed)
    R_PC = Rotation.from_rotvec([alpha, 0.0, 0.0]).as_matrix()
    joint = Joint('joint', JointType.REVOLUTE, 0, R_PC, np.asarray(b))
    links = [Link('base', random_inertial(rng)), Link('link', random_inertial(rng))]
    return RobotModel('pair', links, [joint])


# Published numbers


def test_the_dual_arm_robot_has_the_published_names_and_units():
    """52 parameters in the order of Table 5, their names and units."""
    minimal, rows = minimal_parameters(dual_arm()), published_parameters()
    assert len(minimal) == len(rows) == 52
    assert minimal.names == tuple(f'{row["link"]}.{row["parameter"]}' for row in rows)
    assert minimal.units == tuple(row['unit'] for row in rows)


def test_the_dual_arm_robot_has_the_published_values():
    """Table 5, column true, to the rounding of the tables."""
    values = minimal_parameters(dual_arm()).values(dual_arm())
    published = [float(row['true']) for row in published_parameters()]
    np.testing.assert_allclose(values, published, rtol=0.0, atol=6e-4)


@settings(deadline=None)
@given(
    st.floats(-np.pi, np.pi),
    st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)),
)
def test_the_coefficients_are_those_of_the_paper(alpha, b):
    """t1, t2 and t3 of Eqs. 18 to 20, written with the twist alpha, carry Iyy, m and mz."""
    cosine, sine = np.cos(alpha), np.sin(alpha)
    of_iyy = [1.0, cosine**2, sine**2, 0.0, cosine * sine, 0.0]
    of_mz = [
        2.0 * b[2] * cosine - 2.0 * b[1] * sine,
        2.0 * b[2] * cosine,
        -2.0 * b[1] * sine,
        b[0] * sine,
        b[2] * sine - b[1] * cosine,
        -b[0] * cosine,
    ]
    squared = -skew(b) @ skew(b)
    of_mass = squared[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
    expected = np.zeros((10, 3))
    expected[:6] = np.stack([of_iyy, of_mass, of_mz], axis=1)
    expected[6:, 1] = [1.0, *b]
    expected[7:, 2] = [0.0, -sine, cosine]
    grouping = minimal_parameters(modified_dh_pair(alpha, b)).grouping
    np.testing.assert_allclose(grouping[:10, [11, 16, 19]], expected, atol=1e-14)


# Identities


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_grouping_preserves_the_momentum(seed, joints):
    """Minimal regressor times minimal values is the momentum."""
    model = random_tree(seed, joints)
    minimal, states = minimal_parameters(model), random_states(model, seed)
    motion = states.q, states.qd, states.base_twist
    grouped = momentum_regressor(model, *motion, minimal.columns) @ minimal.values(model)
    assert_close(grouped, momentum(model, *motion), 1e-10)


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_grouping_is_linear_dependency_of_columns(seed, joints):
    """The minimal columns times the grouping matrix are all columns: for any parameters."""
    model = random_tree(seed, joints)
    minimal, states = minimal_parameters(model), random_states(model, seed)
    regressor = momentum_regressor(model, states.q, states.qd, states.base_twist)
    assert_close(regressor[..., minimal.columns] @ minimal.grouping, regressor, 1e-10)


@settings(max_examples=15, deadline=None)
@given(SEEDS, JOINTS)
def test_there_are_as_many_as_the_rank(seed, joints):
    """The stacked regressor of all standard parameters has the rank of their number."""
    model = random_tree(seed, joints)
    assert stacked_rank(model, seed) == len(minimal_parameters(model))


@settings(deadline=None)
@given(SEEDS, JOINTS)
def test_their_number_follows_from_the_joints(seed, joints):
    """10 for the base, 7 per revolute and 4 per prismatic joint."""
    model = random_tree(seed, joints, prismatic_share=0.5)
    each = {JointType.REVOLUTE: 7, JointType.PRISMATIC: 4}
    expected = 10 + sum(each[joint.type] for joint in model.joints)
    minimal = minimal_parameters(model)
    assert len(minimal) == len(minimal.units) == len(minimal.columns) == expected
    assert minimal.grouping.shape == (expected, 10 * len(model.links))


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_expanded_parameters_move_like_the_robot(seed, joints):
    """Minimal values as standard parameters have the same momentum and the same values again."""
    model = random_tree(seed, joints)
    minimal, states = minimal_parameters(model), random_states(model, seed)
    motion = states.q, states.qd, states.base_twist
    values = minimal.values(model)
    expanded = model.with_parameters(minimal.expand(values))
    assert_close(momentum(expanded, *motion), momentum(model, *motion), 1e-10)
    assert_close(minimal.values(expanded), values, 1e-12)


@settings(deadline=None)
@given(SEEDS)
def test_a_joint_passes_on_what_looks_the_same_at_every_position(seed):
    """Iyy with Ixx, m, mz (revolute) or the inertia (prismatic) may as well be the parent's."""
    rng, model = np.random.default_rng(seed), random_tree(seed, 5)
    minimal, parameters = minimal_parameters(model), model.parameters.copy()
    for child, joint in enumerate(model.joints, 1):
        given_away = np.zeros(10)
        if joint.type is JointType.REVOLUTE:
            given_away[[0, 1]] = rng.normal()
            given_away[[6, 9]] = rng.normal(size=2)
        else:
            given_away[:6] = rng.normal(size=6)
        carried = parameter_transform(joint.R_PC, joint.p_PC_P) @ given_away
        parameters[10 * child : 10 * child + 10] -= given_away
        parameters[10 * joint.parent : 10 * joint.parent + 10] += carried
    changed = model.with_parameters(parameters)
    assert_close(minimal.values(changed), minimal.values(model), 1e-12)


def test_a_single_body_keeps_all_ten():
    """Without joints the minimal parameters are the base's own."""
    model = random_tree(3, 0)
    minimal = minimal_parameters(model)
    np.testing.assert_array_equal(minimal.values(model), model.parameters)
    np.testing.assert_array_equal(minimal.grouping, np.eye(10))
    assert stacked_rank(model, 0) == 10


def test_mass_of_the_base_is_the_mass_of_all():
    """Everything's mass ends in that of the base, whatever hangs behind revolute joints."""
    model = random_tree(4, 8, prismatic_share=0.0)
    minimal = minimal_parameters(model)
    total = sum(link.inertial.mass for link in model.links)
    assert minimal.values(model)[minimal.names.index('link_00.m')] == pytest.approx(total)


@pytest.mark.parametrize('share', [0.0, 0.5, 1.0])
def test_the_masses_add_up_to_the_total_mass(share):
    """Whatever the joints; only with revolute ones the base's stands for all."""
    model = random_tree(5, 6, prismatic_share=share)
    minimal = minimal_parameters(model)
    total = sum(link.inertial.mass for link in model.links)
    assert minimal.values(model)[minimal.masses].sum() == pytest.approx(total)
    assert (len(minimal.masses) == 1) == (share == 0.0)
