"""Momentum and motion of the robot from masses and inertias."""

from spacerobot_id.multibody.composite_body import body_inertia, centre_of_mass, rigid_body_motion
from spacerobot_id.multibody.forward.base_invariant import (
    link_dynamics,
    operational_space_inertia,
    operational_space_inertia_inverse,
)
from spacerobot_id.multibody.forward.forward_dynamics import forward_dynamics
from spacerobot_id.multibody.free_floating.attitude_from_momentum import attitude_from_momentum
from spacerobot_id.multibody.free_floating.generalized_inertia import (
    base_motion_matrix,
    generalized_coriolis_forces,
    generalized_coriolis_matrix,
    generalized_inertia,
    generalized_inertia_derivatives,
    generalized_inertia_rate,
    generalized_jacobian,
    point_twist,
)
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
    'base_motion_matrix',
    'base_twist_from_momentum',
    'body_inertia',
    'centre_of_mass',
    'coriolis_matrix',
    'forward_dynamics',
    'free_floating_inverse_dynamics',
    'generalized_coriolis_forces',
    'generalized_coriolis_matrix',
    'generalized_inertia',
    'generalized_inertia_derivatives',
    'generalized_inertia_rate',
    'generalized_jacobian',
    'inverse_dynamics',
    'link_dynamics',
    'mass_matrix',
    'momentum',
    'momentum_matrix',
    'operational_space_inertia',
    'operational_space_inertia_inverse',
    'point_twist',
    'rigid_body_motion',
    'wheel_momentum',
    'wheel_momentum_matrix',
    'whole_robot',
]
