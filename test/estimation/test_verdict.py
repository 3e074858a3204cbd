"""What makes an estimate one not to be used, beside what its residuals show."""

from dataclasses import replace

from free_flyer_flights import flight, record, ROBOT
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import begin_identification
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.solution import FoundNoise

METHOD = FreeFlyer(ROBOT)
FLOWN = record(flight(cycles=4))


def identified(samples):
    return begin_identification(METHOD).absorb(samples).refined()


@pytest.fixture(scope='module')
def state():
    return identified(FLOWN)


def kinds(state, before=()):
    return [each.kind for each in defects(state, None, before=before)]


@pytest.mark.parametrize(
    ('step', 'converged', 'before', 'is_valid'),
    [
        (3.0, False, (), False),
        (1.9, False, (), True),
        (1.9, False, ('convergence',), False),
        (3.0, True, (), True),
    ],
)
def test_a_fit_that_goes_far_at_its_last_step_is_not_valid(
    state, step, converged, before, is_valid
):
    """In standard deviations, root mean square; a defect that was there is kept for longer."""
    root = np.linalg.inv(state.information.factor)
    centre = state.information.values() - step * root @ np.ones(len(root))
    ended = replace(state, converged=converged, centre=centre)
    assert ('convergence' not in kinds(ended, before)) is is_valid
    assert kinds(ended, before) == ([] if is_valid else ['convergence'])


def test_noise_beyond_what_is_plausible_names_its_cause(state):
    """By its name, its size and what is wrong with the inputs then."""
    noise = FoundNoise('other torques', '1', 3.0, 1.0, 'axes are wrong')
    (found,) = defects(replace(state, found_noise=(noise,)), None)
    assert found.kind == 'scatter'
    assert found.sentence == 'other torques of 3, at most 1 is plausible: axes are wrong'
    assert not defects(replace(state, found_noise=(replace(noise, value=0.9),)), None)


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(3))
def test_attitudes_inverted_from_the_middle_on_are_not_valid(state, seed):
    """Of the world against the base: no fit ends, or leads anywhere, by the wrench alone."""
    assert not kinds(state)
    measured = record(flight(cycles=4), seed=seed)
    turned = measured.attitude.copy()
    later = slice(len(turned) // 2, None)
    turned[later] = Rotation.from_quat(turned[later]).inv().as_quat()
    assert kinds(identified(replace(measured, attitude=turned)))
