"""Causes that a fit of all samples at once names: what is off, how far, and what to set."""

from dataclasses import replace

from flight_mistakes import late, scattered, seen_from, with_strengths
from free_flyer_flights import flight, LOADED, record, ROBOT
from logs import servicer_log_with_poses
import numpy as np
import pytest
from robots import servicer
from scipy.spatial.transform import Rotation
from space_flights import drawn_servicer
from table_flights import KNOWN_MASS, on_table, TABLE, table_flight, UNKNOWN

from spacerobot_id.estimation import begin_identification, identify
from spacerobot_id.estimation.batch.cause import cause_name
from spacerobot_id.estimation.batch.hidden_causes import hidden_causes
from spacerobot_id.estimation.recursive.recursion import absorb, refine
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.harmonic_least_squares import HarmonicLeastSquares
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import MethodSettings

METHOD = FreeFlyer(ROBOT)
MISTAKES = {
    'fx 10 % weak': (
        lambda flown: with_strengths(flown, [0.9, 1.0, 1.0, 1.0, 1.0, 1.0]),
        'wrench_scale',
    ),
    'ty 20 % weak': (
        lambda flown: with_strengths(flown, [1.0, 1.0, 1.0, 1.0, 0.8, 1.0]),
        'wrench_scale',
    ),
    'markers off the origin': (lambda flown: seen_from(flown, (0.05, -0.03, 0.04)), 'pose_point'),
    'markers askew': (
        lambda flown: seen_from(flown, mounting=(0.05, -0.03, 0.04)),
        'pose_mounting',
    ),
    'wrench 0.3 s late': (lambda flown: late(flown, 0.3), 'delay.wrench'),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_what_is_off_is_named_with_how_far_the_estimate_is(name):
    """Each would have been valid, some off by 5 to 15 deviations, but the late wrench."""
    change, key = MISTAKES[name]
    result = identify(change(record(flight(cycles=4))), METHOD)
    (cause,) = result.causes
    assert cause.description.startswith(f'{key} (')
    assert cause.remedy.startswith(f'set {key}: ')
    assert cause.is_hidden
    estimate = result.estimate
    worst = np.abs((estimate.values - LOADED.vector) / estimate.std).max()
    if key != 'wrench_scale':  # which leaves the common scale open
        assert cause.shift == pytest.approx(worst, abs=0.5)
    assert cause.shift > 0.5 * worst
    kinds = [each.kind for each in result.defects]
    assert ('calibration' in kinds) == (cause.shift > 3.0)
    assert result.is_usable == (not kinds)


def test_an_estimate_that_no_body_has_is_explained_too():
    """A linear step may lead beyond the last body: wherever it ends, here at a negative mass."""
    flown = late(record(flight(cycles=2, seed=2), seed=1), 0.3)
    state = refine(absorb(begin_identification(METHOD), flown))
    values = state.values()
    values[:1] = -abs(values[:1]) - 1.0
    assert not METHOD.is_possible(values)
    beyond = replace(state.information, target=state.information.factor @ values)
    causes = hidden_causes(replace(state, information=beyond, converged=False), flown)
    assert causes[0].description.startswith('delay.wrench (')


@pytest.mark.parametrize(('seed', 'scatter'), [(0, 0.0), (1, 0.0), (2, 0.0), (2, 0.15)])
def test_nothing_is_named_where_nothing_is_off(seed, scatter):
    """Not of wrenches that scatter either, which is noise; more in ``balance_mistakes.py``."""
    flown = record(flight(cycles=4, seed=1 + seed), seed=seed)
    if scatter:
        flown = scattered(flown, scatter, np.random.default_rng(seed))
    result = identify(flown, METHOD)
    assert result.causes == ()
    assert result.is_usable, result.reasons


def test_methods_to_compare_name_nothing():
    """They have no intervals to judge by, and take none of these settings."""
    assert not HarmonicLeastSquares(ROBOT, period=10.0).candidate_errors


@pytest.mark.slow
def test_milliseconds_against_joints_are_not_named():
    """The joints' curve itself is known no better, as in this one of eight flights."""
    method, measured, _ = drawn_servicer(4, 30.0)
    result = identify(measured, method)
    assert result.causes == ()
    assert result.is_usable, result.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ('known', 'key'),
    [({}, None), ({'strength_loss': 0.0}, 'strength_loss'), ({'dead_time': 0.0}, 'dead_time')],
)
def test_errors_of_thrusters_are_named(known, key):
    """What valves lose, and when they open, where it is taken for nothing."""
    method = on_table(actuators=replace(UNKNOWN, **known), prior_settings=KNOWN_MASS)
    result = identify(table_flight(TABLE), method)
    keys = [cause_name(cause.description) for cause in result.causes]
    assert keys == ([] if key is None else [key])
    if key is not None:
        found = result.causes[0].description
        truth = {'strength_loss': TABLE.loss, 'dead_time': TABLE.dead_time}[key]
        assert float(found.split()[2]) == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize('scale', [1.0, 1.2])
def test_a_velocity_off_by_a_share_is_seen_while_the_robot_moves(scale):
    """It had parameters off by 60 deviations, and was valid until the motion ended."""
    log = servicer_log_with_poses(1400)
    twists = log.twist.twists.copy()
    twists[:, :3] *= scale
    state, kinds = live(replace(log, twist=replace(log.twist, twists=twists)))
    assert ('calibration' in kinds) == (scale > 1.0)
    if scale > 1.0:
        assert cause_name(state.causes[0].description) in ('twist_scale', 'twist_point')


@pytest.mark.parametrize('off', [0.0, 0.36])
def test_a_marker_that_is_not_at_the_base_is_seen_while_the_robot_moves(off):
    """Of poses alone: it had parameters off by 77 to 219 deviations, and was valid for 27 s."""
    log = servicer_log_with_poses(900)
    turned = Rotation.from_quat(log.pose.attitudes).apply([off, 0.0, 0.0])
    noise = servicer().noise.base_position * np.random.default_rng(0).normal(size=turned.shape)
    pose = replace(log.pose, positions=log.pose.positions + turned + noise)
    state, kinds = live(replace(log, pose=pose, twist=None), from_pose=True)
    assert ('calibration' in kinds) == (off > 0.0)
    if off:
        assert cause_name(state.causes[0].description) == 'pose_point'


def live(log, *, from_pose=False):
    """Return the state of momentum after a log of the servicer, live, and kinds of its defects."""
    robot = servicer()
    method = Momentum.from_settings(robot, MethodSettings(), from_pose=from_pose)
    needs = Momentum.needs.of_robot(len(robot.joints), len(robot.wheels))
    samples = record_from_log(robot, log, needs=needs).measurement
    state = begin_identification(method)
    for begin in range(0, len(samples), 20):
        state = absorb(state, samples[begin : begin + 20])
    return state, {each.kind for each in defects(state, state.robot(samples.q[-1]))}
