"""What a motion will show, before any fit: numbers that come true, and reasons as text."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import paper_plan, random_plan
import numpy as np
import pytest
from robots import dual_arm, dual_arm_prior, random_tree, with_wheels

from spacerobot_id.estimation import excitation_report, identify
from spacerobot_id.estimation.excitation_report import Visibility
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import JointType


@pytest.fixture(name='method', scope='module')
def momentum_of_the_offset_robot():
    return Momentum.from_model(dual_arm_prior())


def moved(method, change, rate=20.0):
    """Return what the sensors see of the paper's motion with changed knots."""
    plan = paper_plan()
    knots = plan.knots.copy()
    change(knots)
    clean = conserved_flight(dual_arm(), replace(plan, knots=knots), rate)
    return with_sensor_noise(clean, method, 0)


def stop(*actuators):
    """Return a change that keeps joints and wheels where they are."""

    def change(knots):
        knots[:, list(actuators)] = knots[0, list(actuators)]

    return change


def sentences_of(report):
    return {each.name: each.sentence for each in report.parameters}


def test_the_expected_uncertainty_comes_true():
    """With the true description it is that of the estimate, and as many are identified."""
    method = Momentum.from_model(dual_arm())
    clean = conserved_flight(dual_arm(), paper_plan(), 20.0)
    report = excitation_report(method, clean)
    estimate = identify(with_sensor_noise(clean, method, 0), method, with_links=False).estimate
    expected = np.array([each.after for each in report.parameters])
    np.testing.assert_allclose(expected, estimate.std, rtol=0.2)
    np.testing.assert_allclose([each.before for each in report.parameters], estimate.prior_std)
    assert (report.rank, report.total) == (estimate.rank, 52)
    assert report.samples == estimate.samples


def test_a_good_motion_shows_everything_well(method):
    """Each parameter is reported as seen well, and how well; the sentence counts them."""
    report = excitation_report(method, moved(method, stop(), rate=100.0))
    assert report.count(Visibility.WELL) == 52
    assert sentences_of(report)['L0.m'].startswith('seen well: to ')
    assert sentences_of(report)['L0.m'].endswith(' %)')
    assert '52 of 52 combinations of parameters: 52 seen well' in report.summary()
    assert np.isfinite(report.condition)


def test_a_joint_that_stands_still_is_named(method):
    """Seven parameters are lost, those of its link and of the one before; others are not."""
    report = excitation_report(method, moved(method, stop(2)))
    sentence = sentences_of(report)
    assert report.rank == 45
    reasons = {name: text for name, text in sentence.items() if not text.startswith('seen well')}
    assert {name.split('.')[0] for name in reasons} == {'L1', 'L2', 'L3'}
    assert sentence['L3.Ixy'] == sentence['L2.Ixy'] == 'not seen: joint_3 does not move'
    assert sentence['L6.Izz'].startswith('seen well')
    assert 'infinite' in report.summary()


def test_noise_of_a_joint_at_rest_shows_nothing(method):
    """Ten times the noise of its rate says no more of its link."""
    quiet = moved(method, stop(2))
    loud = replace(
        quiet, qd=quiet.qd + 5e-4 * np.eye(6)[2] * (-1.0) ** np.arange(len(quiet.q))[:, None]
    )
    assert sentences_of(excitation_report(method, loud)) == sentences_of(
        excitation_report(method, quiet)
    )


def test_without_wheels_the_scale_is_open(method):
    """It is reported of the mass, and of nothing that ratios alone could show."""
    report = excitation_report(method, moved(method, stop(6, 7, 8)))
    assert sentences_of(report)['L0.m'].endswith('leaves the scale of all parameters open')
    assert report.rank < 52


def test_a_base_that_turns_about_one_axis_is_said(method):
    """A wheel alone turns it, the joints stand."""
    report = excitation_report(method, moved(method, stop(*range(6), 7, 8)))
    sentence = sentences_of(report)
    assert sentence['L0.Izz'] == 'not seen: the base turns about one axis only'
    assert sentence['L4.mx'] == 'not seen: joint_4 does not move'
    assert report.rank < 10


def test_a_joint_that_moves_little_is_named(method):
    """With how far it goes."""

    def change(knots):
        knots[:, 0] = knots[0, 0] + 0.05 * (knots[:, 0] - knots[0, 0])

    sentence = sentences_of(excitation_report(method, moved(method, change)))
    assert 'joint_1 moves by 0.' in sentence['L1.Ixx-Iyy']
    assert 'deg only' in sentence['L1.Ixx-Iyy']


def test_what_shows_only_together_is_named(method):
    """Two joints that always move against each other leave pairs of parameters open."""

    def change(knots):
        knots[:, 2] = knots[0, 2] - (knots[:, 1] - knots[0, 1])

    report = excitation_report(method, moved(method, change))
    hidden = [each for each in report.parameters if each.visibility is not Visibility.WELL]
    together = [each for each in hidden if 'together with' in each.sentence]
    assert together
    names = {each.name for each in report.parameters}
    assert all(any(name in each.sentence for name in names - {each.name}) for each in together)


def test_prismatic_joints_travel_metres():
    """A slide that moves by millimetres is named with its travel in m."""
    model = with_wheels(random_tree(2, 4, prismatic_share=1.0), np.random.default_rng(2))
    assert model.joints[0].type is JointType.PRISMATIC
    plan = random_plan(model, 0, 10)
    knots = plan.knots.copy()
    knots[:, :4] = knots[0, :4] + 0.02 * (knots[:, :4] - knots[0, :4])
    flight = conserved_flight(model, replace(plan, knots=knots), 20.0)
    method = Momentum(model, np.full(10, 1e-2))
    hidden = [
        text
        for text in sentences_of(excitation_report(method, flight)).values()
        if ' m only' in text
    ]
    assert hidden


def test_without_motion_nothing_is_seen(method):
    """The reason is the same for all, and nothing is expected to become known."""
    report = excitation_report(method, moved(method, stop(*range(9))))
    assert report.samples == report.rank == 0
    assert set(sentences_of(report).values()) == {'not seen: nothing moves'}
    assert all(each.after == pytest.approx(each.before) for each in report.parameters)


def test_unknowns_beside_the_parameters_cost_certainty(method):
    """With a gyro bias and momentum to be found, no parameter is expected to be better known."""
    settings_ = NuisanceSettings(gyro_bias=1e-2, linear_momentum=1.0, angular_momentum=1.0)
    harder = Momentum.from_model(dual_arm_prior(), settings_)
    flight = moved(method, stop())
    alone, beside = (
        np.array([each.after for each in excitation_report(each_method, flight).parameters])
        for each_method in (method, harder)
    )
    assert (beside >= alone * (1.0 - 1e-9)).all()
    assert (beside > 1.01 * alone).any()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_a_longer_motion_never_shows_less(seed, joints):
    """For any robot and motion: no more is open after it than before, nor than half-way."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    method = Momentum(model, np.full(6 + joints, 1e-4))
    flight = conserved_flight(model, random_plan(model, seed, 6), 20.0)
    half, whole = (
        excitation_report(method, flight[:count]) for count in (len(flight) // 2, len(flight))
    )
    before, middle, after = (
        np.array(each)
        for each in (
            [each.before for each in whole.parameters],
            [each.after for each in half.parameters],
            [each.after for each in whole.parameters],
        )
    )
    assert (middle <= before * (1.0 + 1e-9)).all()
    assert (after <= middle * (1.0 + 1e-6)).all()
    assert half.rank <= whole.rank <= len(before)
