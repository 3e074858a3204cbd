"""Joints that follow others: every quantity is that of the whole tree, led by fewer positions."""

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st
from motions import advanced, random_states
import numpy as np
import pytest
from random_robots import with_followers
from rerooting import reroot, rerooted_state
from robots import assert_close, random_tree
from robots import with_wheels as add_wheels

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.kinematics import link_motion, link_poses, point_jacobian
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.model import JointLimits, robot_from_urdf_string, urdf_from_robot
from spacerobot_id.multibody import (
    base_twist_from_momentum,
    coriolis_matrix,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
    momentum,
    momentum_matrix,
)
from spacerobot_id.multibody.forward.base_invariant import link_dynamics
from spacerobot_id.multibody.mass_matrix import (
    mass_matrix_derivatives,
    mass_matrix_rate,
)
from spacerobot_id.regressor import (
    first_moment_regressor,
    identifiability_table,
    minimal_parameters,
    momentum_regressor,
    momentum_regressor_gradient,
    reduced_parameters,
    wrench_regressor,
)
from spacerobot_id.simulation import DynamicSimulation, KinematicSimulation

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(2, 8)
STEP = 1e-6


def coupled_tree(seed, joints):
    return with_followers(random_tree(seed, joints), np.random.default_rng(seed))


def uncoupled(model):
    """Return the same tree, each joint on its own."""
    return replace(model, tree_joints=[replace(each, mimic=None) for each in model.tree_joints])


def differences(function, states, name):
    """Return central differences by each column of a state, on a new second axis."""
    where = getattr(states, name)
    steps = STEP * np.eye(where.shape[1])
    ahead, behind = (
        [function(replace(states, **{name: where + sign * step})) for step in steps]
        for sign in (1.0, -1.0)
    )
    return np.stack(ahead, axis=1) / (2.0 * STEP) - np.stack(behind, axis=1) / (2.0 * STEP)


