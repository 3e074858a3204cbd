"""Messages of test beds, made from their definitions, and the logs that they fill."""

from collections.abc import Mapping
from functools import cache

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

DEFINITIONS = {
    'px4_msgs/msg/VehicleOdometry': """
        uint64 timestamp
        uint64 timestamp_sample
        uint8 pose_frame
        float32[3] position
        float32[4] q
        uint8 velocity_frame
        float32[3] velocity
        float32[3] angular_velocity
        float32[3] position_variance
        float32[3] orientation_variance
        float32[3] velocity_variance
        uint8 reset_counter
        int8 quality""",
    'px4_msgs/msg/ActuatorMotors': """
        uint64 timestamp
        uint64 timestamp_sample
        uint16 reversible_flags
        float32[12] control""",
    'ff_msgs/msg/ThrusterCommand': """
        std_msgs/Header header
        bool[8] switches""",
    'ff_msgs/msg/WheelVelCommand': """
        std_msgs/Header header
        float64 velocity""",
    'ff_msgs/msg/Pose2D': """
        float64 x
        float64 y
        float64 theta""",
    'ff_msgs/msg/Twist2D': """
        float64 vx
        float64 vy
        float64 wz""",
    'ff_msgs/msg/FreeFlyerState': """
        Pose2D pose
        Twist2D twist""",
    'ff_msgs/msg/FreeFlyerStateStamped': """
        std_msgs/Header header
        FreeFlyerState state""",
    'ff_msgs/msg/EkfState': """
        std_msgs/Header header
        string child_frame_id
        geometry_msgs/Pose pose
        geometry_msgs/Vector3 velocity
        geometry_msgs/Vector3 omega
        geometry_msgs/Vector3 gyro_bias
        geometry_msgs/Vector3 accel
        geometry_msgs/Vector3 accel_bias
        float32[15] cov_diag
        uint8 confidence""",
    'ff_msgs/msg/FamCommand': """
        std_msgs/Header header
        geometry_msgs/Wrench wrench
        uint8 status
        uint8 control_mode""",
    'bsk_msgs/msg/SCStatesMsgPayload': """
        builtin_interfaces/Time stamp
        float64[3] r_bn_n
        float64[3] v_bn_n
        float64[3] sigma_bn
        float64[3] omega_bn_b
        uint64 mrpswitchcount""",
    'bsk_msgs/msg/RWSpeedMsgPayload': """
        builtin_interfaces/Time stamp
        float64[36] wheelspeeds
        float64[36] wheelthetas""",
    'bsk_msgs/msg/HingedRigidBodyMsgPayload': """
        builtin_interfaces/Time stamp
        float64 theta
        float64 thetadot""",
    'bsk_msgs/msg/THRArrayCmdForceMsgPayload': """
        builtin_interfaces/Time stamp
        float64[36] thrforce""",
    'bsk_msgs/msg/VehicleConfigMsgPayload': """
        builtin_interfaces/Time stamp
        float64[9] iscpntb_b
        float64[3] com_b
        float64 masssc
        uint64 currentadcsstate""",
    'ur_msgs/msg/SetPayloadRequest': """
        float32 mass
        geometry_msgs/Vector3 center_of_gravity
        float64 ixx
        float64 iyy
        float64 izz
        float64 ixy
        float64 ixz
        float64 iyz
        builtin_interfaces/Duration transition_time""",
}
"""Types of beds that are in no package here: the fields that matter, as the beds have them."""


@cache
def store():
    """Return the types of ROS and those of the beds."""
    found = get_typestore(Stores.ROS2_JAZZY)
    types = {}
    for name, text in DEFINITIONS.items():
        types |= get_types_from_msg(text, name)
    found.register(types)
    return found


def make(kind, **fields):
    """Return a message; fields that are not given are zero or empty."""
    definition = store().fielddefs[kind][1]
    values = {name: fields.get(name, _blank(what)) for name, what in definition}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            values[name] = np.ascontiguousarray(value)
    return store().types[kind](**values)


def _blank(described):
    """Return what a field is by default."""
    node, what = described
    if node.name == 'NAME':
        return make(what)
    if node.name == 'BASE':
        return {'string': '', 'bool': False, 'float32': 0.0, 'float64': 0.0}.get(what[0], 0)
    (inner, (kind, *_)), count = what[0], what[1]
    if inner.name == 'NAME':
        return []
    dtype = {'octet': 'uint8'}.get(kind, kind)
    return [] if kind == 'string' else np.zeros(count or 0, dtype=dtype)


def time(stamp):
    """Return a time, exact to the nanosecond."""
    sec, nanosec = divmod(round(stamp * 1_000_000_000), 1_000_000_000)
    return make('builtin_interfaces/msg/Time', sec=sec, nanosec=nanosec)


def header(stamp, frame_id=''):
    return make('std_msgs/msg/Header', stamp=time(stamp), frame_id=frame_id)


def vector(values, kind='Vector3'):
    return make(f'geometry_msgs/msg/{kind}', **dict(zip('xyzw', map(float, values), strict=False)))


def pose_stamped(stamp, frame_id, position, attitude):
    pose = make(
        'geometry_msgs/msg/Pose',
        position=vector(position, 'Point'),
        orientation=vector(attitude, 'Quaternion'),
    )
    return make('geometry_msgs/msg/PoseStamped', header=header(stamp, frame_id), pose=pose)


def write_messages(path, topics: Mapping[str, str], messages):
    """Write a rosbag2 folder of (arrival, topic, message), with the definitions of its types."""
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connections = {
            topic: writer.add_connection(topic, kind, typestore=store())
            for topic, kind in topics.items()
        }
        for arrival, topic, message in sorted(messages, key=lambda each: each[0]):
            data = store().serialize_cdr(message, topics[topic])
            writer.write(connections[topic], round(arrival * 1e9), data)
