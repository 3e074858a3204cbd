"""Simulation: trajectories in, the motion of a free-flying robot and its measurement out."""

from spacerobot_id.simulation.control.controller import Controller, Gains
from spacerobot_id.simulation.control.manoeuvring_mode import ManoeuvringMode
from spacerobot_id.simulation.dynamic.dynamic_simulation import DynamicSimulation
from spacerobot_id.simulation.dynamic.payload import Payload
from spacerobot_id.simulation.dynamic.robot_state import RobotState
from spacerobot_id.simulation.free_flyer.flight import fly, FreeFlyerFlight, SaturatedTracking
from spacerobot_id.simulation.free_flyer.model_predictive_control import PredictiveControl
from spacerobot_id.simulation.kinematic.kinematic_simulation import KinematicSimulation
from spacerobot_id.simulation.motion_samples import MotionSamples
from spacerobot_id.simulation.sensors.delivery import stream_deliveries
from spacerobot_id.simulation.sensors.sensor_set import SensorSet
from spacerobot_id.simulation.simulation import Simulation

__all__ = [
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
