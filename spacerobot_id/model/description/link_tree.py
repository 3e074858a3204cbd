"""Whether links and joints form a tree, the order in which it is walked, and what resists it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.model.description.description import JointDescription, RobotDescription
from spacerobot_id.model.joint import Mimic

_FREE = ('floating', 'planar')
"""Joints that allow no more than a free base does; on a table the base cannot leave the plane."""


def freed(description: RobotDescription, base: str | None = None) -> RobotDescription:
    """Return a description whose root is the link that floats.

    Free-flyers are often described by a root link without mass whose only joint is a floating, or
    planar, one to the base; others are fixed to a world, to be shown. A free base is enough.

    Parameters
    ----------
    description : RobotDescription
        Links and joints.
    base : str, optional
        Link to be the base, whatever holds it; by default the one beyond a floating or planar
        joint of the root, or else the root.

    Raises
    ------
    DescriptionError
        If the link is unknown, is fixed to others that have mass, or there are joints of these
        types elsewhere.
    """
    if base is None:
        base = _floating_link(description)
    if base is not None:
        description = _cut_above(description, base)
    for joint in description.joints:
        if joint.type in _FREE:
            raise _not_supported(description, joint)
    return description


def _floating_link(description: RobotDescription) -> str | None:
    """Return the link beyond the root's only joint, if that is floating or planar."""
    free = [joint for joint in description.joints if joint.type in _FREE]
    if not free:
        return None
    root, children = free[0].parent, {each.child for each in description.joints}
    siblings = [each for each in description.joints if each.parent == root]
    if len(free) > 1 or root in children or len(siblings) > 1 or _mass(description, {root}):
        raise _not_supported(description, free[-1])
    return free[0].child


def _not_supported(description: RobotDescription, joint: JointDescription) -> Exception:
    return description.joint_place(joint.name).error(
        f'{joint.type} joints are not supported, but for one from a root link without mass to the '
        'base; --free-base, or free_base in the YAML file, names the base where there are more'
    )


def _cut_above(description: RobotDescription, base: str) -> RobotDescription:
    """Return a link and what hangs on it, if what is above it has no mass or lets it float."""
    place = description.link_place(base)
    if base not in {link.name for link in description.links}:
        raise place.error('it is to be the free base, and there is no such link')
    above = {joint.child: joint for joint in description.joints}
    if base not in above:
        return description
    kept = _hanging_on(description, base)
    others = {link.name for link in description.links} - kept
    mass = _mass(description, others)
    if mass and above[base].type not in _FREE and not _is_world(description, above, base):
        raise place.error(
            f'it is to be the free base, and the {above[base].type} joint {above[base].name!r} '
            f'holds it to other links of {mass:g} kg'
        )
    if mass:
        place.warn(f'it is the free base; other links of {mass:g} kg are left out')
    return replace(
        description,
        links=[link for link in description.links if link.name in kept],
        joints=[each for each in description.joints if each.parent in kept],
    )


def _is_world(
    description: RobotDescription, above: Mapping[str, JointDescription], base: str
) -> bool:
    """Return whether a link is held by a root called world."""
    holder = above[base].parent
    return holder == 'world' and holder not in above


def _hanging_on(description: RobotDescription, base: str) -> set[str]:
    """Return the names of a link and of all links beyond it."""
    found, waiting = set(), [base]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [joint.child for joint in description.joints if joint.parent == name]
    return found


def _mass(description: RobotDescription, names: set[str]) -> float:
    """Return the mass of some links, kg."""
    links = (link for link in description.links if link.name in names)
    return sum(link.inertial.mass for link in links if link.inertial is not None)


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


@dataclass(frozen=True, eq=False)
class LinkTree:
    """The joints of a tree, depth first.

    Parameters
    ----------
    root : str
        Name of the link without a parent: the base.
    joints : sequence of JointDescription
        All joints, each after the one that moves its parent, siblings in the order of the file.
    """

    root: str
    joints: Sequence[JointDescription]


def link_tree(description: RobotDescription) -> LinkTree:
    """Return the tree that links and joints form.

    Parameters
    ----------
    description : RobotDescription
        Links and joints. Floating and planar joints are no part of a tree: see ``freed``.

    Returns
    -------
    LinkTree
        Base and joints.

    Raises
    ------
    DescriptionError
        If a joint names an unknown link, a link has two parents, there is no root or more than
        one, or some links go round in a circle.
    """
    _check_joints(description)
    root = _root(description)
    joints = _depth_first(description, root)
    reached = {root, *(joint.child for joint in joints)}
    for link in description.links:
        if link.name not in reached:
            raise description.link_place(link.name).error('it is part of a cycle of joints')
    return LinkTree(root, joints)


def without_idle_joints(description: RobotDescription, tree: LinkTree) -> LinkTree:
    """Return a tree whose joints all move something that has mass or inertia.

    A joint that moves nothing of the kind, and that none follows that does, takes no torque and
    no part in the momentum: it is held at zero.

    Raises
    ------
    DescriptionError
        If no link has mass.

    Warns
    -----
    DescriptionWarning
        For each joint that is held.
    """
    bodies = {link.name: link.inertial for link in description.links if link.inertial is not None}
    if not any(body.mass for body in bodies.values()):
        raise description.link_place(tree.root).error('neither it nor any other link has mass')
    heavy = {name for name, body in bodies.items() if body.vector.any()}
    for joint in reversed(tree.joints):
        if joint.child in heavy:
            heavy.add(joint.parent)
    resisted = {_leader(joint) for joint in tree.joints if joint.child in heavy}
    return replace(tree, joints=[_held(description, each, resisted) for each in tree.joints])


def _leader(joint: JointDescription) -> str:
    return joint.name if joint.mimic is None else joint.mimic.joint


def _held(
    description: RobotDescription, joint: JointDescription, resisted: set[str]
) -> JointDescription:
    """Return a joint, fixed if nothing resists it."""
    if joint.type == 'fixed' or _leader(joint) in resisted:
        return joint
    description.joint_place(joint.name).warn(
        'nothing that it moves has mass or inertia; it is held at zero, and what its links weigh '
        'is looked for in the link that carries them'
    )
    return replace(joint, type='fixed', mimic=None)


def _check_joints(description: RobotDescription) -> None:
    links = {link.name for link in description.links}
    parents: dict[str, str] = {}
    for joint in description.joints:
        place = description.joint_place(joint.name)
        for role, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in links:
                raise place.error(f'its {role} link {name!r} is unknown')
        if joint.child in parents:
            raise description.link_place(joint.child).error(
                f'it has two parents, {parents[joint.child]!r} and {joint.parent!r}'
            )
        parents[joint.child] = joint.parent


def _root(description: RobotDescription) -> str:
    children = {joint.child for joint in description.joints}
    roots = [link.name for link in description.links if link.name not in children]
    if len(roots) > 1:
        raise description.link_place(roots[1]).error(
            f'no joint leads to it, nor to {roots[0]!r}: a robot has one root link'
        )
    if roots:
        return roots[0]
    if not description.links:
        raise description.link_place('?').error('the robot has no links')
    raise description.link_place(description.links[0].name).error(
        'it is part of a cycle of joints: no link is the root'
    )


def _depth_first(description: RobotDescription, root: str) -> list[JointDescription]:
    of_parent: dict[str, list[JointDescription]] = {link.name: [] for link in description.links}
    for joint in reversed(description.joints):
        of_parent[joint.parent].append(joint)
    ordered: list[JointDescription] = []
    waiting = list(of_parent[root])
    while waiting:
        joint = waiting.pop()
        ordered.append(joint)
        waiting.extend(of_parent[joint.child])
    return ordered