@settings(max_examples=15, deadline=None)
@given(SEEDS, JOINTS)
def test_the_momentum_is_that_of_the_tree(seed, joints):
    """Positions of all joints, written out by hand, give the same poses and the same momentum."""
    model = coupled_tree(seed, joints)
    states, tree = random_states(model, seed), uncoupled(model)
    leading = dict(zip(model.joint_names, zip(states.q.T, states.qd.T, strict=True), strict=True))
    q, qd = np.empty((2, len(states.q), joints))
    for place, joint in enumerate(model.tree_joints):
        if joint.mimic is None:
            q[:, place], qd[:, place] = leading[joint.name]
        else:
            position, rate = leading[joint.mimic.joint]
            q[:, place] = joint.mimic.multiplier * position + joint.mimic.offset
            qd[:, place] = joint.mimic.multiplier * rate
    assert_close(link_poses(model, states.q).origins, link_poses(tree, q).origins, 1e-12)
    found = momentum(model, states.q, states.qd, states.base_twist)
    assert_close(found, momentum(tree, q, qd, states.base_twist), 1e-12)
    rows = momentum_regressor(model, states.q, states.qd, states.base_twist)
    assert_close(found, rows @ model.parameters, 1e-12)
    velocity = np.hstack([states.base_twist, states.qd])
    matrix = momentum_matrix(model, states.q)
    assert_close(found, np.einsum('nij,nj->ni', matrix, velocity), 1e-12)
    assert_close(matrix, mass_matrix(model, states.q)[:, :6], 1e-12)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_the_linear_momentum_is_the_rate_of_the_first_moment(seed, joints):
    """With the base at rest, by differences of the first moment along the leading joints."""
    model = coupled_tree(seed, joints)
    states = random_states(model, seed)
    moment = differences(
        lambda each: first_moment_regressor(model, each.q) @ model.parameters, states, 'q'
    )
    still = np.zeros((len(states.q), 6))
    linear = momentum(model, states.q, states.qd, still)[:, :3]
    assert_close(linear, np.einsum('njc,nj->nc', moment, states.qd), 1e-6)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_jacobians_are_differences_of_places(seed, joints):
    """Of the origin of the last link, by the leading joints."""
    model = coupled_tree(seed, joints)
    states = random_states(model, seed)
    moved = differences(lambda each: link_poses(model, each.q).origins[-1].T, states, 'q')
    jacobian = point_jacobian(model, states.q, joints)
    assert_close(np.swapaxes(jacobian[:, :3, 6:], 1, 2), moved, 1e-6)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_gradients_through_the_regressor_are_differences(seed, joints):
    """By positions, rates and base twist."""
    model, rng = coupled_tree(seed, joints), np.random.default_rng(seed)
    states = random_states(model, seed)
    columns = minimal_parameters(model).columns
    by = rng.normal(size=(len(states.q), 6, len(columns)))
    found = momentum_regressor_gradient(model, states.q, states.qd, states.base_twist, columns, by)

    def number(each):
        rows = momentum_regressor(model, each.q, each.qd, each.base_twist, columns)
        return np.einsum('nij,nij->n', by, rows)

    for name in ('q', 'qd', 'base_twist'):
        assert_close(getattr(found, name), differences(number, states, name), 1e-6)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_rates_of_the_mass_matrix_are_differences(seed, joints):
    """By every leading joint, along a motion; and the Coriolis matrix keeps the energy."""
    model = coupled_tree(seed, joints)
    states = random_states(model, seed)
    slopes = mass_matrix_derivatives(model, states.q)
    assert_close(slopes, differences(lambda each: mass_matrix(model, each.q), states, 'q'), 1e-6)
    rate = mass_matrix_rate(model, states.q, states.qd)
    assert_close(rate, np.einsum('nk,nkij->nij', states.qd, slopes), 1e-9)
    still = 0.0 * states.base_twist
    coriolis = coriolis_matrix(model, states.q, states.qd, still)
    swept = rate - 2.0 * coriolis
    np.testing.assert_allclose(swept, -np.swapaxes(swept, 1, 2), atol=1e-12 * abs(rate).max())


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_torques_are_generalized_forces(seed, joints):
    """Their power is that of the energy; the regressor gives the same torques."""
    model = coupled_tree(seed, joints)
    states = random_states(model, seed)
    found = inverse_dynamics(
        model, states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration
    )

    def energy(each):
        velocity = np.hstack([each.base_twist, each.qd])
        return 0.5 * np.einsum('ni,nij,nj->n', velocity, mass_matrix(model, each.q), velocity)

    change = (energy(advanced(states, STEP)) - energy(advanced(states, -STEP))) / (2.0 * STEP)
    power = np.einsum('ni,ni->n', found.base_wrench, states.base_twist)
    power += np.einsum('ni,ni->n', found.joint_torques, states.qd)
    assert_close(power, change, 1e-5)
    rows = wrench_regressor(
        model, states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration
    )
    assert_close(
        rows @ model.parameters, np.hstack([found.base_wrench, found.joint_torques]), 1e-11
    )


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_forward_dynamics_are_the_inverse_of_inverse_dynamics(seed, joints):
    """Accelerations give torques and wrench, and these the accelerations, wheels and all."""
    rng = np.random.default_rng(seed)
    model = add_wheels(coupled_tree(seed, joints), rng)
    states = random_states(model, seed)
    moving = states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration
    found = inverse_dynamics(model, *moving, states.wheel_rates)
    again = forward_dynamics(
        model,
        states.q,
        states.qd,
        states.base_twist,
        found.joint_torques,
        wheel_rates=states.wheel_rates,
        base_wrench=found.base_wrench,
    )
    assert_close(again.qdd, states.qdd, 1e-8)
    assert_close(again.base_acceleration, states.base_acceleration, 1e-8)


def test_dynamics_without_a_base_refuse_them():
    """They would take each joint for one that moves on its own."""
    model = coupled_tree(1, 4)
    states = random_states(model, 1)
    with pytest.raises(DynamicsError, match='joints that follow others'):
        link_dynamics(model, states.q, states.qd, states.base_twist, 0.0 * states.qd)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_minimal_parameters_are_independent_and_enough(seed, joints):
    """Their columns have full rank, and with their values give the momentum of the robot."""
    model = coupled_tree(seed, joints)
    minimal, states = minimal_parameters(model), random_states(model, seed, 10 + 4 * joints)
    rows = momentum_regressor(model, states.q, states.qd, states.base_twist, minimal.columns)
    found = momentum(model, states.q, states.qd, states.base_twist)
    assert_close(rows @ minimal.values(model), found, 1e-8)
    whole = momentum_regressor(model, states.q, states.qd, states.base_twist)
    scaled = whole.reshape(-1, whole.shape[-1])
    norms = np.linalg.norm(scaled, axis=0)
    rank = np.linalg.matrix_rank(scaled / np.where(norms > 0.0, norms, 1.0), tol=1e-8)
    assert rank == len(minimal)
    total = sum(link.inertial.mass for link in model.links)
    assert minimal.values(model)[minimal.masses].sum() == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize('seed', range(3))
def test_what_turns_shows_is_what_reduced_parameters_show(seed):
    """The slope of the angular momentum has the rank of the combinations that it depends on."""
    for model in (random_tree(seed, 3), coupled_tree(seed, 4)):
        row = identifiability_table(model)[2]
        assert row.measured == 'angular momentum, no base velocity'
        reduced, values = reduced_parameters(model), minimal_parameters(model).values(model)
        slope = reduced.slope(values)
        slope /= np.linalg.norm(slope, axis=1)[:, None]
        assert row.rank == np.linalg.matrix_rank(slope, tol=1e-9)


