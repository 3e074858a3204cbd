"""MuJoCo, stepped while time passes, publishes as two test beds do; the estimator identifies it.

PX4 and the free-flyer's own messages are not among the types of ROS: theirs are carried here by
standard types, field by field, with their axes, orders, stamps and switches, and read through
adapters that differ from the presets in types and names of fields alone.
"""

from dataclasses import dataclass
import time

from air_bearing import air_bearing
from geometry_msgs.msg import Vector3Stamped
from live_table import assert_body_found, assert_strengths_found, refined, SETTINGS
import numpy as np
import pytest
from ros_harness import Client, running
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState, Joy
from std_msgs.msg import Float64MultiArray, String
from thruster_flights import Motion, STEP, stepped, Truth, valves

from spacerobot_id.model import write_robot
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import joint_state_message, stamp_from_seconds

DURATION, EVERY = 28.0, 10
"""Length of a flight, s, and steps of the plant from pose to pose."""

BOOTED = 123.0
"""What the autopilot's clock says when the flight begins, s."""

NED, FRD = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]]), np.diag([1, -1, -1])
JOINTS = air_bearing().joint_names
THRUSTERS = ', '.join(each.name for each in air_bearing().thrusters)

PX4 = f"""
axes: {{world: ned, body: frd}}
topics:
- topic: fmu/out/vehicle_odometry
  type: std_msgs/msg/Float64MultiArray
  stamp: {{field: 'data[0]', unit: us, offset: OFFSET}}
  base_pose:
    position: data[1:4]
    attitude: {{quaternion: 'data[4:8]', order: wxyz}}
  base_twist:
    linear: data[8:11]
    in: {{field: 'data[14]', values: {{1: world, 3: body}}}}
  imu:
    angular_velocity: data[11:14]
- topic: fmu/in/actuator_motors
  type: std_msgs/msg/Float64MultiArray
  stamp: {{field: 'data[0]', unit: us, offset: OFFSET}}
  thruster_commands:
    names: [{THRUSTERS}]
    shares: data[1:9]
    nan_is_closed: true
- topic: joint_states
  type: sensor_msgs/msg/JointState
  joint_states:
"""

STANFORD = f"""
topics:
- topic: est/state
  type: geometry_msgs/msg/Vector3Stamped
  base_pose:
    position: [vector.x, vector.y]
    attitude: {{yaw: vector.z}}
    frame_id: {{field: header.frame_id}}
- topic: commands/binary_thrust
  type: sensor_msgs/msg/Joy
  thruster_commands:
    names: [{THRUSTERS}]
    shares: buttons
- topic: joint_states
  type: sensor_msgs/msg/JointState
  joint_states:
"""


@dataclass(frozen=True, eq=False)
class Seen:
    """What sensors read at one time of the flight."""

    time: float
    position: np.ndarray
    attitude: Rotation
    twist: np.ndarray
    q: np.ndarray
    qd: np.ndarray


def flight(seed):
    """Yield a flight step by step: readings every few steps, and commands of thrusters."""
    robot, rng = air_bearing(), np.random.default_rng(seed)
    joints, wheels = Motion.drawn(3, 0.8, rng, 0.3), Motion.drawn(0, 1.0, rng)
    thrust, noise = valves(8, DURATION, rng), robot.noise
    events = list(zip(thrust.times.tolist(), thrust.values, strict=True))
    stds = np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
    states = stepped(
        robot, Truth(scatter=0.05), joints, wheels, thrust, DURATION, rng, planar=True
    )
    for step, (pose, twist) in enumerate(states):
        now = STEP * step
        while events and events[0][0] <= now + 0.5 * STEP:
            yield events.pop(0)
        if step % EVERY:
            continue
        turn = Rotation.from_quat(pose[[4, 5, 6, 3]])
        turn = turn * Rotation.from_rotvec(noise.base_attitude * rng.normal(size=3))
        own = np.hstack([turn.apply(twist[:3], inverse=True), twist[3:]])
        q, qd, _ = joints.at(now)
        yield (
            now,
            Seen(
                now,
                pose[:3] + noise.base_position * rng.normal(size=3),
                turn,
                own + stds * rng.normal(size=6),
                q + noise.joint_position * rng.normal(size=q.shape),
                qd + noise.joint_rate * rng.normal(size=qd.shape),
            ),
        )


