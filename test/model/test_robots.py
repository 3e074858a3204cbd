"""The robots in config/robots: they are what their tables say."""

from dataclasses import fields
from itertools import pairwise
import re
import warnings

from build_robots import naveen_robot, naveen_table, ROBOTS, urdf_files
import numpy as np
import pinocchio as pin
import pytest
from urdf_examples import assert_same_robot, placements, whole_robot
import yaml

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.excitation.constraint.self_collision import SelfCollisionLimit
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import (
    InertialParameters,
    JointLimits,
    JointType,
    load_robot,
    SensorNoise,
)

NAVEEN = {'naveen_dual_arm': 'parameters_true', 'naveen_dual_arm_prior': 'parameters_offset'}
SERVICERS = ('servicer', 'servicer_prior')
ARM_LINKS = ('L1', 'L2', 'L3', 'L4', 'L5', 'L6')


def load(name):
    """Return one of the robots; that the paper's cannot be built is a test of its own."""
    with warnings.catch_warnings():
        if name in NAVEEN:
            warnings.simplefilter('ignore', DescriptionWarning)
        return load_robot(ROBOTS / f'{name}.urdf')


def test_the_shipped_files_are_what_their_tables_make():
    """No URDF in config/robots was changed by hand, and none is there that is not built."""
    shipped = {path.name: path.read_text(encoding='utf-8') for path in ROBOTS.glob('*.urdf')}
    assert shipped == urdf_files()


@pytest.mark.parametrize('name', [*NAVEEN, *SERVICERS])
def test_pinocchio_reads_the_shipped_files(name):
    """They have the same mass there."""
    oracle = pin.buildModelFromUrdf(str(ROBOTS / f'{name}.urdf'), pin.JointModelFreeFlyer())
    masses = [link.inertial.mass for link in load(name).links]
    assert sum(masses) == pytest.approx(pin.computeTotalMass(oracle), rel=1e-12)


@pytest.mark.parametrize('name', [*NAVEEN, *SERVICERS])
def test_every_key_of_the_shipped_yaml_is_explained(name):
    """The first time a key occurs, a comment is right above it."""
    lines = (ROBOTS / f'{name}.yaml').read_text(encoding='utf-8').splitlines()
    explained = set()
    for above, line in pairwise(lines):
        match = re.match(r'[ -]*(\w+):', line)
        if match and above.lstrip().startswith('#'):
            assert above.rstrip().endswith('.'), above
            explained.add(match[1])
    content = yaml.safe_load('\n'.join(lines))
    used = set(content) | set(content['noise']) | {key for w in content['wheels'] for key in w}
    assert used <= explained
    assert set(content['noise']) == {each.name for each in fields(SensorNoise)}


def test_robot_and_prior_differ_in_nothing_but_parameters():
    """What is thought and what is true have the same tree, limits, wheels and sensors."""
    for name in ('naveen_dual_arm', 'servicer'):
        true, prior = load(name), load(f'{name}_prior')
        assert not np.allclose(true.parameters, prior.parameters)
        assert prior.noise == true.noise
        for one, other in zip(true.wheels, prior.wheels, strict=True):
            assert (other.name, other.rate_limit) == (one.name, one.rate_limit)
            assert other.spin_inertia == one.spin_inertia
            np.testing.assert_array_equal(other.axis, one.axis)
        assert_same_robot(true.with_parameters(prior.parameters), prior, tolerance=1e-15)


# The dual-arm robot of [Naveen 2024]


@pytest.mark.parametrize(('name', 'parameters'), NAVEEN.items())
def test_the_dual_arm_robot_is_that_of_the_table(name, parameters):
    """The file gives the robot of the table to 1e-12, wheels and noise apart."""
    assert_same_robot(naveen_robot(parameters), load(name))


@pytest.mark.parametrize(('name', 'parameters'), NAVEEN.items())
def test_links_have_the_published_parameters(name, parameters):
    """Mass, centre of mass and inertia about it are Table 3's."""
    for link in load(name).links:
        row = naveen_table()[parameters][link.name]
        assert link.inertial.mass == row['mass']
        np.testing.assert_allclose(link.inertial.com, row['com'], atol=1e-14)
        inertia = link.inertial.inertia_about_com
        published = [row[key] for key in ('ixx', 'iyy', 'izz', 'ixy', 'iyz', 'izx')]
        stored = [*np.diag(inertia), inertia[0, 1], inertia[1, 2], inertia[2, 0]]
        np.testing.assert_allclose(stored, published, atol=1e-11)


def test_the_dual_arm_robot_keeps_the_order_of_the_paper():
    """Links L0 to L6, joints 1 to 6: two arms of three joints on the base."""
    model = load('naveen_dual_arm')
    assert model.link_names == ('L0', *ARM_LINKS)
    assert model.joint_names == tuple(f'joint_{number}' for number in range(1, 7))
    assert [joint.parent for joint in model.joints] == [0, 1, 2, 0, 4, 5]
    assert all(joint.type is JointType.REVOLUTE for joint in model.joints)
    assert model.parameters.reshape(-1, 10)[:, 6].sum() == 2265.0


