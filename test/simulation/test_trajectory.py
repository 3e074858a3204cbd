"""Trajectories: the motion between the points, and what is refused."""

from dataclasses import replace
import time

import numpy as np
from numpy.testing import assert_allclose
import pytest
from small_robot import small_robot

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.model import JointLimits
from spacerobot_id.simulation.following import check_trajectory, joints_following, MAX_POINTS

NAMES = ('a', 'b')
LIMITS = {
    'a': JointLimits(-1.0, 1.0, velocity=1.0, acceleration=4.0),
    'b': JointLimits(-np.inf, np.inf, velocity=1.0),
}
REST = JointMotion.at_rest([0.0, 0.0])
GOOD = JointTrajectory(
    NAMES,
    np.array([1.0, 2.0, 3.0]),
    np.array([[0.2, -0.3], [0.5, -0.6], [0.6, -0.7]]),
    np.array([[0.3, -0.3], [0.2, -0.2], [0.0, 0.0]]),
    np.array([[0.0, 0.1], [-0.1, 0.0], [0.0, 0.0]]),
)
DERIVATIVES = {'linear': 1, 'cubic': 2, 'quintic': 3}


def of_degree(kind, trajectory=GOOD):
    """Return a trajectory without the derivatives that make it of a higher degree."""
    count = DERIVATIVES[kind]
    return replace(
        trajectory,
        velocities=trajectory.velocities if count > 1 else None,
        accelerations=trajectory.accelerations if count > 2 else None,
    )


def check(trajectory, limits=LIMITS, present=REST):
    check_trajectory(trajectory, NAMES, limits, present)


def changed(field, point, joint, value):
    values = getattr(GOOD, field).copy()
    values[point, joint] = value
    return replace(GOOD, **{field: values})


@pytest.mark.parametrize('kind', DERIVATIVES)
def test_motion_passes_through_the_points(kind):
    """Positions at the points, and rates and accelerations where they are given, are met."""
    motion = TrajectoryMotion.from_trajectory(of_degree(kind), NAMES, REST, start=5.0)
    assert_allclose(motion.knots, [5.0, 6.0, 7.0, 8.0])
    for side in ('left', 'right'):
        at = motion.at(5.0 + GOOD.times[:-1], side)
        assert_allclose(at.position, GOOD.positions[:-1], atol=1e-15)
        if DERIVATIVES[kind] > 1:
            assert_allclose(at.velocity, GOOD.velocities[:-1], atol=1e-15)
        if DERIVATIVES[kind] > 2:
            assert_allclose(at.acceleration, GOOD.accelerations[:-1], atol=1e-14)


@pytest.mark.parametrize('kind', DERIVATIVES)
def test_polynomials_of_the_degree_are_reproduced(kind):
    """A motion that is a polynomial of the kind's degree is followed exactly."""
    degree = 2 * DERIVATIVES[kind] - 1
    rng = np.random.default_rng(degree)
    curves = [np.polynomial.Polynomial(rng.normal(size=degree + 1)) for _ in NAMES]

    def values(times, order):
        return np.array([curve.deriv(order)(times) for curve in curves]).T

    points = np.sort(rng.uniform(0.1, 2.0, 5))
    trajectory = JointTrajectory(NAMES, points, *(values(points, order) for order in range(3)))
    present = JointMotion(*(values(0.0, order) for order in range(3)))
    motion = TrajectoryMotion.from_trajectory(of_degree(kind, trajectory), NAMES, present)
    times = np.linspace(0.0, points[-1], 101)[:-1]
    at = motion.at(times)
    assert_allclose(at.position, values(times, 0), atol=1e-12)
    assert_allclose(at.velocity, values(times, 1), atol=1e-10)
    assert_allclose(at.acceleration, values(times, 2), atol=1e-8)


@pytest.mark.parametrize('kind', DERIVATIVES)
def test_rates_are_derivatives_of_positions(kind):
    motion = TrajectoryMotion.from_trajectory(of_degree(kind), NAMES, REST)
    times, step = np.linspace(0.01, 2.99, 50), 1e-5
    before, here, after = (motion.at(times + change) for change in (-step, 0.0, step))
    assert_allclose((after.position - before.position) / (2 * step), here.velocity, atol=1e-8)
    assert_allclose((after.velocity - before.velocity) / (2 * step), here.acceleration, atol=1e-8)


