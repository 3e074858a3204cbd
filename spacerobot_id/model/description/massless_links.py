"""Links that move and have no mass: allowed as long as every motion moves something that has."""

from dataclasses import replace

from spacerobot_id.model.description.description import JointDescription, RobotDescription
from spacerobot_id.model.description.link_tree import LinkTree
from spacerobot_id.model.robot_model import RobotModel


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


def warn_of_massless_links(model: RobotModel, description: RobotDescription) -> None:
    """Warn of links that move, have no mass, and move others that have."""
    for link in model.links[1:]:
        if not link.inertial.vector.any():
            description.link_place(link.name).warn(
                'it moves and has no mass; its own parameters are held at zero by the prior'
            )
