"""What the estimator listens to, by its method."""

import numpy as np

from spacerobot_id.data import Alignment, AlignmentSettings, VelocitySource
from spacerobot_id.dynamics import whole_robot
from spacerobot_id.estimation.estimator_settings import EstimatorSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.estimator_inputs import EstimatorInputs
from spacerobot_id.nodes.estimator_methods import MethodNeeds
from spacerobot_id.nodes.frame_watch import FrameWatch
from spacerobot_id.nodes.free_flyer_inputs import FreeFlyerAlignment, FreeFlyerInputs
from spacerobot_id.nodes.frozen_watch import FrozenPoseWatch, FrozenWatch
from spacerobot_id.nodes.lifecycle import ManagedNode


def listen(
    node: ManagedNode, model: RobotModel, needs: MethodNeeds, source: VelocitySource
) -> EstimatorInputs | FreeFlyerInputs:
    """Subscribe to what the method needs; return the topics with their alignment.

    Parameters
    ----------
    node : ManagedNode
        Node with the estimator's settings.
    model : RobotModel
        Prior model.
    needs : MethodNeeds
        What the method needs.
    source : VelocitySource
        Where the linear velocity comes from at first.
    """
    settings = node.settings
    bounds = AlignmentSettings(
        settings.buffer_size,
        settings.longest_gap,
        settings.longest_bracket,
        settings.velocity_window,
    )
    with_odometry = settings.pose_type == 'Odometry'
    if settings.method == 'free_flyer':
        body = whole_robot(model, np.zeros(len(model.joints)))
        pose_std = model.noise.base_position, model.noise.base_attitude
        return FreeFlyerInputs(
            node,
            model,
            FreeFlyerAlignment(model, bounds),
            FrozenPoseWatch(body, pose_std, settings.frozen_samples),
            with_odometry=with_odometry,
        )
    turns = settings.angular_momentum > 0.0 or any(settings.known_angular_momentum)
    return EstimatorInputs(
        node,
        model,
        Alignment(len(model.joints), len(model.wheels), source, bounds),
        FrozenWatch(model, settings.frozen_samples, turns_by_itself=turns),
        with_odometry=with_odometry,
        with_torques=needs.uses_torques,
    )


def frame_watch(model: RobotModel, settings: EstimatorSettings) -> FrameWatch | None:
    """Return what compares the sensors of the base; None for a method that takes poses alone."""
    if settings.method == 'free_flyer':
        return None
    noise, bias = model.noise, max(settings.gyro_bias, abs(model.sensors.gyro_bias))
    return FrameWatch((noise.base_position, noise.base_attitude), bias, settings.longest_bracket)
