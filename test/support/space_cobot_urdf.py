"""The Space CoBot of [Ekal 2019] 6.1, alone and with an object that it has grasped."""

_LINK = """\
  <link name="{name}">
    <inertial>
      <origin xyz="0 0 0"/>
      <mass value="{mass:g}"/>
      <inertia ixx="{ixx:g}" ixy="0" ixz="0" iyy="{iyy:g}" iyz="0" izz="{izz:g}"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0"/>
      <geometry>{shape}</geometry>
    </visual>
  </link>
"""
_GRASP = """\
  <joint name="grasp" type="fixed">
    <parent link="base"/>
    <child link="object"/>
    <origin xyz="0.16 -0.1 0.12"/>
  </joint>
"""
_ROBOT = {'mass': 6.047, 'ixx': 0.0453, 'iyy': 0.0417, 'izz': 0.0519}
_OBJECT = {'mass': 1.2, 'ixx': 0.004, 'iyy': 0.006, 'izz': 0.005}
"""The object is chosen: with it the robot has about the mean mass of the paper's loads."""


def space_cobot_urdf(*, loaded: bool) -> str:
    """Return the text of the robot's URDF, its base frame at its own centre of mass."""
    disc, box = '<cylinder radius="0.2" length="0.1"/>', '<box size="0.2 0.1 0.15"/>'
    parts = [_LINK.format(name='base', shape=disc, **_ROBOT)]
    if loaded:
        parts += [_LINK.format(name='object', shape=box, **_OBJECT), _GRASP]
    name = 'space_cobot_loaded' if loaded else 'space_cobot'
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'
