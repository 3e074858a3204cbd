"""The robot and the results of [Christidi 2017]."""

from dataclasses import replace
from functools import partial

from build_robots import christidi_robot, ROBOTS
from dh import robot_from_dh
import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import (
    KnownMomentum,
    plan_excitation,
    PlannerSettings,
)
from spacerobot_id.excitation.task import planning_task
from spacerobot_id.flight.momentum_flight import fly_with_momentum
from spacerobot_id.lab.papers.christidi import reproduction
from spacerobot_id.lab.papers.christidi.estimation import (
    estimates_over_seeds,
    of_samples,
    published_parameters,
)
from spacerobot_id.lab.papers.christidi.plan import better_conditioned, table_two
from spacerobot_id.lab.papers.christidi.reproduction import drawn_errors
from spacerobot_id.lab.papers.published import published
from spacerobot_id.measurement.signal.fourier_series import Span
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.equations_of_motion import EquationsOfMotion, with_fitted_rates
from spacerobot_id.methods.least_squares import AngularMomentumLeastSquares
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.model import load_robot
from spacerobot_id.multibody import momentum
from spacerobot_id.regressor import reduced_parameters

pytestmark = pytest.mark.slow

ROBOT = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')

PAPER = published('christidi')
ANGULAR_MOMENTUM, ATTITUDE = PAPER.array('angular_momentum'), PAPER.array('attitude')


def parameters_of(model):
    """Return pi_1 to pi_19 of a robot."""
    return published_parameters(reduced_parameters(model, as_described=True), model)


def appendix_b(base, links, r_0):
    """Return pi_1 to pi_19 by the formulas of [Christidi 2017] Eqs. B1-B26.

    The plus sign that Eqs. B1 and B4 lack is there.
    """
    m_0, (m_1, m_2, m_3) = base['mass'], (link['mass'] for link in links)
    (l_1, l_2, l_3), (r_1, r_2) = (each['l'] for each in links), (each['r'] for each in links[:2])
    rx, ry, rz = r_0
    total = m_0 + m_1 + m_2 + m_3
    a, b = m_0 * (m_1 + m_2 + m_3) / total, m_0 * (m_2 + m_3) / total
    c, d = (m_0 + m_1) * (m_2 + m_3) / total, m_3 * (m_0 + m_1 + m_2) / total
    e, f = m_3 * (m_0 + m_1) / total, m_0 * m_3 / total
    i_0, (i_1, i_2, i_3) = base['inertia'], (link['inertia'] for link in links)
    up = 2.0 * rz * l_1 + l_1**2
    more = 2.0 * b * r_1 * (rz + l_1) + c * r_1**2
    second = c * l_2**2 + d * r_2**2 + 2.0 * e * l_2 * r_2
    both = i_2[1] + i_3[1] + second + d * l_3**2
    return np.array(
        [
            i_0[0] + i_1[1] + a * (ry**2 + rz**2 + up) + more,
            -a * rx * ry,
            -(a * rx * (rz + l_1) + b * rx * r_1),
            i_0[1] + i_1[1] + a * (rx**2 + rz**2 + up) + more,
            -(a * ry * (rz + l_1) + b * ry * r_1),
            i_0[2] + a * (rx**2 + ry**2),
            i_1[0] - i_1[1] + both,
            i_1[2] + both,
            i_2[0] - i_2[1] - second,
            i_2[2] + second,
            i_3[0] - i_3[1] - d * l_3**2,
            i_3[2] + d * l_3**2,
            ry * (b * l_2 + f * r_2),
            b * l_2 * (rz + l_1) + c * l_2 * r_1 + e * r_1 * r_2 + f * r_2 * (rz + l_1),
            rx * (b * l_2 + f * r_2),
            f * l_3 * ry,
            e * l_3 * r_1 + f * l_3 * (rz + l_1),
            f * l_3 * rx,
            d * l_3 * r_2 + e * l_2 * l_3,
        ]
    )


