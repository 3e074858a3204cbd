"""Every method of the estimator, block by block: the same as all at once, and what it tells."""

from dataclasses import replace

from build_robots import ROBOTS
from motions import measure, paper_plan
import numpy as np
from numpy.testing import assert_allclose
import pytest
from robots import dual_arm, dual_arm_prior
from turning_arm import MODEL as TURNING
from turning_arm import MOMENTUM, noisy

from spacerobot_id.data import VelocitySource
from spacerobot_id.dynamics import whole_robot
from spacerobot_id.estimation import (
    AngularMomentumProblem,
    ChangeSettings,
    differentiated_motion,
    equations_of_motion_rows,
    identify_batch,
    identify_reduced,
    LiveAngularMomentum,
    LiveEquationsOfMotion,
    LiveLeastSquares,
    LiveMomentum,
    Method,
    MomentumProblem,
    RecursionSettings,
    ReducedSettings,
    SquareRootInformation,
)
from spacerobot_id.estimation.estimator_settings import EstimatorSettings
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.model import InertialParameters, load_robot
from spacerobot_id.nodes.estimator_methods import begin_method, method_needs

PRIOR = load_robot(ROBOTS / 'christidi_spatial_arm_prior.urdf')
SETTINGS = ReducedSettings(MOMENTUM, trust_zeros=True)
ARM = AngularMomentumProblem.from_model(PRIOR, SETTINGS)
BLOCK = 40


@pytest.fixture(name='flight', scope='module')
def dual_arm_flight():
    """Return what sensors with noise say of the dual-arm robot."""
    clean = measure(dual_arm(), paper_plan(30), 20.0)
    std = MomentumProblem.from_model(dual_arm_prior()).rate_std
    rng = np.random.default_rng(0)
    return replace(
        clean,
        base_twist=clean.base_twist + std[:6] * rng.normal(size=clean.base_twist.shape),
        qd=clean.qd + std[6:] * rng.normal(size=clean.qd.shape),
    )


@pytest.fixture(name='turning', scope='module')
def turning_flight():
    """Return what sensors with noise say of the arm of papers/004, torques among it."""
    return noisy(1)


def absorbed(state, samples):
    for begin in range(0, len(samples), BLOCK):
        state = state.absorb(samples[begin : begin + BLOCK])
    return state


@pytest.mark.parametrize('method', [Method.LEAST_SQUARES, Method.WEIGHTED_LEAST_SQUARES])
def test_least_squares_is_that_of_the_whole_log(flight, method):
    """Row after row; weights are taken anew by a refinement."""
    problem = MomentumProblem.from_model(dual_arm_prior())
    moving = flight[problem.is_moving(flight)]
    weighted = method is Method.WEIGHTED_LEAST_SQUARES
    live = LiveLeastSquares.begin(problem, RecursionSettings(), weighted=weighted)
    state = absorbed(live, flight).refined()
    batch = identify_batch(problem, moving, method)
    assert state.samples == len(moving)
    assert_allclose(state.estimate().values, batch.estimate.values, rtol=1e-6, atol=1e-6)
    assert_allclose(state.estimate().std, batch.estimate.std, rtol=1e-6)
    assert state.changed() == ()
    assert state.links(1.0) is not None


def test_least_squares_knows_nothing_before_the_first_sample():
    problem = MomentumProblem.from_model(dual_arm_prior())
    live = LiveLeastSquares.begin(problem, RecursionSettings(), weighted=False)
    assert live.refined() is live
    assert live.estimate().rank == 0
    assert np.isinf(live.estimate().std).all()


def test_angular_momentum_is_the_batch_fit(turning):
    """After a refinement, and within a tenth of a standard deviation before it."""
    state = absorbed(LiveAngularMomentum.begin(ARM, RecursionSettings()), turning)
    batch = identify_reduced(ARM, turning)
    before, after = state.estimate(), state.refined().estimate()
    scale = batch.estimate.std
    assert np.abs((before.values - batch.estimate.values) / scale).max() < 0.5
    assert np.abs((after.values - batch.estimate.values) / scale).max() < 1e-2
    assert after.samples == batch.estimate.samples
    assert after.rank == 19


def test_old_samples_stay_in_the_estimate(turning):
    """With room for few of them: nearly the same estimate, nearly the same deviations."""
    few = replace(RecursionSettings(), most_samples=400)
    short = absorbed(LiveAngularMomentum.begin(ARM, few), turning).refined()
    whole = absorbed(LiveAngularMomentum.begin(ARM, RecursionSettings()), turning).refined()
    assert sum(len(block) for block in short.recorded) <= 400
    assert short.samples == whole.samples
    assert_allclose(short.estimate().std, whole.estimate().std, rtol=0.05)
    moved = (short.estimate().values - whole.estimate().values) / whole.estimate().std
    assert np.abs(moved).max() < 0.5