def test_the_dual_arm_robot_loads_with_a_warning_that_names_impossible_links():
    """As printed no body has the inertias of the six arm links; that of L5 is not positive."""
    with pytest.warns(DescriptionWarning) as warned:
        load_robot(ROBOTS / 'naveen_dual_arm.urdf')
    first, second = (str(warning.message) for warning in warned)
    assert re.search(r'naveen_dual_arm\.urdf: link L1: .*triangle inequality', first)
    assert first.endswith('(5 times: also L2, L3, L4, L6)')
    assert re.search(r'naveen_dual_arm\.urdf: link L5: .*not positive definite', second)


@pytest.mark.parametrize('name', NAVEEN)
def test_the_dual_arm_robot_has_the_wheels_of_the_paper(name):
    """Three on the base axes; the peak rate is 6 pi rad/s at 1 kg m^2."""
    wheels = load(name).wheels
    assert [wheel.name for wheel in wheels] == ['wheel_1', 'wheel_2', 'wheel_3']
    assert {wheel.link for wheel in wheels} == {0}
    np.testing.assert_array_equal([wheel.axis for wheel in wheels], np.eye(3))
    for wheel in wheels:
        assert wheel.spin_inertia == naveen_table()['wheels']['spin_inertia']
        assert wheel.max_momentum == naveen_table()['wheels']['peak_momentum']
        assert wheel.rate_limit == pytest.approx(6.0 * np.pi, rel=1e-5)


@pytest.mark.parametrize('name', NAVEEN)
def test_the_dual_arm_robot_has_the_limits_and_noise_of_the_paper(name):
    """5.03 degrees per second, half a turn either way; three noises published, three our own."""
    model = load(name)
    limits = JointLimits(-np.pi, np.pi, np.deg2rad(5.03))
    assert all(joint.limits == limits for joint in model.joints)
    for key, value in naveen_table()['noise_std'].items():
        assert getattr(model.noise, key) == value
    noise = model.noise
    assert (noise.joint_position, noise.base_position, noise.base_attitude) == (1e-5, 1e-4, 1e-4)
    assert noise.rate == 100.0


# The servicer


@pytest.mark.parametrize('name', SERVICERS)
def test_the_servicer_is_possible(name):
    """Some rigid body has the parameters of each link, and nothing in the file is a warning."""
    assert all(link.inertial.is_physical() for link in load(name).links)


def test_the_servicer_is_what_it_is_said_to_be():
    """About 300 kg, seven joints, a reach of 1.8 m, three orthogonal wheels, an inertial unit."""
    model = load('servicer')
    whole = whole_robot(model, np.zeros(7))
    assert whole.mass == pytest.approx(300.0, abs=5.0)
    assert model.joint_names == tuple(f'arm_joint_{number}' for number in range(1, 8))
    assert [joint.parent for joint in model.joints] == list(range(7))
    assert reach(model) == pytest.approx(1.82)
    np.testing.assert_allclose([wheel.axis for wheel in model.wheels], np.eye(3), atol=1e-15)
    assert model.frames['imu'].link == 0
    np.testing.assert_allclose(model.frames['imu'].R_LF[:, 0], [0.0, 1.0, 0.0], atol=1e-15)


def reach(model):
    """Return how far the tool is from the first joint when the arm is straight."""
    tool = model.frames['tool']
    *_, wrist = placed = placements(model, np.zeros(7))
    return np.linalg.norm(wrist.act(tool.p_LF_L) - placed[1].translation)


def test_the_servicer_can_move_and_brake():
    """The torque of each joint gives the straight arm beyond it the acceleration it may have."""
    model = load('servicer')
    beyond = InertialParameters.zero()
    for joint, link in zip(reversed(model.joints), reversed(model.links), strict=False):
        beyond = beyond + link.inertial
        assert joint.limits.effort > 1.5 * joint.limits.acceleration * beyond.inertia[2, 2]
        assert 0.0 < joint.limits.velocity < 1.0
        beyond = beyond.expressed_in(joint.R_PC, joint.p_PC_P)


def test_the_wheels_of_the_servicer_hold_their_momentum():
    """At the largest rate a wheel has the largest momentum."""
    for wheel in load('servicer').wheels:
        assert wheel.spin_inertia * wheel.max_rate == pytest.approx(wheel.max_momentum, rel=0.02)
        assert wheel.max_torque == 0.2


def test_the_prior_of_the_servicer_is_a_fifth_off():
    """Masses 20 % (the base with its wheels a little less), centres of mass a few centimetres."""
    for true, prior in zip(load('servicer').links, load('servicer_prior').links, strict=True):
        change = prior.inertial.mass / true.inertial.mass - 1.0
        assert abs(change) == pytest.approx(0.2, abs=0.01)
        assert 0.02 < np.linalg.norm(prior.inertial.com - true.inertial.com) < 0.07


@pytest.mark.parametrize('name', SERVICERS)
def test_the_servicer_has_shapes_that_touch_when_the_arm_is_laid_on_the_bus(name):
    """Every link has one; they are clear of each other when the arm is upright or folded."""
    model = load(name)
    assert {shape.link for shape in model.collision} == set(range(len(model.links)))
    limit = SelfCollisionLimit.of(model, 0.02)
    upright, folded = np.zeros(7), np.array([0.3, 1.2, 0.0, 1.6, 0.0, 0.9, 0.0])
    laid = np.array([2.9, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    still = np.stack([upright, folded, laid])
    nothing = np.zeros_like(still)
    shares = limit.usage(PlannedMotion(np.zeros(3), still, nothing, nothing)).max(axis=1)
    assert (shares[:2] < 0.9).all()
    assert shares[2] > 1.0
