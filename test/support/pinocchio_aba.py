"""Pinocchio's forward dynamics in this package's conventions, wheels as real joints."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
from pinocchio_robot import PinocchioRobot
from random_robots import random_axis

from spacerobot_id.model import InertialParameters, Joint, JointType, Link, ReactionWheel
from spacerobot_id.spatial import rotation_aligning_z


def accelerations(model, states, torque, link_wrenches=None):
    """Return accelerations of base and joints, wheels among them, shape (N, 6 + n + w)."""
    robot = PinocchioRobot(with_wheels_as_joints(model))
    velocity = np.hstack([states.base_twist, states.qd, states.wheel_rates])
    wheels = np.zeros((len(velocity), len(model.wheels)))
    result = []
    for sample, (q, v, tau) in enumerate(
        zip(np.hstack([states.q, wheels]), velocity, torque, strict=True)
    ):
        forces = pin.StdVec_Force([pin.Force.Zero()] * robot.model.njoints)
        if link_wrenches is not None:
            for link, wrench in enumerate(link_wrenches[sample]):
                forces[link + 1] = pin.Force(wrench)
        configuration = np.concatenate([np.zeros(6), [1.0], q])
        change = pin.aba(robot.model, robot.data, configuration, v, tau, forces).copy()
        change[:3] += np.cross(v[3:6], v[:3])  # of the velocity itself, not of its components
        result.append(change)
    return np.array(result)


def with_gyrostats(model, rng, wheels=3):
    """Return a robot with wheels that leave their carriers some inertia of their own."""
    carriers = rng.integers(len(model.links), size=wheels)
    moments = [np.linalg.eigvalsh(link.inertial.inertia_about_com)[0] for link in model.links]
    return replace(
        model,
        wheels=[
            ReactionWheel(f'wheel_{number}', int(link), random_axis(rng), 0.2 * moments[link])
            for number, link in enumerate(carriers)
        ],
    )


def with_wheels_as_joints(model):
    """Return the same robot with every wheel a body on a revolute joint, after the others.

    What goes to the wheel is taken from its carrier: a mass off the carrier's origin, and an
    inertia that is symmetric about the axis.
    """
    links, joints = list(model.links), list(model.joints)
    for wheel in model.wheels:
        turn, place = rotation_aligning_z(wheel.axis), np.array([0.02, -0.05, 0.03])
        inertia = wheel.spin_inertia * np.diag([0.7, 0.7, 1.0])
        body = InertialParameters.from_com(0.1, [0.0, 0.0, 0.04], inertia)
        carrier = links[wheel.link]
        left = carrier.inertial.vector - body.expressed_in(turn, place).vector
        links[wheel.link] = replace(carrier, inertial=InertialParameters.from_vector(left))
        links.append(Link(wheel.name, body))
        joints.append(Joint(wheel.name, JointType.REVOLUTE, wheel.link, turn, place))
    return replace(model, links=links, tree_joints=joints, wheels=(), frames={})
