"""Flying the plan of a free-flyer: its base tracks a pose by wrenches, joints and wheels rest."""

from dataclasses import replace

import numpy as np

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, FreeFlyerReference
from spacerobot_id.flight.recording import FlightSettings, START_TIME, streams_of
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import whole_robot
from spacerobot_id.simulation import fly, MotionSamples, SaturatedTracking


def fly_base(
    robot: RobotModel, plan: ExcitingMotion, prior: RobotModel, settings: FlightSettings
) -> BagStreams:
    """Return measured and true streams of a robot whose base follows the pose of a plan.

    The control is the planner's, computed wrenches within the limits of the propellers, once per
    sample; the wrench given is among the streams.

    Parameters
    ----------
    robot : RobotModel
        The true robot.
    plan : ExcitingMotion
        Motion of the six coordinates of its base.
    prior : RobotModel
        Robot as the control knows it.
    settings : FlightSettings
        Seed, noise and names; it flies freely from rest.

    Raises
    ------
    SimulationError
        If the motion does not stay finite.
    """
    step, joints = 1.0 / robot.noise.rate, np.zeros(len(robot.joints))
    count = int(np.ceil(plan.duration / step))
    wanted = FreeFlyerReference(plan).sample(step * np.arange(count))
    tracking = SaturatedTracking(
        whole_robot(prior, joints).vector,
        PoseMotion(*(each[None] for each in vars(wanted).values())),
    )
    bodies = [whole_robot(robot, joints).vector]
    flown = fly(bodies, tracking, count, step, robot.actuators.propellers)
    states, wrenches = flown.states[0, :-1], flown.wrenches[0]
    times, rest = START_TIME + flown.times[:-1], np.zeros((count, len(robot.joints)))
    wheels = np.zeros((count, len(robot.wheels)))
    position, attitude, twist = np.split(states, [3, 7], axis=1)
    samples = MotionSamples(
        times, rest, rest, rest, wheels, wheels, twist, position, attitude, base_wrench=wrenches
    )
    given = WrenchStream(times, times, robot.link_names[0], wrenches)
    streams = replace(streams_of(robot, samples, settings), applied_wrench=given)
    has_joints = bool(robot.joints or robot.wheels)
    return streams if has_joints else replace(streams, joints=None, true_joints=None)
