"""From measured motion to parameters and their uncertainty."""

from spacerobot_id.estimation.angular_momentum_fit import (
    absorb_angular_momentum,
    angular_momentum_least_squares,
    angular_momentum_output_error,
    AngularMomentumFit,
    best_angular_momentum_start,
)
from spacerobot_id.estimation.angular_momentum_problem import (
    AngularMomentumProblem,
    ReducedSettings,
)
from spacerobot_id.estimation.angular_momentum_rows import (
    angular_misfit,
    angular_output_error_rows,
    ordinary_angular_rows,
)
from spacerobot_id.estimation.batch_identification import (
    BatchIdentification,
    identify_batch,
    Method,
    validate,
    Validation,
)
from spacerobot_id.estimation.change_detection import ChangeSettings, fitting, loosened
from spacerobot_id.estimation.changed_body import changed_bodies, ChangedBody
from spacerobot_id.estimation.checkpoint import checkpoint_text, restored
from spacerobot_id.estimation.equations_of_motion import (
    AcceleratedMotion,
    differentiated_motion,
    equations_of_motion_least_squares,
    equations_of_motion_rows,
    fitted_motion,
)
from spacerobot_id.estimation.estimate import (
    Estimate,
    estimate_from_information,
    whole_robot_estimate,
)
from spacerobot_id.estimation.excitation_report import (
    excitation_report,
    ExcitationReport,
    ParameterExcitation,
    Visibility,
)
from spacerobot_id.estimation.harmonic_least_squares import (
    harmonic_least_squares,
    HarmonicEstimate,
    HARMONICS,
    periodic_samples,
    PeriodicSamples,
    recursive_harmonic_least_squares,
)
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.identify_settings import (
    IdentifySettings,
    load_identify_settings,
    settings_from_mapping,
)
from spacerobot_id.estimation.joint_torque_fit import absorb_joint_torques
from spacerobot_id.estimation.least_squares import (
    ordinary_least_squares,
    weighted_least_squares,
)
from spacerobot_id.estimation.live_equations_of_motion import LiveEquationsOfMotion
from spacerobot_id.estimation.live_estimation import LiveEstimation
from spacerobot_id.estimation.live_free_flyer import LiveFreeFlyer
from spacerobot_id.estimation.live_momentum import LiveLeastSquares, LiveMomentum
from spacerobot_id.estimation.live_reduced import LiveAngularMomentum
from spacerobot_id.estimation.log_identification import identify_log, LogIdentification
from spacerobot_id.estimation.log_measurement import LogMeasurement, measurement_from_log
from spacerobot_id.estimation.minimal_inverse_dynamics import minimal_inverse_dynamics
from spacerobot_id.estimation.momentum_output_error import (
    absorb_output_error,
    momentum_output_error,
    OutputErrorFit,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import ordinary_rows, Rows, weighted_rows
from spacerobot_id.estimation.nuisance import NuisanceSettings, Unknowns
from spacerobot_id.estimation.output_error_rows import (
    output_error_cost,
    output_error_rows,
    output_misfit,
)
from spacerobot_id.estimation.physical_consistency import (
    ConsistentParameters,
    physically_consistent_parameters,
)
from spacerobot_id.estimation.prior import minimal_covariance, Prior, standard_std
from spacerobot_id.estimation.recursive_identification import (
    absorb,
    begin_identification,
    refine,
)
from spacerobot_id.estimation.reduced_estimate import reduced_estimate
from spacerobot_id.estimation.reduced_identification import identify_reduced, validate_reduced
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.estimation.trajectory_likelihood import (
    LikelihoodSettings,
    trajectory_likelihood,
    TrajectoryEstimate,
)

__all__ = [
    'HARMONICS',
    'AcceleratedMotion',
    'AngularMomentumFit',
    'AngularMomentumProblem',
    'BatchIdentification',
    'ChangeSettings',
    'ChangedBody',
    'ConsistentParameters',
    'Estimate',
    'ExcitationReport',
    'HarmonicEstimate',
    'Identification',
    'IdentifySettings',
    'LikelihoodSettings',
    'LiveAngularMomentum',
    'LiveEquationsOfMotion',
    'LiveEstimation',
    'LiveFreeFlyer',
    'LiveLeastSquares',
    'LiveMomentum',
    'LogIdentification',
    'LogMeasurement',
    'Method',
    'MomentumProblem',
    'NuisanceSettings',
    'OutputErrorFit',
    'ParameterExcitation',
    'PeriodicSamples',
    'Prior',
    'RecursionSettings',
    'ReducedSettings',
    'Rows',
    'SquareRootInformation',
    'TrajectoryEstimate',
    'Unknowns',
    'Validation',
    'Visibility',
    'absorb',
    'absorb_angular_momentum',
    'absorb_joint_torques',
    'absorb_output_error',
    'angular_misfit',
    'angular_momentum_least_squares',
    'angular_momentum_output_error',
    'angular_output_error_rows',
    'begin_identification',
    'best_angular_momentum_start',
    'changed_bodies',
    'checkpoint_text',
    'differentiated_motion',
    'equations_of_motion_least_squares',
    'equations_of_motion_rows',
    'estimate_from_information',
    'excitation_report',
    'fitted_motion',
    'fitting',
    'harmonic_least_squares',
    'identify_batch',
    'identify_log',
    'identify_reduced',
    'load_identify_settings',
    'loosened',
    'measurement_from_log',
    'minimal_covariance',
    'minimal_inverse_dynamics',
    'momentum_output_error',
    'ordinary_angular_rows',
    'ordinary_least_squares',
    'ordinary_rows',
    'output_error_cost',
    'output_error_rows',
    'output_misfit',
    'periodic_samples',
    'physically_consistent_parameters',
    'recursive_harmonic_least_squares',
    'reduced_estimate',
    'refine',
    'restored',
    'settings_from_mapping',
    'standard_std',
    'trajectory_likelihood',
    'validate',
    'validate_reduced',
    'weighted_least_squares',
    'weighted_rows',
    'whole_robot_estimate',
]