def test_motion_starts_as_the_joints_move_and_ends_at_rest():
    present = JointMotion(np.array([0.1, 0.2]), np.array([0.3, -0.1]), np.array([0.5, 0.6]))
    motion = TrajectoryMotion.from_trajectory(GOOD, NAMES, present)
    at = motion.at([0.0])
    assert_allclose(at.position[0], present.position, atol=1e-15)
    assert_allclose(at.velocity[0], present.velocity, atol=1e-15)
    assert_allclose(at.acceleration[0], present.acceleration, atol=1e-14)
    after = motion.at([3.0, 100.0])
    assert_allclose(after.position, np.tile(GOOD.positions[-1], (2, 1)), rtol=0)
    assert not after.velocity.any()
    assert not after.acceleration.any()


def test_F1_names_in_another_order():
    swapped = JointTrajectory(
        NAMES[::-1],
        GOOD.times,
        *(each[:, ::-1] for each in (GOOD.positions, GOOD.velocities, GOOD.accelerations)),
    )
    check(swapped)
    times = np.linspace(0.0, 3.0, 20)
    for motion in (GOOD, swapped):
        at = TrajectoryMotion.from_trajectory(motion, NAMES, REST).at(times)
        assert_allclose(at.position[-1], GOOD.positions[-1])


def test_far_from_zero_nothing_is_lost():
    """A wheel that has turned a million radians is followed as finely as one at zero."""
    far = replace(GOOD, positions=GOOD.positions + 1e6)
    times = np.linspace(0.0, 3.0, 100)
    here = TrajectoryMotion.from_trajectory(GOOD, NAMES, REST).at(times)
    there = TrajectoryMotion.from_trajectory(far, NAMES, JointMotion.at_rest([1e6, 1e6])).at(times)
    assert_allclose(there.position - 1e6, here.position, atol=1e-9)
    assert_allclose(there.velocity, here.velocity, atol=1e-9)


@pytest.mark.parametrize('kind', DERIVATIVES)
def test_good_trajectories_are_taken(kind):
    check(of_degree(kind))


def test_point_at_time_zero_where_the_joint_is():
    """It is taken, and the joint's own motion stands in for it: no jump."""
    zero = replace(GOOD, times=np.array([0.0, 1.0, 2.0]))
    present = JointMotion.at_rest(GOOD.positions[0] + 1e-5)
    check(zero, present=present)
    at = TrajectoryMotion.from_trajectory(zero, NAMES, present).at([0.0, 1.0])
    assert_allclose(at.position, [present.position, GOOD.positions[1]], atol=1e-15)


NAN, INF = np.nan, np.inf
EMPTY = JointTrajectory(NAMES, np.zeros(0), np.zeros((0, 2)))
BAD = {
    'position NaN': (changed('positions', 1, 1, NAN), "joint 'b', point 1: positions has nan"),
    'velocity Inf': (changed('velocities', 0, 0, INF), "joint 'a', point 0: velocities has inf"),
    'acceleration NaN': (changed('accelerations', 2, 0, NAN), "joint 'a', point 2: acceleratio"),
    'no points': (EMPTY, 'no points'),
    'sizes': (replace(GOOD, positions=GOOD.positions[:2]), r'positions of shape \(2, 2\)'),
    'columns': (replace(GOOD, velocities=GOOD.velocities[:, :1]), 'velocities of shape'),
    'accelerations alone': (replace(GOOD, velocities=None), 'accelerations without velocities'),
    'time NaN': (replace(GOOD, times=np.array([1.0, NAN, 3.0])), 'point 1: its time'),
    'time negative': (replace(GOOD, times=np.array([-1.0, 2.0, 3.0])), 'point 0: .* negative'),
    'time equal': (replace(GOOD, times=np.array([1.0, 2.0, 2.0])), 'point 2: .* not after'),
    'time back': (replace(GOOD, times=np.array([1.0, 0.5, 2.0])), 'point 1: .* not after'),
    'unknown joint': (replace(GOOD, names=('a', 'x')), "joint 'x' is unknown"),
    'duplicate joint': (replace(GOOD, names=('a', 'a')), "joint 'a' is named twice"),
    'position limit': (changed('positions', 1, 0, 1.5), "joint 'a': position .* beyond"),
    'velocity limit': (changed('velocities', 1, 1, 3.0), "joint 'b': velocity -1.1.* at 1.188 s"),
    'acceleration limit': (changed('accelerations', 1, 0, -9.0), "joint 'a': acceleration"),
    'not at rest at the end': (
        changed('velocities', 2, 1, 0.1),
        "joint 'b', point 2: not",
    ),
    'jump at time zero': (replace(GOOD, times=GOOD.times - 1.0), "joint 'b', point 0: at -0.3"),
}


@pytest.mark.parametrize('fault', BAD)
def test_F36_bad_trajectory_is_refused_with_the_reason(fault):
    trajectory, reason = BAD[fault]
    with pytest.raises(TrajectoryError, match=reason):
        check(trajectory)


