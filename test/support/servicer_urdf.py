"""The servicer as simple solids: a bus with three wheels and an arm of seven joints.

Solids make every link possible; tilts and offsets keep its parameters from being zero, as those
of hardware never are. What must not touch are bars: one in each link of the arm, and five below
the top of the bus with two under them, whose upper and outer sides are those of the bus.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A link as a box or, where two sizes are given, a cylinder along z.

    Parameters
    ----------
    name : str
        Name of the link.
    mass : float
        Mass, kg.
    centre : tuple of 3 floats
        Centre of mass in the link frame, m.
    tilt : tuple of 3 floats
        Roll, pitch and yaw of the solid in the link frame, rad.
    size : tuple of floats
        Edges of the box, or radius and length of the cylinder, m.
    """

    name: str
    mass: float
    centre: Vector
    tilt: Vector
    size: Sequence[float]

    @property
    def moments(self) -> Vector:
        """Principal moments about the centre of mass, kg m^2."""
        if len(self.size) == 3:
            x, y, z = (edge**2 / 12.0 for edge in self.size)
            return self.mass * (y + z), self.mass * (x + z), self.mass * (x + y)
        radius, length = self.size
        across = self.mass * (3.0 * radius**2 + length**2) / 12.0
        return across, across, self.mass * radius**2 / 2.0

    @property
    def geometry(self) -> str:
        """Shape as URDF has it."""
        if len(self.size) == 3:
            return f'<box size="{_numbers(self.size)}"/>'
        return '<cylinder radius="{:g}" length="{:g}"/>'.format(*self.size)

    @property
    def core(self) -> 'Solid':
        """Cylinder so much shorter that it is no longer with half spheres at its ends."""
        radius, length = self.size
        return replace(self, size=(radius, length - 2.0 * radius))


@dataclass(frozen=True)
class Hinge:
    """A joint of the arm: where it is in its parent, about which axis, how far and hard."""

    origin: Vector
    axis: Vector
    reach: float
    effort: float


QUARTER_TURN = (0.0, 0.0, 1.5707963267948966)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BUS = Solid('bus', 245.0, (0.03, -0.02, 0.05), (0.03, 0.02, -0.04), (1.1, 1.1, 1.0))
IMU = Solid('imu', 0.8, (0.0, 0.0, 0.02), (0.0, 0.0, 0.0), (0.1, 0.08, 0.05))
TOP_BARS = (-0.44, -0.22, 0.0, 0.22, 0.44)
ARM = (
    Solid('arm_link_1', 8.0, (0.004, 0.012, 0.07), (0.05, -0.04, 0.3), (0.075, 0.17)),
    Solid('arm_link_2', 9.0, (-0.006, 0.010, 0.19), (-0.03, 0.04, 0.5), (0.065, 0.42)),
    Solid('arm_link_3', 7.0, (0.008, -0.009, 0.18), (0.04, 0.03, -0.4), (0.060, 0.40)),
    Solid('arm_link_4', 6.0, (-0.005, 0.011, 0.16), (-0.05, 0.03, 0.2), (0.055, 0.36)),
    Solid('arm_link_5', 5.0, (0.007, 0.006, 0.14), (0.03, 0.05, -0.3), (0.050, 0.31)),
    Solid('arm_link_6', 4.0, (-0.004, 0.008, 0.05), (0.06, -0.03, 0.4), (0.050, 0.13)),
    Solid('arm_link_7', 3.5, (0.010, -0.007, 0.07), (-0.04, 0.06, 0.6), (0.045, 0.14)),
)
ALONG_X = (0.0, 1.5707963267948966, 0.0)
BUS_BARS = (
    *(Solid('top', 0.0, (0.03, y - 0.02, 0.43), ALONG_X, (0.12, 1.1)) for y in TOP_BARS),
    *(Solid('side', 0.0, (0.03, y - 0.02, -0.1), ALONG_X, (0.3, 1.1)) for y in (-0.25, 0.25)),
)
HINGES = (
    Hinge((0.40, 0.05, 0.50), Z, 2.9, 60.0),
    Hinge((0.0, 0.0, 0.15), Y, 2.0, 60.0),
    Hinge((0.0, 0.0, 0.40), Z, 2.9, 40.0),
    Hinge((0.0, 0.0, 0.38), Y, 2.3, 40.0),
    Hinge((0.0, 0.0, 0.34), Z, 2.9, 20.0),
    Hinge((0.0, 0.0, 0.29), Y, 2.0, 20.0),
    Hinge((0.0, 0.0, 0.11), Z, 2.9, 10.0),
)
ROTORS = {'x': (0.25, 0.0, -0.3), 'y': (0.0, 0.25, -0.3), 'z': (-0.25, -0.25, -0.3)}
ROTOR_SIZE = (3.2, 0.11, 0.05)  # kg, m, m


