"""A base that turns with a known momentum: its motion, the limits of it, plans that keep them."""

from dataclasses import replace
from functools import cache

from build_robots import ROBOTS
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import assert_close, random_tree, with_wheels
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation import (
    KnownMomentum,
    LimitSettings,
    plan_excitation,
    PlannerSettings,
)
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBox
from spacerobot_id.excitation.constraint.limit_set import actuator_limits, limit_set, limit_use
from spacerobot_id.excitation.family.quintic_family import (
    FourierQuinticFamily,
)
from spacerobot_id.excitation.objective.criteria import DeviationCriterion
from spacerobot_id.excitation.objective.objective import Objective
from spacerobot_id.excitation.task import planning_task
from spacerobot_id.flight.recording import FlightSettings, fly_plan
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import load_robot
from spacerobot_id.multibody.free_floating.planned_base import (
    planned_torques,
    planned_twist,
    PlannedBase,
    turning_base,
    turning_torques,
)

MOMENTUM = KnownMomentum((20.0, -15.0, 10.0), (0.2, 0.1, 0.3, 0.9274), trust_zeros=True)
MOMENTUM_KNOWN = {'method': 'angular_momentum', 'momentum': MOMENTUM}
START = np.array([0.3, -0.2, 0.1, 0.0, 0.0, 0.0])
QUICK = PlannerSettings(duration=20.0, harmonics=3, draws=20, restarts=1, iterations=2)


@cache
def wheeled():
    """Return the arm of [Christidi 2017] on a base with three wheels."""
    arm = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
    model = with_wheels(arm, np.random.default_rng(0))
    return replace(model, wheels=[replace(wheel, max_torque=8.0) for wheel in model.wheels])


def samples_of(motion, count):
    """Return a motion at the middles of equal parts."""
    return motion.sample((np.arange(count) + 0.5) * motion.duration / count)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_without_momentum_it_is_the_motion_from_rest(seed):
    """Twist and torques of random trees with wheels, whatever the attitude."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, 4), rng)
    values = rng.normal(size=(3, 12, 4 + len(model.wheels)))
    motion = PlannedMotion(0.1 * np.arange(12) + 0.05, *values)
    attitude = Rotation.random(random_state=seed % 2**31).as_quat()
    base = turning_base(model, KnownMomentum((0.0, 0.0, 0.0), tuple(attitude)), motion)
    assert_close(base.twist, planned_twist(model, motion, planar=False), 1e-9)
    torques = turning_torques(model, motion, base.twist)
    assert_close(torques, planned_torques(model, motion, planar=False), 1e-9)


def uses_of(plan, limits, step):
    """Return how close a plan comes to its limits."""
    base = PlannedBase(wheeled(), momentum=MOMENTUM)
    return limit_use(
        lambda spacing: limit_set(base, limits, actuator_limits(wheeled()), spacing), plan, step
    )


@cache
def found(limited=True):
    """Return a plan of an arm, of its wheels too, turning from the start."""
    limits = LimitSettings()
    if limited:
        box = KeepInBox('link_3', (1.5, 0.8, 0.9), (3.1, 2.4, 3.0))
        limits = LimitSettings(base_rate=0.08, base_excursion=0.35, keep_in=(box,))
    return plan_excitation(
        wheeled(),
        START,
        replace(QUICK, limits=limits),
        method='angular_momentum',
        momentum=MOMENTUM,
    ), limits


@cache
def flown():
    """Return the simulated flight along that plan, without noise."""
    flight = FlightSettings(
        noise=False, angular_momentum=MOMENTUM.angular_momentum, attitude=MOMENTUM.attitude
    )
    return fly_plan(wheeled(), found()[0].plan, wheeled(), flight)


@pytest.mark.slow
def test_every_actuator_moves_and_all_parameters_show():
    """Joints and wheels alike."""
    planned, _ = found()
    motion = samples_of(planned.plan, 400)
    assert planned.plan.names == wheeled().joint_names + wheeled().wheel_names
    assert (np.abs(motion.velocity).max(axis=0) > 1e-4).all()
    assert np.isfinite(planned.std).all()


def test_the_limits_shape_the_plan():
    """Without them the base turns faster and further, and the tool leaves its box."""
    planned, limits = found()
    free, _ = found(limited=False)
    broken = {use.name for use in uses_of(free.plan, limits, 0.05) if use.share > 1.0}
    assert {'base: rate', 'base: excursion', 'link_3: box along y'} <= broken
    assert planned.cost > free.cost


def test_the_plan_keeps_every_limit_20_times_denser_than_it_was_looked_for():
    """And names those of the base, of the box and of the torques."""
    planned, limits = found()
    uses = uses_of(planned.plan, limits, 20.0 / 16_000)
    names = {use.name for use in uses}
    assert {'base: rate', 'base: excursion', 'link_3: box along y', 'wheel_0: torque'} <= names
    assert uses[0].share <= 1.0 + 1e-4, uses[0]


def test_the_simulated_base_moves_as_predicted_and_within_its_limits():
    """Angular velocity and attitude in the simulator's truth, wheels turning."""
    planned, limits = found()
    truth = flown()
    rates = truth.true_twist.twists[:, 3:]
    assert np.linalg.norm(rates, axis=1).max() <= limits.base_rate * (1.0 + 1e-3)
    base = turning_base(wheeled(), MOMENTUM, samples_of(planned.plan, 2000))
    predicted = np.linalg.norm(base.twist[:, 3:], axis=1).max()
    assert np.linalg.norm(rates, axis=1).max() == pytest.approx(predicted, rel=1e-2)


