"""The two simulations of [Wilde 2018]: robots, manoeuvre, and what the text says of the motion."""

from dataclasses import fields, replace
from itertools import pairwise
import json
import re
from types import SimpleNamespace

from build_robots import ROBOTS
from motions import States
import numpy as np
from pinocchio_robot import PinocchioRobot
import pytest
from robots import assert_close
from scipy.spatial.transform import Rotation
import yaml

from spacerobot_id.cli.main import main
from spacerobot_id.kinematics import link_poses
from spacerobot_id.kinematics.trajectory_motion import TrajectoryMotion
from spacerobot_id.lab.papers.published import published
from spacerobot_id.lab.papers.wilde import motion as wilde_motion
from spacerobot_id.lab.papers.wilde import plot
from spacerobot_id.lab.papers.wilde.motion import (
    gains,
    manoeuvre,
    one_joint_after_the_other,
    simulate_wilde,
)
from spacerobot_id.lab.papers.wilde.reproduction import compared
from spacerobot_id.model import load_robot, SensorNoise
from spacerobot_id.multibody.free_floating.generalized_inertia import generalized_jacobian
from spacerobot_id.simulation import Controller

KINDS = {'planar': 4, 'spatial': 6}
PAPER = published('wilde')
MANOEUVRE, GAINS = manoeuvre(PAPER), gains(PAPER)


def load(kind):
    return load_robot(ROBOTS / f'wilde_{kind}.urdf')


@pytest.fixture(scope='module', params=KINDS)
def simulated(request):
    """Return a robot and its motion, sampled coarsely."""
    model = load(request.param)
    return model, simulate_wilde(model, MANOEUVRE, GAINS, period=0.5)


def end_effector(model, motion):
    """Return link and point of the end-effector and its positions in the inertial frame."""
    frame = model.frames['end_effector']
    poses = link_poses(model, motion.samples.q)
    place = poses.origins[frame.link] + np.tensordot(frame.p_LF_L, poses.axes[frame.link], axes=1)
    turns = Rotation.from_quat(motion.samples.attitude)
    return frame.link, frame.p_LF_L, motion.samples.position + turns.apply(place.T)


@pytest.mark.parametrize(('kind', 'joints'), KINDS.items())
def test_the_arms_are_stretched_along_x_from_bases_at_their_centres_of_mass(kind, joints):
    """What the text says of the robots: no wheels, possible bodies, x at zero."""
    model = load(kind)
    assert (len(model.joints), len(model.wheels)) == (joints, 0)
    assert all(link.inertial.is_physical() for link in model.links)
    np.testing.assert_array_equal(model.links[0].inertial.first_moment, 0.0)
    assert [joint.parent for joint in model.joints] == list(range(joints))
    origins = link_poses(model, np.zeros((1, joints))).origins[..., 0]
    assert np.all(np.diff(origins[:, 0]) > 0.0)
    np.testing.assert_allclose(origins[2:, 1:], origins[2, 1:] * np.ones((joints - 1, 1)))