def test_F36_missing_joint_is_named():
    part = JointTrajectory(('a',), GOOD.times, GOOD.positions[:, :1])
    with pytest.raises(TrajectoryError, match="joint 'b' is missing"):
        check(part)


def test_F36_only_point_at_time_zero_is_refused():
    with pytest.raises(TrajectoryError, match='only point'):
        check(JointTrajectory(NAMES, np.zeros(1), np.zeros((1, 2))))


def test_F36_robot_without_such_joints_refuses():
    nobody = JointMotion.at_rest(np.zeros(0))
    with pytest.raises(TrajectoryError, match='none to move'):
        check_trajectory(JointTrajectory((), np.ones(1), np.zeros((1, 0))), (), {}, nobody)


def test_F36_limits_hold_between_the_points():
    """Both points are within every limit, the way between them is not."""
    way = JointTrajectory(
        NAMES,
        np.array([2.0, 3.0]),
        np.array([[0.95, 0.0], [0.95, 0.0]]),
        np.array([[0.9, 0.0], [0.0, 0.0]]),
    )
    with pytest.raises(TrajectoryError, match=r"joint 'a': position 1.* at 2"):
        check(way, {'a': replace(LIMITS['a'], acceleration=np.inf)})
    with pytest.raises(TrajectoryError, match="joint 'b': velocity"):
        check(JointTrajectory(NAMES, np.array([0.1]), np.array([[0.0, 0.5]])))


def test_limits_may_be_reached():
    """What a planner sends at the limit itself is not refused for the last digit."""
    reach = JointTrajectory(NAMES, np.array([1.0]), np.array([[1.0 + 1e-9, -1.0 - 1e-9]]))
    check(reach)


@pytest.mark.parametrize(('extra', 'fits'), [(0, True), (1, False)])
def test_F36_huge_trajectory(extra, fits):
    """The largest one is judged within a second; a larger one is refused."""
    points = MAX_POINTS + extra
    times = np.arange(1, points + 1) * 0.01
    huge = JointTrajectory(NAMES, times, np.tile(1e-3 * np.sin(times)[:, None], 2))
    begin = time.process_time()
    if fits:
        check(huge)
    else:
        with pytest.raises(TrajectoryError, match='100001 points'):
            check(huge)
    assert time.process_time() - begin < 1.0


JOINTS = ('shoulder_left', 'shoulder_right')
PLANNED = JointLimits(-1.0, 1.0, 0.5, 2.0)


@pytest.mark.parametrize('late', np.linspace(0.05, 2.95, 30))
@pytest.mark.parametrize('duration', [0.1, 0.5, 1.0])
def test_a_stop_is_taken_from_any_motion(late, duration):
    """Sent for where the joint was a second before: gently, within limits but for a hundredth."""
    model = small_robot(PLANNED)
    way = np.array([[0.25, -0.1], [0.0, 0.0], [0.25, 0.2]])
    plan = ExcitationPlan(JOINTS, np.vstack([np.zeros((1, 2)), way]), np.ones(3))
    motion = joints_following(
        model, TrajectoryMotion.at_rest([0.0, 0.0], 0.0), plan.joint_trajectory(), 0.0
    )
    behind = plan.sample([max(late - 1.0, 0.0)]).position
    stop = JointTrajectory(
        JOINTS, np.array([duration]), behind, np.zeros((1, 2)), np.zeros((1, 2))
    )
    stopped = joints_following(model, motion, stop, late)
    braking = stopped.within_pieces(np.linspace(0.0, 1.0, 200))
    assert np.abs(braking.velocity).max() <= 1.01 * PLANNED.velocity
    assert np.abs(braking.acceleration).max() <= 1.01 * PLANNED.acceleration
    assert stopped.end - late < 2.0
    assert np.abs(stopped.at([stopped.end]).velocity).max() < 1e-9


def test_a_motion_that_is_too_fast_is_no_stop():
    """From rest, or farther than the largest rate reaches in its time: refused as ever."""
    model = small_robot(PLANNED)
    resting = TrajectoryMotion.at_rest([0.0, 0.0], 0.0)
    zero = np.zeros((1, 2))
    fast = JointTrajectory(JOINTS, np.array([0.5]), np.array([[0.24, 0.0]]), zero, zero)
    with pytest.raises(TrajectoryError, match='beyond its limit'):
        joints_following(model, resting, fast, 0.0)
    slow = JointTrajectory(JOINTS, np.array([2.0]), np.array([[0.4, 0.0]]), zero, zero)
    moving = joints_following(model, resting, slow, 0.0)
    far = JointTrajectory(JOINTS, np.array([0.1]), np.array([[0.9, 0.0]]), zero, zero)
    with pytest.raises(TrajectoryError, match='beyond its limit'):
        joints_following(model, moving, far, 1.0)
