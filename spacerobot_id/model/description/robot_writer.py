"""Writing a robot as the two files it is loaded from: the URDF and the YAML file beside it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
import yaml

from spacerobot_id.model.actuators import Actuators
from spacerobot_id.model.description.urdf import UNBOUNDED
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Capsule, Joint, JointLimits, JointType, Mimic
from spacerobot_id.model.robot_model import (
    Disturbances,
    Link,
    ReactionWheel,
    RobotModel,
    SensorNoise,
)
from spacerobot_id.model.sensors import Sensors
from spacerobot_id.model.wheels import with_rotors
from spacerobot_id.settings.kinds import type_adapter
from spacerobot_id.spatial import rotation_aligning_z
from spacerobot_id.whole_file import write_whole

_FOR_MUJOCO = '  <mujoco><compiler fusestatic="false"/></mujoco>'
"""Without this MuJoCo takes the base for a part of the world and drops its mass."""

_ENTITIES = str.maketrans(
    {
        '&': '&amp;',
        '<': '&lt;',
        '>': '&gt;',
        '"': '&quot;',
        '\n': '&#10;',
        '\r': '&#13;',
        '\t': '&#9;',
    }
)
"""What stands for characters that mean something in XML, or would be lost in it."""


def write_urdf(model: RobotModel, path: str | Path) -> None:
    """Write a robot as a URDF file; see ``urdf_from_robot``.

    Parameters
    ----------
    model : RobotModel
        The robot.
    path : str or Path
        File to write.
    """
    write_whole(path, urdf_from_robot(model))


def urdf_from_robot(model: RobotModel) -> str:
    """Return a robot as the text of a URDF.

    Reading it gives the same robot, but for what URDF cannot hold: wheels, limits of
    acceleration, noise. Frames become links without mass, fixed to the link that has them.
    MuJoCo reads it too, with a base that is fixed until it is given a free joint.

    Parameters
    ----------
    model : RobotModel
        The robot; links without mass have no inertial.

    Returns
    -------
    str
        Text of the URDF.

    Raises
    ------
    ValueError
        If the mass of a link is negative, or zero with a first moment.
    """
    elements = [_FOR_MUJOCO, *_links(model), *_joints(model), *_frames(model)]
    body = ''.join(f'{element}\n' for element in elements)
    return f'<?xml version="1.0"?>\n<robot name={_quoted(model.name)}>\n{body}</robot>\n'


def roll_pitch_yaw(rotation: ArrayLike) -> NDArray[np.float64]:
    """Return the angles about fixed x, y and z axes that make a rotation, as URDF takes them.

    Parameters
    ----------
    rotation : array_like, shape (3, 3)
        Rotation matrix.

    Returns
    -------
    ndarray, shape (3,)
        Roll, pitch and yaw, rad: ``Rz(yaw) Ry(pitch) Rx(roll)`` is the rotation to rounding,
        close to a pitch of 90 degrees too.
    """
    R = np.asarray(rotation, dtype=float)
    yaw = np.arctan2(R[1, 0], R[0, 0])
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    # Roll from the rotation with yaw taken out: near a pitch of 90 degrees yaw is mostly
    # rounding, and this makes up for it.
    cosine, sine = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(sine * R[0, 2] - cosine * R[1, 2], cosine * R[1, 1] - sine * R[0, 1])
    return np.array([roll, pitch, yaw])


def _links(model: RobotModel) -> Iterator[str]:
    for index, link in enumerate(model.links):
        shapes = ''.join(
            _collision(shape.carried(index, link.R_UL, np.zeros(3)))
            for shape in model.collision
            if shape.link == index
        )
        yield f'  <link name={_quoted(link.name)}>\n{_inertial(link)}{shapes}  </link>'


def _collision(shape: Capsule) -> str:
    """Return a capsule, in the axes of the description, as a cylinder that reads as the same."""
    way = shape.end - shape.start
    length, centre = float(np.linalg.norm(way)), 0.5 * (shape.start + shape.end)
    radius = _number(shape.radius)
    if length == 0.0:
        turn, geometry = np.eye(3), f'<sphere radius="{radius}"/>'
    else:
        turn = rotation_aligning_z(way)
        geometry = f'<cylinder radius="{radius}" length="{_number(length)}"/>'
    return (
        f'    <collision>\n  {_origin(turn, centre)}'
        f'      <geometry>{geometry}</geometry>\n    </collision>\n'
    )


def _inertial(link: Link) -> str:
    body = link.inertial.expressed_in(link.R_UL, np.zeros(3))
    if not body.vector.any():
        return ''
    if body.mass < 0.0 or (body.mass == 0.0 and body.first_moment.any()):
        raise ValueError(f'link {link.name}: a mass of {body.mass:g} kg cannot be written')
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = _rounded_inertia(body)
    com = ' '.join(f'{value:.15g}' for value in (body.com if body.mass else np.zeros(3)) + 0.0)
    return (
        f'    <inertial>\n'
        f'      <origin xyz="{com}" rpy="0 0 0"/>\n'
        f'      <mass value="{_number(body.mass)}"/>\n'
        f'      <inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/>\n'
        f'    </inertial>\n'
    )


def _rounded_inertia(body: InertialParameters) -> list[list[str]]:
    """Return the inertia about the centre of mass without the digits that are rounding."""
    scale = np.abs(body.inertia).max() or 1.0
    decimals = 14 - int(np.ceil(np.log10(scale)))
    rounded = np.round(body.inertia_about_com, decimals) + 0.0
    return [[_number(value) for value in row] for row in rounded]


def _joints(model: RobotModel) -> Iterator[str]:
    for joint, child in zip(model.tree_joints, model.links[1:], strict=True):
        parent = model.links[joint.parent]
        kind = _joint_type(joint)
        yield (
            f'  <joint name={_quoted(joint.name)} type="{kind}">\n'
            f'{_ends(parent.name, child.name)}'
            f'{_origin(parent.R_UL @ joint.R_PC @ child.R_UL.T, parent.R_UL @ joint.p_PC_P)}'
            f'    <axis xyz="{_numbers(child.R_UL[:, 2])}"/>\n'
            f'{_limit(joint.limits, kind)}'
            f'{_mimic(joint.mimic)}'
            f'  </joint>'
        )


def _frames(model: RobotModel) -> Iterator[str]:
    """Yield frames that are no links: a link without mass and its fixed joint."""
    taken = {joint.name for joint in model.tree_joints}
    for name, frame in model.frames.items():
        if name in model.link_names:
            continue
        parent = model.links[frame.link]
        joint = f'{name}_fixed'
        while joint in taken:
            joint += '_'
        yield (
            f'  <link name={_quoted(name)}/>\n'
            f'  <joint name={_quoted(joint)} type="fixed">\n'
            f'{_ends(parent.name, name)}'
            f'{_origin(parent.R_UL @ frame.R_LF, parent.R_UL @ frame.p_LF_L)}'
            f'  </joint>'
        )


def _mimic(mimic: Mimic | None) -> str:
    if mimic is None:
        return ''
    numbers = f'multiplier="{_number(mimic.multiplier)}" offset="{_number(mimic.offset)}"'
    return f'    <mimic joint={_quoted(mimic.joint)} {numbers}/>\n'


def _joint_type(joint: Joint) -> str:
    if joint.type is JointType.PRISMATIC:
        return 'prismatic'
    is_bounded = joint.limits.lower > -np.inf or joint.limits.upper < np.inf
    return 'revolute' if is_bounded else 'continuous'


def _ends(parent: str, child: str) -> str:
    return f'    <parent link={_quoted(parent)}/>\n    <child link={_quoted(child)}/>\n'


def _origin(rotation: NDArray[np.float64], translation: NDArray[np.float64]) -> str:
    return (
        f'    <origin xyz="{_numbers(translation)}" rpy="{_numbers(roll_pitch_yaw(rotation))}"/>\n'
    )


def _limit(limits: JointLimits, kind: str) -> str:
    """Return the limits; other readers want velocity and effort, so both or neither."""
    motion = f'velocity="{_number(limits.velocity)}" effort="{_number(limits.effort)}"'
    if kind != 'continuous':
        lower, upper = _number(limits.lower), _number(limits.upper)
        return f'    <limit lower="{lower}" upper="{upper}" {motion}/>\n'
    if np.isfinite(limits.velocity) or np.isfinite(limits.effort):
        return f'    <limit {motion}/>\n'
    return ''


def _numbers(values: NDArray[np.float64]) -> str:
    """Return components of a vector; those that are mere rounding as zero."""
    return ' '.join(_number(0.0 if abs(value) < 1e-15 else value) for value in values)


def _number(value: float) -> str:
    """Return the shortest text that reads as the same number."""
    if np.isinf(value):
        value = np.copysign(UNBOUNDED, value)
    return repr(float(value)).removesuffix('.0')


def _quoted(text: str) -> str:
    """Return the value of an attribute; what the standard library has for it imports the web."""
    return f'"{text.translate(_ENTITIES)}"'


_COMMENTS = {
    'wheels': 'Reaction wheels: the link that carries each, its axis in that link, SI units.',
    'joint_limits': 'Limits of joints that the URDF cannot hold; rad/s^2 or m/s^2.',
    'noise': 'Standard deviations of the noise of the sensors and their rate in Hz; SI units.',
    'actuators': 'Limits, friction, thrusters that the simulator adds to ideal drives; SI units.',
    'sensors': 'What the simulator adds to the white noise of the sensors; SI units.',
    'tolerances': 'How far sensors and geometry may be off: standard deviations; SI units.',
    'calibration': 'Known errors of the sensors, with which readings are predicted; SI units.',
    'thrusters': 'Thrusters of the base: nozzle and direction of the force in its axes; SI units.',
    'disturbances': 'What acts on the robot from outside in simulation; SI units.',
}


def write_robot(model: RobotModel, path: str | Path) -> None:
    """Write a robot so that ``load_robot`` gives the same one.

    Parameters
    ----------
    model : RobotModel
        The robot.
    path : str or Path
        URDF file to write; what it cannot hold goes to the YAML file of the same stem.
    """
    written = with_rotors(model)
    write_urdf(written, path)
    text = yaml_from_robot(model, as_joints=written.joint_names)
    write_whole(Path(path).with_suffix('.yaml'), text)


def yaml_from_robot(model: RobotModel, as_joints: Collection[str] = ()) -> str:
    """Return what a URDF cannot hold of a robot as the text of its YAML file.

    Parameters
    ----------
    model : RobotModel
        The robot.
    as_joints : collection of str
        Names of the joints of the URDF that is written; a wheel of such a name is that joint,
        every other an entry of its own: its mass is with the link that carries it.

    Returns
    -------
    str
        Text of the YAML file: wheels, limits of acceleration, noise, actuators, sensors,
        tolerances, calibration, thrusters, disturbances.
    """
    limits = {
        joint.name: {'acceleration': float(joint.limits.acceleration)}
        for joint in model.tree_joints
        if np.isfinite(joint.limits.acceleration)
    }
    sections = {
        'wheels': [
            {'joint': wheel.name} | _wheel_limits(wheel)
            if wheel.name in as_joints
            else _wheel_entry(model, wheel)
            for wheel in model.wheels
        ],
        'joint_limits': limits,
        'noise': {key: float(value) for key, value in asdict(model.noise).items()},
        'actuators': changed(model.actuators),
        'sensors': changed(model.sensors),
        'tolerances': {key: float(value) for key, value in model.tolerances.items()},
        'calibration': {
            key: float(value[0]) if len(value) == 1 else [float(each) for each in value]
            for key, value in model.calibration.items()
        },
        'thrusters': [
            {
                'name': each.name,
                'position': each.position.tolist(),
                'direction': each.direction.tolist(),
                'strength': float(each.strength),
            }
            for each in model.thrusters
        ],
        'disturbances': changed(model.disturbances),
    }
    return '\n'.join(_section(key, content) for key, content in sections.items() if content)


def changed(settings: SensorNoise | Actuators | Sensors | Disturbances) -> dict[str, object]:
    """Return what is not as by default of settings, by the keys of the YAML file."""
    return type_adapter(type(settings)).dump_python(settings, mode='json', exclude_defaults=True)


def _wheel_entry(model: RobotModel, wheel: ReactionWheel) -> Mapping[str, object]:
    link = model.links[wheel.link]
    entry = {
        'name': wheel.name,
        'link': link.name,
        'axis': (link.R_UL @ wheel.axis).tolist(),
        'spin_inertia': float(wheel.spin_inertia),
    }
    return entry | _wheel_limits(wheel)


def _wheel_limits(wheel: ReactionWheel) -> Mapping[str, float]:
    limits = {key: getattr(wheel, key) for key in ('max_rate', 'max_momentum', 'max_torque')}
    return {key: float(value) for key, value in limits.items() if np.isfinite(value)}


def _section(key: str, content: object) -> str:
    dumped = yaml.safe_dump({key: content}, sort_keys=False, default_flow_style=None)
    return f'# {_COMMENTS[key]}\n{dumped}'
