"""What it costs to read a bed's messages by an adapter, beside our own topics, at 1 kHz.

Joints and gyro at 1 kHz and poses at 100 Hz of the dual-arm robot are converted and taken in, once
as messages of ROS on our own topics, once as a bed in other axes, orders and units has them:
joints under other names, a gyro in FRD with microseconds, poses in NED with quaternions w x y z.
Run with ``python benchmarks/adapters.py``.
"""

from collections.abc import Sequence

import numpy as np
from rosbags.typesys import get_types_from_msg, get_typestore, Stores
from timing import dual_arm, print_machine, print_table, seconds

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import parse_adapter
from spacerobot_id.measurement.adapters.conversion import conversion, own_topics
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.streams.imu_stream import imu_message
from spacerobot_id.measurement.streams.joint_stream import joint_state_message
from spacerobot_id.measurement.streams.pose_stream import pose_message
from spacerobot_id.model import RobotModel

RATE, SECONDS = 1000, 2.0

STATE = """
uint64 timestamp
float32[3] position
float32[4] q
"""
RATES = """
uint64 timestamp
float32[3] xyz
"""
BED = """
axes: {world: ned, body: frd}
topics:
- topic: joint_states
  type: sensor_msgs/msg/JointState
  joint_states: {renamed: {%s}}
- topic: imu
  type: bed_msgs/msg/Rates
  stamp: {field: timestamp, unit: us}
  imu: {angular_velocity: xyz}
- topic: base_pose
  type: bed_msgs/msg/State
  stamp: {field: timestamp, unit: us}
  base_pose: {position: position, attitude: {quaternion: q, order: wxyz}}
"""


def main() -> None:
    """Print the shares of a core and their ratio."""
    robot = dual_arm()
    own, bed = own_messages(robot), bed_messages(robot)
    names = ', '.join(f'bed_{name}: {name}' for name in robot.joint_names)
    of_bed = parse_adapter(BED % names, 'the bed').for_robot(robot)
    topics = {'joints': 'joint_states', 'imu': 'imu', 'pose': 'base_pose'}
    of_own = own_topics(topics).for_robot(robot)
    print_machine()
    rows = []
    for what, with_intake in (('conversion', False), ('conversion and intake', True)):
        shares = [
            seconds(lambda a=a, m=m, w=with_intake: taken(robot, a, m, with_intake=w)) / SECONDS
            for a, m in ((of_own, own), (of_bed, bed))
        ]
        difference = 100.0 * (shares[1] - shares[0])
        ratio = shares[1] / shares[0]
        cells = [f'{100 * share:.1f}' for share in shares]
        rows.append([what, *cells, f'{difference:.1f}', f'{ratio:.2f}'])
    print('Joints and gyro at 1 kHz, poses at 100 Hz, shares of one core, %')
    print_table(['', 'own topics', 'adapter', 'more', 'ratio'], rows)


def taken(
    robot: RobotModel,
    adapter: Adapter,
    messages: Sequence[tuple[str, object]],
    *,
    with_intake: bool,
) -> None:
    """Convert all messages, and take them in."""
    first = {}
    for topic, message in messages:
        first.setdefault(topic, message)
    convert = {
        each.topic: conversion(adapter, each, first[each.topic], first[each.topic].__msgtype__)
        for each in adapter.sources
    }
    intake = _intake(robot) if with_intake else None
    for topic, message in messages:
        readings = convert[topic](message, 0.0)
        if intake is not None:
            for reading in readings:
                intake.take(reading)
    if intake is not None:
        intake.samples()
        refused = {name: each.rejected for name, each in intake.statistics.items()}
        assert not any(refused.values()), refused


def _intake(robot: RobotModel) -> Intake:
    return sensor_intake(robot, StreamNeeds(), VelocitySource.POSE)


def own_messages(robot: RobotModel) -> list[tuple[str, object]]:
    """Return messages of ROS."""
    store = get_typestore(Stores.ROS2_JAZZY)

    def make(kind: str, **fields: object) -> object:
        return store.types[kind](**fields)

    found: list[tuple[str, object]] = []
    names, rng = robot.joint_names + robot.wheel_names, np.random.default_rng(0)
    for k in range(int(RATE * SECONDS)):
        stamp, values = 1000.0 + k / RATE, rng.normal(size=(2, len(names)))
        found.append(('joint_states', joint_state_message(make, stamp, names, *values)))
        rates = rng.normal(size=3)
        found.append(('imu', imu_message(make, stamp, robot.link_names[0], rates, 1e-4)))
        if k % 10 == 0:
            place, turn = 1e-3 * rng.normal(size=3), [0.0, 0.0, 0.0, 1.0]
            found.append(('base_pose', pose_message(make, stamp, 'world', place, turn)))
    return found


def bed_messages(robot: RobotModel) -> list[tuple[str, object]]:
    """Return messages of a bed."""
    store = get_typestore(Stores.ROS2_JAZZY)
    store.register(get_types_from_msg(STATE, 'bed_msgs/msg/State'))
    store.register(get_types_from_msg(RATES, 'bed_msgs/msg/Rates'))

    def make(kind: str, **fields: object) -> object:
        return store.types[kind](**fields)

    found: list[tuple[str, object]] = []
    names = tuple(f'bed_{name}' for name in robot.joint_names) + robot.wheel_names
    rng = np.random.default_rng(0)
    for k in range(int(RATE * SECONDS)):
        stamp, values = 1000.0 + k / RATE, rng.normal(size=(2, len(names)))
        found.append(('joint_states', joint_state_message(make, stamp, names, *values)))
        micro, rates = round(1e6 * stamp), rng.normal(size=3).astype(np.float32)
        found.append(('imu', make('bed_msgs/msg/Rates', timestamp=micro, xyz=rates)))
        if k % 10 == 0:
            place, turn = 1e-3 * rng.normal(size=3), np.array([1.0, 0.0, 0.0, 0.0])
            state = make(
                'bed_msgs/msg/State',
                timestamp=micro,
                position=place.astype(np.float32),
                q=turn.astype(np.float32),
            )
            found.append(('base_pose', state))
    return found


if __name__ == '__main__':
    main()
