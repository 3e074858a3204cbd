"""The robot and the results of papers/004."""

from build_robots import christidi_robot, ROBOTS
import numpy as np
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.dynamics import momentum
from spacerobot_id.estimation import AngularMomentumProblem, ReducedSettings
from spacerobot_id.evaluation import (
    ChristidiSettings,
    reproduce_christidi,
    reproduction_as_json,
)
from spacerobot_id.evaluation.christidi_given import robot_table
from spacerobot_id.evaluation.christidi_parameters import published_parameters
from spacerobot_id.evaluation.christidi_plan import better_conditioned
from spacerobot_id.evaluation.christidi_published import published_christidi
from spacerobot_id.evaluation.momentum_flight import fly_with_momentum
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import (
    angular_momentum_std,
    FourierQuinticFamily,
    KnownMomentum,
    plan_angular_momentum,
    SearchEffort,
)
from spacerobot_id.model import load_robot, robot_from_dh
from spacerobot_id.regressor import reduced_parameters

ROBOT = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')

PRINTED = [
    '1832.5',
    '-104.2',
    '-154.0',
    '1832.5',
    '-154.0',
    '1708.5',
    '321.5',
    '321.5',
    '-255.9',
    '256.0',
    '-65.4',
    '65.5',
    '142.1',
    '213.4',
    '142.1',
    '47.4',
    '71.1',
    '47.39',
    '96.4',
]
"""Table III, its values as printed; the sign of pi_9 is missing there, Eq. B9 has it."""


