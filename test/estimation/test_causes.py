"""The cause of data that the model does not explain is named, and none where there is none."""

from dataclasses import replace
from functools import cache
import re

from moving_dual_arm import described, HALF, half, world
import numpy as np
import pytest
from robots import dual_arm_prior
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation import identify
from spacerobot_id.estimation.batch.cause import calibration_text, cause_name
from spacerobot_id.estimation.batch.causes import likely_causes
from spacerobot_id.estimation.batch.score_test import extended_samples, scores
from spacerobot_id.estimation.live_feed import refined
from spacerobot_id.estimation.recursive.recursion import absorb, begin_identification
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model.inertial_parameters import MASS

METHOD = Momentum.from_model(described())


@cache
def clean():
    """Return half a minute of the motion as perfect sensors see it."""
    return half()


FINE = Momentum.from_model(dual_arm_prior())
"""The method for what only twice as many samples show."""


@cache
def fine():
    """Return the same at twice the rate."""
    return world(samples=4 * HALF)[: 2 * HALF]


def noisy(record, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(record), len(METHOD.rate_std))) * METHOD.rate_std
    return replace(
        record, qd=record.qd + noise[:, 6:], base_twist=record.base_twist + noise[:, :6]
    )


def with_gyro(change):
    """Return the record with what a function makes of the gyro's readings."""
    twist = clean().base_twist.copy()
    twist[:, 3:] = change(twist[:, 3:])
    return replace(clean(), base_twist=twist)


def late(delay):
    return lambda rates: CubicSpline(clean().times, rates)(clean().times - delay)


def elsewhere(place):
    """Return the record with the velocity of another place on the base."""
    twist = clean().base_twist.copy()
    twist[:, :3] += np.cross(twist[:, 3:], place)
    return replace(clean(), base_twist=twist)


def with_rates_times(factor):
    """Return the record with the rates of one joint, and not its positions, times a factor."""
    every = np.ones(6)
    every[2] = factor
    return replace(clean(), qd=clean().qd * every)


