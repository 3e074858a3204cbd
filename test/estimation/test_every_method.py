"""The recursion by every method: the batch fit whatever the blocks, and what it says."""

from dataclasses import replace

from identifying import absorbed, later, taken
from method_cases import case_of, METHODS, SAMPLE_BY_SAMPLE
import numpy as np
from numpy.testing import assert_allclose
import pytest
from turning_arm import MODEL as TURNING
from turning_arm import noisy

from spacerobot_id.estimation import (
    begin_identification,
    best_fit,
    identify,
    RecursionSettings,
    refine,
)
from spacerobot_id.estimation.physical_consistency import consistent_links
from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.registry import method_class
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import whole_robot
from spacerobot_id.statistics.square_root_information import SquareRootInformation

ARM = case_of('angular_momentum').method
PRIOR = ARM.model
BLOCK = 40
NO_GATE = RecursionSettings(change=ChangeSettings(gate=0.0))
LINEAR = ('least_squares', 'angular_momentum_least_squares', 'equations_of_motion')
"""Methods whose rows do not depend on the estimate."""

GATED_METHODS = (
    'momentum',
    'momentum_balance',
    'angular_momentum',
    'angular_momentum_and_torques',
)
"""Methods that reject outliers and announce changes."""

REDUCED = ('angular_momentum', 'equations_of_motion')


@pytest.fixture(name='turning', scope='module')
def turning_flight():
    """Return what sensors with noise say of the arm of [Christidi 2017], torques among it."""
    return noisy(1)


def begun(name, settings=NO_GATE):
    return begin_identification(case_of(name).method, settings)


def batch_of(name):
    """Return the fit of all samples of a case at once, from the description."""
    case = case_of(name)
    usable = case.method.renewed(case.method.usable(case.method.prepared(case.record)))
    method, prior = case.method.since(float(usable.times[0])), case.method.prior()
    known = None if method.is_for_comparison else prior
    return len(usable), best_fit(method, usable, (prior.mean,), known, None, 60, 1e-11).information


@pytest.mark.parametrize('name', SAMPLE_BY_SAMPLE)
@pytest.mark.slow
def test_refined_it_is_the_batch_fit(name):
    """Block by block and then refined, or all at once: to 1e-9 of every standard deviation.

    Torques are linear about where the iteration ended, which costs half of the digits.
    """
    near = 1e-6 if name == 'angular_momentum_and_torques' else 1e-9
    state = refine(absorbed(begun(name), case_of(name).record, BLOCK), 60, 1e-11)
    count, batch = batch_of(name)
    assert state.samples == count
    std = np.sqrt(np.diag(batch.covariance()))
    assert np.abs((state.information.values() - batch.values()) / std).max() < near
    assert_allclose(np.sqrt(np.diag(state.information.covariance())), std, rtol=near)


@pytest.mark.slow
def test_torques_are_in_a_refinement_and_once():
    """On the way the gyro alone speaks; refined twice, with more in between, nothing doubles."""
    name, record = 'angular_momentum_and_torques', case_of('angular_momentum_and_torques').record
    state = refine(absorbed(begun(name), record[:200], BLOCK))
    state = refine(absorbed(state, record[200:], BLOCK))
    straight = absorbed(begun(name), record, BLOCK)
    moved = refine(straight).information
    assert np.all(moved.rows > straight.information.rows)
    assert state.information.rows == moved.rows
    assert moved.deviations(state.information.values() - moved.values()) < 0.01


@pytest.mark.parametrize('name', LINEAR)
def test_linear_equations_need_no_refinement(name):
    """Windows go across blocks: every sample but those at both ends is in it."""
    case = case_of(name)
    state = absorbed(begun(name), case.record, BLOCK)
    count, batch = batch_of(name)
    assert state.samples == count == len(case.method.prepared(case.record)) - at_rest(case)
    std = np.sqrt(np.diag(batch.with_unit_residual().covariance()))
    assert np.abs((state.information.values() - batch.values()) / std).max() < 1e-9


def at_rest(case):
    """Return how many samples are left out because nothing moves."""
    prepared = case.method.prepared(case.record)
    return len(prepared) - len(case.method.usable(prepared))


