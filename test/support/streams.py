"""Readings of sensors on a small robot along a motion, as messages that a test can spoil."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from geometry_msgs.msg import PoseStamped, TwistStamped
import numpy as np
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu, JointState
from small_robot import small_robot

from spacerobot_id.excitation.family.cycloid_family import draw_direction_combinations
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.nodes.messages import (
    imu_message,
    joint_state_message,
    pose_message,
    twist_message,
)

TYPES = {
    'joint_states': JointState,
    'imu/data': Imu,
    'base_pose': PoseStamped,
    'base_twist': TwistStamped,
}
STEP = 0.01
ROBOT = small_robot()
NAMES = ROBOT.joint_names + ROBOT.wheel_names
INTERVALS = 60


@dataclass(frozen=True)
class Samples:
    """What perfect sensors see every hundredth of a second."""

    positions: np.ndarray
    velocities: np.ndarray
    twist: np.ndarray
    position: np.ndarray
    attitude: np.ndarray


@cache
def flight():
    """Return a minute of the robot's motion, from rest, with all its joints and wheels."""
    rng = np.random.default_rng(3)
    directions = draw_direction_combinations(5, 16, rng)
    directions = np.vstack([directions, -directions] * 2)[:INTERVALS]
    start, reach = [-0.3, 0.2, 0.0, 0.0, 0.0], [0.35, 0.35, 12.0, 12.0, 12.0]
    plan = ExcitationPlan(
        NAMES, knots_from_seeds(start, reach, directions), np.ones(len(directions))
    )
    motion = plan.sample(STEP * np.arange(100 * len(directions)))
    q, qd, wheels = motion.position[:, :2], motion.velocity[:, :2], motion.velocity[:, 2:]
    twist = base_twist_from_momentum(ROBOT, q, qd, wheels)
    position, attitude = _integrated(twist)
    return Samples(motion.position, motion.velocity, twist, position, attitude)


def _integrated(twist):
    """Return positions and attitudes, by the trapezoidal rule."""
    turn, place = Rotation.identity(), np.zeros(3)
    places, turns = [place], [turn.as_quat()]
    for before, after in pairwise(twist):
        turned = turn * Rotation.from_rotvec(0.5 * STEP * (before[3:] + after[3:]))
        place = place + 0.5 * STEP * (turn.apply(before[:3]) + turned.apply(after[:3]))
        turn = turned
        places.append(place)
        turns.append(turn.as_quat())
    return np.array(places), np.array(turns)


def gyro_reading(stamp, frame, rates, noise=0.0):
    """Return a message of an IMU that has angular velocities alone."""
    unknown = np.full(3, np.nan), np.full(4, np.nan)
    return ImuStream(stamp, stamp, frame, rates, noise, *unknown)


def messages(row, stamp, rng):
    """Return the readings of a sample of the flight, with their noise, by topic."""
    samples, noise = flight(), ROBOT.noise
    row %= len(samples.positions)
    velocities = samples.velocities[row].copy()
    velocities[:2] += noise.joint_rate * rng.normal(size=2)
    linear = samples.twist[row, :3] + noise.base_linear_velocity * rng.normal(size=3)
    gyro = samples.twist[row, 3:] + noise.base_angular_velocity * rng.normal(size=3)
    position = samples.position[row] + noise.base_position * rng.normal(size=3)
    joints = joint_state_message(stamp, NAMES, samples.positions[row], velocities)
    std = noise.base_angular_velocity
    return {
        'joint_states': joints,
        'imu/data': imu_message(stamp, 'base', gyro, std),
        'base_pose': pose_message(stamp, 'world', position, samples.attitude[row]),
        'base_twist': twist_message(stamp, 'base', [*linear, *gyro]),
    }