def test_the_axes_of_the_joints_are_those_of_the_text():
    """All along z in the plane; the first along x in space."""
    axes = {
        kind: link_poses(load(kind), np.zeros((1, joints))).axes[1:, 2, :, 0]
        for kind, joints in KINDS.items()
    }
    np.testing.assert_allclose(axes['planar'], np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-15)
    np.testing.assert_allclose(axes['spatial'][0], [1.0, 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize('kind', KINDS)
def test_every_key_of_the_yaml_is_explained(kind):
    """The first time a key occurs, a comment is right above it."""
    lines = (ROBOTS / f'wilde_{kind}.yaml').read_text(encoding='utf-8').splitlines()
    explained = set()
    for above, line in pairwise(lines):
        match = re.match(r' *(\w+):', line)
        if match and above.lstrip().startswith('#'):
            assert above.rstrip().endswith('.'), above
            explained.add(match[1])
    content = yaml.safe_load('\n'.join(lines))
    assert set(content) | set(content['noise']) <= explained
    assert set(content['noise']) == {each.name for each in fields(SensorNoise)}


def test_one_joint_after_the_other_turns_at_a_tenth_of_a_radian_per_second():
    """10 s forth, 2 s of rest, 20 s back, 2 s of rest, 10 s forth, as the text has it."""
    names = ('first', 'second')
    trajectory = one_joint_after_the_other(names, MANOEUVRE)
    start = TrajectoryMotion.at_rest(np.zeros(2), 0.0).at([0.0])
    present = type(start)(start.position[0], start.velocity[0], start.acceleration[0])
    motion = TrajectoryMotion.from_trajectory(trajectory, names, present, 0.0)
    times = np.arange(0.005, 92.0, 0.01)
    followed = motion.at(times)
    assert np.all(np.sum(np.abs(followed.velocity) > 1e-12, axis=1) <= 1)
    assert np.abs(followed.velocity).max() == pytest.approx(0.1, abs=1e-12)
    assert np.abs(followed.position).max() == pytest.approx(1.0, abs=1e-12)
    second = followed.velocity[:, 1]
    for begin, end, rate in ((47.0, 56.0, 0.1), (59.0, 78.0, -0.1), (81.0, 90.0, 0.1)):
        steady = second[(times > begin) & (times < end)]
        np.testing.assert_allclose(steady, rate, atol=1e-12)
    assert np.all(np.abs(second[times < 46.0]) < 1e-12)
    np.testing.assert_allclose(followed.position[-1], 0.0, atol=1e-12)


def test_the_momentum_is_zero_for_pinocchio_too(simulated):
    """At the twist of the base that the simulation gives, wherever it is."""
    model, motion = simulated
    samples = motion.samples
    still = np.zeros_like(samples.q)
    states = States(samples.q, samples.qd, still, samples.base_twist, samples.base_twist, None)
    momenta = PinocchioRobot(model).momentum(states, np.eye(3), np.zeros(3))
    np.testing.assert_allclose(momenta, 0.0, atol=1e-12)


def test_base_and_arm_each_have_the_momentum_that_the_other_takes(simulated):
    """Neither is zero: it is the sum that is; the base's is its mass times its velocity."""
    model, motion = simulated
    assert np.abs(motion.base_momentum).max() > 0.05
    np.testing.assert_allclose(motion.base_momentum + motion.arm_momentum, 0.0, atol=1e-11)
    turns = Rotation.from_quat(motion.samples.attitude)
    velocity = turns.apply(motion.samples.base_twist[:, :3])
    mass = model.links[0].inertial.mass
    assert_close(motion.base_momentum[:, :3], mass * velocity, 1e-12)


def test_the_end_effector_moves_as_the_generalized_jacobian_says(simulated):
    """Its way is the integral of what the joint rates make of it ([Wilde 2018] Eq. 107)."""
    model, _ = simulated
    motion = simulate_wilde(model, MANOEUVRE, GAINS, period=0.02)
    link, point, places = end_effector(model, motion)
    samples = motion.samples
    jacobian = generalized_jacobian(model, samples.q, link, point)
    seen = np.einsum('nij,nj->ni', jacobian, samples.qd)[:, :3]
    velocity = Rotation.from_quat(samples.attitude).apply(seen)
    swept = 0.02 * np.cumsum(0.5 * (velocity[1:] + velocity[:-1]), axis=0)
    np.testing.assert_allclose(places[1:] - places[0], swept, atol=1e-5)
    assert np.abs(swept).max() > 0.3


def failing(kind, model, motion):
    """Return the numbers that do not hold."""
    return {pair.text for pair in compared(PAPER, kind, model, motion) if not pair.holds}


@pytest.fixture(scope='module')
def planar():
    """Return the planar robot and its motion."""
    model = load('planar')
    return model, simulate_wilde(model, MANOEUVRE, GAINS)


def tripled(model, *arguments, **keywords):
    """Return a control that takes the robot for three times as heavy."""
    heavy = model.with_parameters(3.0 * model.parameters)
    return Controller(heavy, *arguments, **keywords)


@pytest.mark.parametrize(
    ('name', 'error', 'found'),
    [
        ('generalized_jacobian', lambda right: 0.0 * right, 'end-effector'),
        ('generalized_coriolis_matrix', lambda right: right.swapaxes(-1, -2), 'torques'),
        ('generalized_coriolis_matrix', lambda right: 0.0 * right, 'torques'),
        ('generalized_inertia', lambda right: 3.0 * right, 'kinetic energy'),
        ('base_motion_matrix', lambda right: -right, 'twist of the base'),
    ],
    ids=['no Jacobian', 'transposed', 'no Coriolis term', 'three times the masses', 'a sign'],
)
def test_an_error_in_the_equations_is_found(planar, monkeypatch, name, error, found):
    """Each alone, and by the number that it is about."""
    assert not failing('planar', *planar)
    right = getattr(wilde_motion, name)
    monkeypatch.setattr(wilde_motion, name, lambda *given: error(right(*given)))
    assert any(found in text for text in failing('planar', *planar))


@pytest.mark.parametrize(
    ('part', 'found'),
    [('joint_torque', 'torques'), ('base_twist', 'twist of the base'), ('q', 'oscillator')],
)
def test_a_sign_in_the_motion_is_found(planar, part, found):
    model, motion = planar
    turned = replace(motion.samples, **{part: -getattr(motion.samples, part)})
    texts = failing('planar', model, replace(motion, samples=turned))
    assert any(found in text for text in texts)


def test_an_attitude_the_other_way_round_is_found(planar, monkeypatch):
    """The centre of mass then moves."""
    model, _ = planar
    inverted = SimpleNamespace(from_quat=lambda turns: Rotation.from_quat(turns).inv())
    monkeypatch.setattr(wilde_motion, 'Rotation', inverted)
    texts = failing('planar', model, simulate_wilde(model, MANOEUVRE, GAINS))
    assert any('centre of mass' in text for text in texts)


def test_a_control_that_knows_other_masses_is_found(planar, monkeypatch):
    """Joints do not follow Eq. 112 any more."""
    model, _ = planar
    monkeypatch.setattr(wilde_motion, 'Controller', tripled)
    texts = failing('planar', model, simulate_wilde(model, MANOEUVRE, GAINS))
    assert any('oscillator' in text for text in texts)


def test_the_command_reproduces_what_the_text_says(tmp_path, capsys):
    """Centre of mass still and momenta cancelling to 1e-9, pictures and numbers written."""
    assert main(['reproduce', 'wilde', '--out', str(tmp_path), '--json']) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / 'result.json').read_text(encoding='utf-8'))
    limits = {pair['key']: pair['at_most'] for pair in printed['pairs']}
    for kind in KINDS:
        assert limits[f'centre_of_mass.{kind}'] == 1e-9
        assert limits[f'angular_momentum.{kind}'] == 1e-9
        for picture in ('motion', 'momentum'):
            content = (tmp_path / f'{kind}_{picture}.png').read_bytes()
            assert content.startswith(b'\x89PNG')
            assert str(tmp_path / f'{kind}_{picture}.png') in printed['files']


