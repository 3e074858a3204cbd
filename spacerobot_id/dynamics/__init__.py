"""Momentum and motion of the robot from masses and inertias."""

from spacerobot_id.dynamics.attitude_from_momentum import attitude_from_momentum
from spacerobot_id.dynamics.base_invariant import link_dynamics, LinkDynamics
from spacerobot_id.dynamics.composite_body import centre_of_mass
from spacerobot_id.dynamics.coriolis_matrix import coriolis_matrix
from spacerobot_id.dynamics.forward_dynamics import forward_dynamics, ForwardDynamics
from spacerobot_id.dynamics.free_floating_dynamics import (
    free_floating_inverse_dynamics,
    FreeFloatingDynamics,
)
from spacerobot_id.dynamics.generalized_coriolis import (
    generalized_coriolis_forces,
    generalized_coriolis_matrix,
)
from spacerobot_id.dynamics.generalized_inertia import (
    base_inertia_inverse,
    base_motion_matrix,
    generalized_inertia,
    generalized_inertia_derivatives,
    generalized_inertia_rate,
)
from spacerobot_id.dynamics.generalized_jacobian import generalized_jacobian, point_twist
from spacerobot_id.dynamics.inverse_dynamics import inverse_dynamics, InverseDynamics
from spacerobot_id.dynamics.mass_matrix import (
    mass_matrix,
    mass_matrix_blocks,
    MassMatrixBlocks,
)
from spacerobot_id.dynamics.mass_matrix_derivatives import (
    mass_matrix_derivatives,
    mass_matrix_rate,
)
from spacerobot_id.dynamics.momentum import (
    base_twist_from_momentum,
    momentum,
    momentum_matrix,
    wheel_momentum,
    wheel_momentum_derivatives,
    wheel_momentum_matrix,
    whole_robot,
)
from spacerobot_id.dynamics.operational_space_inertia import (
    operational_space_inertia,
    operational_space_inertia_inverse,
)
from spacerobot_id.dynamics.rigid_body import (
    body_inertia,
    rigid_body_motion,
)

__all__ = [
    'ForwardDynamics',
    'FreeFloatingDynamics',
    'InverseDynamics',
    'LinkDynamics',
    'MassMatrixBlocks',
    'attitude_from_momentum',
    'base_inertia_inverse',
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
    'mass_matrix_blocks',
    'mass_matrix_derivatives',
    'mass_matrix_rate',
    'momentum',
    'momentum_matrix',
    'operational_space_inertia',
    'operational_space_inertia_inverse',
    'point_twist',
    'rigid_body_motion',
    'wheel_momentum',
    'wheel_momentum_derivatives',
    'wheel_momentum_matrix',
    'whole_robot',
]
