"""Simulation: trajectories in, the motion of a free-flying robot and its measurement out."""

from spacerobot_id.simulation.controller import (
    Controller,
    DEFAULT_GAINS,
    Gains,
    ManoeuvringMode,
)
from spacerobot_id.simulation.dynamic.dynamic_simulation import DynamicSimulation
from spacerobot_id.simulation.dynamic.plant import Payload
from spacerobot_id.simulation.dynamic.robot_state import RobotState
from spacerobot_id.simulation.free_flyer.flight import fly, FreeFlyerFlight, SaturatedTracking
from spacerobot_id.simulation.free_flyer.model_predictive_control import PredictiveControl
from spacerobot_id.simulation.kinematic_simulation import KinematicSimulation
from spacerobot_id.simulation.sensor_errors import stream_deliveries
from spacerobot_id.simulation.sensor_set import SensorSet
from spacerobot_id.simulation.simulation import MotionSamples, Simulation

__all__ = [
    'DEFAULT_GAINS',
    'Controller',
    'DynamicSimulation',
    'FreeFlyerFlight',
    'Gains',
    'KinematicSimulation',
    'ManoeuvringMode',
    'MotionSamples',
    'Payload',
    'PredictiveControl',
    'RobotState',
    'SaturatedTracking',
    'SensorSet',
    'Simulation',
    'fly',
    'stream_deliveries',
]
