"""Plans out of files: led to from where the robot is, within limits, and what they promise."""

from dataclasses import replace

from build_robots import ROBOTS
import numpy as np
from planar_limits import limited
from planar_robot import free_flyer
import pytest
from robots import dual_arm, dual_arm_prior, servicer
from small_robot import small_robot, small_robot_prior

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import (
    Known,
    KnownMomentum,
    LimitSettings,
    load_plan,
    plan_excitation,
    plan_from_file,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.constraint.limit_set import limit_set, limit_use
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.model import JointLimits, load_robot
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase
from spacerobot_id.regressor import minimal_parameters

QUICK = PlannerSettings(intervals=6, interval=1.0, harmonics=3, draws=2, restarts=1, iterations=2)
CYCLOIDS = replace(QUICK, restarts=0)
FOURIER = (FamilyName.FOURIER_QUINTIC, FamilyName.PERIODIC_FOURIER)
ARM = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
TURNING = KnownMomentum((68.0, 66.0, 65.0), trust_zeros=True)
TURNING_KNOWN = {'method': 'angular_momentum', 'momentum': TURNING}


def saved(planned, tmp_path):
    """Write a plan to a file; return its path."""
    save_plan(planned.plan, tmp_path / 'plan.yaml')
    return tmp_path / 'plan.yaml'


def is_rest_to_rest(plan, present):
    """Return whether a motion begins at a place, has no jumps, and rests at its ends."""
    times = np.linspace(0.0, plan.duration, 20_001)
    motion, step = plan.sample(times), times[1]
    np.testing.assert_allclose(motion.position[0], present, atol=1e-9)
    np.testing.assert_allclose(motion.velocity[[0, -1]], 0.0, atol=1e-9)
    middle = 0.5 * step * (motion.velocity[1:] + motion.velocity[:-1])
    np.testing.assert_allclose(np.diff(motion.position, axis=0), middle, atol=1e-5)
    return True


# From where the robot is


def test_cycloids_are_led_to(tmp_path):
    """At rest at every knot, limits kept on the way, wheels going on from where they are."""
    model = dual_arm_prior()
    plan = plan_excitation(model, np.full(9, np.nan), CYCLOIDS)
    present = np.append(np.full(6, 0.1), [5.0, 6.0, 7.0])
    led = plan_from_file(model, present, saved(plan, tmp_path), CYCLOIDS)
    ours, knots = led.plan.knots, plan.plan.knots
    np.testing.assert_allclose(ours[0], present)
    np.testing.assert_allclose(ours[-7:, :6], knots[:, :6])
    wheels = np.diff(ours[-7:, 6:], axis=0)
    np.testing.assert_allclose(wheels, np.diff(knots[:, 6:], axis=0), atol=1e-9)
    assert led.limits[0].share <= 1.0 + 1e-6


@pytest.mark.parametrize('family', FOURIER)
@pytest.mark.parametrize('away', [1e-4, 0.4])
def test_fourier_motions_are_led_to(tmp_path, family, away):
    """From joints nearby and far off, whatever the angles of the wheels."""
    model, start = small_robot(), np.array([0.1, -0.2, 0.0, 0.0, 0.0])
    planned = plan_excitation(model, start, replace(QUICK, family=family))
    present = start + np.array([away, -away, 0.3, -20.0, 7.0])
    led = plan_from_file(model, present, saved(planned, tmp_path), QUICK)
    assert led.limits[0].share <= 1.0 + 1e-6
    assert is_rest_to_rest(led.plan, present)
    approach = led.plan.duration - planned.plan.duration
    assert 0.0 < approach < 5.0
    times = np.linspace(0.0, planned.plan.duration, 200)
    ours, theirs = led.plan.sample(approach + times), planned.plan.sample(times)
    np.testing.assert_allclose(ours.position[:, :2], theirs.position[:, :2], atol=1e-9)
    np.testing.assert_allclose(ours.velocity, theirs.velocity, atol=1e-7)
    np.testing.assert_allclose(ours.acceleration, theirs.acceleration, atol=1e-6)


@pytest.mark.parametrize('family', FOURIER)
def test_joints_at_the_start_need_no_approach(tmp_path, family):
    """Wheels alone do not: angles of theirs show nothing."""
    model, start = small_robot(), np.array([0.1, -0.2, 0.0, 0.0, 0.0])
    planned = plan_excitation(model, start, replace(QUICK, family=family))
    present = start + np.array([0.0, 0.0, 0.3, -20.0, 7.0])
    led = plan_from_file(model, present, saved(planned, tmp_path), QUICK)
    assert led.plan.duration == planned.plan.duration
    assert is_rest_to_rest(led.plan, present)


@pytest.mark.parametrize('family', FOURIER)
def test_the_order_of_the_names_does_not_matter(tmp_path, family):
    model, start = small_robot(), np.zeros(5)
    planned = plan_excitation(model, start, replace(QUICK, family=family))
    turned = replace(
        model, tree_joints=model.joints[::-1], links=[model.links[each] for each in (0, 2, 1)]
    )
    led = plan_from_file(turned, start, saved(planned, tmp_path), QUICK)
    assert led.plan.names == turned.joint_names + turned.wheel_names
    times = np.linspace(0.0, planned.plan.duration, 50)
    ours = led.plan.sample(times).velocity[:, [1, 0, 2, 3, 4]]
    np.testing.assert_allclose(ours, planned.plan.sample(times).velocity, atol=1e-12)


@pytest.mark.parametrize('family', [FamilyName.CYCLOIDS, FamilyName.FOURIER_QUINTIC])
def test_an_approach_is_as_slow_as_the_base_needs(tmp_path, family):
    """Joints alone could go faster than the limit of the base's rate lets them."""
    model, away = small_robot(), np.array([0.6, 0.6, 0.0, 0.0, 0.0])
    limits = LimitSettings(base_rate=0.04)
    settings = replace(QUICK, family=family, limits=limits)
    planned = plan_excitation(model, np.zeros(5), settings)
    path = saved(planned, tmp_path)
    led = plan_from_file(model, away, path, settings)
    free = plan_from_file(model, away, path, QUICK)
    assert led.limits[0].share <= 1.0 + 1e-6
    assert led.plan.duration > free.plan.duration
    actuators = [joint.limits for joint in model.joints] + [JointLimits()] * 3
    base = PlannedBase(model)
    used = limit_use(lambda each: limit_set(base, limits, actuators, each), free.plan, 0.01)
    assert {use.name: use.share for use in used}['base: rate'] > 1.0


def test_an_approach_needs_limits_of_its_rates(tmp_path):
    """A jump would be no way to the start."""
    path = saved(plan_excitation(small_robot(), np.zeros(5), CYCLOIDS), tmp_path)
    endless = small_robot(JointLimits(-1.2, 1.2))
    assert plan_from_file(endless, np.zeros(5), path, CYCLOIDS).plan.duration == 6.0
    with pytest.raises(PlanningError, match='shoulder_left: needs a velocity or acceleration'):
        plan_from_file(endless, np.array([0.1, 0.0, 0.0, 0.0, 0.0]), path, CYCLOIDS)


def test_what_does_not_fit_is_refused(tmp_path):
    """A limit that is broken is named; so is a plan for another robot."""
    plan = plan_excitation(dual_arm(), np.zeros(9), replace(CYCLOIDS, intervals=4)).plan
    path = tmp_path / 'plan.yaml'
    save_plan(ExcitationPlan(plan.names, 1.01 * plan.knots, plan.durations), path)
    with pytest.raises(PlanningError, match=r'rate: the plan uses 1\.01 times this limit'):
        plan_from_file(dual_arm(), np.zeros(9), path, CYCLOIDS)
    with pytest.raises(PlanningError, match=r'moves joint_1, .* servicer has arm_joint_1'):
        plan_from_file(servicer(), np.zeros(10), path, CYCLOIDS)
    with pytest.raises(PlanningError, match='small has shoulder_left'):
        plan_from_file(small_robot(), np.zeros(5), path, CYCLOIDS)


# What it promises


@pytest.mark.parametrize('family', FamilyName)
def test_it_promises_what_was_promised_when_it_was_planned(tmp_path, family):
    settings = replace(QUICK, family=family)
    planned = plan_excitation(small_robot(), np.zeros(5), settings)
    loaded = plan_from_file(small_robot(), np.zeros(5), saved(planned, tmp_path), settings)
    np.testing.assert_allclose(loaded.std, planned.std)


def test_in_a_plane_it_promises_what_shows_there(tmp_path):
    """Not what a base that moves freely would show."""
    model = limited(free_flyer())
    settings = replace(QUICK, limits=LimitSettings(planar=True))
    planned = plan_excitation(model, np.zeros(3), settings)
    path = saved(planned, tmp_path)
    loaded = plan_from_file(model, np.zeros(3), path, settings)
    np.testing.assert_allclose(loaded.std, planned.std)
    free = plan_from_file(model, np.zeros(3), path, QUICK)
    assert np.median(loaded.std) > 1.5 * np.median(free.std)


def test_it_adds_to_what_is_known(tmp_path):
    """The estimate is what it is predicted with."""
    model, prior = small_robot(), small_robot_prior()
    minimal = minimal_parameters(model)
    values = minimal.values(model)
    known = Known(values, np.diag((0.01 * np.abs(values) + 1e-4) ** -2.0))
    planned = plan_excitation(prior, np.zeros(5), QUICK, known=known)
    loaded = plan_from_file(prior, np.zeros(5), saved(planned, tmp_path), QUICK, known)
    np.testing.assert_allclose(loaded.std, planned.std)
    assert (loaded.std < 0.01 * np.abs(values) + 1e-4).all()


# A robot that turns


def test_a_plan_for_a_robot_that_turns_is_led_to(tmp_path):
    """It has no wheels and needs none; it promises what was promised."""
    settings = replace(QUICK, duration=20.0)
    planned = plan_excitation(
        ARM, np.zeros(3), settings, method='angular_momentum', momentum=TURNING
    )
    path = saved(planned, tmp_path)
    loaded = plan_from_file(ARM, np.zeros(3), path, settings, **TURNING_KNOWN)
    np.testing.assert_allclose(loaded.std, planned.std)
    away = np.array([0.2, -0.1, 0.3])
    led = plan_from_file(ARM, away, path, settings, **TURNING_KNOWN)
    assert is_rest_to_rest(led.plan, away)
    assert led.limits[0].share <= 1.0 + 1e-6
    assert np.isfinite(led.std).all()


def test_at_rest_a_robot_without_wheels_leaves_its_scale_open(tmp_path):
    """Deviations are those that the description leaves, unless the mass was weighed."""
    settings = replace(QUICK, duration=20.0)
    path = saved(
        plan_excitation(ARM, np.zeros(3), settings, **TURNING_KNOWN),
        tmp_path,
    )
    left = plan_from_file(ARM, np.zeros(3), path, settings)
    prior = replace(settings.counted.prior, known_mass=ARM.mass)
    weighed = replace(settings, counted=replace(settings.counted, prior=prior))
    known = plan_from_file(ARM, np.zeros(3), path, weighed)
    assert np.nanmedian(left.relative_std) > 0.05
    assert np.nanmedian(known.relative_std) < 0.01


@pytest.mark.parametrize(
    ('family', 'earlier'),
    [
        (FamilyName.FOURIER_QUINTIC, ('sines', 'cosines')),
        (FamilyName.PERIODIC_FOURIER, ('sine', 'cosine')),
    ],
)
def test_files_of_earlier_versions_still_load(tmp_path, family, earlier):
    """What they called sines are the amplitudes of the cosines of the rates."""
    planned = plan_excitation(small_robot(), np.zeros(5), replace(QUICK, family=family))
    path = saved(planned, tmp_path)
    text = path.read_text()
    for now, before in zip(('rate_cosines', 'rate_sines'), earlier, strict=True):
        assert f'\n{now}:' in text
        text = text.replace(f'\n{now}:', f'\n{before}:')
    path.write_text(text)
    np.testing.assert_array_equal(load_plan(path).rate_cosines, planned.plan.rate_cosines)
    np.testing.assert_array_equal(load_plan(path).rate_sines, planned.plan.rate_sines)
