"""Plans that count what is unknown beside the parameters: calibrations, biases, wheels' scales."""

from dataclasses import replace
from functools import cache

from build_robots import ROBOTS
from good_hardware import DEGREE, GOOD_HARDWARE
import numpy as np
import pytest
from robots import assert_close, dual_arm_prior, servicer
from scipy.interpolate import CubicSpline
from small_robot import small_robot_prior

from spacerobot_id.estimation import identify
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import KnownMomentum, plan_excitation, PlannerSettings
from spacerobot_id.excitation.objective.objective import make_criterion, Objective
from spacerobot_id.excitation.planner_node_settings import request_from_mapping
from spacerobot_id.excitation.planner_settings import PlanCriterionSettings
from spacerobot_id.excitation.task import shown_by
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import Record
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.information.motion_information import Marginal
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import KnownMomentumSettings, MethodSettings
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import load_robot
from spacerobot_id.multibody.free_floating.planned_base import planned_twist, turning_base
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.settings import values_from_settings

OFF = {key.replace('.', '_'): std for key, std in GOOD_HARDWARE.items() if 'pose' not in key}
ALL = MethodSettings(
    nuisance=NuisanceSettings(gyro_bias=1e-4, wheel_scale=1e-3),
    calibration=CalibrationSettings(**OFF),
)
SOME = {
    'encoder_offset': 0.5 * DEGREE,
    'gyro_mounting': 0.5 * DEGREE,
    'gyro_bias': 1e-4,
    'delay.imu': 5e-3,
}
ROBOTS_OF = {'small': small_robot_prior, 'dual arm': dual_arm_prior, 'servicer': servicer}


def drawn_motion(model, seed, count=40):
    """Return states drawn at random, accelerations with them."""
    rng = np.random.default_rng(seed)
    shape = (count, len(model.joints) + len(model.wheels))
    states = rng.uniform(-1.0, 1.0, shape), 0.1 * rng.normal(size=shape)
    return PlannedMotion(np.arange(float(count)), *states, 0.1 * rng.normal(size=shape))


def seen_by(model, motion, twist, **more):
    """Return what perfect sensors see of a motion."""
    n = len(model.joints)
    return Record(
        motion.times,
        motion.position[:, :n],
        motion.velocity[:, :n],
        motion.velocity[:, n:],
        twist,
        qdd=motion.acceleration[:, :n],
        wheel_acceleration=motion.acceleration[:, n:],
        **more,
    )


def marginal_of(method, record, rate):
    """Return the information that a method's own equations give its parameters, others free."""
    mean, count = method.prior().mean, method.unknowns.parameters
    rows = method.predict(record, mean).rows(mean).matrix * np.sqrt(rate)
    joint = rows.T @ rows
    joint[count:, count:] += np.diag(method.unknowns.std**-2.0)
    covariance = np.linalg.inv(joint[count:, count:])
    return joint[:count, :count] - joint[:count, count:] @ covariance @ joint[count:, :count]


# Information


def test_what_is_unknown_beside_is_marginalised():
    """The inverse is the block of the joint covariance; derivatives are those of differences."""
    rng = np.random.default_rng(0)
    root, beside = rng.normal(size=(30, 8)), rng.uniform(0.1, 2.0, 3)
    joint = root.T @ root
    whole = joint + np.diag([*np.zeros(5), *beside])
    found = Marginal.of(joint, beside)
    assert_close(np.linalg.inv(found.matrix), np.linalg.inv(whole)[:5, :5], 1e-10)
    by, along = rng.normal(size=(5, 5)), rng.normal(size=(8, 8))
    by, along = by + by.T, along + along.T
    step = 1e-6
    ahead, behind = (Marginal.of(joint + sign * step * along, beside) for sign in (1.0, -1.0))
    slope = np.sum(by * (ahead.matrix - behind.matrix)) / (2.0 * step)
    assert np.sum(found.pull_back(by) * along) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize('planar', [False, True])
