"""Momentum and motion of the robot from masses and inertias."""

from spacerobot_id.multibody.composite_body import body_inertia, centre_of_mass, rigid_body_motion
from spacerobot_id.multibody.forward.forward_dynamics import forward_dynamics
from spacerobot_id.multibody.free_floating.attitude_from_momentum import attitude_from_momentum
from spacerobot_id.multibody.free_floating.inverse_dynamics import free_floating_inverse_dynamics
from spacerobot_id.multibody.inverse_dynamics import inverse_dynamics
from spacerobot_id.multibody.mass_matrix import coriolis_matrix, mass_matrix
from spacerobot_id.multibody.momentum import (
    base_twist_from_momentum,
    momentum,
    momentum_matrix,
    wheel_momentum,
    wheel_momentum_matrix,
    whole_robot,
)

__all__ = [
    'attitude_from_momentum',
    'base_twist_from_momentum',
    'body_inertia',
    'centre_of_mass',
    'coriolis_matrix',
    'forward_dynamics',
    'free_floating_inverse_dynamics',
    'inverse_dynamics',
    'mass_matrix',
    'momentum',
    'momentum_matrix',
    'rigid_body_motion',
    'wheel_momentum',
    'wheel_momentum_matrix',
    'whole_robot',
]