def appendix_b(base, links, r_0):
    """Return pi_1 to pi_19 by the formulas of papers/004 Eqs. B1-B26.

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
    """Return the robot of papers/004 with other numbers."""
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
    """To the last digit printed, of which the paper cuts some and rounds others."""
    ours = published_parameters(ROBOT)
    assert len(ours) == len(PRINTED) == 19
    for value, text in zip(ours, PRINTED, strict=True):
        digit = 10.0 ** -len(text.partition('.')[2])
        assert abs(value - float(text)) < digit, (value, text)


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
    np.testing.assert_allclose(
        published_parameters(model), appendix_b(base, links, r_0), rtol=1e-10
    )


def test_other_robots_have_other_parameters():
    with pytest.raises(ConfigurationError, match='not the 19'):
        published_parameters(dual_arm())


# The experiment


@pytest.fixture(name='result', scope='module')
def result_with_few_seeds(tmp_path_factory):
    settings = ChristidiSettings(seeds=3, draws=20, restarts=1, iterations=3)
    return reproduce_christidi(tmp_path_factory.mktemp('christidi'), settings)


def numbers_of(plain):
    """Return all numbers anywhere in plain values."""
    if isinstance(plain, dict):
        return {each for value in plain.values() for each in numbers_of(value)}
    if isinstance(plain, list):
        return {each for value in plain for each in numbers_of(value)}
    return {plain} if isinstance(plain, (int, float)) and not isinstance(plain, bool) else set()


def test_all_claims_hold(result):
    """With three seeds of the noise and a motion that was hardly searched for."""
    assert [claim.text for claim in result.claims if not claim.holds] == []


def test_every_printed_number_is_in_the_output(result):
    """Tables I to III, the condition number, and what the text says of the errors."""
    printed = published_christidi()
    wanted = [float(text) for text in printed.true_values]
    for errors in (printed.without_noise, printed.with_noise):
        wanted += [*errors.equations_of_motion, *errors.angular_momentum]
    wanted += [printed.condition_number, printed.measurements, printed.duration]
    wanted += [*printed.equations_of_motion_errors, *printed.times_smaller, *printed.r_0]
    wanted += [*printed.sines.ravel(), *printed.cosines.ravel()]
    wanted += [*printed.angular_momentum, *printed.attitude, printed.joint_angle]
    wanted += [number for body in printed.bodies for number in (body.mass, *body.inertia)]
    wanted += [1e6 * printed.gyro_white, 1e6 * printed.gyro_bias_walk]
    assert set(map(float, wanted)) <= set(map(float, numbers_of(reproduction_as_json(result))))


def test_what_is_given_differs_only_where_a_sentence_says_why():
    """r_0 and the two densities of the gyro, which the text swaps; r_3, which nothing needs."""
    table = robot_table(published_christidi(), ROBOT)
    differing = [table.rows[row][0].split(',')[0] for row in table.row_notes]
    assert differing == ['r_0x', 'r_0y', 'r_3', 'sigma_omega', 'sigma_b_omega']
    for number, (_, paper, ours) in enumerate(table.rows):
        assert number in table.row_notes or ours == pytest.approx(paper, rel=1e-4)


def test_the_sensors_of_the_robot_are_those_of_the_paper():
    """White noise by its density and the rate; walk, bias and encoders as printed."""
    printed, noise = published_christidi(), ROBOT.noise
    assert noise.base_angular_velocity == pytest.approx(printed.gyro_white * np.sqrt(noise.rate))
    assert ROBOT.sensors.gyro_bias_walk == pytest.approx(printed.gyro_bias_walk)
    assert ROBOT.sensors.gyro_bias == pytest.approx(printed.gyro_bias, rel=1e-4)
    assert noise.joint_position == printed.joint_angle


def test_the_flight_keeps_its_momentum_and_turns_as_it_accelerates():
    """Linear momentum zero, angular constant; the acceleration is the derivative of the rate."""
    printed = published_christidi()
    flight = fly_with_momentum(
        ROBOT,
        printed.motion(ROBOT.joint_names),
        printed.angular_momentum,
        printed.attitude,
        rate=50.0,
    )
    samples = flight.samples
    whole = momentum(ROBOT, samples.q, samples.qd, samples.base_twist)
    np.testing.assert_allclose(whole[:, :3], 0.0, atol=1e-9)
    turned = Rotation.from_quat(samples.attitude).apply(whole[:, 3:])
    np.testing.assert_allclose(
        turned, np.tile(printed.angular_momentum, (len(samples), 1)), atol=1e-9
    )
    rates = np.gradient(samples.base_twist[:, 3:], samples.times, axis=0)
    np.testing.assert_allclose(flight.bending[1:-1], rates[1:-1], atol=1e-5)


def test_planned_motions_keep_the_limits():
    """Rates and accelerations of a motion that was searched for."""
    printed = published_christidi()
    settings = ReducedSettings(tuple(printed.angular_momentum), trust_zeros=True)
    problem = AngularMomentumProblem.from_model(ROBOT, settings)
    motion = better_conditioned(
        problem, printed.motion(ROBOT.joint_names), printed.attitude, 20, iterations=2
    )
    extent = motion.extent()
    for place, joint in enumerate(ROBOT.joints):
        assert extent.velocity[place] <= joint.limits.velocity + 1e-9
        assert extent.acceleration[place] <= joint.limits.acceleration + 1e-9


def test_planned_motions_show_far_more():
    """Accuracy planned with the prior, on the true robot, and limits kept."""
    prior = load_robot(ROBOTS / 'christidi_spatial_arm_prior.urdf')
    printed, rest = published_christidi(), np.zeros(3)
    family = FourierQuinticFamily(prior.joint_names, 30.0, 3, rest, rest)
    reduced = reduced_parameters(prior, as_described=True)
    given = (printed.angular_momentum, printed.attitude)
    momentum = KnownMomentum(*map(tuple, given), trust_zeros=True)
    motion = plan_angular_momentum(prior, family, momentum, SearchEffort(30, 1, 3))
    shown, of_paper = (
        angular_momentum_std(ROBOT, reduced, each, momentum, 60)
        for each in (motion, printed.motion(ROBOT.joint_names))
    )
    assert np.exp(np.mean(np.log(shown / of_paper))) < 0.6
    extent = motion.extent()
    for place, joint in enumerate(ROBOT.joints):
        assert extent.velocity[place] <= joint.limits.velocity + 1e-9
        assert extent.acceleration[place] <= joint.limits.acceleration + 1e-9
