"""Flights that keep their momentum, and what [Naveen 2024] measures of them."""

from dataclasses import fields, replace

from motions import paper_motion, random_plan
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree, with_wheels
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.family.cycloid_family import direction_combinations
from spacerobot_id.flight.conserved_flight import (
    conserved_flight,
    travelled,
    with_sensor_noise,
)
from spacerobot_id.lab.papers.naveen.estimation import cramer_rao_std, EstimateStatistics
from spacerobot_id.lab.papers.naveen.euler_rates import (
    body_rates_from_euler,
    from_rates,
    inertial_rows,
    measured_rates,
    Poses,
)
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.multibody import momentum, wheel_momentum

MOMENTA = [np.zeros(6), np.array([2.0, -1.0, 0.5, 1.0, 2.0, -1.5])]


def tree():
    return with_wheels(random_tree(3, 4), np.random.default_rng(3))


@pytest.fixture(name='method', scope='module')
def momentum_of_the_offset_robot():
    return Momentum.from_model(dual_arm_prior())


@pytest.fixture(name='clean', scope='module')
def short_flight_of_the_dual_arm():
    return conserved_flight(dual_arm(), paper_motion(direction_combinations(9)[::32]), 100.0)


@pytest.mark.parametrize('total', MOMENTA)
def test_momentum_is_conserved_about_the_inertial_origin(total):
    """Links and wheels together have the given momentum at every sample's pose."""
    model = tree()
    flight = conserved_flight(model, random_plan(model, 3, 4), 50.0, total, (1.0, -2.0, 0.5))
    seen = momentum(model, flight.q, flight.qd, flight.base_twist)
    seen += wheel_momentum(model, flight.q, flight.wheel_rates)
    turned = Rotation.from_quat(flight.attitude)
    linear = turned.apply(seen[:, :3])
    angular = turned.apply(seen[:, 3:]) + np.cross(flight.position, linear)
    expected = np.tile(total, (len(flight), 1))
    largest = max(np.abs(seen).max(), 1.0)
    np.testing.assert_allclose(np.hstack([linear, angular]), expected, atol=1e-10 * largest)


