"""A robot that is written back loads in MuJoCo with the same mass, centre and mass matrix."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_plan
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_robot, random_urdf
from robots import dual_arm, servicer

from spacerobot_id.cli.main import main
from spacerobot_id.estimation.physical_consistency import physically_consistent_parameters
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import (
    load_robot,
    robot_from_urdf_string,
    shipped_file,
    urdf_from_robot,
)
from spacerobot_id.multibody import mass_matrix, whole_robot
from spacerobot_id.regressor import minimal_parameters

mujoco = pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 8)


class MujocoRobot:
    """A URDF in MuJoCo, its base let loose."""

    def __init__(self, text):
        spec = mujoco.MjSpec.from_string(text)
        base = spec.worldbody.first_body()
        base.add_freejoint()
        self.model = spec.compile()
        self.base = base.name

    def at(self, model, q):
        """Return MuJoCo's state with joints at our positions, the base where it starts."""
        data = mujoco.MjData(self.model)
        for name, position in zip(model.joint_names, q, strict=True):
            data.joint(name).qpos = position
        mujoco.mj_forward(self.model, data)
        return data

    def mass_matrix(self, model, q):
        """Return the mass matrix for our rates: base twist, then joints in our order."""
        data = self.at(model, q)
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, data, matrix)
        joints = [self.model.joint(name).dofadr[0] for name in model.joint_names]
        order = [*range(6), *joints]
        return matrix[np.ix_(order, order)]


def assert_same_in_mujoco(text, model, q):
    """Total mass, centre of mass and mass matrix agree; so do the limits of the joints."""
    robot = MujocoRobot(text)
    body = whole_robot(model, q)
    matrix = mass_matrix(model, q[None])[0]
    assert robot.model.body_mass.sum() == pytest.approx(body.mass, rel=1e-12)
    centre = robot.at(model, q).body(robot.base).subtree_com
    np.testing.assert_allclose(centre, body.com, atol=1e-10)
    np.testing.assert_allclose(robot.mass_matrix(model, q), matrix, atol=1e-9 * matrix.max())
    for joint in model.joints:
        found = robot.model.joint(joint.name)
        if np.isfinite([joint.limits.lower, joint.limits.upper]).all():
            np.testing.assert_allclose(found.range, [joint.limits.lower, joint.limits.upper])


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_mujoco_reads_the_same_robot(seed, joints):
    """Trees with mixed joints about any axes, whose links are possible."""
    rng = np.random.default_rng(seed)
    model = random_robot(rng, joints)
    assert_same_in_mujoco(urdf_from_robot(model), model, rng.uniform(-3.0, 3.0, joints))


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_frames_without_mass_take_nothing_away(seed, joints):
    """Links that were fixed to others come back as frames, and all masses are there."""
    rng = np.random.default_rng(seed)
    model = robot_from_urdf_string(random_urdf(rng, joints))
    assert_same_in_mujoco(urdf_from_robot(model), model, rng.uniform(-3.0, 3.0, joints))


def test_the_text_itself_compiles():
    """Without any help: the base, fixed to the world, keeps its mass and its name."""
    found = mujoco.MjModel.from_xml_string(urdf_from_robot(servicer()))
    mass = sum(link.inertial.mass for link in servicer().links)
    assert found.body_mass.sum() == pytest.approx(mass)
    assert found.body('bus').mass == pytest.approx(servicer().links[0].inertial.mass)


def test_impossible_links_are_made_possible_before():
    """MuJoCo refuses the inertias of [Naveen 2024], and takes the nearest possible ones."""
    model = dual_arm()
    with pytest.raises(ValueError, match='inertia'):
        MujocoRobot(urdf_from_robot(model))
    minimal = minimal_parameters(model)
    values = minimal.values(model)
    wide = np.diag((0.5 * np.abs(values) + 1.0) ** 2)
    possible = physically_consistent_parameters(model, minimal, values, wide).model
    assert_same_in_mujoco(urdf_from_robot(possible), possible, np.linspace(-1.0, 1.0, 6))


def recorded(path):
    """Write the log of a short flight of the servicer."""
    model = servicer()
    method = Momentum.from_model(model)
    clean = conserved_flight(model, random_plan(model, 0, 40), 50.0)
    noisy = with_sensor_noise(clean, method, 0)
    stamps, base = 10.0 + noisy.times, model.link_names[0]
    unknown = np.full((len(stamps), 7), np.nan)
    names = model.joint_names + model.wheel_names
    positions, rates = (np.hstack([each, noisy.wheel_rates]) for each in (noisy.q, noisy.qd))
    turning = noisy.base_twist[:, 3:]
    log = BagStreams(
        joints=JointStream(stamps, stamps, names, positions, rates),
        imu=ImuStream(stamps, stamps, base, turning, 2e-5, unknown[:, :3], unknown[:, 3:]),
        twist=TwistStream(stamps, stamps, base, noisy.base_twist),
    )
    write_bag(path, log)


def test_an_identified_robot_loads_in_mujoco_and_pinocchio(tmp_path, capsys):
    """``identify --out-urdf``: the three agree on mass, centre of mass and mass matrix."""
    recorded(tmp_path / 'bag')
    prior = str(shipped_file('config/robots/servicer_prior.urdf'))
    out = tmp_path / 'identified.urdf'
    arguments = ['--robot', prior, '--out-urdf', str(out), '--json']
    assert main(['identify', str(tmp_path / 'bag'), *arguments]) == 0
    assert not json.loads(capsys.readouterr().out)['physics']['contradicts_data']
    written = load_robot(out)
    assert all(link.inertial.is_physical() for link in written.links)
    q = np.linspace(-1.0, 1.0, len(written.joints))
    assert_same_in_mujoco(out.read_text(encoding='utf-8'), written, q)
    oracle = pin.buildModelFromXML(out.read_text(encoding='utf-8'), pin.JointModelFreeFlyer())
    held = [oracle.getJointId(name) for name in written.wheel_names]
    oracle = pin.buildReducedModel(oracle, held, pin.neutral(oracle))
    data = oracle.createData()
    matrix = pin.crba(oracle, data, np.concatenate([np.zeros(6), [1.0], q]))
    upper = np.triu(matrix) + np.triu(matrix, 1).T
    ours = mass_matrix(written, q[None])[0]
    np.testing.assert_allclose(upper, ours, atol=1e-9 * ours.max())
    true = whole_robot(servicer(), q)
    assert whole_robot(written, q).mass == pytest.approx(true.mass, rel=0.01)
