"""The robot: inertial parameters, joints, links, wheels, sensors; where they are read from.

A robot comes from a URDF with a YAML file of the same stem beside it, or from a YAML file with a
table of Denavit-Hartenberg parameters (``load_robot``), or from their texts
(``robot_from_urdf_string``, ``robot_from_yaml_string``), and goes back with ``write_urdf`` or, its
YAML included, ``write_robot``.
"""

from spacerobot_id.model.actuators import (
    Actuators,
    JointFriction,
    PropellerRing,
    Propellers,
    Thruster,
    Thrusters,
    Valves,
)
from spacerobot_id.model.description.robot_loader import (
    is_yaml,
    load_robot,
    robot_from_urdf_string,
    robot_from_yaml_string,
)
from spacerobot_id.model.description.robot_writer import (
    urdf_from_robot,
    write_robot,
    write_urdf,
    yaml_from_robot,
)
from spacerobot_id.model.inertial_parameters import (
    bodies_from_log_cholesky,
    inertia_from_elements,
    InertialParameters,
    log_cholesky_from_body,
    PARAMETER_NAMES,
    parameter_transform,
    PARAMETER_UNITS,
)
from spacerobot_id.model.joint import Capsule, Joint, JointLimits, JointType, Mimic
from spacerobot_id.model.robot_model import (
    Disturbances,
    Frame,
    Link,
    ReactionWheel,
    RobotModel,
    SensorNoise,
)
from spacerobot_id.model.sensors import Sensors, STREAMS, StreamSettings
from spacerobot_id.model.shipped import file_or_shipped, shipped_file, shipped_names

__all__ = [
    'PARAMETER_NAMES',
    'PARAMETER_UNITS',
    'STREAMS',
    'Actuators',
    'Capsule',
    'Disturbances',
    'Frame',
    'InertialParameters',
    'Joint',
    'JointFriction',
    'JointLimits',
    'JointType',
    'Link',
    'Mimic',
    'PropellerRing',
    'Propellers',
    'ReactionWheel',
    'RobotModel',
    'SensorNoise',
    'Sensors',
    'StreamSettings',
    'Thruster',
    'Thrusters',
    'Valves',
    'bodies_from_log_cholesky',
    'file_or_shipped',
    'inertia_from_elements',
    'is_yaml',
    'load_robot',
    'log_cholesky_from_body',
    'parameter_transform',
    'robot_from_urdf_string',
    'robot_from_yaml_string',
    'shipped_file',
    'shipped_names',
    'urdf_from_robot',
    'write_robot',
    'write_urdf',
    'yaml_from_robot',
]