def arm(base, links, r_0):
    """Return the robot of [Christidi 2017] with other numbers."""
    lengths = [each['l'] + each['r'] for each in links]

    def body(mass, com, inertia):
        xx, yy, zz = inertia
        names = ('mass', 'com', 'ixx', 'iyy', 'izz', 'ixy', 'iyz', 'izx')
        return dict(zip(names, (mass, com, xx, yy, zz, 0.0, 0.0, 0.0), strict=True))

    def joint(number, parent, alpha, b):
        return {
            'name': f'joint_{number}',
            'parent': parent,
            'child': f'link_{number}',
            'alpha_deg': alpha,
            'b': b,
        }

    coms = [[0.0, 0.0, links[0]['l']], [links[1]['l'], 0.0, 0.0], [links[2]['l'], 0.0, 0.0]]
    return robot_from_dh(
        {
            'name': 'arm',
            'joints': [
                joint(1, 'base', 0.0, list(r_0)),
                joint(2, 'link_1', 90.0, [0.0, 0.0, lengths[0]]),
                joint(3, 'link_2', 0.0, [lengths[1], 0.0, 0.0]),
            ],
            'parameters_true': {
                'base': body(base['mass'], [0.0, 0.0, 0.0], base['inertia']),
                **{
                    f'link_{number}': body(link['mass'], com, link['inertia'])
                    for number, (link, com) in enumerate(zip(links, coms, strict=True), 1)
                },
            },
        }
    )


def test_the_shipped_robot_is_that_of_the_table():
    """The file gives the robot of the table, accelerations and sensors apart."""
    table = christidi_robot('parameters_true')
    np.testing.assert_allclose(ROBOT.parameters, table.parameters, atol=1e-9)
    for one, other in zip(ROBOT.joints, table.joints, strict=True):
        np.testing.assert_allclose(one.R_PC, other.R_PC, atol=1e-12)
        np.testing.assert_array_equal(one.p_PC_P, other.p_PC_P)


def test_all_19_true_values_come_from_the_description():
    """To the last digit printed, of which some are cut; the sign of pi_9 is that of Eq. B9."""
    ours = parameters_of(ROBOT)
    assert len(ours) == 19
    for number, value in enumerate(ours):
        key = f'true_values.{number}'
        printed = PAPER.number(key) * (-1.0 if number == 8 else 1.0)
        assert abs(value - printed) < PAPER.last_digit(key), key


@pytest.mark.parametrize('seed', range(10))
def test_the_parameters_are_those_of_appendix_b(seed):
    """For random masses, lengths and inertias: the formulas, to rounding."""
    rng = np.random.default_rng(seed)

    def numbers(mass):
        return {
            'mass': mass,
            'l': rng.uniform(0.2, 1.5),
            'r': rng.uniform(0.2, 1.5),
            'inertia': (1.0 + rng.uniform(0.0, 0.5, 3)) * mass,
        }

    base = numbers(rng.uniform(500.0, 2000.0))
    links = [numbers(rng.uniform(5.0, 60.0)) for _ in range(3)]
    r_0 = rng.uniform(0.1, 2.0, 3)
    model = arm(base, links, r_0)
    np.testing.assert_allclose(parameters_of(model), appendix_b(base, links, r_0), rtol=1e-10)


def test_other_robots_have_other_parameters():
    with pytest.raises(ConfigurationError, match='not the 19'):
        parameters_of(dual_arm())


# The experiment


@pytest.fixture(name='found')
def result_with_few_seeds(reproduced):
    return reproduced('christidi')


