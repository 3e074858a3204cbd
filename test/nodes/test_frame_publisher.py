"""Frames on /tf: where the URDF's links are by an independent library, and without tf2_msgs."""

from dataclasses import dataclass, field
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose
import pinocchio
import pytest
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.model import load_robot, shipped_file, urdf_from_robot
from spacerobot_id.nodes.estimator.frame_publisher import FramePublisher, link_transforms

Q = np.array([0.3, -0.5, 0.7, 0.2, -0.4, 0.6])


def matrix(message):
    """Return the position and the rotation matrix of a transform."""
    place, turn = message.transform.translation, message.transform.rotation
    quaternion = [turn.x, turn.y, turn.z, turn.w]
    return [place.x, place.y, place.z], Rotation.from_quat(quaternion).as_matrix()


@pytest.mark.parametrize('robot', ['wilde_spatial', 'servicer', 'christidi_spatial_arm'])
def test_every_link_is_where_pinocchio_has_it(robot):
    model = load_robot(shipped_file(f'config/robots/{robot}.urdf'))
    oracle = pinocchio.buildModelFromXML(urdf_from_robot(model))
    data, q = oracle.createData(), pinocchio.neutral(oracle)
    given = 0.1 + 0.2 * np.arange(len(model.joints))
    for joint, value in zip(model.joints, given, strict=True):
        q[oracle.joints[oracle.getJointId(joint.name)].idx_q] = value
    pinocchio.framesForwardKinematics(oracle, data, q)
    base = data.oMf[oracle.getFrameId(model.links[0].name)]
    found = {each.child_frame_id: each for each in link_transforms(5.5, model, given)}
    assert set(model.link_names[1:]) <= set(found)
    for name in model.link_names[1:]:
        placed = base.actInv(data.oMf[oracle.getFrameId(name)])
        position, turn = matrix(found[name])
        assert found[name].header.frame_id == model.links[0].name
        assert_allclose(position, placed.translation, atol=1e-9)
        assert_allclose(turn, placed.rotation, atol=1e-9)


class RecordingNode:
    """Takes what is published and logged."""

    def __init__(self):
        self.published, self.warnings, self.period = [], [], None

    def create_publisher(self, _kind, topic, _profile):
        assert topic == '/tf'
        return SimpleNamespace(publish=self.published.append)

    def create_timer(self, period, _callback, **_):
        self.period = period

    def get_logger(self):
        return SimpleNamespace(warning=self.warnings.append)


@dataclass
class Inputs:
    """What has been received."""

    last_pose: np.ndarray = None
    pose_frame: str = 'world'
    last_positions: np.ndarray = field(default_factory=lambda: Q)
    stamps: dict = field(default_factory=lambda: {'base_pose': -np.inf, 'joint_states': -np.inf})

    @property
    def alignment(self):
        streams = {name: SimpleNamespace(latest=each) for name, each in self.stamps.items()}
        return SimpleNamespace(streams=streams)


def test_what_is_new_is_published_once(monkeypatch):
    """The base in the frame of the poses, links in the base; nothing before anything comes."""
    messages = ModuleType('tf2_msgs.msg')
    messages.TFMessage = lambda transforms: transforms
    monkeypatch.setitem(sys.modules, 'tf2_msgs', ModuleType('tf2_msgs'))
    monkeypatch.setitem(sys.modules, 'tf2_msgs.msg', messages)
    node, inputs, model = RecordingNode(), Inputs(), dual_arm()
    publisher = FramePublisher(node, model, inputs)
    assert node.period == 0.05
    publisher.publish()
    assert node.published == []
    inputs.stamps['joint_states'] = 3.0
    publisher.publish()
    publisher.publish()
    (links,) = node.published
    assert {each.child_frame_id for each in links} >= set(model.link_names[1:])
    inputs.last_pose = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.6, 0.8])
    inputs.stamps['base_pose'] = 3.25
    publisher.publish()
    ((base,),) = node.published[1:]
    assert (base.header.frame_id, base.child_frame_id) == ('world', model.links[0].name)
    assert (base.header.stamp.sec, base.header.stamp.nanosec) == (3, 250_000_000)
    assert matrix(base)[0] == [1.0, 2.0, 3.0]


def test_without_its_package_it_says_so_and_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, 'tf2_msgs', None)
    node = RecordingNode()
    FramePublisher(node, dual_arm(), Inputs())
    (warning,) = node.warnings
    assert 'tf2_msgs/msg/TFMessage needs the package tf2_msgs, which is not installed' in warning
    assert warning.endswith('frames are not published')
    assert node.period is None
