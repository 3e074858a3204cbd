"""The two robots of [Wilde 2018] as simple solids: a planar four-link and a spatial six-link arm.

The text of the paper has the kinematics in words and lacks the tables of masses, inertias and
lengths: these are chosen here, so that what its text says of the motion holds. The base's frame
is at its centre of mass, as in the paper; both arms are stretched along x at zero.
"""

from dataclasses import dataclass

from servicer_urdf import Solid, Vector

UPRIGHT = (0.0, 0.0, 0.0)
AXES = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Segment:
    """A link of an arm and the joint that carries it.

    Parameters
    ----------
    axis : str
        Axis of the joint at position zero: x, y or z of the base.
    origin : tuple of 3 floats
        The joint in the frame of the link before, m.
    solid : Solid
        The link.
    effort : float
        Largest torque of the joint, N m.
    """

    axis: str
    origin: Vector
    solid: Solid
    effort: float


def _rod(number: int, mass: float, length: float, width: float) -> Solid:
    """Return a box along x that begins at the joint."""
    centre = (0.5 * length, 0.0, 0.0)
    return Solid(f'link_{number}', mass, centre, UPRIGHT, (length, width, width))


PLANAR_BASE = Solid('base', 60.0, UPRIGHT, UPRIGHT, (0.6, 0.6, 0.6))
PLANAR_ARM = (  # four identical links
    Segment('z', (0.3, 0.0, 0.0), _rod(1, 1.0, 0.3, 0.06), 10.0),
    Segment('z', (0.3, 0.0, 0.0), _rod(2, 1.0, 0.3, 0.06), 10.0),
    Segment('z', (0.3, 0.0, 0.0), _rod(3, 1.0, 0.3, 0.06), 10.0),
    Segment('z', (0.3, 0.0, 0.0), _rod(4, 1.0, 0.3, 0.06), 10.0),
)
SPATIAL_BASE = Solid('base', 300.0, UPRIGHT, UPRIGHT, (1.2, 1.2, 1.2))
BRACKET = Solid('link_1', 8.0, (0.10, 0.0, 0.18), UPRIGHT, (0.25, 0.18, 0.45))
SPATIAL_ARM = (  # the first joint along x; its link carries the others off that axis, all about y
    Segment('x', (0.6, 0.0, 0.0), BRACKET, 40.0),
    Segment('y', (0.15, 0.0, 0.35), _rod(2, 8.0, 0.8, 0.12), 40.0),
    Segment('y', (0.8, 0.0, 0.0), _rod(3, 7.0, 0.8, 0.12), 40.0),
    Segment('y', (0.8, 0.0, 0.0), _rod(4, 4.0, 0.4, 0.10), 20.0),
    Segment('y', (0.4, 0.0, 0.0), _rod(5, 3.0, 0.3, 0.10), 20.0),
    Segment('y', (0.3, 0.0, 0.0), _rod(6, 3.0, 0.3, 0.10), 10.0),
)


def wilde_planar_urdf() -> str:
    """Return the text of the planar robot's URDF."""
    return _urdf('wilde_planar', PLANAR_BASE, PLANAR_ARM)


def wilde_spatial_urdf() -> str:
    """Return the text of the spatial robot's URDF."""
    return _urdf('wilde_spatial', SPATIAL_BASE, SPATIAL_ARM)


def _urdf(name: str, base: Solid, arm: tuple[Segment, ...]) -> str:
    lines = [_link(base)]
    parent = base
    for number, segment in enumerate(arm, 1):
        lines += [_link(segment.solid), _joint(number, parent.name, segment)]
        parent = segment.solid
    tip = _numbers((2.0 * parent.centre[0], 0.0, 0.0))
    lines.append('  <link name="end_effector"/>\n')
    lines.append(
        f'  <joint name="end_effector_mount" type="fixed">\n'
        f'    <parent link="{parent.name}"/>\n'
        f'    <child link="end_effector"/>\n'
        f'    <origin xyz="{tip}"/>\n'
        f'  </joint>\n'
    )
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(lines)}</robot>\n'


def _link(solid: Solid) -> str:
    xx, yy, zz = (f'{moment:.6g}' for moment in solid.moments)
    place = f'<origin xyz="{_numbers(solid.centre)}"/>'
    return (
        f'  <link name="{solid.name}">\n'
        f'    <inertial>\n'
        f'      {place}\n'
        f'      <mass value="{solid.mass:g}"/>\n'
        f'      <inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>\n'
        f'    </inertial>\n'
        f'    <visual>\n'
        f'      {place}\n'
        f'      <geometry><box size="{_numbers(solid.size)}"/></geometry>\n'
        f'    </visual>\n'
        f'  </link>\n'
    )


def _joint(number: int, parent: str, segment: Segment) -> str:
    return (
        f'  <joint name="joint_{number}" type="revolute">\n'
        f'    <parent link="{parent}"/>\n'
        f'    <child link="{segment.solid.name}"/>\n'
        f'    <origin xyz="{_numbers(segment.origin)}"/>\n'
        f'    <axis xyz="{_numbers(AXES[segment.axis])}"/>\n'
        f'    <limit lower="-2.9" upper="2.9" velocity="0.2" effort="{segment.effort:g}"/>\n'
        f'  </joint>\n'
    )


def _numbers(values: tuple[float, ...]) -> str:
    return ' '.join(f'{value:g}' for value in values)
