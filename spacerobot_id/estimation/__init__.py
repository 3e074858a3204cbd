"""From measured motion to parameters and their uncertainty, by any method."""

from spacerobot_id.estimation.batch.gauss_newton import best_fit, gauss_newton
from spacerobot_id.estimation.batch.identify import fitted, identify, validate
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.excitation_report import excitation_report
from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.estimation.recursive.recursion import absorb, begin_identification, refine
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result, Validation
from spacerobot_id.estimation.settings import (
    IdentifySettings,
    RecursionSettings,
)

__all__ = [
    'Estimate',
    'Identification',
    'IdentifySettings',
    'RecursionSettings',
    'Result',
    'Validation',
    'absorb',
    'begin_identification',
    'best_fit',
    'excitation_report',
    'fitted',
    'gauss_newton',
    'identify',
    'load_identify_settings',
    'refine',
    'validate',
]
