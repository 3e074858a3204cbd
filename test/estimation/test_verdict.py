"""What makes an estimate one not to be used, beside what its residuals show."""

from dataclasses import replace

from free_flyer_flights import flight, LOADED, record, ROBOT
import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import begin_identification
from spacerobot_id.estimation.recursive.recursion import absorb, refine
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.registry import method_class, method_names
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.solution import FoundNoise
from spacerobot_id.statistics.square_root_information import SquareRootInformation

METHOD = FreeFlyer(ROBOT)
FLOWN = record(flight(cycles=2))


def identified(samples):
    return refine(absorb(begin_identification(METHOD), samples))


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


@pytest.mark.parametrize(('fitted', 'is_valid'), [(0, False), (199, False), (200, True)])
def test_an_estimate_of_the_lesser_part_is_not_valid_where_all_lead_nowhere(
    state, fitted, is_valid
):
    """A fit that fails once changes nothing; after a while most samples are in none."""
    assert state.samples == 400
    failed = replace(state, linearised=fitted, failure='the fit leads nowhere')
    assert kinds(failed) == ([] if is_valid else ['contradiction'])
    said = [each.sentence for each in defects(failed, None)]
    assert all(f'that of {fitted} of 400 samples; of all the fit' in each for each in said)
    assert not kinds(replace(state, linearised=fitted))


def test_noise_beyond_what_is_plausible_names_its_cause(state):
    """By its name, its size and what is wrong with the inputs then."""
    noise = FoundNoise('other torques', '1', 3.0, 1.0, is_of_wrench=True)
    (found,) = defects(replace(state, found_noise=(noise,)), None)
    assert found.kind == 'scatter'
    assert found.sentence.startswith('other torques of 3, at most 1 is plausible: the wrench ')
    (of_pulses,) = defects(replace(state, found_noise=(replace(noise, is_of_wrench=False),)), None)
    assert 'other torques of 3, at most 1 is plausible: commands are lost' in of_pulses.sentence
    assert not defects(replace(state, found_noise=(replace(noise, value=0.9),)), None)


@pytest.mark.parametrize('samples', [8, 800])
def test_an_estimate_in_which_nothing_is_identified_is_not_valid(samples):
    """At rest a sample is a sample, and every parameter that of the description."""
    assert kinds(replace(begin_identification(METHOD), samples=samples)) == ['identified']


COMPARED = [each for each in method_names() if method_class(each).is_for_comparison]


@pytest.mark.parametrize('name', COMPARED)
def test_a_method_whose_intervals_do_not_hold_is_never_valid(name):
    """However well all parameters are identified."""
    is_free_flyer = 'period' in method_class(name).takes
    of_method = MethodSettings(period=10.0) if is_free_flyer else MethodSettings()
    settings = IdentifySettings(method=name, of_method=of_method)
    method = settings.method_for(ROBOT if is_free_flyer else dual_arm())
    begun = begin_identification(method)
    count = len(method.unknowns)
    known = SquareRootInformation(1e6 * np.eye(count), np.ones(count), 1.0, 10 * count)
    assert kinds(replace(begun, samples=800, information=known)) == ['intervals']


def with_forces_exchanged(measured):
    values = measured.wrench.values[:, [1, 0, 2, 3, 4, 5]]
    return replace(measured, wrench=replace(measured.wrench, values=values))


def in_inertial_axes(measured):
    turned = Rotation.from_quat(measured.attitude)
    values = np.hstack(
        [turned.apply(each) for each in np.split(measured.wrench.values, 2, axis=1)]
    )
    return replace(measured, wrench=replace(measured.wrench, values=values))


@pytest.mark.slow
@pytest.mark.parametrize('mistake', [with_forces_exchanged, in_inertial_axes])
def test_a_wrench_in_other_axes_is_not_valid(mistake):
    """Forces along x and y exchanged; a wrench in inertial axes taken for one in the base's."""
    found = identified(mistake(FLOWN))
    error = np.abs(found.estimate().values - LOADED.vector) / found.estimate().std
    assert error.max() > 5.0
    assert kinds(found) == ['scatter']


@pytest.mark.slow
@pytest.mark.parametrize('seed', [1, 2])
def test_F11_attitudes_inverted_from_the_middle_on_are_not_valid(state, seed):
    """Of the world against the base: no fit ends, or leads anywhere, by the wrench alone."""
    assert not kinds(state)
    measured = record(flight(cycles=2), seed=seed)
    turned = measured.attitude.copy()
    later = slice(len(turned) // 2, None)
    turned[later] = Rotation.from_quat(turned[later]).inv().as_quat()
    assert kinds(identified(replace(measured, attitude=turned)))
