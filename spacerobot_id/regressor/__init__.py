"""The momentum, and the forces, as linear functions of the inertial parameters."""

from spacerobot_id.regressor.angular_momentum_regressor import (
    angular_momentum_regressor,
    equations_of_motion_regressor,
)
from spacerobot_id.regressor.identifiability import Identifiability, identifiability_table
from spacerobot_id.regressor.joint_momentum_regressor import (
    joint_momentum_matrix,
    joint_momentum_regressor,
    JointMomentumRegressor,
)
from spacerobot_id.regressor.minimal_parameters import minimal_parameters, MinimalParameters
from spacerobot_id.regressor.momentum_regressor import (
    first_moment_regressor,
    momentum_regressor,
    momentum_regressor_gradient,
    RegressorGradient,
)
from spacerobot_id.regressor.reduced_parameters import reduced_parameters, ReducedParameters
from spacerobot_id.regressor.wrench_regressor import newton_euler_regressor, wrench_regressor

__all__ = [
    'Identifiability',
    'JointMomentumRegressor',
    'MinimalParameters',
    'ReducedParameters',
    'RegressorGradient',
    'angular_momentum_regressor',
    'equations_of_motion_regressor',
    'first_moment_regressor',
    'identifiability_table',
    'joint_momentum_matrix',
    'joint_momentum_regressor',
    'minimal_parameters',
    'momentum_regressor',
    'momentum_regressor_gradient',
    'newton_euler_regressor',
    'reduced_parameters',
    'wrench_regressor',
]