def test_the_run_takes_what_is_printed(found):
    """Momentum, attitude, motion, and sensors, whose two densities the text swaps."""
    model, samples = ROBOT, found.results.flight.samples
    whole = momentum(model, samples.q[:1], samples.qd[:1], samples.base_twist[:1])[0]
    turned = Rotation.from_quat(samples.attitude[0])
    np.testing.assert_allclose(turned.apply(whole[3:]), ANGULAR_MOMENTUM, rtol=1e-4)
    np.testing.assert_allclose(samples.attitude[0], ATTITUDE, rtol=1e-4)
    motion = found.results.motions['Table II']
    assert motion.duration == PAPER.number('duration')
    np.testing.assert_array_equal(motion.rate_cosines, PAPER.array('a'))
    np.testing.assert_array_equal(motion.rate_sines, PAPER.array('b'))
    noise, sensors = model.noise, model.sensors
    density = noise.base_angular_velocity / np.sqrt(noise.rate)
    assert density == pytest.approx(PAPER.number('sigma_b_omega'), rel=1e-4)
    assert sensors.gyro_bias_walk == pytest.approx(PAPER.number('sigma_omega'), rel=1e-4)
    bias = 3600.0 * np.rad2deg(sensors.gyro_bias)
    assert bias == pytest.approx(PAPER.number('gyro_bias'), rel=1e-4)
    assert noise.joint_position == PAPER.number('joint_angle')


def test_the_robot_is_that_of_table_1_but_for_its_first_joint():
    """Printed at [0.1, 0.2, 1] m; Table III needs [1, 1, 1] m."""
    bodies = [link.inertial for link in ROBOT.links]
    np.testing.assert_allclose([body.mass for body in bodies], PAPER.array('mass'))
    inertia = [np.diag(body.inertia_about_com) for body in bodies]
    np.testing.assert_allclose(inertia, PAPER.array('inertia'))
    lengths = np.array([np.linalg.norm(body.com) for body in bodies[1:]])
    reaches = np.array([np.linalg.norm(joint.p_PC_P) for joint in ROBOT.joints[1:]])
    np.testing.assert_allclose(lengths, PAPER.array('l'))
    np.testing.assert_allclose(reaches - lengths[:2], PAPER.array('r'))
    np.testing.assert_allclose(ROBOT.joints[0].p_PC_P, np.ones(3))
    np.testing.assert_allclose(PAPER.array('r_0'), [0.1, 0.2, 1.0])


# Table III with noise, and what it refuses


@pytest.fixture(scope='module')
def flown():
    """Return the problem and the flight along Table II."""
    problem = reproduction.problem_of(PAPER)
    motion = table_two(PAPER, problem.model.joint_names)
    return problem, reproduction.flown(PAPER, problem, motion)


def refused(problem, flight, window=9, derive=None, about=None):
    """Return what of Table III does not hold, with estimates moved about something else."""
    derive = derive or partial(with_accelerations, window=3, longest_step=np.inf)
    found = [
        estimates_over_seeds(problem, flight, estimator, window, range(30))
        for estimator in (of_samples(20, derive), of_samples(20))
    ]
    for each in found:
        if about is not None:
            each.values[:] += about - each.values.mean(axis=0)
    pairs = reproduction.table_three_pairs(PAPER, *found)
    failing = [pair.key.partition('.')[0] for pair in pairs if not pair.holds]
    return set(failing)


def test_table_3_is_reproduced(flown):
    assert not refused(*flown)


@pytest.mark.parametrize('window', [7, 11])
def test_table_3_refuses_other_rates(flown, window):
    assert 'equations_of_motion_with_noise' in refused(*flown, window=window)


def test_table_3_refuses_fitted_accelerations(flown):
    span = Span(0.0, float(flown[1].samples.times[-1]))
    fit = partial(with_fitted_rates, most_harmonics=12, span=span)
    assert 'equations_of_motion_with_noise' in refused(*flown, derive=fit)


