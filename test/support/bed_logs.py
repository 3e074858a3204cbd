"""One flight of the air-bearing table, as the topics of each test bed would have it."""

from dataclasses import dataclass
from functools import cache

from air_bearing import air_bearing
from beds import header, make, pose_stamped, time, vector
import numpy as np
from scipy.spatial.transform import Rotation
from thruster_flights import fly, Motion, Truth, valves

from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.model import RobotModel

BEGIN, DURATION = 1000.0, 20.0
JOINTS = air_bearing().joint_names
THRUSTERS = tuple(each.name for each in air_bearing().thrusters)
ROOT_HALF = np.sqrt(0.5)


@dataclass(frozen=True)
class BedLog:
    """What a bed publishes, (arrival, topic, message), and the same as our own topics."""

    types: dict
    messages: list
    own: BagStreams


@cache
def flown():
    """Return a flight with thrusters and arm, from the simulation."""
    rng = np.random.default_rng(11)
    joints, wheels = Motion.drawn(3, 0.8, rng, 0.3), Motion.drawn(0, 1.0, rng)
    thrust = valves(8, DURATION, rng)
    return fly(air_bearing(), Truth(), joints, wheels, thrust, DURATION, rng, planar=True)


def bare(*, prior=False):
    """Return the robot of the table without its arm."""
    robot = air_bearing(prior=prior)
    return RobotModel('bare', robot.links[:1], (), (), robot.noise, thrusters=robot.thrusters)


@cache
def bare_flown():
    """Return a flight of the robot without its arm."""
    rng = np.random.default_rng(3)
    none, thrust = Motion.drawn(0, 1.0, rng), valves(8, DURATION, rng)
    return fly(bare(), Truth(), none, none, thrust, DURATION, rng, planar=True)


@dataclass(frozen=True)
class Seen:
    """What sensors read every so many steps of the flight, with their noise."""

    stamps: np.ndarray
    position: np.ndarray
    attitude: np.ndarray
    twist: np.ndarray
    q: np.ndarray
    qd: np.ndarray


def seen(every, seed=0, flight=None):
    """Return readings at every so many steps, stamps whole microseconds."""
    flight, noise = flight or flown(), air_bearing().noise
    rng, rows = np.random.default_rng(seed), np.arange(every, len(flown().times), every)
    times = flight.times[rows]
    q, qd, _ = flight.joints.at(times)
    count = len(rows)
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(count, 3)))
    stds = np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
    return Seen(
        np.round(1e6 * (BEGIN + times)) / 1e6,
        flight.position[rows] + noise.base_position * rng.normal(size=(count, 3)),
        (Rotation.from_quat(flight.attitude[rows]) * turn).as_quat(),
        flight.twist[rows] + stds * rng.normal(size=(count, 6)),
        q + noise.joint_position * rng.normal(size=q.shape),
        qd + noise.joint_rate * rng.normal(size=qd.shape),
    )


def arm(topic='/joint_states', every=4):
    """Return the arm's messages and their stream."""
    samples = seen(every, 1)
    messages = [
        (stamp, topic, make(
            'sensor_msgs/msg/JointState',
            header=header(stamp), name=list(JOINTS), position=q, velocity=qd,
        ))
        for stamp, q, qd in zip(samples.stamps, samples.q, samples.qd, strict=True)
    ]  # fmt: skip
    stamps = header_stamps(samples.stamps)
    return messages, JointStream(stamps, samples.stamps, JOINTS, samples.q, samples.qd)


def header_stamps(stamps):
    """Return stamps as a header has them: seconds, and nanoseconds."""
    nano = np.round(np.asarray(stamps) * 1e9).astype(np.int64)
    return nano // 1_000_000_000 + (nano % 1_000_000_000) / 1e9


def commands(flight=None):
    """Return stamps and shares of the thrusters; closed at first."""
    thrust = (flight or flown()).thrust
    stamps = np.append(BEGIN - 1.0, np.round(1e6 * (BEGIN + thrust.times)) / 1e6)
    return stamps, np.vstack([np.zeros(8), thrust.values])