def test_samples_at_rest_and_without_attitude_add_nothing(turning):
    live = LiveAngularMomentum.begin(ARM, RecursionSettings())
    still = replace(turning, qd=np.zeros_like(turning.qd))
    blind = replace(turning, attitude=np.full_like(turning.attitude, np.nan))
    assert live.absorb(still[:50]) is live
    assert live.absorb(blind[:50]) is live
    assert live.refined() is live


def test_equations_of_motion_do_not_depend_on_the_blocks(turning):
    """Windows go across blocks: every sample but those at both ends is in it."""
    live = LiveEquationsOfMotion.begin(ARM, RecursionSettings())
    state = absorbed(live, turning)
    motion = differentiated_motion(ARM, turning, SETTINGS.acceleration_window)
    rows = equations_of_motion_rows(ARM, motion)
    nothing = SquareRootInformation.nothing(19)
    assert state.samples == len(motion) == len(turning) - SETTINGS.acceleration_window + 1
    assert_allclose(
        state.data.values(), nothing.absorb(rows.matrix, rows.right).values(), rtol=1e-6
    )
    with pytest.raises(EstimationError, match='torques of all joints'):
        live.absorb(replace(turning, joint_torque=None))


@pytest.mark.parametrize('kind', [LiveAngularMomentum, LiveEquationsOfMotion])
def test_reduced_parameters_tell_inertia_but_no_mass(turning, kind):
    state = absorbed(kind.begin(ARM, RecursionSettings()), turning)
    true = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
    q = np.array([0.3, -0.4, 0.5])
    assert_allclose(state.inertia(q), whole_robot(true, q).inertia_about_com, rtol=0.02, atol=20.0)
    assert (state.robot(q), state.links(1.0), state.changed()) == (None, None, ())
    assert (state.rejected, state.changes) == (0, 0)


def test_before_the_first_sample_the_prior_is_told():
    """Of both methods: its inertia, and nothing identified."""
    for kind in (LiveAngularMomentum, LiveEquationsOfMotion):
        state = kind.begin(ARM, RecursionSettings())
        q = np.zeros(3)
        assert_allclose(state.inertia(q), whole_robot(PRIOR, q).inertia_about_com, rtol=1e-9)
        assert state.estimate().rank == 0
        assert len(state.estimate().not_identified()) == 19


@pytest.mark.parametrize(
    ('method', 'kind'),
    [
        ('momentum', LiveMomentum),
        ('angular_momentum', LiveAngularMomentum),
        ('equations_of_motion', LiveEquationsOfMotion),
        ('least_squares', LiveLeastSquares),
        ('weighted_least_squares', LiveLeastSquares),
    ],
)
def test_the_parameter_names_the_method(method, kind):
    settings = EstimatorSettings(method=method, known_angular_momentum=MOMENTUM)
    state = begin_method(PRIOR, settings, VelocitySource.TWIST)
    assert isinstance(state, kind)
    assert state.samples == 0


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        ({'method': 'least_squares', 'base_velocity': 'base_pose'}, 'base_velocity'),
        ({'method': 'angular_momentum', 'planar': True}, 'planar'),
    ],
)
def test_settings_that_contradict_the_method_are_refused(settings, reason):
    with pytest.raises(ConfigurationError, match=reason):
        method_needs(EstimatorSettings(**settings))


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (lambda seen: seen[:3], '3 samples in which something moves are too few'),
        (
            lambda seen: replace(seen, attitude=np.full_like(seen.attitude, np.nan)),
            'needs the attitude',
        ),
    ],
)
def test_logs_that_say_too_little_are_refused(turning, change, reason):
    moving = turning[ARM.is_moving(turning)]
    with pytest.raises(EstimationError, match=reason):
        identify_reduced(ARM, change(moving))
    problem = MomentumProblem.from_model(PRIOR)
    with pytest.raises(EstimationError, match='identify_reduced'):
        identify_batch(problem, moving, Method.ANGULAR_MOMENTUM)


