"""Subscriptions of the estimator, by its method."""

from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter
from spacerobot_id.measurement.adapters.own_topics import own_topics, SENSED, with_odometry
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.inputs import EstimatorInputs


def subscribed(
    node: ManagedNode,
    model: RobotModel,
    needs: StreamNeeds,
    source: VelocitySource,
    adapter: Adapter,
) -> EstimatorInputs:
    """Subscribe to what the method needs; return the topics with their alignment.

    Parameters
    ----------
    node : ManagedNode
        Node with the estimator's settings.
    model : RobotModel
        Prior model.
    needs : StreamNeeds
        What the method needs.
    source : VelocitySource
        Where the linear velocity comes from at first.
    adapter : Adapter
        How messages are read.
    """
    settings = node.settings
    identify = settings.identify
    intake = sensor_intake(
        model,
        needs,
        source,
        identify.alignment,
        frozen_samples=identify.frozen_samples,
        turns_by_itself=identify.turns_by_itself,
        imu_frame=identify.imu_frame,
        logger=node.get_logger(),
    )
    return EstimatorInputs(node, model, intake, adapter.for_robot(model))


def adapter_of(settings: EstimatorSettings) -> Adapter:
    """Return how messages are read: as stated in a file, or as those of our own topics.

    Raises
    ------
    ConfigurationError
        If there is no such file, or it is given together with a type of ours.
    """
    is_odometry = settings.pose_type == 'Odometry'
    if settings.adapter:
        if is_odometry:
            raise ConfigurationError('pose_type: means nothing beside an adapter')
        return load_adapter(settings.adapter)
    own = own_topics({name: topic.removeprefix('/') for name, topic in SENSED.items()})
    return with_odometry(own) if is_odometry else own
