"""Limits of the robot on an air-bearing table."""

from dataclasses import replace

from spacerobot_id.model import JointLimits


def limited(model):
    """Return the free-flyer with limits of its joints and of its wheel's torque."""
    limits = JointLimits(-2.0, 2.0, 0.8, 3.0, effort=2.0)
    joints = [replace(joint, limits=limits) for joint in model.joints]
    wheels = [replace(wheel, max_torque=4.0) for wheel in model.wheels]
    return replace(model, tree_joints=joints, wheels=wheels)