@pytest.mark.parametrize('name', list(ROBOTS_OF))
def test_it_is_the_information_of_the_estimator(name, planar):
    """Of its own equations, all calibrations on, at the readings that are predicted.

    But for the step of the planner's differences by geometry, to one side; the estimator's slopes
    by it are exact.
    """
    model = ROBOTS_OF[name]()
    model = replace(model, noise=replace(model.noise, joint_position=0.0))
    motion = drawn_motion(model, 1)
    source = Momentum.information(model, InformationSettings(planar=planar, given=ALL))
    method = Momentum.from_settings(model, replace(ALL, planar=planar))
    assert source.counted == tuple(method.unknowns.places)
    record = seen_by(model, motion, planned_twist(model, motion, planar))
    found = source.information(motion, np.ones(len(motion.times))).matrix
    expected = marginal_of(method, record, model.noise.rate)
    assert_close(found, expected, 1e-5)
    alone = source.alone().information(motion, np.ones(len(motion.times))).matrix
    assert np.linalg.eigvalsh(alone - found).min() > -1e-9 * np.abs(alone).max()
    assert not np.allclose(alone, found, rtol=1e-2)


def test_the_estimator_reaches_what_is_promised():
    """Standard deviations along a motion from rest to rest, to a per cent, in what shows."""
    model = servicer()
    plan = plan_excitation(model, np.zeros(10), QUICK).plan
    given = request_from_mapping(SOME).settings.counted.of_method()
    source = Momentum.information(model, InformationSettings(given=given))
    times = np.arange(0.5, plan.duration * model.noise.rate) / model.noise.rate
    motion = plan.sample(times)
    record = seen_by(model, motion, planned_twist(model, motion, planar=False))
    method = Momentum.from_settings(model, given)
    prior = method.prior().linearised(method.prior().mean).covariance()
    count = len(method.minimal)
    known = np.linalg.inv(prior[:count, :count])
    promised = np.sqrt(np.diag(np.linalg.inv(shown_by(source, plan) + known)))
    result = identify(record, method, with_links=False)
    assert_close(result.estimate.std / promised, np.ones(count), 1e-2)


@pytest.mark.parametrize('momentum', [(0.0, 0.0, 0.0), (20.0, -15.0, 10.0)])
def test_a_robot_that_turns_is_seen_as_its_estimator_sees_it(momentum):
    """Gyro calibrations and bias, beside the reduced parameters."""
    model = small_robot_prior()
    calibration = CalibrationSettings(gyro_mounting=OFF['gyro_mounting'], delay_imu=5e-3)
    nuisance = NuisanceSettings(gyro_bias=1e-4)
    given = MethodSettings(nuisance=nuisance, calibration=calibration)
    known = KnownMomentum(momentum)
    source = information_source(
        'angular_momentum', model, InformationSettings(momentum=known, given=given)
    )
    assert set(source.counted) == {'gyro_bias', 'gyro_mounting', 'delay.imu'}
    drawn, times = drawn_motion(model, 2), 0.05 * np.arange(40.0)
    motion = replace(drawn, times=times)
    base = turning_base(model, known, motion)
    record = seen_by(model, motion, base.twist, attitude=base.attitudes.as_quat())
    method = AngularMomentum.from_model(
        model, KnownMomentumSettings(momentum), nuisance, calibration=calibration
    )
    weights = np.full(len(times), 0.05)
    found = source.information(motion, weights).matrix
    assert_close(found, marginal_of(method, record, 0.05 * model.noise.rate), 1e-9)
    alone = source.alone().information(motion, weights).matrix
    assert np.trace(found) < np.trace(alone)


# Gradient


@pytest.mark.parametrize('planar', [False, True])
def test_scores_fall_as_their_gradients_say(planar):
    """By positions, rates and accelerations, for robots that the prior may stand for, too."""
    model = dual_arm_prior()
    heavier = replace(model.links[2], inertial=model.links[1].inertial)
    other = replace(model, links=[*model.links[:2], heavier, *model.links[3:]])
    source = Momentum.information(model, InformationSettings(planar=planar, given=ALL))
    known = 1e-3 * source.prior
    criterion = replace(make_criterion(PlanCriterionSettings(), source), known=known)
    objective = Objective(replace(source, models=[model, other]), criterion)
    motion, weights = drawn_motion(model, 3), np.ones(40)
    total, gradient = objective.score_with_gradient(motion, weights)
    assert total == objective.score(motion, weights)
    rng, step = np.random.default_rng(4), 1e-4
    for part in ('position', 'velocity', 'acceleration'):
        along = rng.normal(size=motion.position.shape)
        ahead, behind = (
            objective.score(
                replace(motion, **{part: getattr(motion, part) + sign * step * along}), weights
            )
            for sign in (1.0, -1.0)
        )
        slope = np.sum(getattr(gradient, part) * along)
        assert slope == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-3, abs=1e-7)


# Settings