def px4():
    """Return vehicle odometry in NED and FRD, floats of four bytes; motors 0 to 1."""
    samples, odometry, motors = seen(8), '/fmu/out/vehicle_odometry', '/fmu/in/actuator_motors'
    messages, joints = arm()
    position = samples.position[:, [1, 0, 2]].astype(np.float32) * np.float32([1, 1, -1])
    x, y, z, w = samples.attitude.T
    q = (ROOT_HALF * np.stack([w + z, x + y, x - y, w - z], axis=-1)).astype(np.float32)
    rates = (samples.twist[:, 3:] * [1, -1, -1]).astype(np.float32)
    world = Rotation.from_quat(samples.attitude).apply(samples.twist[:, :3])
    velocity = (world[:, [1, 0, 2]] * [1, 1, -1]).astype(np.float32)
    for k, stamp in enumerate(samples.stamps):
        fields = {
            'timestamp_sample': round(stamp * 1e6), 'pose_frame': 1, 'velocity_frame': 1,
            'position': position[k], 'q': q[k], 'velocity': velocity[k],
            'angular_velocity': rates[k],
        }  # fmt: skip
        messages.append((stamp, odometry, make('px4_msgs/msg/VehicleOdometry', **fields)))
    stamps, shares = commands()
    for stamp, row in zip(stamps, shares, strict=True):
        control = np.full(12, np.nan, dtype=np.float32)
        control[:8] = np.where(row > 0.0, row, np.nan)  # what is not armed is no number
        fields = {'timestamp': round(stamp * 1e6), 'control': control}
        messages.append((stamp, motors, make('px4_msgs/msg/ActuatorMotors', **fields)))
    a, b, c, d = q.astype(float).T
    back = ROOT_HALF * np.stack([b + c, b - c, a - d, a + d], axis=-1)
    swapped = position.astype(float)[:, [1, 0, 2]] * [1, 1, -1]
    linear = velocity.astype(float)[:, [1, 0, 2]] * [1, 1, -1]
    zeros, base = np.zeros_like(linear), 'base'
    own = BagStreams(
        joints=joints,
        imu=imu(samples.stamps, rates.astype(float) * [1, -1, -1]),
        pose=PoseStream(samples.stamps, samples.stamps, 'world', swapped, back),
        twist=TwistStream(samples.stamps, samples.stamps, 'world', np.hstack([linear, zeros])),
        thrust=ThrustStream(stamps, stamps, THRUSTERS, shares),
    )
    assert base == air_bearing().link_names[0]
    types = {
        odometry: 'px4_msgs/msg/VehicleOdometry',
        motors: 'px4_msgs/msg/ActuatorMotors',
        '/joint_states': 'sensor_msgs/msg/JointState',
    }
    return BedLog(types, messages, own)


def imu(stamps, rates):
    """Return the stream of a gyro that states nothing else."""
    nothing = np.full((len(stamps), 7), np.nan)
    return ImuStream(stamps, stamps, 'base', rates, 0.0, nothing[:, :3], nothing[:, 3:])


def captured(topic, every=20, frame='world', flight=None):
    """Return poses of motion capture and their stream."""
    samples = seen(every, flight=flight)
    stamps = header_stamps(samples.stamps)
    messages = [
        (stamp, topic, pose_stamped(stamp, frame, position, attitude))
        for stamp, position, attitude in zip(
            samples.stamps, samples.position, samples.attitude, strict=True
        )
    ]
    return messages, PoseStream(stamps, samples.stamps, frame, samples.position, samples.attitude)


def binary_thrust(topic='/commands/binary_thrust', flight=None):
    """Return the switches of Stanford's thrusters and their stream."""
    stamps, shares = commands(flight)
    messages = [
        (stamp, topic, make(
            'ff_msgs/msg/ThrusterCommand', header=header(stamp), switches=row > 0.5
        ))
        for stamp, row in zip(stamps, shares, strict=True)
    ]  # fmt: skip
    return messages, ThrustStream(header_stamps(stamps), stamps, THRUSTERS, shares)


def stanford():
    """Return poses of motion capture and thrusters on or off."""
    arms, joints = arm()
    poses, pose = captured('/mocap/freeflyer/pose')
    thrusts, thrust = binary_thrust()
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        '/mocap/freeflyer/pose': 'geometry_msgs/msg/PoseStamped',
        '/commands/binary_thrust': 'ff_msgs/msg/ThrusterCommand',
    }
    return BedLog(types, arms + poses + thrusts, BagStreams(joints, pose=pose, thrust=thrust))


def bare_stanford():
    """Return the same of the robot without its arm: no joint states."""
    poses, pose = captured('/mocap/freeflyer/pose', flight=bare_flown())
    thrusts, thrust = binary_thrust(flight=bare_flown())
    types = {
        '/mocap/freeflyer/pose': 'geometry_msgs/msg/PoseStamped',
        '/commands/binary_thrust': 'ff_msgs/msg/ThrusterCommand',
    }
    return BedLog(types, poses + thrusts, BagStreams(pose=pose, thrust=thrust))


