"""Writing a robot as the two files it is loaded from: the URDF and the YAML file beside it."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import yaml

from spacerobot_id.model.actuators import Actuators
from spacerobot_id.model.description.urdf_writer import write_urdf
from spacerobot_id.model.disturbances import Disturbances
from spacerobot_id.model.robot_model import ReactionWheel, RobotModel, SensorNoise
from spacerobot_id.model.sensors import Sensors
from spacerobot_id.model.wheels import with_rotors
from spacerobot_id.settings.kinds import type_adapter
from spacerobot_id.whole_file import write_whole

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
