"""The experiment of [Naveen 2024]: seeds, estimates, predictions and pictures."""

import csv
import json

import numpy as np
import pytest
from robots import dual_arm

from spacerobot_id.lab.papers.naveen.estimation import least_squares
from spacerobot_id.lab.papers.naveen.excitation import likely_orders, paper_order
from spacerobot_id.lab.papers.naveen.validation import (
    predicted,
    prediction_errors,
    validation_motion,
)
from spacerobot_id.lab.papers.result_text import result_as_json, result_as_text
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.regressor import minimal_parameters

pytestmark = pytest.mark.slow


@pytest.fixture(name='found')
def result_with_one_seed(reproduced):
    return reproduced('naveen')


@pytest.fixture(name='result')
def result_of_it(found):
    return found.result


def pairs_of(result, key):
    return [pair for pair in result.pairs if pair.key.partition('.')[0] == key]


def test_ours_is_far_better_than_the_paper(result):
    """At the very least four times in the median, in every case and with either sensing."""
    medians = [pair for pair in result.pairs if pair.text.endswith('intervals: median error')]
    printed = {pair.text.split(', ')[1]: pair.paper for pair in pairs_of(result, 'median')}
    assert len(medians) == 6
    for pair in medians:
        assert pair.ours < printed[pair.text.partition(':')[0]] / 4.0


def test_seeds_of_the_motions_are_starts_and_ranges_of_single_intervals(found):
    """Table 4 and the plans from scratch: between the ends of an interval, not of them all."""
    (table,) = (each for each in found.result.tables if each.title.startswith('Table 4'))
    (plan,) = found.results.plans
    knots = np.rad2deg(plan.plan.knots[:, :6])
    steps = np.abs(np.diff(knots, axis=0))
    np.testing.assert_allclose(steps, np.tile(steps[0], (len(steps), 1)), atol=1e-9)
    ours = np.array([row[2] for row in table.rows])
    np.testing.assert_allclose(ours[:6], knots[0])
    np.testing.assert_allclose(ours[6:], steps[0])
    assert (ours[6:] < 0.5 * np.ptp(knots, axis=0)).all()
    limits = [joint.limits.velocity for joint in dual_arm().joints]
    assert (ours[6:] <= np.rad2deg(limits)).all()


def test_figure_4_shows_the_curves(found):
    """Both curves of each panel, and what the paper states."""
    upper, lower = found.figures['figure_4'].axes
    curves = found.results.orders[0].curves
    count = np.arange(1, len(curves.together_condition) + 1)
    alone, together = upper.get_lines()
    assert upper.get_ylabel() == 'condition number'
    assert upper.get_yscale() == 'log'
    drawn = np.minimum(curves.together_condition, 1e20)
    np.testing.assert_array_equal(together.get_ydata(), drawn)
    np.testing.assert_array_equal(alone.get_ydata(), np.minimum(curves.alone_condition, 1e20))
    assert lower.get_xlabel() == 'interval'
    one, all_of_them, stated, full = lower.get_lines()
    np.testing.assert_array_equal(one.get_ydata(), curves.alone_significant)
    np.testing.assert_array_equal(all_of_them.get_ydata(), curves.together_significant)
    np.testing.assert_array_equal(all_of_them.get_xdata(), count)
    assert list(stated.get_ydata()) == [
        pair.paper for pair in pairs_of(found.result, 'significant')
    ]
    assert set(full.get_ydata()) == {52}


def test_the_errors_of_all_parameters_are_drawn(found):
    """The paper's, least squares and ours, with their medians, a tick for each parameter."""
    (axes,) = found.figures['errors'].axes
    case, minimal = found.results.cases[0], found.results.problem.minimal
    lines = {line.get_label(): line for line in axes.get_lines()}
    for name, errors in (
        ('least squares', case.least_squares.relative[0]),
        ('ours', case.ours.relative[0]),
    ):
        drawn = lines[name].get_ydata()
        np.testing.assert_allclose(drawn, 100.0 * np.maximum(errors, 1e-6))
    assert len(lines['paper'].get_ydata()) == 52
    assert len(axes.get_lines()) == 6
    assert [tick.get_text() for tick in axes.get_xticklabels()] == list(minimal.names)
    assert axes.get_ylabel() == 'relative error, %'


def test_the_errors_of_prediction_are_drawn(found):
    """Twelve panels, least squares and ours in each of them, in small units."""
    validation, axes = found.results.validation, found.figures['validation'].axes
    assert len(axes) == 12
    titles = [each.get_title() for each in axes]
    assert titles[0] == 'error of v x, µm/s'
    assert titles[6] == 'error of torque 1, mN m'
    for column, panel in enumerate(axes[:6]):
        squares, ours = panel.get_lines()
        for line, name in ((squares, 'least squares'), (ours, 'ours, rates')):
            twist = validation.predictions[name].base_twist - validation.true.base_twist
            np.testing.assert_allclose(line.get_ydata(), 1e6 * twist[:, column])
    assert all(len(panel.get_lines()) == 2 for panel in axes)
    assert {panel.get_xlabel() for panel in axes[-4:]} == {'time, s'}