def test_what_is_published_of_a_state_is_computed_once(flight, turning, monkeypatch):
    """Estimate, robot, inertia and estimate again: the covariance is taken out once."""
    momentum = begin_method(dual_arm_prior(), EstimatorSettings(), VelocitySource.TWIST)
    angular = LiveAngularMomentum.begin(ARM, RecursionSettings())
    states = [momentum.absorb(flight[:BLOCK]), angular.absorb(turning[:BLOCK])]
    inverted, original = [], SquareRootInformation.covariance

    def counted(information):
        inverted.append(information)
        return original(information)

    monkeypatch.setattr(SquareRootInformation, 'covariance', counted)
    for state in states:
        joints = len(state.problem.model.joints)
        assert state.estimate() is state.estimate()
        once = len(inverted)
        state.robot(np.zeros(joints))
        state.inertia(np.zeros(joints))
        assert len(inverted) == once
        inverted.clear()


# Outliers and changes without a velocity of the base.

DRIFTING = replace(PRIOR, noise=replace(PRIOR.noise, rate=50.0))
GATED = RecursionSettings(change=ChangeSettings(settle=5.0))


def taken(state, measurement):
    """Return the state after a measurement, and when changes were announced."""
    announced = []
    for begin in range(0, len(measurement), BLOCK):
        before = state.changes
        state = state.absorb(measurement[begin : begin + BLOCK])
        if state.changes > before:
            announced.append(float(measurement.times[begin]))
    return state, announced


def later(measurement, seconds=100.0):
    return replace(measurement, times=measurement.times + seconds)


@pytest.fixture(name='settled', scope='module')
def after_a_turning_flight(turning):
    problem = AngularMomentumProblem.from_model(DRIFTING, SETTINGS)
    state, announced = taken(LiveAngularMomentum.begin(problem, GATED), turning)
    assert announced == []
    assert state.rejected <= 2
    return state


def test_F30_outliers_of_the_gyro_are_refused_and_counted(settled):
    """By angular momentum alone, too; the estimate is as good as it says."""
    spoilt = noisy(2)
    spoilt.base_twist[25::50, 3:] += 0.05
    state, announced = taken(settled, later(spoilt))
    assert announced == []
    kicks = len(spoilt.base_twist[25::50])
    assert state.rejected - settled.rejected == pytest.approx(kicks, abs=3)
    estimate = state.refined().estimate()
    truth = ARM.reduced.values(TURNING)
    assert np.mean(np.abs(estimate.values - truth) <= 3.0 * estimate.std) > 0.9
    assert estimate.chi_square == pytest.approx(1.0, abs=0.1)


def test_F31_another_robot_is_announced_and_learnt_by_angular_momentum(settled):
    """Within two seconds; the momentum stays as known, every parameter may have changed."""
    heavier = with_more_in_the_last_link(TURNING)
    other = noisy(3, model=heavier)
    state, announced = taken(settled, later(other))
    assert len(announced) == 1
    assert announced[0] - other.times[0] - 100.0 <= 2.0
    estimate = state.refined().estimate()
    truth = ARM.reduced.values(heavier)
    assert np.mean(np.abs(estimate.values - truth) <= 3.0 * estimate.std) > 0.9
    assert estimate.chi_square == pytest.approx(1.0, abs=0.1)


def with_more_in_the_last_link(robot):
    """Return the robot with a twentieth of itself in its last link."""
    links = [link.inertial for link in robot.links]
    mass = 0.05 * sum(body.mass for body in links)
    held = InertialParameters.from_com(mass, links[-1].com, 0.3 * mass * np.eye(3))
    links[-1] = InertialParameters.from_vector(links[-1].vector + held.vector)
    return robot.with_parameters(np.concatenate([body.vector for body in links]))


def test_methods_say_whether_they_look_for_changes():
    """Least squares and equations of motion do not, and say so."""
    source = VelocitySource.TWIST
    looking = {
        method: begin_method(dual_arm_prior(), EstimatorSettings(method=method), source)
        for method in ('momentum', 'angular_momentum', 'least_squares', 'equations_of_motion')
    }
    assert [state.looks_for_changes for state in looking.values()] == [True, True, False, False]


@pytest.mark.parametrize('seed', [0, 2])
def test_F21_F30_learning_from_half_of_the_samples_refuses_no_good_ones(seed):
    """Lost in bursts, from a prior that is off by tens of per cent."""
    measurement, rng = noisy(seed, bias=1e-4), np.random.default_rng(seed)
    kept = np.repeat(rng.random(len(measurement) // 20 + 1) < 0.45, 20)[: len(measurement)]
    problem = AngularMomentumProblem.from_model(DRIFTING, SETTINGS, 1e-3)
    state, announced = taken(LiveAngularMomentum.begin(problem, GATED), measurement[kept])
    assert announced == []
    assert state.rejected <= 2