def px4(begin, now, event):
    """Yield topics and messages of the autopilot: microseconds since boot, NED and FRD."""
    stamp = round(1e6 * (BOOTED + now))
    if not isinstance(event, Seen):
        armed = np.where(event > 0.0, event, np.nan)
        yield 'fmu/in/actuator_motors', Float64MultiArray(data=[stamp, *armed.tolist()])
        return
    x, y, z, w = Rotation.from_matrix(NED @ event.attitude.as_matrix() @ FRD).as_quat()
    numbers = [
        stamp,
        *NED @ event.position,
        *(w, x, y, z),
        *NED @ event.attitude.apply(event.twist[:3]),
        *FRD @ event.twist[3:],
        1.0,
    ]
    yield 'fmu/out/vehicle_odometry', Float64MultiArray(data=[float(each) for each in numbers])
    yield 'joint_states', joint_state_message(begin + now, JOINTS, event.q, event.qd)


def stanford(begin, now, event):
    """Yield topics and messages of the planar free-flyer: x, y and angle; switches."""
    if not isinstance(event, Seen):
        message = Joy(buttons=event.astype(int).tolist())
        message.header.stamp = stamp_from_seconds(begin + now)
        yield 'commands/binary_thrust', message
        return
    message = Vector3Stamped()
    message.header.stamp = stamp_from_seconds(begin + now)
    message.header.frame_id = 'world'
    message.vector.x, message.vector.y = event.position[:2].tolist()
    message.vector.z = float(event.attitude.as_euler('ZYX')[0])
    yield 'est/state', message
    yield 'joint_states', joint_state_message(begin + now, JOINTS, event.q, event.qd)


BEDS = {
    'px4': (
        PX4,
        px4,
        {
            'fmu/out/vehicle_odometry': Float64MultiArray,
            'fmu/in/actuator_motors': Float64MultiArray,
            'joint_states': JointState,
        },
    ),
    'stanford': (
        STANFORD,
        stanford,
        {'est/state': Vector3Stamped, 'commands/binary_thrust': Joy, 'joint_states': JointState},
    ),
}


@pytest.fixture(name='report', params=BEDS)
def live_of_the_bed(request, tmp_path):
    """Return the last report of an estimator beside a bed."""
    adapter, written, kinds = BEDS[request.param]
    begin = float(int(time.time()))
    write_robot(air_bearing(prior=True), tmp_path / 'prior.urdf')
    (tmp_path / 'bed.yaml').write_text(adapter.replace('OFFSET', repr(begin - BOOTED)))
    given = {'robot': str(tmp_path / 'prior.urdf'), 'adapter': str(tmp_path / 'bed.yaml')}
    with (
        running('estimator', SETTINGS | given, ('-r', '__ns:=/bed')),
        Client(namespace='bed') as client,
    ):
        reports = client.record(String, 'estimator/minimal_parameters', qos.latched())
        publishers = {
            name: client.publisher(kind, name, qos.stream_output(1000))
            for name, kind in kinds.items()
        }
        client.wait_until(lambda: reports)
        clock = time.monotonic()
        for now, event in flight(5):
            ahead = now / 2.0 - (time.monotonic() - clock)  # at twice the real pace, at most
            if ahead > 0.0:
                time.sleep(ahead)
            for topic, message in written(begin, now, event):
                publishers[topic].publish(message)
            client.executor.spin_once(timeout_sec=0.0)
        yield refined(client, reports, begin + DURATION)


@pytest.mark.slow
def test_a_bed_under_mujoco_is_identified_live(report):
    """Arm, base and thrusters, within the intervals where the data show something."""
    assert_body_found(report)
    assert report['samples'] > 0.8 * 2 * DURATION / (EVERY * STEP)  # poses, joints
    assert_strengths_found(report)