@pytest.mark.parametrize('about', ['zeros', 'prior', 'minus the truth'])
def test_table_3_refuses_other_estimates(flown, about):
    """As scattered as ours, in both of its columns."""
    prior = load_robot(ROBOTS / 'christidi_spatial_arm_prior.urdf')
    reduced, true = flown[0].reduced, parameters_of(ROBOT)
    middle = {
        'zeros': 0.0 * true,
        'prior': published_parameters(reduced, prior),
        'minus the truth': -true,
    }[about]
    failing = refused(*flown, about=middle)
    assert {'equations_of_motion_with_noise', 'angular_momentum_with_noise'} <= failing


def torques_of_another_sign(self, record, values):
    rows = EQUATIONS(self, record, values)
    sign = np.tile([1.0] * 3 + [-1.0] * 3, len(record))
    return replace(rows, right=sign * rows.right)


def moments_without_acceleration(self, record, values):
    still = replace(record, angular_acceleration=0.0 * record.angular_acceleration)
    return EQUATIONS(self, still, values)


def momentum_of_another_sign(self, record, values):
    rows = MOMENTUM(self, record, values)
    return replace(rows, right=-rows.right)


def momentum_in_another_frame(self, record, values):
    inverse = Rotation.from_quat(record.attitude).inv().as_quat()
    return MOMENTUM(self, replace(record, attitude=inverse), values)


def momentum_without_joint_rates(self, record, values):
    return MOMENTUM(self, replace(record, qd=0.0 * record.qd), values)


EQUATIONS, MOMENTUM = EquationsOfMotion.equations, AngularMomentumLeastSquares.equations


@pytest.mark.parametrize(
    ('kind', 'error'),
    [
        (EquationsOfMotion, torques_of_another_sign),
        (EquationsOfMotion, moments_without_acceleration),
        (AngularMomentumLeastSquares, momentum_of_another_sign),
        (AngularMomentumLeastSquares, momentum_in_another_frame),
        (AngularMomentumLeastSquares, momentum_without_joint_rates),
    ],
)
def test_table_3_refuses_an_error_in_the_rows(flown, monkeypatch, kind, error):
    monkeypatch.setattr(kind, 'equations', error)
    assert refused(*flown)


def test_figure_3_shows_what_is_known_of_the_motion(found):
    """Angles, rates and accelerations of three joints, the true ones dashed beside them."""
    results, panels = found.results, found.figures['figure_3'].axes
    motion = results.motions['Table II']
    assert [axes.get_ylabel() for axes in panels] == [
        'angles, rad',
        'rates, rad/s',
        'accelerations, rad/s²',
    ]
    assert panels[-1].get_xlabel() == 'time, s'
    for axes, name in zip(panels, ('position', 'velocity', 'acceleration'), strict=True):
        assert len(axes.get_lines()) == 6
        for joint in range(3):
            known, true = axes.get_lines()[2 * joint : 2 * joint + 2]
            exact = getattr(motion.sample(true.get_xdata()), name)[:, joint]
            np.testing.assert_allclose(true.get_ydata(), exact)
            noise = np.std(known.get_ydata() - exact)
            assert 0.0 < noise < (0.02 if name == 'acceleration' else 1e-3)


def test_both_motions_are_drawn(found):
    """A column for each, angles above and rates below."""
    axes = np.array(found.figures['motions'].axes).reshape(2, 2)
    for column, (name, motion) in enumerate(found.results.motions.items()):
        assert axes[0, column].get_title() == name
        for panel, kind in zip(axes[:, column], ('position', 'velocity'), strict=True):
            assert len(panel.get_lines()) == 3
            for joint, line in enumerate(panel.get_lines()):
                sampled = getattr(motion.sample(line.get_xdata()), kind)
                np.testing.assert_allclose(line.get_ydata(), sampled[:, joint])
    assert axes[0, 0].get_ylabel() == 'angles, rad'
    assert axes[1, 0].get_ylabel() == 'rates, rad/s'


