"""Small robots as text, and the same robots as pinocchio reads them."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.model import JointType, robot_from_urdf_string

INERTIAL = (
    '<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>'
    '<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>'
)
BASE = f'<link name="base">{INERTIAL}</link>'
ARM = f'<link name="arm">{INERTIAL}</link>'
TOOL = f'<link name="tool">{INERTIAL}</link>'
LIMIT = '<limit lower="-1" upper="2" velocity="0.5" effort="9"/>'


def robot_text(*elements):
    return f'<robot name="example">{"".join(elements)}</robot>'


def joint_text(
    name='hinge',
    parent='base',
    child='arm',
    kind='revolute',
    inside=f'<axis xyz="0 1 0"/>{LIMIT}',
):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.5 0 0.3"/>{inside}</joint>'
    )


def read(*elements):
    return robot_from_urdf_string(robot_text(*elements), source='example.urdf')


ROTOR = (
    '<link name="rotor"><inertial><mass value="3"/>'
    '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.02"/></inertial></link>'
)
SPIN_INSIDE = '<axis xyz="0 1 0"/><limit velocity="600" effort="0.1"/>'
SPIN = joint_text('wheel', 'base', 'rotor', 'continuous', SPIN_INSIDE)


def read_with_yaml(yaml_text, *elements):
    """Return the robot of some elements, by default a base and an arm, and of a YAML text."""
    text = robot_text(*(elements or (BASE, ARM, joint_text())))
    return robot_from_urdf_string(text, 'example.urdf', yaml_text)


def own_wheel(**changed):
    entries = {'name': 'wheel', 'axis': '[0, 2, 0]', 'spin_inertia': 0.5} | changed
    inside = ', '.join(f'{key}: {value}' for key, value in entries.items() if value is not None)
    return f'wheels: [{{{inside}}}]'


class Oracle:
    """The robot of the same text as pinocchio reads it, at one configuration."""

    def __init__(self, text, model, q):
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        configuration = pin.neutral(self.model)
        for name, value in zip(model.joint_names, q, strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            turn = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = turn
        pin.framesForwardKinematics(self.model, self.data, configuration)
        pin.ccrba(self.model, self.data, configuration, np.zeros(self.model.nv))

    def frame(self, name):
        return self.data.oMf[self.model.getFrameId(name)]


def placements(model, q):
    """Return where the links are in the base, straight from what a joint is said to mean."""
    placed = [pin.SE3.Identity()]
    for joint, value in zip(model.joints, q, strict=True):
        moved = pin.SE3.Identity()
        if joint.type is JointType.PRISMATIC:
            moved.translation = np.array([0.0, 0.0, value])
        else:
            moved.rotation = Rotation.from_rotvec([0.0, 0.0, value]).as_matrix()
        placed.append(placed[joint.parent] * pin.SE3(joint.R_PC, joint.p_PC_P) * moved)
    return placed


def whole_robot(model, q):
    """Return all links as one body in the base's frame."""
    first, *others = (
        link.inertial.expressed_in(place.rotation, place.translation)
        for link, place in zip(model.links, placements(model, q), strict=True)
    )
    return sum(others, start=first)


def assert_same_as_pinocchio(text, model, q):
    oracle, whole = Oracle(text, model, q), whole_robot(model, q)
    assert whole.mass == pytest.approx(pin.computeTotalMass(oracle.model), rel=1e-12)
    np.testing.assert_allclose(whole.com, oracle.data.com[0], atol=1e-12)
    inertia = oracle.data.Ig.inertia
    np.testing.assert_allclose(whole.inertia_about_com, inertia, atol=1e-12 * inertia.max())


def assert_same_robot(first, second, tolerance=1e-12):
    assert second.link_names == first.link_names
    assert second.joint_names == first.joint_names
    for one, other in zip(first.links, second.links, strict=True):
        scale = np.abs(one.inertial.vector).max()
        np.testing.assert_allclose(
            other.inertial.vector, one.inertial.vector, rtol=0.0, atol=tolerance * scale
        )
        np.testing.assert_allclose(other.R_UL, one.R_UL, atol=tolerance)
    for one, other in zip(first.joints, second.joints, strict=True):
        assert (other.type, other.parent) == (one.type, one.parent)
        assert other.limits == one.limits
        np.testing.assert_allclose(other.R_PC, one.R_PC, atol=tolerance)
        np.testing.assert_allclose(other.p_PC_P, one.p_PC_P, atol=tolerance)
    assert set(second.frames) == set(first.frames)
    for name, frame in first.frames.items():
        assert second.frames[name].link == frame.link
        np.testing.assert_allclose(second.frames[name].R_LF, frame.R_LF, atol=tolerance)
        np.testing.assert_allclose(second.frames[name].p_LF_L, frame.p_LF_L, atol=tolerance)