def stanford_state():
    """Return states x, y and theta, and thrusters on or off."""
    arms, joints = arm()
    thrusts, thrust = binary_thrust()
    samples, topic, states = seen(20), '/est/state', []
    theta = Rotation.from_quat(samples.attitude).as_rotvec()[:, 2]
    for stamp, (x, y, _), yaw in zip(samples.stamps, samples.position, theta, strict=True):
        place = make('ff_msgs/msg/Pose2D', x=float(x), y=float(y), theta=float(yaw))
        message = make(
            'ff_msgs/msg/FreeFlyerStateStamped',
            header=header(stamp, 'world'),
            state=make('ff_msgs/msg/FreeFlyerState', pose=place),
        )
        states.append((stamp, topic, message))
    zero = np.zeros_like(theta)
    pose = PoseStream(
        header_stamps(samples.stamps),
        samples.stamps,
        'world',
        samples.position * [1, 1, 0],
        np.stack([zero, zero, np.sin(0.5 * theta), np.cos(0.5 * theta)], axis=-1),
    )
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        topic: 'ff_msgs/msg/FreeFlyerStateStamped',
        '/commands/binary_thrust': 'ff_msgs/msg/ThrusterCommand',
    }
    return BedLog(types, arms + states + thrusts, BagStreams(joints, pose=pose, thrust=thrust))


def luxembourg():
    """Return poses at 25 Hz, valves without a stamp and the bearing's before them."""
    arms, joints = arm()
    poses, pose = captured('/vrpn_mocap/spacer_floating_platform/pose', 8)
    topic = '/spacer_floating_platform/valves/input'
    stamps, shares = commands()
    valves = [
        (stamp, topic, make(
            'std_msgs/msg/Int16MultiArray', data=np.append(1, row).astype(np.int16)
        ))
        for stamp, row in zip(stamps, shares, strict=True)
    ]  # fmt: skip
    arrivals = np.array([round(each * 1e9) / 1e9 for each in stamps])
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        '/vrpn_mocap/spacer_floating_platform/pose': 'geometry_msgs/msg/PoseStamped',
        topic: 'std_msgs/msg/Int16MultiArray',
    }
    thrust = ThrustStream(arrivals, stamps, THRUSTERS, shares)
    return BedLog(types, arms + poses + valves, BagStreams(joints, pose=pose, thrust=thrust))


def astrobee():
    """Return the EKF's state, and the wrench of the controller in axes of the body."""
    arms, joints = arm()
    samples, ekf, command, messages = seen(8), '/gnc/ekf', '/gnc/ctl/command', []
    world = Rotation.from_quat(samples.attitude).apply(samples.twist[:, :3])
    for k, stamp in enumerate(samples.stamps):
        pose = make(
            'geometry_msgs/msg/Pose',
            position=vector(samples.position[k], 'Point'),
            orientation=vector(samples.attitude[k], 'Quaternion'),
        )
        fields = {'velocity': vector(world[k]), 'omega': vector(samples.twist[k, 3:])}
        message = make('ff_msgs/msg/EkfState', header=header(stamp, 'world'), pose=pose, **fields)
        messages.append((stamp, ekf, message))
    stamps, shares = commands()
    wrenches = shares @ np.array([each.wrench for each in air_bearing().thrusters])
    for stamp, wrench in zip(stamps, wrenches, strict=True):
        wrench_message = make(
            'geometry_msgs/msg/Wrench', force=vector(wrench[:3]), torque=vector(wrench[3:])
        )
        message = make('ff_msgs/msg/FamCommand', header=header(stamp), wrench=wrench_message)
        messages.append((stamp, command, message))
    own = header_stamps(samples.stamps)
    twists = np.hstack([world, np.zeros_like(world)])
    streams = BagStreams(
        joints,
        imu(own, samples.twist[:, 3:]),
        PoseStream(own, samples.stamps, 'world', samples.position, samples.attitude),
        TwistStream(own, samples.stamps, 'world', twists),
        wrench=WrenchStream(header_stamps(stamps), stamps, 'base', wrenches),
    )
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        ekf: 'ff_msgs/msg/EkfState',
        command: 'ff_msgs/msg/FamCommand',
    }
    return BedLog(types, arms + messages, streams)