def servicer_urdf(prior: bool) -> str:
    """Return the text of the servicer's URDF, as it is or as it is thought to be."""
    thought = [_mistaken(solid, number) for number, solid in enumerate((BUS, *ARM))]
    bus, *arm = thought if prior else (BUS, *ARM)
    lines = [_link(bus, BUS, BUS_BARS), _link(IMU, IMU)]
    lines.append(_fixed('imu_mount', 'bus', 'imu', (0.1, -0.2, 0.52), QUARTER_TURN))
    lines.extend(_rotor(letter, origin) for letter, origin in ROTORS.items())
    for number, (solid, shown, hinge) in enumerate(zip(arm, ARM, HINGES, strict=True), 1):
        lines.append(_link(solid, shown, [shown]))
        lines.append(_hinge(number, hinge))
    lines.append('  <link name="tool"/>\n')
    lines.append(_fixed('tool_mount', 'arm_link_7', 'tool', (0.0, 0.0, 0.15), (0.0, 0.0, 0.0)))
    name = 'servicer_prior' if prior else 'servicer'
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(lines)}</robot>\n'


def _mistaken(solid: Solid, number: int) -> Solid:
    """Return a link with its mass a fifth off and its centre of mass some centimetres away."""
    x, y, z = solid.centre
    sign = -1.0 if number % 2 == 0 else 1.0
    centre = (x - 0.02 * sign, y + 0.02, z + 0.03 * sign)
    return replace(solid, mass=solid.mass * (1.0 + 0.2 * sign), centre=centre)


def _link(solid: Solid, shown: Solid, bars: Sequence[Solid] = ()) -> str:
    """Return a link with its mass, how it looks, and bars that others may not touch."""
    xx, yy, zz = (f'{moment:.6g}' for moment in solid.moments)
    return (
        f'  <link name="{solid.name}">\n'
        f'    <inertial>\n'
        f'      {_origin(solid.centre, solid.tilt)}\n'
        f'      <mass value="{solid.mass:.6g}"/>\n'
        f'      <inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>\n'
        f'    </inertial>\n'
        f'    <visual>\n'
        f'      {_origin(shown.centre, shown.tilt)}\n'
        f'      <geometry>{shown.geometry}</geometry>\n'
        f'    </visual>\n'
        f'{"".join(map(_collision, bars))}'
        f'  </link>\n'
    )


def _collision(bar: Solid) -> str:
    return (
        f'    <collision>\n'
        f'      {_origin(bar.centre, bar.tilt)}\n'
        f'      <geometry>{bar.core.geometry}</geometry>\n'
        f'    </collision>\n'
    )


def _rotor(letter: str, origin: Vector) -> str:
    """Return a wheel: a disc that turns about x, y or z, its link and its joint."""
    mass, radius, length = ROTOR_SIZE
    disc = Solid('rotor', mass, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (radius, length))
    across, _, spin = disc.moments
    xx, yy, zz = (f'{spin if letter == each else across:.6g}' for each in 'xyz')
    axis = tuple(float(letter == each) for each in 'xyz')
    return (
        f'  <link name="wheel_{letter}_rotor">\n'
        f'    <inertial>\n'
        f'      <mass value="{mass:g}"/>\n'
        f'      <inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>\n'
        f'    </inertial>\n'
        f'  </link>\n'
        f'  <joint name="wheel_{letter}" type="continuous">\n'
        f'    <parent link="bus"/>\n'
        f'    <child link="wheel_{letter}_rotor"/>\n'
        f'    {_origin(origin, (0.0, 0.0, 0.0))}\n'
        f'    <axis xyz="{_numbers(axis)}"/>\n'
        f'    <limit velocity="628" effort="0.2"/>\n'
        f'  </joint>\n'
    )


def _hinge(number: int, hinge: Hinge) -> str:
    parent = f'arm_link_{number - 1}' if number > 1 else 'bus'
    return (
        f'  <joint name="arm_joint_{number}" type="revolute">\n'
        f'    <parent link="{parent}"/>\n'
        f'    <child link="arm_link_{number}"/>\n'
        f'    {_origin(hinge.origin, (0.0, 0.0, 0.0))}\n'
        f'    <axis xyz="{_numbers(hinge.axis)}"/>\n'
        f'    <limit lower="{-hinge.reach:g}" upper="{hinge.reach:g}" velocity="0.2"'
        f' effort="{hinge.effort:g}"/>\n'
        f'  </joint>\n'
    )


def _fixed(name: str, parent: str, child: str, origin: Vector, tilt: Vector) -> str:
    return (
        f'  <joint name="{name}" type="fixed">\n'
        f'    <parent link="{parent}"/>\n'
        f'    <child link="{child}"/>\n'
        f'    {_origin(origin, tilt)}\n'
        f'  </joint>\n'
    )


def _origin(xyz: Vector, rpy: Vector) -> str:
    return f'<origin xyz="{_numbers(xyz)}" rpy="{_numbers(rpy)}"/>'


def _numbers(values: Sequence[float]) -> str:
    return ' '.join(repr(float(value)).removesuffix('.0') for value in values)