BIAS = np.array([2e-4, 0.0, 0.0])
TURN = Rotation.from_rotvec([0.0, 0.03, 0.0]).as_matrix()
MISTAKES = {
    'gyro_mounting': lambda: with_gyro(lambda rates: rates @ TURN),
    'gyro_bias': lambda: with_gyro(lambda rates: rates + BIAS),
    'delay.imu': lambda: with_gyro(late(0.02)),
    'twist_point': lambda: replace(
        clean(),
        base_twist=clean().base_twist
        + np.hstack([np.cross(clean().base_twist[:, 3:], [0.2, 0.0, 0.0]), np.zeros((HALF, 3))]),
    ),
    'wheels wheel_1 and wheel_3 exchanged': lambda: replace(
        clean(), wheel_rates=clean().wheel_rates[:, [2, 1, 0]]
    ),
    'joint rates of joint_3 that are 0.5 times': lambda: with_rates_times(0.5),
    'gyro with y, x, -z in place of x, y, z': lambda: with_gyro(
        lambda rates: rates[:, [1, 0, 2]] * [1.0, 1.0, -1.0]
    ),
    'velocity turned by 90 degrees about z': lambda: replace(
        clean(),
        base_twist=clean().base_twist[:, [1, 0, 2, 3, 4, 5]] * [1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
    ),
}


@cache
def made(cause):
    """Return the result of data with a mistake; ``benchmarks/mistakes.py`` has many more."""
    return identify(noisy(MISTAKES[cause]()), METHOD, with_links=False)


@pytest.mark.slow
@pytest.mark.parametrize('cause', MISTAKES)
def test_the_mistake_that_was_made_is_named_first(cause):
    """It explains the data, and the sentence says so."""
    result = made(cause)
    first = result.causes[0]
    assert first.description.startswith(cause)
    assert first.after == pytest.approx(1.0, abs=0.1)
    assert first.before > 1.1
    assert any(
        message.startswith(f'{first.description} would explain it')
        for message in result.warnings()
    )
    assert result.to_dict()['causes'][0]['cause'] == first.description


@pytest.mark.parametrize('seed', range(4))
def test_without_a_mistake_no_cause_is_named(seed):
    result = identify(noisy(clean(), seed), METHOD, with_links=False)
    assert result.causes == ()


def test_a_mistake_that_no_data_show_is_not_named():
    """All wheel rates in other units make all parameters larger, and leave nothing over."""
    rates = clean().wheel_rates * 0.9
    result = identify(noisy(replace(clean(), wheel_rates=rates)), METHOD, with_links=False)
    assert result.causes == ()


def test_a_cause_says_how_large_it_is_and_what_to_set():
    first = made('delay.imu').causes[0]
    assert first.description.startswith('delay.imu (delay.imu 0.0')
    assert first.remedy == 'set delay.imu: 0.04'


HIDDEN = {
    'gyro_scale': lambda: with_gyro(lambda rates: 1.03 * rates),
    'twist_point': lambda: elsewhere([0.02, 0.0, 0.0]),
}


@pytest.mark.parametrize('cause', HIDDEN)
def test_a_calibration_that_residuals_hide_is_named_and_forbids_the_estimate(cause):
    """The parameters take it up, and are off by many deviations; a score test of all shows it."""
    result = identify(noisy(HIDDEN[cause]()), METHOD, with_links=False)
    assert result.quality.chi_square < 1.1
    named = {each.description.split(' ')[0]: each for each in result.causes}
    assert named[cause].shift > 3.0
    assert not result.is_usable
    assert 'calibration' in {each.kind for each in result.defects}
    assert any(
        'explains these data better than chance' in message for message in result.warnings()
    )


@pytest.mark.parametrize('seed', [1, 2])
def test_what_may_move_parameters_far_is_named_on_less_evidence(seed):
    """Chance alone would do that in more than one of a thousand logs, and in fewer than ten."""
    twist = fine().base_twist.copy()
    twist[:, :3] *= 1.015
    result = identify(noisy(replace(fine(), base_twist=twist), seed), FINE, with_links=False)
    assert result.causes[0].description.startswith('twist_scale')
    assert result.causes[0].shift > 10.0
    assert not result.is_usable


@pytest.mark.parametrize(('cause', 'half'), [('twist_point', 0), ('gyro_scale', 1)])
def test_what_is_off_in_one_half_of_the_samples_is_named_with_its_size(cause, half):
    twist, middle = clean().base_twist.copy(), HALF // 2
    spoilt = slice(middle) if half == 0 else slice(middle, None)
    twist[spoilt] = HIDDEN[cause]().base_twist[spoilt]
    result = identify(noisy(replace(clean(), base_twist=twist)), METHOD, with_links=False)
    first = result.causes[0]
    assert cause_name(first.description) == cause
    assert first.description.endswith(
        f'in the {("first", "second")[half]} half of the samples alone'
    )
    size = re.search(rf'{cause}.x ([-.e\d]+) \+- ([-.e\d]+)', first.description)
    found, std = (float(each) for each in size.groups())
    assert found == pytest.approx({'twist_point': 0.02, 'gyro_scale': 0.03}[cause], abs=4.0 * std)
    assert not result.is_usable


def test_a_gyro_half_a_second_late_is_named_where_the_description_resembles_other_delays():
    """Fits of such data end anywhere; a change of the robot and other noise explain nothing."""
    result = identify(noisy(with_gyro(late(0.5)), 3), METHOD, with_links=False)
    assert [cause_name(each.description) for each in result.causes][:1] == ['delay.imu']
    assert result.causes[0].description == 'delay.imu of about 0.5 s'
    assert not result.changes


@pytest.mark.parametrize('seed', [0, 1, 2])
def test_one_factor_of_all_axes_shows_where_three_do_not(seed):
    """It explains next to what three of a velocity scale do, which chance does less often."""
    twist = fine().base_twist.copy()
    twist[:, :3] *= 1.02
    record = noisy(replace(fine(), base_twist=twist), seed)
    values = identify(record, FINE, with_links=False).estimate.values
    extended, part = extended_samples(FINE, record, 4000)
    found = [each for each in scores(FINE, extended, part, values) if each.key == 'twist_scale']
    three, one = sorted(found, key=lambda each: -each.freedom)
    assert (three.freedom, one.freedom) == (3, 1)
    assert np.ptp(one.values) < 1e-12
    assert np.abs(one.values[0] - 0.02) < 3.0 * one.std[0]
    assert one.gain <= three.gain + 1e-6
    assert one.chance < three.chance


def test_a_calibration_that_residuals_hardly_show_forbids_the_estimate_as_well():
    """By how far it moves the parameters, though chi-square is near one."""
    spoilt = replace(clean(), q=clean().q + 0.02 * np.eye(6)[0])
    result = identify(noisy(spoilt), METHOD, with_links=False)
    assert result.quality.chi_square < 1.1
    assert result.causes[0].description.startswith('encoder_offset')
    assert result.causes[0].shift > 3.0
    assert 'calibration' in {each.kind for each in result.defects}


def test_the_unit_of_wheel_rates_is_named_where_the_mass_alone_shows_it():
    rates = clean().wheel_rates * 60.0 / (2.0 * np.pi)
    result = identify(noisy(replace(clean(), wheel_rates=rates)), METHOD, with_links=False)
    assert [each.description for each in result.causes] == [
        'wheel rates in revolutions per minute'
    ]
    assert result.causes[0].mass_ratio == pytest.approx(60.0 / (2.0 * np.pi), rel=0.5)
    assert 'which no reading shows' in result.causes[0].sentence()
    assert not result.is_usable


def test_a_mistake_that_leads_to_no_robot_at_all_is_named():
    """The fit to velocities in millimetres per second runs off; so it is judged from the prior."""
    twist = clean().base_twist * [1e3, 1e3, 1e3, 1.0, 1.0, 1.0]
    short = noisy(replace(clean(), base_twist=twist))[: HALF // 2]
    result = identify(short, METHOD, with_links=False)
    assert [each.description for each in result.causes] == ['velocity in millimetres per second']


@pytest.mark.filterwarnings('error')
def test_causes_are_looked_for_where_a_fit_has_come_to_no_robot():
    """Velocities in mm/s, a mass below zero: a warning of numpy reached the user."""
    record = noisy(clean())[: HALF // 2]
    record = replace(record, base_twist=record.base_twist * np.repeat([1000.0, 1.0], 3))
    values = METHOD.prior().mean.copy()
    values[MASS] *= -1.0
    causes = likely_causes(METHOD, record, values)
    assert causes[0].description == 'velocity in millimetres per second'


@pytest.mark.parametrize(
    ('found', 'message'),
    [
        ((0.0134, 0.0137, 0.0141), 'all links longer than described by 1.4 %'),
        ((-0.011, -0.01, -0.009), 'all links shorter than described by 1 %'),
        ((0.02, 0.0, 0.0), ''),
    ],
)
def test_a_common_scale_of_the_velocity_may_be_one_of_all_lengths(found, message):
    """First moments and inertias take up lengths that are off by one factor; velocities scale."""
    extended = METHOD.with_calibration('twist_scale', 0.05)
    description, remedy = calibration_text(
        METHOD, extended, 'twist_scale', np.array(found), np.full(3, 0.003)
    )
    assert message in description
    assert ('all links' in description) == bool(message)
    assert cause_name(description) == 'twist_scale'
    assert remedy.startswith('set twist_scale: ')


@pytest.mark.parametrize('count', [3, 4, 6])  # of which the first one does not look so
def test_a_few_samples_beyond_the_noise_have_no_cause(count):
    """Noise now and then looks like motion; a robot at rest is refined with that alone."""
    beyond = 8.0 * METHOD.rate_std[:6] * np.ones((count, 1))
    few = absorb(begin_identification(METHOD), replace(clean()[:count], base_twist=beyond))
    assert 0 < few.samples < 6
    assert refined(few).causes == ()