def test_tolerances_are_counted_where_they_are_asked_for():
    """Those that the method takes; what is given goes before; none without asking."""
    model = replace(small_robot_prior(), tolerances={'encoder_offset': 0.01, 'gyro_bias': 1e-4})
    automatic = request_from_mapping({'calibrate': 'auto', 'encoder_offset': 0.02}).settings
    seen = InformationSettings(given=automatic.counted.of_method())
    source = information_source('momentum', model, seen)
    assert set(source.counted) == {'encoder_offset', 'gyro_bias'}
    assert set(source.others.std) == {0.02, 1e-4}
    assert information_source('momentum', model).counted == ()


@pytest.mark.parametrize(
    ('method', 'given', 'reason'),
    [
        ('momentum', {'calibrate': 'auto'}, 'calibrate: auto needs tolerances'),
        ('least_squares', {'gyro_bias': 1e-3}, 'gyro_bias: not taken by the method least_squares'),
        ('free_flyer', {'encoder_offset': 0.1}, 'encoder_offset: not taken by the method'),
        ('angular_momentum', {'twist_scale': 0.1}, 'twist_scale: not taken by the method'),
    ],
)
def test_what_cannot_be_counted_is_refused(method, given, reason):
    settings = replace(QUICK, counted=request_from_mapping(given).settings.counted)
    with pytest.raises(ConfigurationError, match=reason):
        plan_excitation(small_robot_prior(), np.zeros(5), settings, method=method)


def test_the_settings_are_those_of_the_identification():
    """By the same keys, with the same values."""
    values = {'calibrate': 'auto', **SOME, 'wheel_scale': 0.01}
    given = values_from_settings(request_from_mapping(values).settings.counted.of_method())
    assert {key: given[key] for key in values} == values


# Plans, flown

QUICK = PlannerSettings(intervals=16, interval=3.0, draws=10, restarts=2, iterations=25)


@cache
def planned(*, counted):
    """Return a plan for the servicer as it is thought to be."""
    prior = load_robot(ROBOTS / 'servicer_prior.urdf')
    settings = replace(
        QUICK, counted=request_from_mapping(SOME if counted else {}).settings.counted
    )
    return plan_excitation(prior, np.zeros(10), settings)


def found_along(plan, seed):
    """Return what the calibrated fit finds of the servicer, its sensors off as tolerances say."""
    robot, rng = servicer(), np.random.default_rng(seed)
    n = len(robot.joints)
    times = np.arange(0.0, plan.duration, 1.0 / robot.noise.rate)
    motion = plan.sample(times)
    twist = planned_twist(robot, motion, planar=False)
    late = CubicSpline(times, twist[:, 3:])(times - SOME['delay.imu'] * rng.normal())
    twist[:, 3:] = late + SOME['gyro_bias'] * rng.normal(size=3)
    method = Momentum.from_settings(
        load_robot(ROBOTS / 'servicer_prior.urdf'),
        request_from_mapping(SOME).settings.counted.of_method(),
    )
    noise = method.rate_std * rng.normal(size=(len(times), 6 + n))
    record = Record(
        times,
        motion.position[:, :n] + SOME['encoder_offset'] * rng.normal(size=n),
        motion.velocity[:, :n] + noise[:, 6:],
        motion.velocity[:, n:],
        twist + noise[:, :6],
    )
    return identify(record, method, with_links=False).estimate


def test_a_plan_that_counts_calibrations_shows_more_beside_them():
    """What it promises, and what the calibrated fit reaches in simulation: each the better."""
    plain, counted = planned(counted=False), planned(counted=True)
    assert (plain.counted, set(counted.counted)) == ((), set(SOME))
    given = request_from_mapping(SOME).settings.counted.of_method()
    prior = load_robot(ROBOTS / 'servicer_prior.urdf')
    source = Momentum.information(prior, InformationSettings(given=given))
    std = [
        np.sqrt(np.diag(np.linalg.inv(shown_by(source, each.plan)))) for each in (plain, counted)
    ]
    assert_close(counted.std / std[1], np.ones(len(std[1])), 1e-6)
    gain = np.exp(np.mean(np.log(std[1] / std[0])))
    assert gain < 0.9
    reached = [found_along(each.plan, 0) for each in (plain, counted)]
    shares = reached[1].std / reached[0].std
    assert np.exp(np.mean(np.log(shares))) == pytest.approx(gain, rel=0.1)
    truth = minimal_parameters(servicer()).values(servicer())
    off = (reached[1].values - truth) / reached[1].std
    assert np.mean(off**2) < 2.0
