"""Taking up a trajectory: checked against limits, from where the reference motion is now."""

from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.simulation.trajectory.trajectory_check import check_trajectory
from spacerobot_id.simulation.trajectory.trajectory_motion import JointMotion, TrajectoryMotion


def joints_following(
    model: RobotModel, motion: TrajectoryMotion, trajectory: JointTrajectory, time: float
) -> TrajectoryMotion:
    """Return the motion of joints that take up a trajectory at some time.

    Parameters
    ----------
    model : RobotModel
        Robot, for names and limits of its joints.
    motion : TrajectoryMotion
        What the joints do until then.
    trajectory : JointTrajectory
        What they do from then on.
    time : float
        When, s.

    Raises
    ------
    TrajectoryError
        If they cannot follow it.
    """
    limits = {joint.name: joint.limits for joint in model.joints}
    return _following(model.joint_names, limits, motion, trajectory, time)


def wheels_following(
    model: RobotModel, motion: TrajectoryMotion, trajectory: JointTrajectory, time: float
) -> TrajectoryMotion:
    """Return the motion of wheels that take up a trajectory; see ``joints_following``."""
    limits = {wheel.name: JointLimits(velocity=wheel.rate_limit) for wheel in model.wheels}
    return _following(model.wheel_names, limits, motion, trajectory, time)


def _following(
    names: tuple[str, ...],
    limits: dict[str, JointLimits],
    motion: TrajectoryMotion,
    trajectory: JointTrajectory,
    time: float,
) -> TrajectoryMotion:
    now = motion.at([time])
    present = JointMotion(now.position[0], now.velocity[0], now.acceleration[0])
    check_trajectory(trajectory, names, limits, present)
    return TrajectoryMotion.from_trajectory(trajectory, names, present, time)
