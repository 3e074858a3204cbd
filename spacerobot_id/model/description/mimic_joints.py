"""Joints that follow others, each brought to follow one that moves on its own."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.model.description.description import JointDescription, RobotDescription
from spacerobot_id.model.joint import Mimic


def resolved_mimics(description: RobotDescription) -> RobotDescription:
    """Return a description whose following joints follow joints that follow none.

    What follows a joint that follows another one follows that; what follows a fixed joint, or with
    a multiplier of zero, is fixed where it is.

    Raises
    ------
    DescriptionError
        If a joint follows an unknown one or, in the end, itself.
    """
    named = {joint.name: joint for joint in description.joints}
    return replace(
        description, joints=[_resolved(description, each, named) for each in named.values()]
    )


def _resolved(
    description: RobotDescription, joint: JointDescription, named: Mapping[str, JointDescription]
) -> JointDescription:
    """Return a joint that leads, follows one that leads, or does not move."""
    if joint.mimic is None:
        return joint
    place, leader = description.joint_place(joint.name), joint
    multiplier, offset, seen = 1.0, 0.0, {joint.name}
    while leader.mimic is not None:
        follows = leader.mimic
        if follows.joint not in named:
            raise place.error(f'it mimics {follows.joint!r}, which is an unknown joint')
        if follows.joint in seen:
            raise place.error(f'it mimics {follows.joint!r}, and so itself')
        offset += multiplier * follows.offset
        multiplier *= follows.multiplier
        leader = named[follows.joint]
        seen.add(leader.name)
    if leader.type in ('floating', 'planar'):
        raise place.error(f'it mimics {leader.name!r}, which has no position of one number')
    if leader.type == 'fixed' or multiplier == 0.0:
        return _fixed_at(joint, offset)
    return replace(joint, mimic=Mimic(leader.name, multiplier, offset))


def _fixed_at(joint: JointDescription, position: float) -> JointDescription:
    """Return a joint that stays at a position."""
    along = position * joint.axis / np.linalg.norm(joint.axis)
    if joint.type == 'prismatic':
        moved = joint.p_PC_P + joint.R_PC @ along
        return replace(joint, type='fixed', p_PC_P=moved, mimic=None)
    turned = joint.R_PC @ Rotation.from_rotvec(along).as_matrix()
    return replace(joint, type='fixed', R_PC=turned, mimic=None)
