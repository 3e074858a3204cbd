"""Whether links and joints form a tree, the order in which it is walked, and what resists it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spacerobot_id.model.description.description import JointDescription, RobotDescription


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