@pytest.mark.parametrize('total', MOMENTA)
def test_poses_are_those_that_the_twist_leads_to(total):
    """Differences of poses approach the twist with the square of the step."""
    model, errors = tree(), []
    for rate in (50.0, 100.0):
        flight = conserved_flight(model, random_plan(model, 3, 4), rate, total)
        turned = Rotation.from_quat(flight.attitude)
        linear = turned[1:-1].inv().apply(flight.position[2:] - flight.position[:-2])
        angular = (turned[:-2].inv() * turned[2:]).as_rotvec()
        twist = 0.5 * rate * np.hstack([linear, angular])
        errors.append(np.abs(twist - flight.base_twist[1:-1]).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_plan_may_name_its_actuators_in_another_order():
    """Columns are found by name; a plan of another robot is refused."""
    model = tree()
    plan = random_plan(model, 3, 4)
    order = np.random.default_rng(0).permutation(len(plan.names))
    names = tuple(plan.names[place] for place in order)
    turned = replace(plan, names=names, knots=plan.knots[:, order])
    given, expected = (conserved_flight(model, each, 20.0) for each in (turned, plan))
    for column in fields(expected):
        value = getattr(expected, column.name)
        np.testing.assert_array_equal(getattr(given, column.name), value)
    other = replace(plan, names=('elbow', *plan.names[1:]))
    with pytest.raises(PlanningError, match='the plan moves elbow'):
        conserved_flight(model, other, 20.0)


def test_the_base_starts_where_it_is_told():
    """At the origin if not, its axes along the inertial ones."""
    model = tree()
    for start in ((0.0, 0.0, 0.0), (1.0, -2.0, 0.5)):
        flight = conserved_flight(model, random_plan(model, 3, 2), 20.0, position=start)
        np.testing.assert_allclose(flight.position[0], start, atol=1e-12)
        np.testing.assert_allclose(flight.attitude[0], [0.0, 0.0, 0.0, 1.0], atol=1e-12)
        assert len(flight) == 40


def test_noise_is_as_large_as_the_problem_says(method, clean):
    """Of rates, positions, attitudes and encoders; wheels are known; the same for a seed."""
    noisy = with_sensor_noise(clean, method, 0)
    measured = np.hstack([noisy.base_twist - clean.base_twist, noisy.qd - clean.qd])
    assert_close(measured.std(axis=0) / method.rate_std, np.ones(12), 0.15)
    turned = Rotation.from_quat(clean.attitude).inv() * Rotation.from_quat(noisy.attitude)
    assert turned.as_rotvec().std() == pytest.approx(method.pose_std[1], rel=0.1)
    assert (noisy.position - clean.position).std() == pytest.approx(method.pose_std[0], rel=0.1)
    assert (noisy.q - clean.q).std() == pytest.approx(1e-5, rel=0.1)
    np.testing.assert_array_equal(noisy.wheel_rates, clean.wheel_rates)
    np.testing.assert_array_equal(with_sensor_noise(clean, method, 0).q, noisy.q)


# What [Naveen 2024] measures


def test_body_rates_from_euler_rates():
    """Eq. 46: the derivative of ``Rz Rx Ry`` by differences."""
    rng = np.random.default_rng(0)
    euler, rates, step = rng.uniform(-1.0, 1.0, (5, 3)), rng.normal(size=(5, 3)), 1e-6
    before, after = (
        Rotation.from_euler('ZXY', euler + sign * step * rates) for sign in (-0.5, 0.5)
    )
    differences = (before.inv() * after).as_rotvec() / step
    body = (body_rates_from_euler(euler) @ rates[..., None])[..., 0]
    np.testing.assert_allclose(body, differences, atol=1e-8)


def test_rates_add_up():
    """From the beginning of a step as in Eq. 47, or from its middle."""
    rates = np.array([[1.0], [3.0], [5.0]])
    np.testing.assert_array_equal(travelled(rates, 0.5, trapezoid=False), [[0.0], [0.5], [2.0]])
    np.testing.assert_array_equal(travelled(rates, 0.5, trapezoid=True), [[0.0], [1.0], [3.0]])


@pytest.mark.parametrize(('poses', 'order'), [(Poses.EULER, 1), (Poses.TRAPEZOID, 2)])
def test_added_up_poses_approach_the_true_ones(poses, order, method):
    """With the step by the paper's rule, with its square by the trapezoid rule."""
    plan, errors = paper_motion(direction_combinations(9)[::32]), []
    for rate in (50.0, 100.0):
        clean = conserved_flight(dual_arm(), plan, rate)
        built = from_rates(clean, measured_rates(clean, method, None), poses)
        errors.append([np.abs(built.q - clean.q).max(), _farthest(built, clean)])
    ratios = np.divide(*errors)
    np.testing.assert_allclose(ratios, 2.0**order, rtol=0.1)


def _farthest(built, clean):
    turned = Rotation.from_quat(clean.attitude).inv() * Rotation.from_quat(built.attitude)
    return max(turned.magnitude().max(), np.abs(built.position - clean.position).max())


def test_measured_rates_carry_the_noise_of_the_problem(method, clean):
    """On the velocity, the Euler rates and the joint rates; the wheels are known."""
    quiet, noisy = (measured_rates(clean, method, seed) for seed in (None, 1))
    assert_close((noisy - quiet).std(axis=0) / method.rate_std, np.ones(12), 0.15)
    np.testing.assert_array_equal(from_rates(clean, noisy).wheel_rates, clean.wheel_rates)


def test_rows_in_inertial_axes_hold_for_the_truth(method, clean):
    """The true parameters solve them; they are the base's rows, turned and moved."""
    rows = inertial_rows(method, clean)
    values = method.minimal.values(dual_arm())
    assert_close(rows.matrix @ values, rows.right, 1e-11)
    upright = clean[np.array([0])]
    moved = inertial_rows(method, upright).matrix
    np.testing.assert_allclose(moved, method.regressor(upright, upright.base_twist)[0], atol=1e-12)


# Statistics


def test_statistics_count_over_seeds():
    """Medians and largest relative errors of each seed, coverage, errors over a bound."""
    true = np.array([1.0, -2.0, 0.0])
    found = EstimateStatistics(
        np.array([[1.1, -2.0, 0.1], [0.8, -2.2, 0.0]]), np.full((2, 3), 0.1), true
    )
    np.testing.assert_allclose(found.medians, [0.05, 0.15])
    np.testing.assert_allclose(found.largest, [0.1, 0.2])
    assert found.coverage == pytest.approx(4.0 / 6.0)
    assert found.over_bound(np.full(3, 0.1)) == pytest.approx(np.sqrt(10.0 / 6.0))


def test_twice_the_samples_bound_the_error_lower(method, clean):
    """By the square root of two."""
    values = method.minimal.values(dual_arm())
    flight = conserved_flight(dual_arm(), paper_motion(direction_combinations(9)[::4]), 10.0)
    once = cramer_rao_std(method, flight, values)
    twice = cramer_rao_std(method, type(flight).concatenate([flight, flight]), values)
    assert_close(once / twice, np.full(52, np.sqrt(2.0)), 1e-6)