def test_joints_and_base_are_drawn(simulated):
    """Figures 5 and 7: rates, angles, position and rotation over the time, column by column."""
    model, motion = simulated
    samples, panels = motion.samples, plot.motion_figure(model, motion).axes
    turned = Rotation.from_quat(samples.attitude).as_rotvec()
    columns = (samples.qd, motion.base_rate, samples.q, samples.position, turned)
    for axes, values in zip(panels, columns, strict=True):
        assert len(axes.get_lines()) == values.shape[1]
        for line, column in zip(axes.get_lines(), values.T, strict=True):
            np.testing.assert_array_equal(line.get_xdata(), samples.times)
            np.testing.assert_array_equal(line.get_ydata(), column)
    labels = [axes.get_ylabel().replace('\n', ' ') for axes in panels]
    assert labels[0] == 'joint rates, rad/s'
    assert labels[3] == 'base position, m'
    assert panels[-1].get_xlabel() == 'time, s'
    assert panels[-1].get_xlim() == (0.0, samples.times[-1])


def test_momenta_are_drawn(simulated):
    """Figures 6 and 8: of base and arm, and how far their sum is from zero."""
    model, motion = simulated
    linear, angular, sums = plot.momentum_figure(model, motion).axes
    for axes, part in ((linear, slice(0, 3)), (angular, slice(3, 6))):
        drawn = np.stack([line.get_ydata() for line in axes.get_lines()], axis=1)
        both = np.hstack([motion.base_momentum[:, part], motion.arm_momentum[:, part]])
        np.testing.assert_array_equal(drawn, both)
    assert linear.get_ylabel() == 'linear momentum,\nkg m/s'
    limit, *largest = sums.get_lines()
    assert set(limit.get_ydata()) == {1e-9}
    assert len(largest) == 3
    total = motion.base_momentum + motion.arm_momentum
    peak = np.linalg.norm(total[:, :3], axis=1).max()
    assert largest[0].get_ydata()[-1] == pytest.approx(max(peak, 1e-17))
    assert sums.get_yscale() == 'log'
