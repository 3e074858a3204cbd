"""Simulation: trajectories in, the motion of a free-flying robot and its measurement out."""

from spacerobot_id.simulation.controller import Controller, Gains
from spacerobot_id.simulation.delivery import Deliveries, stream_deliveries, StreamDelivery
from spacerobot_id.simulation.free_floating import FreeFloatingSimulation, SimulatorState
from spacerobot_id.simulation.free_flyer import (
    fly,
    FreeFlyerFlight,
    reference_at,
    SaturatedTracking,
    TrackingControl,
)
from spacerobot_id.simulation.free_flying import FreeFlyingSimulation
from spacerobot_id.simulation.manoeuvring_mode import Drive, ManoeuvringMode, ModeProperties
from spacerobot_id.simulation.model_predictive_control import (
    PredictiveControl,
    PredictiveSettings,
)
from spacerobot_id.simulation.motion_samples import MotionSamples
from spacerobot_id.simulation.payload import Payload
from spacerobot_id.simulation.robot_state import DynamicSamples, RobotState
from spacerobot_id.simulation.sensors import measure, Readings, SensorSet
from spacerobot_id.simulation.tracking_control import (
    lee_attitude_error,
    tracking_wrench,
    TrackingGains,
)
from spacerobot_id.simulation.trajectory import JointTrajectory
from spacerobot_id.simulation.trajectory_check import check_trajectory, MAX_POINTS
from spacerobot_id.simulation.trajectory_motion import JointMotion, TrajectoryMotion

__all__ = [
    'MAX_POINTS',
    'Controller',
    'Deliveries',
    'Drive',
    'DynamicSamples',
    'FreeFloatingSimulation',
    'FreeFlyerFlight',
    'FreeFlyingSimulation',
    'Gains',
    'JointMotion',
    'JointTrajectory',
    'ManoeuvringMode',
    'ModeProperties',
    'MotionSamples',
    'Payload',
    'PredictiveControl',
    'PredictiveSettings',
    'Readings',
    'RobotState',
    'SaturatedTracking',
    'SensorSet',
    'SimulatorState',
    'StreamDelivery',
    'TrackingControl',
    'TrackingGains',
    'TrajectoryMotion',
    'check_trajectory',
    'fly',
    'lee_attitude_error',
    'measure',
    'reference_at',
    'stream_deliveries',
    'tracking_wrench',
]