def test_equations_of_motion_are_those_of_derived_accelerations(turning):
    """The rows of the whole record, absorbed at once."""
    method = case_of('equations_of_motion').method
    window = method.settings.acceleration_window
    rows = method.equations(with_accelerations(turning, window), np.zeros(19))
    expected = SquareRootInformation.nothing(19).absorb(rows.matrix, rows.right).values()
    state = absorbed(begun('equations_of_motion'), turning, BLOCK)
    assert state.samples == len(turning) - window + 1
    assert_allclose(state.information.values(), expected, rtol=1e-6)
    with pytest.raises(EstimationError, match='torques of all joints'):
        absorb(state, replace(turning, joint_torque=None))


def test_angular_momentum_is_near_the_batch_fit_before_it_is_refined(turning):
    """Within half a standard deviation, and to a hundredth after it."""
    state = absorbed(begun('angular_momentum', RecursionSettings()), turning, BLOCK)
    batch = identify(turning, ARM, with_links=False).estimate
    before, after = state.estimate(), refine(state).estimate()
    assert np.abs((before.values - batch.values) / batch.std).max() < 0.5
    assert np.abs((after.values - batch.values) / batch.std).max() < 1e-2
    assert after.samples == batch.samples
    assert after.rank == 19


def test_old_samples_stay_in_the_estimate(turning):
    """With room for few of them: nearly the same estimate, nearly the same deviations."""
    few = RecursionSettings(most_samples=400)
    short = refine(absorbed(begun('angular_momentum', few), turning, BLOCK))
    whole = refine(absorbed(begun('angular_momentum', RecursionSettings()), turning, BLOCK))
    assert sum(len(block) for block in short.recorded) <= 400
    assert short.samples == whole.samples
    assert_allclose(short.estimate().std, whole.estimate().std, rtol=0.05)
    moved = (short.estimate().values - whole.estimate().values) / whole.estimate().std
    assert np.abs(moved).max() < 0.5


def test_samples_at_rest_and_without_attitude_add_nothing(turning):
    """Whether the attitude is not a number or not there."""
    live = begun('angular_momentum')
    still = replace(turning, qd=np.zeros_like(turning.qd))
    blocks = [still[:50]]
    for attitude in (None, np.full_like(turning.attitude, np.nan)):
        blocks.append(replace(turning, attitude=attitude)[:50])
    for block in blocks:
        after = absorb(live, block)  # keeps samples to smooth the next ones with
        assert replace(after, tail=None).recorded == ()
        assert (after.samples, after.rejected) == (0, 0)
        assert after.information is live.information
    assert refine(live) is live


@pytest.mark.parametrize('name', REDUCED)
def test_reduced_parameters_tell_inertia_but_no_mass(turning, name):
    """The whole robot's inertia as it is, and None where the mass plays a part."""
    state = absorbed(begun(name, RecursionSettings()), turning, BLOCK)
    q = np.array([0.3, -0.4, 0.5])
    inertia = whole_robot(TURNING, q).inertia_about_com
    assert_allclose(state.inertia(q), inertia, rtol=0.02, atol=20.0)
    assert (
        state.robot(q),
        consistent_links(state.method, state.estimate(), 1.0),
        changed_bodies(state),
    ) == (None, None, ())
    assert (state.rejected, state.changes) == (0, 0)


def test_minimal_parameters_show_links():
    """Of least squares too; nothing is reported of changes that are not looked for."""
    case = case_of('least_squares')
    state = absorbed(begun('least_squares'), case.record, BLOCK)
    assert consistent_links(state.method, state.estimate(), 1.0) is not None
    assert changed_bodies(state) == ()


@pytest.mark.parametrize('name', METHODS)
def test_before_the_first_sample_the_prior_is_told(name):
    """By every method: its parameters and inertia, and nothing identified."""
    state = begun(name)
    estimate, model = state.estimate(), state.method.model
    assert refine(state) is state
    assert (estimate.rank, estimate.samples, state.samples) == (0, 0, 0)
    prior = state.method.prior().mean[: state.method.unknowns.parameters]
    assert_allclose(estimate.values, prior, rtol=1e-9, atol=1e-9 * np.abs(prior).max())
    assert_allclose(estimate.std, estimate.prior_std, rtol=1e-6)
    assert estimate.not_identified() == estimate.names
    q = np.zeros(len(model.joints))
    inertia = whole_robot(model, q).inertia_about_com
    assert_allclose(state.inertia(q), inertia, rtol=1e-9, atol=1e-9 * np.abs(inertia).max())


