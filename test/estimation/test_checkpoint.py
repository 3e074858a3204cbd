"""A restart goes on from what was known; what does not belong to it, or is damaged, is refused."""

from dataclasses import replace
import json

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from identifying import absorbed
from method_cases import case_of, METHODS
from motions import measure, random_plan, with_noise
import numpy as np
import pytest
from robots import random_tree, with_wheels

from spacerobot_id.estimation import begin_identification, refine
from spacerobot_id.estimation.recursive.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.recursive.recursion import absorb
from spacerobot_id.exceptions import CheckpointError
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import SensorNoise

NOISE = SensorNoise(
    joint_rate=1e-4, base_angular_velocity=1e-4, base_linear_velocity=1e-4, rate=100.0
)
WITH_BIAS = NuisanceSettings(gyro_bias=1e-2)


def motion_of(model, method, seed):
    return with_noise(measure(model, random_plan(model, seed, 20)), method, seed)


@pytest.fixture(name='robot', scope='module')
def small_robot():
    rng = np.random.default_rng(5)
    return replace(with_wheels(random_tree(5, 2, prismatic_share=0.0), rng), noise=NOISE)


@pytest.fixture(name='fresh', scope='module', params=[NuisanceSettings(), WITH_BIAS])
def before_the_first_sample(robot, request):
    return begin_identification(Momentum.from_model(robot, request.param))


@pytest.fixture(name='first', scope='module')
def after_a_motion(robot, fresh):
    return refine(absorbed(fresh, motion_of(robot, fresh.method, 1)))


@pytest.fixture(name='text', scope='module')
def checkpoint_of_it(first):
    return checkpoint_text(first, 'settings')


def test_F35_what_was_known_comes_back(fresh, first, text):
    """Estimate, covariance and counters to the last digits but one."""
    before, after = first.estimate(), restored(fresh, text, 'settings').estimate()
    np.testing.assert_allclose(after.values, before.values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(after.std, before.std, rtol=1e-9)
    assert (after.samples, after.rank) == (before.samples, before.rank)
    assert after.condition == pytest.approx(before.condition)


def test_F35_a_restart_between_two_motions_loses_next_to_nothing(robot, fresh, first, text):
    """What follows is added to what was known; of a bias the second motion has to find another."""
    second = motion_of(robot, fresh.method, 2)
    second = replace(second, times=second.times + 100.0)
    through = refine(absorbed(first, second)).estimate()
    again = refine(absorbed(restored(fresh, text, 'settings'), second)).estimate()
    alone = not through.others
    apart = np.max(np.abs(again.values - through.values) / through.std)
    assert apart < (0.1 if alone else 1.0)
    np.testing.assert_allclose(again.std, through.std, rtol=0.01 if alone else 0.2)


def test_F35_noise_that_was_found_comes_back(fresh, first):
    """Samples after a restart are weighed as those before it; variances of none are refused."""
    shown = np.array([1.0, 100.0, 0.25, 1.0])
    text = checkpoint_text(replace(first, shown=shown), 'settings')
    np.testing.assert_array_equal(restored(fresh, text, 'settings').shown, shown)
    text = checkpoint_text(replace(first, shown=-shown), 'settings')
    with pytest.raises(CheckpointError, match='shown'):
        restored(fresh, text, 'settings')


def test_F35_other_settings_or_another_source_are_told_and_refused(robot, text):
    fresh = begin_identification(Momentum.from_model(robot))
    with pytest.raises(CheckpointError, match='other settings'):
        restored(fresh, text, 'others')
    of_pose = begin_identification(Momentum.from_model(robot, from_pose=True))
    with pytest.raises(CheckpointError, match='another source'):
        restored(of_pose, text, 'settings')


def test_F35_another_version_is_told_and_refused(fresh, text):
    other = json.dumps({**json.loads(text), 'version': 0})
    with pytest.raises(CheckpointError, match='its version is 0, wanted is 4'):
        restored(fresh, other, 'settings')


@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_F35_one_digit_or_the_end_missing_is_damage(data):
    """Nothing but the numbers as they were written is taken."""
    model = replace(
        with_wheels(random_tree(1, 1, prismatic_share=0.0), np.random.default_rng(1)), noise=NOISE
    )
    fresh = begin_identification(Momentum.from_model(model))
    text = checkpoint_text(fresh, 'settings')
    digits = [place for place, sign in enumerate(text) if sign.isdigit() and sign != '9']
    place = data.draw(st.sampled_from(digits))
    changed = text[:place] + str(int(text[place]) + 1) + text[place + 1 :]
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assume(json.loads(changed) != json.loads(text))  # a seventeenth digit may make no difference
    for damaged in (changed, cut):
        with pytest.raises(CheckpointError):
            restored(fresh, damaged, 'settings')


@pytest.fixture(name='flown', scope='module', params=METHODS)
def states_of_every_method(request):
    """Return the state before the first sample, and the one after a motion."""
    case = case_of(request.param)
    fresh = begin_identification(case.method)
    if case.method.solves_at_once:
        return fresh, refine(absorb(fresh, case.record))
    return fresh, absorbed(fresh, case.record[:300], 50)


def test_F35_every_method_goes_on_from_its_checkpoint(flown):
    """The same estimate, the same counters, and the same rows to add to."""
    fresh, state = flown
    again = restored(fresh, checkpoint_text(state, 'settings'), 'settings')
    before, after = state.estimate(), again.estimate()
    scale = np.where(np.isfinite(before.std), before.std, np.abs(before.values) + 1.0)
    np.testing.assert_array_less(np.abs(after.values - before.values) / scale, 1e-9)
    np.testing.assert_allclose(after.std, before.std, rtol=1e-9)
    assert (after.samples, after.rank) == (before.samples, before.rank)
    assert after.condition == pytest.approx(before.condition)
    assert after.chi_square == pytest.approx(before.chi_square, rel=1e-9, nan_ok=True)
    assert (again.rejected, again.changes) == (state.rejected, state.changes)
    assert state.samples > 0


def test_F35_a_checkpoint_of_another_method_is_refused(flown):
    """Whatever the two have in common."""
    fresh, state = flown
    text = checkpoint_text(state, 'settings')
    others = [name for name in METHODS if name != fresh.method.name]
    for name in others:
        with pytest.raises(CheckpointError, match='another method'):
            restored(begin_identification(case_of(name).method), text, 'settings')
