"""A robot on an air-bearing table, and what sensors see of it."""

import numpy as np

from spacerobot_id.excitation.family.cycloid_family import draw_direction_combinations
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement import Record
from spacerobot_id.model import (
    InertialParameters,
    Joint,
    JointType,
    Link,
    ReactionWheel,
    RobotModel,
    SensorNoise,
)
from spacerobot_id.multibody import momentum_matrix, wheel_momentum

PLANE = [0, 1, 5]


NOISE = SensorNoise(
    joint_rate=1e-4,
    base_angular_velocity=1e-4,
    base_linear_velocity=1e-4,
    base_position=1e-4,
    base_attitude=1e-4,
)


def body(mass, com, gyration):
    return InertialParameters.from_com(mass, com, mass * gyration**2 * np.diag([1.0, 1.1, 1.2]))


def free_flyer():
    """Return a base with one wheel and an arm of two parallel joints, all about z."""
    joints = [
        Joint('shoulder', JointType.REVOLUTE, 0, np.eye(3), np.array([0.2, 0.0, 0.1])),
        Joint('elbow', JointType.REVOLUTE, 1, np.eye(3), np.array([0.4, 0.0, 0.0])),
    ]
    links = [
        Link('base', body(12.0, [0.01, -0.02, 0.05], 0.15)),
        Link('upper', body(1.5, [0.2, 0.01, 0.0], 0.12)),
        Link('lower', body(1.0, [0.15, -0.01, 0.02], 0.1)),
    ]
    wheel = ReactionWheel('wheel', 0, np.array([0.0, 0.0, 1.0]), 0.01, max_rate=300.0)
    return RobotModel('free_flyer', links, joints, [wheel], NOISE)


def flight(model, seed, noisy=True):
    """Return what sensors see of a motion drawn at random."""
    rng = np.random.default_rng(seed)
    plan = ExcitationPlan(
        ('shoulder', 'elbow', 'wheel'),
        knots_from_seeds(
            np.zeros(3), [0.4, 0.5, 100.0], np.tile(draw_direction_combinations(3, 4, rng), (8, 1))
        ),
        np.ones(32),
    )
    return flight_along(model, plan, seed, noisy)


def flight_along(model, plan, seed, noisy=True):
    """Return what sensors see along a plan when the base can only move in the plane."""
    rng = np.random.default_rng(seed)
    times = (np.arange(int(100 * plan.duration)) + 0.5) / 100.0
    motion = plan.sample(times)
    q, qd, wheels = motion.position[:, :2], motion.velocity[:, :2], motion.velocity[:, 2:]
    matrix = momentum_matrix(model, q)[:, PLANE]
    moving = np.einsum('nij,nj->ni', matrix[:, :, 6:], qd)
    moving += wheel_momentum(model, q, wheels)[:, PLANE]
    twist = np.zeros((len(times), 6))
    twist[:, PLANE] = -np.linalg.solve(matrix[:, :, PLANE], moving[..., None])[..., 0]
    spread = 1e-4 if noisy else 0.0
    return Record(
        times,
        q,
        qd + spread * rng.normal(size=qd.shape),
        wheels,
        twist + spread * rng.normal(size=twist.shape),
    )


def prior_of(model):
    """Return the robot as it is described: everything a fifth too heavy."""
    return model.with_parameters(1.2 * model.parameters)