def lost(seen):
    """Return how many samples parabolas through poses cost."""
    return len(seen) - len(ARM.prepared(seen))


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (lambda seen: seen[: lost(seen) + 3], '3 samples in which something moves are too few'),
        (lambda seen: replace(seen, attitude=None), 'needs the attitude'),
        (lambda seen: replace(seen, attitude=np.full((len(seen), 4), np.nan)), 'needs the atti'),
    ],
)
def test_logs_that_say_too_little_are_refused(turning, change, reason):
    moving = turning[ARM.is_moving(turning)]
    with pytest.raises(EstimationError, match=reason):
        identify(change(moving), ARM)


@pytest.mark.parametrize('name', ['momentum', 'angular_momentum'])
def test_what_is_published_of_a_state_is_computed_once(name, monkeypatch):
    """Estimate, robot, inertia and estimate again: the covariance is taken out once."""
    state = absorb(begun(name), case_of(name).record[:BLOCK])
    inverted, original = [], SquareRootInformation.covariance

    def counted(information):
        inverted.append(information)
        return original(information)

    monkeypatch.setattr(SquareRootInformation, 'covariance', counted)
    q = np.zeros(len(state.method.model.joints))
    assert state.estimate() is state.estimate()
    once = len(inverted)
    state.robot(q)
    state.inertia(q)
    assert len(inverted) == once


@pytest.mark.parametrize('name', METHODS)
def test_methods_say_whether_they_look_for_changes(name):
    """Those with a stated noise do, the others give the reason why not."""
    kind, looks = method_class(name), begun(name, RecursionSettings()).looks_for_changes
    assert looks == (name in GATED_METHODS)
    assert looks == ('gate' in kind.takes)
    assert looks != bool(kind.no_gate)
    assert not begun(name, NO_GATE).looks_for_changes


# Outliers and changes without a velocity of the base.

GATED = RecursionSettings(change=ChangeSettings(settle=5.0))


@pytest.fixture(name='settled', scope='module')
def after_a_turning_flight(turning):
    state, announced = taken(begun('angular_momentum', GATED), turning, BLOCK)
    assert announced == []
    assert state.rejected <= 2
    return state


def test_F30_outliers_of_the_gyro_are_rejected_and_counted(settled):
    """By angular momentum alone, too; the estimate is as good as it says."""
    spoilt = noisy(2)
    spoilt.base_twist[25::50, 3:] += 0.05
    state, announced = taken(settled, later(spoilt), BLOCK)
    assert announced == []
    kicks = len(spoilt.base_twist[25::50])
    assert state.rejected - settled.rejected == pytest.approx(kicks, abs=3)
    estimate = refine(state).estimate()
    truth = ARM.reduced.values(TURNING)
    assert np.mean(np.abs(estimate.values - truth) <= 3.0 * estimate.std) > 0.9
    assert estimate.chi_square == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
def test_F31_another_robot_is_announced_and_learnt_by_angular_momentum(settled):
    """Within two seconds; the momentum stays as known, every parameter may have changed."""
    heavier = with_more_in_the_last_link(TURNING)
    other = noisy(3, model=heavier)
    state, announced = taken(settled, later(other), BLOCK)
    assert len(announced) == 1
    assert announced[0] - other.times[0] - 100.0 <= 2.0
    estimate = refine(state).estimate()
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


@pytest.mark.parametrize('seed', [0, 2])
def test_F21_F30_learning_from_half_of_the_samples_refuses_no_good_ones(seed):
    """Lost in bursts, from a prior that is off by tens of per cent."""
    measurement, rng = noisy(seed, bias=1e-4), np.random.default_rng(seed)
    kept = np.repeat(rng.random(len(measurement) // 20 + 1) < 0.45, 20)[: len(measurement)]
    method = replace(ARM, nuisance=NuisanceSettings(gyro_bias=1e-3))
    state, announced = taken(begin_identification(method, GATED), measurement[kept], BLOCK)
    assert announced == []
    assert state.rejected <= 2