@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
def test_another_base_moves_in_the_same_way(seed, joints):
    """The kinetic energy is that of before whichever link is called the base."""
    model = coupled_tree(seed, joints)
    states, turned = random_states(model, seed), reroot(model, joints)
    moved = rerooted_state(model, turned, states.q, states.qd, states.base_twist)

    def energy(robot, q, qd, twist):
        velocity = np.hstack([twist, qd])
        return np.einsum('ni,nij,nj->n', velocity, mass_matrix(robot, q), velocity)

    before = energy(model, states.q, states.qd, states.base_twist)
    assert_close(energy(turned.model, moved.q, moved.qd, moved.base_twist), before, 1e-10)


@pytest.mark.filterwarnings('ignore:.*leave no position to')
@settings(max_examples=10, deadline=None)
@given(SEEDS, JOINTS)
@example(seed=400, joints=6)
def test_a_file_keeps_what_follows_what(seed, joints):
    """Written and read again the joints follow as they did, within the same limits."""
    model = coupled_tree(seed, joints)
    again = robot_from_urdf_string(urdf_from_robot(model))
    assert [each.mimic for each in again.tree_joints] == [each.mimic for each in model.tree_joints]
    assert again.joint_names == model.joint_names
    for old, new in zip(model.joints, again.joints, strict=True):
        assert new.limits.lower == pytest.approx(old.limits.lower, rel=1e-12)
        assert new.limits.velocity == pytest.approx(old.limits.velocity, rel=1e-12)


def test_a_leader_keeps_the_limits_of_its_followers():
    """Positions, rates: whichever of the two comes first, in the leader's numbers."""
    model = coupled_tree(3, 6)
    loose = JointLimits(-9.0, 9.0, velocity=9.0)
    for place, follower in enumerate(model.tree_joints):
        if follower.mimic is None:
            continue
        tight = replace(follower, limits=JointLimits(-0.2, 0.5, velocity=0.3, acceleration=0.7))
        joints = [replace(each, limits=loose) for each in model.tree_joints]
        joints[place] = tight
        moved = replace(model, tree_joints=joints)
        limits = moved.joints[moved.leader(place)].limits
        ratio, offset = follower.mimic.multiplier, follower.mimic.offset
        reached = sorted([ratio * limits.lower + offset, ratio * limits.upper + offset])
        np.testing.assert_allclose(reached, [-0.2, 0.5], atol=1e-12)
        assert abs(ratio) * limits.velocity == pytest.approx(0.3)
        assert abs(ratio) * limits.acceleration == pytest.approx(0.7)


def test_motors_move_followers_too():
    """Under torques that a simulation is given the robot keeps momentum, energy and coupling."""
    rng, model = np.random.default_rng(5), coupled_tree(5, 5)
    torque = 0.1 * rng.normal(size=len(model.joints))
    simulation = DynamicSimulation.at_rest(model, np.zeros(len(model.joints)))
    _, samples = simulation.with_joint_torque(torque).advanced_to(np.linspace(0.02, 1.0, 50))
    found = inverse_dynamics(
        model,
        samples.q,
        samples.qd,
        samples.qdd,
        samples.base_twist,
        samples.base_acceleration,
    )
    assert abs(samples.qd).max() > 1e-2
    assert_close(found.joint_torques, np.tile(torque, (50, 1)), 1e-6)
    twist = base_twist_from_momentum(model, samples.q, samples.qd, samples.wheel_rates)
    assert_close(samples.base_twist, twist, 1e-6)


def test_both_simulations_follow_the_same_trajectory():
    """Computed torque with followers keeps leading joints where kinematic simulation has them."""
    model = coupled_tree(7, 4)
    n = len(model.joints)
    goal = np.full((1, n), 0.05)
    ends = []
    for kind in (KinematicSimulation, DynamicSimulation):
        moved = JointTrajectory(model.joint_names, np.array([2.0]), goal, 0.0 * goal, 0.0 * goal)
        free = replace(
            model, tree_joints=[replace(e, limits=JointLimits()) for e in model.tree_joints]
        )
        simulation = kind.at_rest(free, np.zeros(n)).with_joint_trajectory(moved)
        _, samples = simulation.advanced_to(np.linspace(0.1, 2.5, 25))
        ends.append(samples)
    np.testing.assert_allclose(ends[0].q[-1], goal[0], atol=1e-12)
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=1e-4)
    np.testing.assert_allclose(ends[1].base_twist, ends[0].base_twist, atol=1e-3)
    assert link_motion(model, ends[0].q, ends[0].qd, ends[0].base_twist).linear.any()
