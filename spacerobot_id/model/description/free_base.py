"""The base that floats: what a description puts between it and the world is taken away."""

from collections.abc import Mapping
from dataclasses import replace

from spacerobot_id.model.description.description import JointDescription, RobotDescription

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
