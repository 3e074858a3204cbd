"""What the estimator listens to, by its method."""

from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.monitors.frames import FrameMonitor
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.inputs import EstimatorInputs


def listen(
    node: ManagedNode, model: RobotModel, needs: StreamNeeds, source: VelocitySource
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
        logger=node.get_logger(),
    )
    return EstimatorInputs(node, intake, with_odometry=settings.pose_type == 'Odometry')


def frame_monitor(model: RobotModel, needs: StreamNeeds) -> FrameMonitor | None:
    """Return what compares the sensors of the base; None for a method that takes poses alone."""
    return FrameMonitor(model.noise, has_twist=bool(needs.velocity)) if needs.gyro else None
