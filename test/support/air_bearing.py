"""The robot of an air-bearing table: a base with eight thrusters and an arm of three joints."""

from functools import cache

import numpy as np

from spacerobot_id.model import (
    InertialParameters,
    Joint,
    JointLimits,
    JointType,
    Link,
    RobotModel,
    SensorNoise,
    Thruster,
)

LIMITS = JointLimits(-2.5, 2.5, 1.0, 2.0, 5.0)
NOISE = SensorNoise(
    joint_position=4.4e-4,
    joint_rate=2e-3,
    base_angular_velocity=1e-3,
    base_linear_velocity=1e-3,
    base_position=1e-5,
    base_attitude=4e-5,
    rate=50.0,
)
LINKS = {
    'base': (12.0, (0.01, -0.015, 0.08), (0.12, 0.125, 0.11)),
    'upper_arm': (1.6, (0.17, 0.01, 0.01), (0.02, 0.1, 0.1)),
    'forearm': (1.1, (0.12, -0.008, 0.015), (0.02, 0.085, 0.085)),
    'hand': (0.7, (0.07, 0.01, 0.02), (0.02, 0.05, 0.05)),
}
PRIOR = {
    'base': (12.4, (0.0, 0.0, 0.08), (0.13, 0.13, 0.12)),
    'upper_arm': (1.4, (0.15, 0.0, 0.01), (0.02, 0.09, 0.09)),
    'forearm': (1.0, (0.13, 0.0, 0.015), (0.02, 0.09, 0.09)),
    'hand': (0.6, (0.08, 0.0, 0.02), (0.02, 0.06, 0.06)),
}
JOINTS = {'shoulder': (0.15, 0.0, 0.12), 'elbow': (0.3, 0.0, 0.0), 'wrist': (0.25, 0.0, 0.0)}
NOZZLES = (
    ((0.15, 0.1), (-1.0, 0.0)),
    ((0.15, -0.1), (-1.0, 0.0)),
    ((-0.15, 0.1), (1.0, 0.0)),
    ((-0.15, -0.1), (1.0, 0.0)),
    ((0.1, 0.15), (0.0, -1.0)),
    ((-0.1, 0.15), (0.0, -1.0)),
    ((0.1, -0.15), (0.0, 1.0)),
    ((-0.1, -0.15), (0.0, 1.0)),
)
STRENGTH = 0.25
"""Force of a thruster, N."""


@cache
def air_bearing(*, prior: bool = False) -> RobotModel:
    """Return the robot, or what its description may say of it."""
    links = [
        Link(name, InertialParameters.from_com(mass, com, mass * np.diag(np.square(gyration))))
        for name, (mass, com, gyration) in (PRIOR if prior else LINKS).items()
    ]
    joints = [
        Joint(name, JointType.REVOLUTE, parent, np.eye(3), np.array(origin), LIMITS)
        for parent, (name, origin) in enumerate(JOINTS.items())
    ]
    thrusters = [
        Thruster(f'thruster_{k}', np.array([*place, 0.0]), np.array([*way, 0.0]), STRENGTH)
        for k, (place, way) in enumerate(NOZZLES, 1)
    ]
    return RobotModel('air_bearing', links, joints, (), NOISE, thrusters=thrusters)
