"""Random robots for the tests: trees that branch, mixed joints, any axes, possible inertias.

Joints and links are numbered depth first with leading zeros, which is the order in which this
package and pinocchio both sort them.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.model import (
    Frame,
    InertialParameters,
    Joint,
    JointLimits,
    JointType,
    Link,
    Mimic,
    RobotModel,
)
from spacerobot_id.spatial import rotation_aligning_z


def random_rotation(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a rotation matrix, uniform over all rotations, shape (3, 3)."""
    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


def random_axis(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a joint axis: one along a coordinate axis half of the time, shape (3,)."""
    if rng.random() < 0.5:
        return rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)]
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def random_inertial(rng: np.random.Generator, scale: float = 1.0) -> InertialParameters:
    """Return parameters that some rigid body has; mass and size grow with the scale."""
    mass = float(scale * rng.uniform(1.0, 10.0))
    spread = mass * rng.uniform(0.01, 0.1, size=3) * scale ** (2 / 3)
    turn = random_rotation(rng)
    inertia = turn @ np.diag(spread.sum() - spread) @ turn.T
    return InertialParameters.from_com(mass, rng.uniform(-0.3, 0.3, 3), inertia)


def random_parents(rng: np.random.Generator, joints: int) -> list[int]:
    """Return the parent link of each joint: a tree that is numbered depth first."""
    parents: list[int] = []
    path = [0]
    for link in range(1, joints + 1):
        depth = len(path) if rng.random() < 0.6 else rng.integers(1, len(path) + 1)
        path = path[:depth]
        parents.append(path[-1])
        path.append(link)
    return parents


def random_robot(
    rng: np.random.Generator, joints: int, prismatic_share: float = 0.25
) -> RobotModel:
    """Return a robot without wheels, made without the help of any reader.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    joints : int
        Number of joints.
    prismatic_share : float
        Probability of a joint to be prismatic.
    """
    links = [Link('link_00', random_inertial(rng, 10.0))]
    tree = []
    for number, parent in enumerate(random_parents(rng, joints), 1):
        prismatic = rng.random() < prismatic_share
        reach = 0.5 if prismatic else np.pi
        links.append(
            Link(f'link_{number:02d}', random_inertial(rng), rotation_aligning_z(random_axis(rng)))
        )
        tree.append(
            Joint(
                f'joint_{number:02d}',
                JointType.PRISMATIC if prismatic else JointType.REVOLUTE,
                parent,
                random_rotation(rng),
                rng.uniform(-0.5, 0.5, 3),
                JointLimits(-reach, reach, velocity=0.5, effort=20.0),
            )
        )
    frames = {
        link.name: Frame(index, link.R_UL.T, np.zeros(3)) for index, link in enumerate(links)
    }
    return RobotModel('random_robot', links, tree, frames=frames)


def random_urdf(
    rng: np.random.Generator,
    joints: int,
    prismatic_share: float = 0.25,
    fixed_share: float = 0.4,
) -> str:
    """Return the text of a URDF, made without the help of this package's writer.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    joints : int
        Number of joints that move.
    prismatic_share : float
        Probability of a joint to be prismatic.
    fixed_share : float
        Probability of a link to have another one fixed to it; every second one has no mass.
    """
    elements = [_link_text(rng, 'link_00', 10.0)]
    for number, parent in enumerate([None, *random_parents(rng, joints)]):
        name = f'link_{number:02d}'
        if parent is not None:
            kind = rng.choice(['revolute', 'continuous'])
            kind = 'prismatic' if rng.random() < prismatic_share else kind
            elements.append(_link_text(rng, name))
            elements.append(
                _joint_text(rng, f'joint_{number:02d}', kind, f'link_{parent:02d}', name)
            )
        if rng.random() < fixed_share:
            scale = rng.choice([0.0, 0.3])
            elements.append(_link_text(rng, f'{name}_tool', scale))
            elements.append(_joint_text(rng, f'mount_{number:02d}', 'fixed', name, f'{name}_tool'))
    return f'<robot name="random_urdf">\n{"".join(elements)}</robot>\n'


def _numbers(values: NDArray[np.float64]) -> str:
    return ' '.join(repr(float(value)) for value in values)


def _origin_text(rng: np.random.Generator) -> str:
    xyz, rpy = rng.uniform(-0.5, 0.5, 3), rng.uniform(-np.pi, np.pi, 3)
    return f'<origin xyz="{_numbers(xyz)}" rpy="{_numbers(rpy)}"/>'


def _link_text(rng: np.random.Generator, name: str, scale: float = 1.0) -> str:
    if not scale:
        return f'  <link name="{name}"/>\n'
    body = random_inertial(rng, scale)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = body.inertia_about_com.tolist()
    return (
        f'  <link name="{name}"><inertial>{_origin_text(rng)}<mass value="{body.mass!r}"/>'
        f'<inertia ixx="{ixx!r}" ixy="{ixy!r}" ixz="{ixz!r}" iyy="{iyy!r}" iyz="{iyz!r}"'
        f' izz="{izz!r}"/></inertial></link>\n'
    )


def _joint_text(rng: np.random.Generator, name: str, kind: str, parent: str, child: str) -> str:
    limit = '<limit lower="-0.5" upper="0.5" velocity="0.5" effort="20"/>'
    axis = f'<axis xyz="{_numbers(random_axis(rng))}"/>'
    moving = '' if kind == 'fixed' else axis + limit
    return (
        f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'{_origin_text(rng)}{moving}</joint>\n'
    )


def with_followers(model: RobotModel, rng: np.random.Generator, share: float = 0.5) -> RobotModel:
    """Return a robot some of whose joints follow others; at least one leads, one follows.

    Parameters
    ----------
    model : RobotModel
        Robot of two joints or more.
    rng : numpy.random.Generator
        Source of the random numbers.
    share : float
        Probability of a joint to follow another.
    """
    joints = list(model.tree_joints)
    follows = rng.random(len(joints)) < share
    first, second = rng.choice(len(joints), 2, replace=False)
    follows[first], follows[second] = True, False
    leaders = [joint.name for joint, each in zip(joints, follows, strict=True) if not each]
    for place in np.flatnonzero(follows):
        multiplier = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 2.0)
        mimic = Mimic(str(rng.choice(leaders)), multiplier, rng.uniform(-1.0, 1.0))
        joints[place] = replace(joints[place], mimic=mimic)
    return replace(model, tree_joints=joints)
