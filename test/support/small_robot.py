"""A robot small enough to be planned for and identified in seconds."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.model import (
    Frame,
    InertialParameters,
    Joint,
    JointLimits,
    JointType,
    Link,
    ReactionWheel,
    RobotModel,
    SensorNoise,
)

LIMITS = JointLimits(-1.2, 1.2, 1.5, 8.0)
INTERVAL = 1.0
R_BASE_IMU = Rotation.from_euler('zyx', [0.4, -1.1, 2.0]).as_matrix()
"""Orientation of the frame ``imu`` in the base."""


def small_robot(limits=LIMITS):
    """Return a base with two joints that branch, three wheels and an IMU that is turned."""

    def link(name, mass, com, moments):
        body = InertialParameters.from_com(mass, np.array(com), np.diag(moments))
        return Link(name, body)

    def joint(name, place, tilt):
        axes = Rotation.from_euler('xy', tilt).as_matrix()
        return Joint(name, JointType.REVOLUTE, 0, axes, np.array(place), limits)

    base = link('base', 30.0, [0.02, -0.03, 0.05], [2.0, 2.4, 2.2])
    left = link('left', 4.0, [0.30, 0.02, 0.01], [0.05, 0.16, 0.15])
    right = link('right', 5.0, [0.01, 0.35, -0.02], [0.24, 0.06, 0.23])
    return RobotModel(
        name='small',
        links=[base, left, right],
        tree_joints=[
            joint('shoulder_left', [0.3, 0.2, 0.0], [0.3, 0.2]),
            joint('shoulder_right', [-0.2, -0.3, 0.1], [1.4, -0.4]),
        ],
        wheels=[
            ReactionWheel(f'wheel_{name}', 0, axis, 0.02, max_momentum=0.6)
            for name, axis in zip('xyz', np.eye(3), strict=True)
        ],
        noise=SensorNoise(1e-6, 2e-5, 2e-5, 2e-5, 1e-5, 1e-5, 100.0),
        frames={'imu': Frame(0, R_BASE_IMU, np.array([0.1, 0.0, 0.2]))},
    )


def small_robot_prior(seed=0, share=0.1):
    """Return the same robot with masses off by about a share: what a mission is given."""
    robot, rng = small_robot(), np.random.default_rng(seed)
    links = [
        replace(
            link,
            inertial=InertialParameters.from_vector(
                link.inertial.vector * (1.0 + share * rng.uniform(-1.0, 1.0))
            ),
        )
        for link in robot.links
    ]
    return replace(robot, links=links)
