"""Exciting motions: what to do so that the parameters show."""

from spacerobot_id.excitation.constraint.limit_set import LimitSettings
from spacerobot_id.excitation.objective.objective import Known
from spacerobot_id.excitation.planner import plan_excitation, plan_from_file, PlannedExcitation
from spacerobot_id.excitation.planner_settings import PlanCriterionSettings, PlannerSettings
from spacerobot_id.excitation.trajectory.plan_file import load_plan, save_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum

__all__ = [
    'ExcitingMotion',
    'Known',
    'KnownMomentum',
    'LimitSettings',
    'PlanCriterionSettings',
    'PlannedExcitation',
    'PlannerSettings',
    'load_plan',
    'plan_excitation',
    'plan_from_file',
    'save_plan',
]