@pytest.mark.parametrize('wheels', [False, True])
def test_the_attitude_converges_with_the_samples(wheels):
    """Four times as many change it by little, and less than half as many do."""
    model, rng = wheeled(), np.random.default_rng(3)
    names = model.joint_names + model.wheel_names
    family = FourierQuinticFamily(names, actuator_limits(model), 40.0, 3, START, START)
    shares = rng.uniform(-1.0, 1.0, (2, 6, 3))
    shares[:, 3:] *= wheels
    motion = family.motion(family.keep(shares.ravel()))

    def last(count):
        """Return the attitude in the middle of the motion, where all grids have a sample."""
        samples = motion.sample(np.linspace(0.0, 20.0, count + 1))
        return turning_base(model, MOMENTUM, samples).attitudes[-1]

    fine = last(1600)
    coarse, middle = ((last(count) * fine.inv()).magnitude() for count in (100, 200))
    assert middle < 1e-4
    assert middle < 0.3 * coarse


@pytest.mark.parametrize('robots', [1, 2])
def test_several_motions_at_once_show_what_each_does_alone(robots):
    """Rates, rows and the score's changes, for small steps of the parameters of a motion."""
    settings = replace(QUICK, prior_draws=robots - 1)
    task = planning_task(wheeled(), START, settings, method='angular_momentum', momentum=MOMENTUM)
    task = task.with_drawn_robots(np.random.default_rng(0))
    source = replace(task.source, models=[task.model, *task.drawn])
    names, rng = wheeled().joint_names + wheeled().wheel_names, np.random.default_rng(1)
    family = FourierQuinticFamily(names, actuator_limits(wheeled()), 20.0, 3, START, START)
    sampler, parameters = family.information_sampler(), family.draw(rng)
    steps = 1e-5 * rng.normal(size=(3, len(parameters)))
    both = [np.zeros(len(parameters)), *steps, *-steps]
    motions = [sampler.sample(parameters + step) for step in both]
    alone = [source.shown(motion, sampler.weights) for motion in motions]
    for one, other in zip(source.shown_each(motions, sampler.weights), alone, strict=True):
        assert_close(one.rows, other.rows, 1e-12)
        assert_close(one.rates, other.rates, 1e-12)
    objective = Objective(source, DeviationCriterion(source.scale, np.ones(len(source.names))))
    total, changes = objective.score_with_changes(motions, sampler.weights)
    scores = [objective.score(motion, sampler.weights) for motion in motions]
    assert total == pytest.approx(scores[0], rel=1e-12)
    there, back = np.reshape(scores[1:], (2, -1))
    slopes = 0.5 * np.subtract(*np.reshape(changes, (2, -1)))
    np.testing.assert_allclose(slopes, 0.5 * (there - back), rtol=1e-4)
