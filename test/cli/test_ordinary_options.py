"""What a robot lacks, and what a file of settings asks for, is taken or said in a sentence."""

from dataclasses import replace
import json

import numpy as np
from numpy.testing import assert_allclose
from ordinary_robots import Ordinary, ROBOTS
import pytest
from ros_harness import ROBOTS as SHIPPED
import turning_arm

from spacerobot_id.cli.main import main
from spacerobot_id.excitation.objective.criteria import condition, standard_deviations
from spacerobot_id.excitation.planner_node_settings import load_plan_request
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.methods.equations_of_motion import EquationsOfMotion
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.information.motion_information import parameter_scale
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.methods.unknowns import laid_out, UnknownGroup
from spacerobot_id.model import load_robot
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum
from spacerobot_id.report.metrics import error_values, joint_error

QUICK = 'draws: 2\nrestarts: 1\niterations: 1\nduration: 4.0\nharmonics: 2\nbase_cycles: 1\n'
CONFIG = SHIPPED.parent


@pytest.fixture(name='robot')
def folder_with_a_robot(tmp_path, monkeypatch):
    """Return what writes a robot into an empty folder, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'quick.yaml').write_text(QUICK)

    def write(name, robot=None):
        robot = robot or ROBOTS[name]
        (tmp_path / f'{name}.urdf').write_text(robot.urdf(name))
        if robot.yaml:
            (tmp_path / f'{name}.yaml').write_text(robot.yaml_text())
        return f'{name}.urdf'

    return write


def planned(capsys, *arguments):
    """Return what a plan promises."""
    assert main(['plan', *arguments, '--out', 'plan.yaml', '--no-page', '--json']) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    """Return why a command does not work."""
    assert main(list(arguments)) == 1
    return capsys.readouterr().err


# Sizes of what is zero in the description


def test_zeros_are_as_large_as_what_is_not_zero_of_their_unit():
    """Also where all of a unit are: first moments of boxes with their centres at the origin."""
    units, values = ('kg', 'kg m', 'kg m', 'kg m', 'kg m^2'), np.array([4.0, 0.0, 0.0, 3.0, 9.0])
    assert_allclose(parameter_scale(units, values), [4.0, 3.0, 3.0, 3.0, 9.0])
    values[3] = 0.0
    assert_allclose(parameter_scale(units, values), [4.0, 6.0, 6.0, 6.0, 9.0])


def test_a_description_counts_beside_sensors_that_know_next_to_nothing_of_a_direction():
    """Perfect sensors show one of two sums 1e18 times better than a description the other."""
    sums = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert_allclose(standard_deviations(1e18 * sums, np.eye(2)), [np.sqrt(0.5)] * 2)
    assert np.isinf(standard_deviations(1e18 * sums)).all()


def test_a_group_of_nothing_has_no_place():
    """Scales of wheels that are not there are no unknowns of which something is asked."""
    nothing = UnknownGroup('wheel_scale', (), (), 0.1)
    found = laid_out(('m',), ('kg',), [nothing, UnknownGroup('bias', ('x',), ('1',), 0.1)])
    assert found.names == ('m', 'bias.x')
    assert set(found.places) == {'bias'}


def test_errors_of_nothing_are_no_number():
    """With nothing identified there is no joint error, nor a division by zero."""
    nothing = joint_error([1.0], [[1.0]], [2.0], [False])
    assert (nothing.value, nothing.count, nothing.bounds) == (0.0, 0, (0.0, 0.0))
    assert nothing.sentence() == 'No parameter is identified whose error could be compared.'
    json.dumps(error_values([1.0], [[1.0]], [2.0], [False]), allow_nan=False)


# What a file asks for


def test_a_file_names_method_and_momentum(robot, capsys):
    """The shipped files of angular momentum and of the free-flyer plan what they say."""
    asked = load_plan_request(CONFIG / 'angular_momentum.yaml')
    assert asked.method == 'angular_momentum'
    assert asked.momentum == KnownMomentum((68.0, 66.0, 65.0), trust_zeros=True)
    robot('one_joint')
    for line, method in (('method: free_flyer', 'free_flyer'), ('trust_zeros: true', None)):
        with open('asked.yaml', 'w') as file:
            file.write(f'{QUICK}{line}\n')
        found = planned(capsys, 'one_joint.urdf', '--config', 'asked.yaml')
        assert found['method'] == (method or 'angular_momentum')
    found = planned(capsys, 'one_joint.urdf', '--config', 'asked.yaml', '--method', 'momentum')
    assert found['method'] == 'momentum'


def test_a_momentum_of_a_file_is_planned_with(robot, capsys):
    """It gives a robot without wheels the scale that zero momentum does not."""
    name = robot('no_wheels')
    with open('asked.yaml', 'w') as file:
        file.write(f'{QUICK}method: angular_momentum\n')
    assert 'without wheels' in refused(
        capsys, 'plan', name, '--config', 'asked.yaml', '--out', 'plan.yaml'
    )
    with open('asked.yaml', 'a') as file:
        file.write('known_angular_momentum: [1.0, 2.0, 1.5]\n')
    assert planned(capsys, name, '--config', 'asked.yaml')['median_relative_std'] < 0.1


def test_equations_of_motion_are_planned_by_their_own_condition(robot, capsys):
    """The regressor is that of torques at accelerations that another route computes."""
    model, motion = turning_arm.MODEL, turning_arm.motion()
    known = KnownMomentum(turning_arm.MOMENTUM, tuple(turning_arm.ATTITUDE), trust_zeros=True)
    source = information_source('equations_of_motion', model, InformationSettings(momentum=known))
    plain = replace(source, is_weighted=False)
    times = np.arange(0.01, 30.0, 0.02)
    shown = plain.information(motion.sample(times), np.full(len(times), 0.02)).matrix
    settings = KnownMomentumSettings(turning_arm.MOMENTUM, trust_zeros=True)
    method = EquationsOfMotion.from_model(model, settings)
    rows = method.equations(turning_arm.true_accelerations(), np.zeros(0)).matrix
    assert_allclose(condition(shown), np.linalg.cond(rows), rtol=0.02)
    angular = information_source('angular_momentum', model, InformationSettings(momentum=known))
    other = replace(angular, is_weighted=False)
    other = other.information(motion.sample(times), np.full(len(times), 0.02)).matrix
    assert abs(condition(other) / condition(shown) - 1.0) > 0.05


# A mass that is known


def test_a_mass_that_was_weighed_is_planned_and_flown_with(robot, capsys):
    """It takes what rest leaves open: half of the scale becomes a thousandth."""
    name = robot('bare_urdf')
    open_scale = planned(capsys, name, '--config', 'quick.yaml')['median_relative_std']
    weighed = planned(capsys, name, '--config', 'quick.yaml', '--known-mass', '80')
    assert open_scale > 0.1
    assert weighed['median_relative_std'] < 2e-3
    with open('quick.yaml', 'a') as file:
        file.write('known_mass: 80.0\n')
    of_file = planned(capsys, name, '--config', 'quick.yaml')
    assert of_file['std'] == pytest.approx(weighed['std'])
    assert load_robot(name).with_mass(80.0).mass == pytest.approx(80.0)
    flight = ('simulate', name, '--plan', 'plan.yaml', '--known-mass', '80', '--out', 'flown')
    assert main(list(flight)) == 0


# Robots that lack something


def test_an_effort_of_zero_is_named(robot, capsys):
    """Descriptions that leave it at zero describe a joint that nothing moves."""
    name = robot('one_joint')
    text = ROBOTS['one_joint'].urdf('one_joint')
    with open(name, 'w') as file:
        file.write(text.replace(f'effort="{ROBOTS["one_joint"].limits["effort"]}"', 'effort="0"'))
    said = refused(capsys, 'plan', name, '--config', 'quick.yaml', '--out', 'plan.yaml')
    assert 'joint_0: its effort limit is zero' in said


def test_every_mode_can_be_flown(robot, capsys):
    """Wheels that a mode does not drive rest; a plan that moves them is refused."""
    name = robot('one_joint', Ordinary(joints=1, wheels=1))
    planned(capsys, name, '--config', 'quick.yaml')
    for mode in ('rotation-floating', 'translation-flying'):
        assert main(['simulate', name, '--plan', 'plan.yaml', '--mode', mode, '--out', mode]) == 0
    capsys.readouterr()
    said = refused(
        capsys, 'simulate', name, '--plan', 'plan.yaml', '--mode', 'floating', '--out', 'no'
    )
    assert 'mode floating does not drive the wheels' in said
    without = robot('no_wheels', Ordinary(joints=1))
    planned(capsys, without, '--config', 'quick.yaml')
    for mode in ('floating', 'rotation-flying', 'flying'):
        assert main(['simulate', name, '--plan', 'plan.yaml', '--mode', mode, '--out', mode]) == 0
        joints = read_bag(mode).true_joints
        rates = joints.velocities[:, joints.names.index('wheel_0')]
        assert np.abs(rates).max() < 1.0
        assert np.ptp(joints.positions[:, joints.names.index('joint_0')]) > 0.1


def test_a_plan_of_the_base_is_flown_by_its_wrenches(robot, capsys):
    """And no other way: not in another mode, and not turning."""
    name = robot('one_body')
    planned(capsys, name, '--config', 'quick.yaml', '--method', 'free_flyer')
    assert main(['simulate', name, '--plan', 'plan.yaml', '--out', 'flown']) == 0
    flown = read_bag('flown', ())
    assert np.abs(flown.applied_wrench.wrenches).max(axis=0).min() > 0.0
    assert np.ptp(flown.true_pose.positions, axis=0).max() > 0.05
    for option in (('--mode', 'floating'), ('--planar',)):
        said = refused(capsys, 'simulate', name, '--plan', 'plan.yaml', *option, '--out', 'no')
        assert f'{option[0]}: a plan of the pose of the base' in said