def test_the_errors_of_all_19_are_drawn(found):
    """Those of the paper and of four of our cases, magnitudes on a logarithmic scale."""
    (axes,) = found.figures['errors'].axes
    drawn = drawn_errors(PAPER, found.results.cases)
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert set(lines) == set(drawn)
    assert len(drawn) == 6
    for name, values in drawn.items():
        np.testing.assert_allclose(lines[name].get_ydata(), np.maximum(np.abs(values), 1e-5))
    assert axes.get_yscale() == 'log'
    assert axes.get_ylabel() == 'relative error, %'
    assert len(axes.get_xticklabels()) == 19


def test_the_sensors_of_the_robot_are_those_of_the_paper():
    """White noise by its density and the rate; walk, bias and encoders as printed."""
    noise, white = ROBOT.noise, PAPER.number('sigma_b_omega')  # the text swaps the two
    assert noise.base_angular_velocity == pytest.approx(white * np.sqrt(noise.rate))
    assert ROBOT.sensors.gyro_bias_walk == pytest.approx(PAPER.number('sigma_omega'))
    per_hour = 3600.0 * np.rad2deg(ROBOT.sensors.gyro_bias)
    assert per_hour == pytest.approx(PAPER.number('gyro_bias'), rel=1e-4)
    assert noise.joint_position == PAPER.number('joint_angle')


def test_the_flight_keeps_its_momentum_and_turns_as_it_accelerates():
    """Linear momentum zero, angular constant; the acceleration is the derivative of the rate."""
    flight = fly_with_momentum(
        ROBOT,
        table_two(PAPER, ROBOT.joint_names),
        ANGULAR_MOMENTUM,
        ATTITUDE,
        rate=50.0,
    )
    samples = flight.samples
    whole = momentum(ROBOT, samples.q, samples.qd, samples.base_twist)
    np.testing.assert_allclose(whole[:, :3], 0.0, atol=1e-9)
    turned = Rotation.from_quat(samples.attitude).apply(whole[:, 3:])
    np.testing.assert_allclose(turned, np.tile(ANGULAR_MOMENTUM, (len(samples), 1)), atol=1e-9)
    rates = np.gradient(samples.base_twist[:, 3:], samples.times, axis=0)
    np.testing.assert_allclose(flight.angular_acceleration[1:-1], rates[1:-1], atol=1e-5)


def test_planned_motions_keep_the_limits():
    """Rates and accelerations of a motion that was searched for."""
    settings = KnownMomentumSettings(tuple(ANGULAR_MOMENTUM), trust_zeros=True)
    problem = AngularMomentum.from_model(ROBOT, settings)
    motion = better_conditioned(
        problem, table_two(PAPER, ROBOT.joint_names), ATTITUDE, 20, iterations=2
    )
    extent = motion.extent()
    for place, joint in enumerate(ROBOT.joints):
        assert extent.velocity[place] <= joint.limits.velocity + 1e-9
        assert extent.acceleration[place] <= joint.limits.acceleration + 1e-9


def test_planned_motions_show_far_more():
    """Accuracy planned with the prior, on the true robot, and limits kept."""
    prior = load_robot(ROBOTS / 'christidi_spatial_arm_prior.urdf')
    rest = np.zeros(3)
    given = (ANGULAR_MOMENTUM, ATTITUDE)
    momentum = KnownMomentum(*map(tuple, given), trust_zeros=True)
    effort = PlannerSettings(duration=30.0, harmonics=3, draws=30, restarts=1, iterations=3)
    task = {'method': 'angular_momentum', 'momentum': momentum}
    motion = plan_excitation(prior, rest, effort, **task).plan
    held = planning_task(ROBOT, rest, effort, **task)
    shown, of_paper = (
        held.promise(each).std for each in (motion, table_two(PAPER, ROBOT.joint_names))
    )
    assert np.exp(np.mean(np.log(shown / of_paper))) < 0.6
    extent = motion.extent()
    for place, joint in enumerate(ROBOT.joints):
        assert extent.velocity[place] <= joint.limits.velocity + 1e-9
        assert extent.acceleration[place] <= joint.limits.acceleration + 1e-9
