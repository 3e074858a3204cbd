"""The experiment of [Naveen 2024]: seeds, estimates, predictions and pictures."""

import csv
from dataclasses import replace
import json

import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.cli.main import main
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.lab.papers.naveen import estimation
from spacerobot_id.lab.papers.naveen.comparison import table_5_pairs, table_6_pairs
from spacerobot_id.lab.papers.naveen.estimation import least_squares
from spacerobot_id.lab.papers.naveen.euler_rates import inertial_rows, Poses
from spacerobot_id.lab.papers.naveen.excitation import (
    author_order,
    author_robot,
    flown_plan,
    likely_orders,
    paper_order,
    PRUNING,
    seeded_plan,
    seeds_of,
)
from spacerobot_id.lab.papers.naveen.reproduction import _robot, table_5
from spacerobot_id.lab.papers.naveen.validation import (
    predicted,
    prediction_errors,
    validation_motion,
)
from spacerobot_id.lab.papers.published import published
from spacerobot_id.lab.papers.result_text import result_as_json, result_as_text
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import minimal_parameters

pytestmark = pytest.mark.slow

PAPER = published('naveen')
PEAK = np.deg2rad(PAPER.number('validation_rate'))


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
    curves = found.results.curves
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
        ('least squares', found.results.estimates[67].relative[0]),
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
    assert names == [
        'figure_4.png',
        'errors.png',
        'validation.png',
        'figure_4.csv',
        'table_4.yaml',
        'robot.urdf',
    ]


@pytest.mark.filterwarnings('ignore::spacerobot_id.exceptions.DescriptionWarning')
def test_the_motion_of_table_4_is_a_plan_that_simulate_takes(result, tmp_path):
    """The one that is flown, from the start that is printed, an interval a second."""
    plan, robot = load_plan(result.files[4]), _robot('naveen_dual_arm')
    np.testing.assert_array_equal(plan.knots, flown_plan(PAPER, robot).knots)
    start = np.rad2deg(plan.knots[0, : len(robot.joints)])
    np.testing.assert_allclose(start, PAPER.array('start_deg'), atol=1e-12)
    assert plan.duration == 67.0
    command = ['simulate', str(result.files[5]), '--plan', str(result.files[4])]
    assert main([*command, '--no-noise', '--out', str(tmp_path / 'bag')]) == 0


def test_the_curves_of_figure_4_are_there_as_data(result):
    """A row for each interval that is flown; the counts of the paper to one among them."""
    with result.files[3].open(encoding='utf-8') as table:
        rows = list(csv.DictReader(table))
    assert [int(row['interval']) for row in rows] == list(range(1, 68))
    together = [int(row['together_significant']) for row in rows]
    assert [together[count - 1] for count in (1, 3, 20, 40, 67)] == [11, 20, 39, 47, 52]
    assert float(rows[-1]['together_condition']) < 1000.0 < float(rows[0]['alone_condition'])


def test_the_robots_are_those_of_table_3():
    """But for the y of L2, which the true values of Table 5 contradict."""
    for key, name in (
        ('links_true', 'naveen_dual_arm'),
        ('links_offset', 'naveen_dual_arm_prior'),
    ):
        wanted = PAPER.array(key)
        if key == 'links_true':
            assert wanted[2, 2] == -0.45
            wanted[2, 2] = -0.04
        np.testing.assert_allclose(link_values(_robot(name)), wanted, rtol=1e-6)


def test_what_the_run_takes_is_what_is_printed():
    """Seeds, noise, intervals and Algorithm 1."""
    model = _robot('naveen_dual_arm')
    start, reach = seeds_of(flown_plan(PAPER, model).knots)
    np.testing.assert_allclose(np.rad2deg(start[:6]), PAPER.array('start_deg'))
    np.testing.assert_allclose(np.rad2deg(reach[:6]), PAPER.array('range_deg'))
    np.testing.assert_allclose(reach[6:], PAPER.number('wheel_range'))
    assert PRUNING.u_max == PAPER.number('u_max')
    assert PRUNING.delta == pytest.approx(PAPER.number('delta'))
    assert model.noise.base_linear_velocity == PAPER.number('velocity_noise')
    assert model.noise.base_angular_velocity == PAPER.number('rate_noise')
    assert model.noise.joint_rate == PAPER.number('joint_rate_noise')
    mean_rate = PAPER.number('wheel_range') / PAPER.number('interval')
    momentum = PAPER.number('wheel_spin') * mean_rate
    assert momentum == pytest.approx(PAPER.number('peak_momentum'), rel=1e-5)


def test_orders_are_of_the_same_combinations():
    """Each of the 256 up to the sign of all: an actuator's fixed direction is a choice."""
    for directions in likely_orders(PAPER).values():
        relative = directions * directions[:, :1]
        assert len(np.unique(relative, axis=0)) == 256
    assert (paper_order()[:, 0] == 1).all()
    turns = np.count_nonzero(np.diff(author_order(PAPER), axis=0), axis=0)
    assert turns.tolist() == [0, 3, 15, 1, 7, 31, 63, 127, 255]


# Table 5, and what it refuses

DRAWS = range(60)


@pytest.fixture(scope='module')
def flown():
    """Return the robot of the author's work and the motion of Table 5."""
    model = author_robot(PAPER, _robot('naveen_dual_arm'))
    return model, flown_plan(PAPER, model)


def refused(estimates):
    """Return how many numbers of Table 5 do not hold."""
    true = next(iter(estimates.values())).true
    return sum(not pair.holds for pair in table_5_pairs(PAPER, true, estimates))


