"""How good an estimate is: metrics, reports and pictures."""

from spacerobot_id.evaluation.christidi import ChristidiSettings, reproduce_christidi
from spacerobot_id.evaluation.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.evaluation.ekal import reproduce_ekal
from spacerobot_id.evaluation.estimate_plot import plot_estimate
from spacerobot_id.evaluation.estimate_statistics import cramer_rao_std, EstimateStatistics
from spacerobot_id.evaluation.estimate_table import estimate_table
from spacerobot_id.evaluation.metrics import estimate_errors, EstimateErrors
from spacerobot_id.evaluation.naveen import NaveenSettings, reproduce_naveen
from spacerobot_id.evaluation.naveen_validation import (
    FourierMotion,
    predicted,
    prediction_errors,
    PredictionErrors,
    validation_motion,
)
from spacerobot_id.evaluation.reproduction import (
    Claim,
    ComparisonTable,
    Reproduction,
    reproduction_as_json,
    reproduction_table,
)
from spacerobot_id.evaluation.wilde import reproduce_wilde

__all__ = [
    'ChristidiSettings',
    'Claim',
    'ComparisonTable',
    'EstimateErrors',
    'EstimateStatistics',
    'FourierMotion',
    'NaveenSettings',
    'PredictionErrors',
    'Reproduction',
    'conserved_flight',
    'cramer_rao_std',
    'estimate_errors',
    'estimate_table',
    'plot_estimate',
    'predicted',
    'prediction_errors',
    'reproduce_christidi',
    'reproduce_ekal',
    'reproduce_naveen',
    'reproduce_wilde',
    'reproduction_as_json',
    'reproduction_table',
    'validation_motion',
    'with_sensor_noise',
]