def test_the_result_is_plain_text_and_json(result):
    """JSON without infinities; the table prints; the pictures have their names."""
    json.dumps(result_as_json(result), allow_nan=False)
    assert 'L6.my' in result_as_text(result)
    names = [path.name for path in result.files]
    assert names == ['figure_4.png', 'errors.png', 'validation.png', 'figure_4.csv']


def test_the_curves_of_figure_4_are_there_as_data(result):
    """A row for each kept interval; the counts of the paper among them."""
    with result.files[3].open(encoding='utf-8') as table:
        rows = list(csv.DictReader(table))
    (kept,) = (pair.ours for pair in pairs_of(result, 'kept'))
    assert [int(row['interval']) for row in rows] == list(range(1, int(kept) + 1))
    together = [int(row['together_significant']) for row in rows]
    assert [together[count - 1] for count in (1, 3, 20, 40)] == [11, 20, 38, 46]
    assert float(rows[-1]['together_condition']) < 1000.0 < float(rows[0]['alone_condition'])


def test_what_is_given_differs_only_where_the_paper_contradicts_itself(result):
    """Table 3 and the rest of section 6: the misprint of L2, and the rounded offsets."""
    differing = []
    for key in (
        *('links_true', 'links_offset', 'start_deg', 'range_deg', 'wheel_range', 'interval'),
        *('freedom', 'actuators', 'peak_momentum', 'u_max', 'delta', 'fourier_share'),
        *('velocity_noise', 'rate_noise', 'joint_rate_noise', 'offset_share'),
        *('validation_harmonics', 'validation_frequency'),
    ):
        for pair in pairs_of(result, key):
            if pair.ours != pytest.approx(pair.paper, rel=1e-4):
                differing.append(pair.text)
    assert differing == [
        'T, L2, y-CoM m',
        'distance of the offset parameters from the true ones, as the text says, least',
        'distance of the offset parameters from the true ones, as the text says, most',
    ]
    assert len(pairs_of(result, 'links_true')) == len(pairs_of(result, 'links_offset')) == 70


def test_estimates_of_both_ways_of_sensing_are_there(result):
    """Table 5 twice, with the paper's columns in both and other estimates in ours."""
    rates, poses = (table for table in result.tables if table.title.startswith('Table 5'))
    assert [row[3] for row in rates.rows] == [row[3] for row in poses.rows]
    assert [row[5] for row in rates.rows] != [row[5] for row in poses.rows]


def test_orders_are_of_the_same_combinations():
    """Each of the 256 up to the sign of all: an actuator's fixed direction is a choice."""
    for directions in likely_orders().values():
        relative = directions * directions[:, :1]
        assert len(np.unique(relative, axis=0)) == 256
    assert (paper_order()[:, 0] == 1).all()


def test_least_squares_is_that_of_numpy():
    """On random rows."""
    rng = np.random.default_rng(0)
    rows = Rows(rng.normal(size=(30, 4)), rng.normal(size=30))
    expected = np.linalg.lstsq(rows.matrix, rows.right, rcond=None)[0]
    np.testing.assert_allclose(least_squares(rows), expected)


# The validation motion


def test_the_validation_motion_is_a_fourier_series():
    """Rates and accelerations are derivatives; two harmonics of pi/20 rad/s and no more."""
    motion = validation_motion(dual_arm())
    step = motion.times[1]
    q, qd, qdd = motion.position, motion.velocity, motion.acceleration
    for value, rate in ((q, qd), (qd, qdd)):
        differences = (value[2:] - value[:-2]) / (2.0 * step)
        np.testing.assert_allclose(differences, rate[1:-1], atol=2e-3 * np.abs(rate).max())
    spectrum = np.abs(np.fft.rfft(motion.velocity, axis=0))
    assert motion.times[-1] + step == pytest.approx(40.0)
    assert spectrum[3:].max() < 1e-9 * spectrum.max()


def test_the_validation_motion_reaches_the_limits_of_the_rates():
    """Of joints and of wheels, and does not pass them."""
    motion, model = validation_motion(dual_arm()), dual_arm()
    limits = [joint.limits.velocity for joint in model.joints]
    wheels = [wheel.rate_limit for wheel in model.wheels]
    np.testing.assert_allclose(np.abs(motion.velocity).max(axis=0), limits + wheels)


def test_the_true_parameters_predict_without_error():
    """And others predict with the error that numpy's differences have."""
    model, minimal = dual_arm(), minimal_parameters(dual_arm())
    values, motion = minimal.values(model), validation_motion(dual_arm())
    want = predicted(model, minimal, values, motion)
    assert prediction_errors(want, want)['base_angular_velocity'].max() == 0.0
    off = predicted(model, minimal, 1.1 * values, motion)
    error = prediction_errors(want, off)['joint_torques']
    plain = np.sqrt(np.mean((off.joint_torques - want.joint_torques) ** 2, axis=0))
    np.testing.assert_allclose(error, plain)
    assert error.min() > 0.0
