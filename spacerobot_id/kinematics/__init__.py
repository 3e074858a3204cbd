"""Where the links are and how they move, seen from the base."""

from spacerobot_id.kinematics.link_motion import (
    cross_components,
    cross_twist,
    cross_wrench,
    joint_screws,
    link_acceleration,
    link_motion,
    link_poses,
    link_twists,
    LinkAcceleration,
    LinkMotion,
    LinkPoses,
    path_to_base,
    per_joint,
    point_jacobian,
)
from spacerobot_id.kinematics.pose_coordinates import (
    angles_from_quaternion,
    POSE_COORDINATES,
    pose_motion,
    PoseMotion,
)

__all__ = [
    'POSE_COORDINATES',
    'LinkAcceleration',
    'LinkMotion',
    'LinkPoses',
    'PoseMotion',
    'angles_from_quaternion',
    'cross_components',
    'cross_twist',
    'cross_wrench',
    'joint_screws',
    'link_acceleration',
    'link_motion',
    'link_poses',
    'link_twists',
    'path_to_base',
    'per_joint',
    'point_jacobian',
    'pose_motion',
]