def basilisk():
    """Return states with Rodrigues parameters, wheels and a panel on topics of their own."""
    samples, rng = seen(8), np.random.default_rng(5)
    stamps, count = header_stamps(samples.stamps), len(samples.stamps)
    x, y, z, w = samples.attitude.T
    sigma = np.stack([x, y, z], axis=-1) / (1.0 + w)[:, None]
    square = np.sum(sigma**2, axis=1, keepdims=True)
    attitude = np.hstack([2.0 * sigma, 1.0 - square]) / (1.0 + square)
    world = Rotation.from_quat(samples.attitude).apply(samples.twist[:, :3])
    speeds, panel, forces = rng.normal(size=(count, 3)), rng.normal(size=(count, 2)), []
    out, messages = '/bsk/out', []
    types = {
        f'{out}/sc_states': 'bsk_msgs/msg/SCStatesMsgPayload',
        f'{out}/rw_speeds': 'bsk_msgs/msg/RWSpeedMsgPayload',
        f'{out}/hinged_body': 'bsk_msgs/msg/HingedRigidBodyMsgPayload',
        '/bsk/in/thr_array_cmd_force': 'bsk_msgs/msg/THRArrayCmdForceMsgPayload',
    }
    for k, stamp in enumerate(samples.stamps):
        many = np.zeros(36)
        many[:3] = speeds[k]
        force = np.zeros(36)
        force[:12] = 1.5 * (rng.random(12) > 0.5)
        forces.append(force[:12] * (1.0 / 1.5))
        fields = [
            {
                'r_bn_n': samples.position[k], 'v_bn_n': world[k], 'sigma_bn': sigma[k],
                'omega_bn_b': samples.twist[k, 3:],
            },
            {'wheelspeeds': many},
            {'theta': float(panel[k, 0]), 'thetadot': float(panel[k, 1])},
            {'thrforce': force},
        ]  # fmt: skip
        for (topic, kind), each in zip(types.items(), fields, strict=True):
            messages.append((stamp, topic, make(kind, stamp=time(stamp), **each)))
    none = np.full((count, 3), np.nan)
    wheels = tuple(f'wheel_{k}' for k in (1, 2, 3))
    rows = np.arange(count).repeat(2)
    positions, velocities = np.full((2, 2 * count, 4), np.nan)
    velocities[::2, :3], positions[1::2, 3], velocities[1::2, 3] = speeds, *panel.T
    assert none.shape == speeds.shape
    own = BagStreams(
        JointStream(stamps[rows], samples.stamps[rows], (*wheels, 'panel'), positions, velocities),
        imu(stamps, samples.twist[:, 3:]),
        PoseStream(stamps, samples.stamps, 'world', samples.position, attitude),
        TwistStream(stamps, samples.stamps, 'world', np.hstack([world, np.zeros_like(world)])),
        thrust=ThrustStream(
            stamps,
            samples.stamps,
            tuple(f'thruster_{k}' for k in range(1, 13)),
            np.array(forces),
        ),
    )
    return BedLog(types, messages, own)


def controlled_arm():
    """Return the arm's joint states, an IMU of the base, and odometry with pose and twist."""
    arms, joints = arm()
    samples, messages = seen(8), []
    stamps = header_stamps(samples.stamps)
    for k, stamp in enumerate(samples.stamps):
        pose = make(
            'geometry_msgs/msg/Pose',
            position=vector(samples.position[k], 'Point'),
            orientation=vector(samples.attitude[k], 'Quaternion'),
        )
        twist = make(
            'geometry_msgs/msg/Twist',
            linear=vector(samples.twist[k, :3]),
            angular=vector(samples.twist[k, 3:]),
        )
        message = make(
            'nav_msgs/msg/Odometry',
            header=header(stamp, 'odom'),
            child_frame_id='base',
            pose=make('geometry_msgs/msg/PoseWithCovariance', pose=pose),
            twist=make('geometry_msgs/msg/TwistWithCovariance', twist=twist),
        )
        messages.append((stamp, '/odom', message))
        absent = np.array([-1.0, *np.zeros(8)])
        message = make(
            'sensor_msgs/msg/Imu',
            header=header(stamp, 'base'),
            angular_velocity=vector(samples.twist[k, 3:]),
            linear_acceleration_covariance=absent,
            orientation_covariance=absent,
        )
        messages.append((stamp, '/imu_sensor_broadcaster/imu', message))
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        '/imu_sensor_broadcaster/imu': 'sensor_msgs/msg/Imu',
        '/odom': 'nav_msgs/msg/Odometry',
    }
    own = BagStreams(
        joints,
        imu(stamps, samples.twist[:, 3:]),
        PoseStream(stamps, samples.stamps, 'odom', samples.position, samples.attitude, 'base'),
        TwistStream(stamps, samples.stamps, 'base', samples.twist),
    )
    return BedLog(types, arms + messages, own)


def motion_capture():
    """Return poses of the markers on the base."""
    arms, joints = arm()
    poses, pose = captured('/mocap/pose')
    types = {
        '/joint_states': 'sensor_msgs/msg/JointState',
        '/mocap/pose': 'geometry_msgs/msg/PoseStamped',
    }
    marked = PoseStream(
        pose.stamps, pose.arrivals, 'world', pose.positions, pose.attitudes, 'markers'
    )
    return BedLog(types, arms + poses, BagStreams(joints, pose=marked))


BEDS = {
    'px4_spacecraft': px4,
    'stanford_freeflyer': stanford,
    'stanford_freeflyer_state': stanford_state,
    'luxembourg_zero_g': luxembourg,
    'astrobee': astrobee,
    'basilisk_bridge': basilisk,
    'ros2_control_arm': controlled_arm,
    'motion_capture': motion_capture,
}
"""Logs by the name of the preset that reads them."""