def test_table_5_is_reproduced(flown):
    """All 52 numbers of all cases are draws of ours; total masses to their deviations."""
    found = table_5(PAPER, *flown, DRAWS)
    assert not refused(found)
    for count, each in found.items():
        mass = each.values[:, MASS]
        assert abs(PAPER.array(f'estimates_{count}')[MASS] - mass.mean()) < 2.0 * mass.std()


def readings(name, model, plan):
    """Return Table 5 by a wrong reading of what the paper leaves out."""
    if name == '100 Hz':
        return table_5(PAPER, model, plan, DRAWS, rate=100.0)
    if name == 'Euler sums':
        return table_5(PAPER, model, plan, DRAWS, poses=Poses.EULER)
    if name == 'Gray order':
        return table_5(PAPER, model, seeded_plan(PAPER, model, paper_order()[:67]), DRAWS)
    wheels = [replace(wheel, spin_inertia=1.0) for wheel in model.wheels]
    return table_5(PAPER, replace(model, wheels=wheels), plan, DRAWS)


@pytest.mark.parametrize('name', ['100 Hz', 'Euler sums', 'Gray order', 'spin inertia 1'])
def test_table_5_refuses_other_readings(flown, name):
    assert refused(readings(name, *flown))


@pytest.mark.parametrize('about', ['zeros', 'prior', 'minus the truth'])
def test_table_5_refuses_other_estimates(flown, about):
    """As scattered as ours, about something else than the truth; Tables 5 and 6."""
    model, plan = flown
    found = table_5(PAPER, model, plan, DRAWS)
    minimal = minimal_parameters(model)
    for each in found.values():
        middle = {
            'zeros': 0.0 * each.true,
            'prior': minimal.values(_robot('naveen_dual_arm_prior')),
            'minus the truth': -each.true,
        }[about]
        each.values[:] += middle - each.values.mean(axis=0)
        assert refused({67: each})
    assert not all(pair.holds for pair in table_6_pairs(PAPER, found))


@pytest.mark.parametrize(
    'error',
    [
        lambda rows, _: replace(rows, right=-rows.right),
        lambda rows, _: replace(rows, right=2.0 * rows.right),
        lambda rows, _: replace(rows, matrix=np.roll(rows.matrix, 1, axis=1)),
        lambda _, seen: inertial_rows(seen[0], replace(seen[1], qd=0.0 * seen[1].qd)),
        lambda _, seen: inertial_rows(seen[0], turned_twist(seen[1])),
    ],
    ids=['a sign', 'a factor', 'columns exchanged', 'a missing term', 'a frame'],
)
def test_table_5_refuses_an_error_in_the_rows(flown, monkeypatch, error):
    monkeypatch.setattr(
        estimation, 'inertial_rows', lambda *seen: error(inertial_rows(*seen), seen)
    )
    assert refused(table_5(PAPER, *flown, DRAWS))


def turned_twist(record):
    """Return samples whose twist is in inertial axes."""
    turns = Rotation.from_quat(record.attitude)
    parts = (turns.apply(record.base_twist[:, part]) for part in (slice(3), slice(3, 6)))
    return replace(record, base_twist=np.hstack(list(parts)))


def test_least_squares_is_that_of_numpy():
    """On random rows."""
    rng = np.random.default_rng(0)
    rows = Rows(rng.normal(size=(30, 4)), rng.normal(size=30))
    expected = np.linalg.lstsq(rows.matrix, rows.right, rcond=None)[0]
    np.testing.assert_allclose(least_squares(rows), expected)


# The validation motion


def test_the_validation_motion_is_a_fourier_series():
    """Rates and accelerations are derivatives; two harmonics of pi/20 rad/s and no more."""
    motion = validation_motion(dual_arm(), PEAK)
    step = motion.times[1]
    q, qd, qdd = motion.position, motion.velocity, motion.acceleration
    for value, rate in ((q, qd), (qd, qdd)):
        differences = (value[2:] - value[:-2]) / (2.0 * step)
        np.testing.assert_allclose(differences, rate[1:-1], atol=2e-3 * np.abs(rate).max())
    spectrum = np.abs(np.fft.rfft(motion.velocity, axis=0))
    assert motion.times[-1] + step == pytest.approx(40.0)
    assert spectrum[3:].max() < 1e-9 * spectrum.max()


def test_the_validation_motion_has_the_rates_asked_for():
    """Joints their peak, wheels their limits, and none more."""
    motion, model = validation_motion(dual_arm(), PEAK), dual_arm()
    wheels = [wheel.rate_limit for wheel in model.wheels]
    np.testing.assert_allclose(np.abs(motion.velocity).max(axis=0), [PEAK] * 6 + wheels)


def test_the_true_parameters_predict_without_error():
    """And others predict with the error that numpy's differences have."""
    model, minimal = dual_arm(), minimal_parameters(dual_arm())
    values, motion = minimal.values(model), validation_motion(dual_arm(), PEAK)
    want = predicted(model, minimal, values, motion)
    assert prediction_errors(want, want)['base_angular_velocity'].max() == 0.0
    off = predicted(model, minimal, 1.1 * values, motion)
    error = prediction_errors(want, off)['joint_torques']
    plain = np.sqrt(np.mean((off.joint_torques - want.joint_torques) ** 2, axis=0))
    np.testing.assert_allclose(error, plain)
    assert error.min() > 0.0


def link_values(model):
    """Return the columns of Table 3 of a robot: a row of ten for each link."""
    rows = []
    for link in model.links:
        inertia = link.inertial.inertia_about_com
        products = inertia[[0, 1, 2], [1, 2, 0]]
        rows.append([link.inertial.mass, *link.inertial.com, *np.diag(inertia), *products])
    return np.array(rows)
