"""Exciting motions: what to do so that the parameters show."""

from spacerobot_id.excitation.angular_momentum_criterion import angular_momentum_std
from spacerobot_id.excitation.angular_momentum_plan import plan_angular_momentum
from spacerobot_id.excitation.braking import Brake, brake
from spacerobot_id.excitation.criteria import Known, known_well_enough, make_criterion
from spacerobot_id.excitation.cycloid import unit_cycloid, UnitCycloid
from spacerobot_id.excitation.direction_combinations import (
    CombinationOrder,
    direction_combinations,
    draw_direction_combinations,
)
from spacerobot_id.excitation.fourier_quintic import FourierQuintic, FourierQuinticFamily
from spacerobot_id.excitation.free_flyer_criteria import (
    condition_criterion,
    CriterionSettings,
    FreeFlyerCriterion,
    information_criterion,
    plan_free_flyer,
    PlannedPose,
    weighted_regressor,
)
from spacerobot_id.excitation.free_flyer_reference import (
    FreeFlyerLimits,
    FreeFlyerReference,
    pose_family,
)
from spacerobot_id.excitation.keep_in_box import KeepInBox
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.limit_set import LimitSettings
from spacerobot_id.excitation.momentum_planner import plan_with_momentum
from spacerobot_id.excitation.motion import ExcitingMotion, MotionExtent, PlannedMotion
from spacerobot_id.excitation.motion_limit import LimitUse
from spacerobot_id.excitation.motion_search import SearchEffort
from spacerobot_id.excitation.periodic_fourier import FourierFamily, PeriodicFourierMotion
from spacerobot_id.excitation.plan import ExcitationPlan
from spacerobot_id.excitation.plan_file import load_plan, save_plan
from spacerobot_id.excitation.plan_from_file import plan_from_file
from spacerobot_id.excitation.planner import plan_excitation, PlannedExcitation
from spacerobot_id.excitation.planner_settings import (
    CriterionName,
    FamilyName,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.predicted_motion import (
    condition_number,
    gram_matrix,
    predict_motion,
    PredictedMotion,
)
from spacerobot_id.excitation.pruning import (
    interval_curves,
    interval_regressors,
    IntervalCurves,
    prune_intervals,
    PruningRule,
)
from spacerobot_id.excitation.seed_parameters import (
    knots_from_seeds,
    largest_range,
    position_constraint,
)

__all__ = [
    'Brake',
    'CombinationOrder',
    'CriterionName',
    'CriterionSettings',
    'ExcitationPlan',
    'ExcitingMotion',
    'FamilyName',
    'FourierFamily',
    'FourierQuintic',
    'FourierQuinticFamily',
    'FreeFlyerCriterion',
    'FreeFlyerLimits',
    'FreeFlyerReference',
    'IntervalCurves',
    'KeepInBox',
    'Known',
    'KnownMomentum',
    'LimitSettings',
    'LimitUse',
    'MotionExtent',
    'PeriodicFourierMotion',
    'PlanCriterionSettings',
    'PlannedExcitation',
    'PlannedMotion',
    'PlannedPose',
    'PlannerSettings',
    'PredictedMotion',
    'PruningRule',
    'SearchEffort',
    'UnitCycloid',
    'angular_momentum_std',
    'brake',
    'condition_criterion',
    'condition_number',
    'direction_combinations',
    'draw_direction_combinations',
    'gram_matrix',
    'information_criterion',
    'interval_curves',
    'interval_regressors',
    'knots_from_seeds',
    'known_well_enough',
    'largest_range',
    'load_plan',
    'make_criterion',
    'plan_angular_momentum',
    'plan_excitation',
    'plan_free_flyer',
    'plan_from_file',
    'plan_with_momentum',
    'pose_family',
    'position_constraint',
    'predict_motion',
    'prune_intervals',
    'save_plan',
    'unit_cycloid',
    'weighted_regressor',
]
