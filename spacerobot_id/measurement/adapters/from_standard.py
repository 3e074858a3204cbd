"""Quantities as messages of ROS have them, their names, frames and axes as an adapter has them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.adapters.axes import quaternion_matrix
from spacerobot_id.measurement.adapters.given import Given
from spacerobot_id.measurement.readings import Reading

STANDARD: dict[str, Mapping[str, Callable[[Any], Reading]]] = {
    'joint_states': {'sensor_msgs/msg/JointState': codecs.joints_from_message},
    'imu': {'sensor_msgs/msg/Imu': codecs.gyro_from_message},
    'base_pose': {
        'geometry_msgs/msg/PoseStamped': codecs.pose_from_message,
        'nav_msgs/msg/Odometry': codecs.pose_from_message,
    },
    'base_twist': {
        'geometry_msgs/msg/TwistStamped': codecs.twist_from_message,
        'nav_msgs/msg/Odometry': codecs.twist_from_message,
    },
    'base_wrench': {'geometry_msgs/msg/WrenchStamped': codecs.wrench_from_message},
    'applied_wrench': {
        'geometry_msgs/msg/WrenchStamped': partial(codecs.wrench_from_message, is_applied=True)
    },
    'thruster_commands': {'sensor_msgs/msg/JointState': codecs.thrust_from_message},
}
STANDARD |= {
    f'true_{kind}': STANDARD[kind] for kind in ('joint_states', 'base_pose', 'base_twist')
}
"""Messages of ROS that give each quantity, and what reads them."""


def turned(given: Given, read: Callable[[Any], Reading]) -> Callable[[Any], Reading]:
    """Return what reads a message of ROS, its names, frames and axes as the adapter has them."""
    quantity, axes, adapter = given.quantity, given.source.axes, given.adapter
    changes: list[Callable[[Any], dict[str, object]]] = []
    if quantity.renamed:
        renamed = quantity.renamed
        changes.append(lambda r: {'names': tuple(renamed.get(name, name) for name in r.names)})
    if quantity.kind == 'base_pose':
        matrix = quaternion_matrix(axes.world, axes.body)
        if not np.array_equal(matrix, np.eye(4)):
            changes.append(
                lambda r: {'position': axes.world @ r.position, 'attitude': matrix @ r.attitude}
            )
        for key, text in (('frame_id', quantity.frame_id), ('child_frame', quantity.child_frame)):
            if text is not None and text.constant is not None:
                changes.append(lambda _, key=key, text=text: {key: text.constant})
    if quantity.kind in _VECTORS:
        changes += _vector_changes(given, _VECTORS[quantity.kind])
    if quantity.frame is not None:
        names = {'body': adapter.base, 'world': adapter.world}
        name = names.get(quantity.frame.name, quantity.frame.name)
        changes.append(lambda _: {'frame_id': name})
    if not changes:
        return read

    def changed(message: object) -> Reading:
        reading = read(message)
        for change in changes:
            reading = replace(reading, **change(reading))
        return reading

    return changed


_VECTORS = {
    'imu': 'angular_velocity',
    'base_twist': 'twist',
    'base_wrench': 'wrench',
    'applied_wrench': 'wrench',
}
"""Vectors of readings that turn with their axes."""


def _vector_changes(given: Given, name: str) -> list[Callable[[Any], dict[str, object]]]:
    """Return what turns the vectors of a message of ROS, if its axes are not ours."""
    axes, frame = given.source.axes, given.quantity.frame
    turned = {way: not np.array_equal(getattr(axes, way), np.eye(3)) for way in ('world', 'body')}
    if frame is None and given.quantity.kind != 'imu':
        if any(turned.values()):
            raise given.quantity.place.error('in: body or world is needed where axes are given')
        return []
    way = 'world' if frame is not None and frame.name == 'world' else 'body'
    if not turned[way]:
        return []
    matrix = getattr(axes, way)
    return [lambda r: {name: (getattr(r, name).reshape(-1, 3) @ matrix.T).ravel()}]
