"""Flying a plan in simulation and recording what the nodes would have published."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.measurement import BagStreams, ImuStream, JointStream, PoseStream, TwistStream
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation import (
    Controller,
    DynamicSimulation,
    ManoeuvringMode,
    MotionSamples,
    RobotState,
    SensorSet,
    stream_deliveries,
)
from spacerobot_id.simulation.sensors.delivery import Deliveries
from spacerobot_id.studies.flight.conserved_flight import actuator_columns

START_TIME = 1.0
"""Simulated time at the start, s: a stamp of zero means no stamp."""

REST = 0.5
"""Time at rest before and after the motion, s."""


@dataclass(frozen=True)
class FlightSettings:
    """How a plan is flown and measured.

    Parameters
    ----------
    seed : int
        Seed of all noise.
    noise : bool
        Whether the sensors have their errors.
    mode : ManoeuvringMode
        What drives the base; it must be one that drives the wheels.
    step : float
        Longest step of control and integration, s.
    world_frame : str
        Name of the inertial frame.
    angular_momentum : tuple of 3 floats
        Angular momentum at the start about the centre of mass in inertial axes, kg m^2/s; wheels
        are at rest then.
    attitude : tuple of 4 floats
        Quaternion x y z w of the base at the start.
    """

    seed: int = 0
    noise: bool = True
    mode: ManoeuvringMode = ManoeuvringMode.ROTATION_FLOATING
    step: float = 1e-3
    world_frame: str = 'world'
    angular_momentum: tuple[float, ...] = (0.0, 0.0, 0.0)
    attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)


def fly_plan(
    robot: RobotModel,
    plan: ExcitingMotion,
    prior: RobotModel | None = None,
    settings: FlightSettings | None = None,
) -> BagStreams:
    """Return measured and true streams of a robot that follows a plan.

    Parameters
    ----------
    robot : RobotModel
        The true robot.
    plan : ExcitingMotion
        Motion of its joints and wheels; it starts at rest where the plan does.
    prior : RobotModel, optional
        Robot as the control knows it; the true one if None.
    settings : FlightSettings, optional
        How.

    Raises
    ------
    PlanningError
        If the plan moves what the robot does not have, or not all that it has.
    TrajectoryError, SimulationError, ConfigurationError
        If the robot cannot follow it.
    """
    settings = FlightSettings() if settings is None else settings
    truth = _flown(robot, plan, Controller(robot if prior is None else prior), settings)
    sensors = SensorSet(robot, settings.seed, noisy=settings.noise)
    ways = stream_deliveries(robot, settings.seed, ideal=not settings.noise)
    on_way = {name: way.deliver(truth.times) for name, way in ways.items()}
    return _streams(robot, truth, sensors, on_way, settings.world_frame)


def _flown(
    robot: RobotModel, plan: ExcitingMotion, controller: Controller, settings: FlightSettings
) -> MotionSamples:
    """Return the true motion: joints at rest, then along the plan, then at rest again."""
    joints, wheels = actuator_columns(robot, plan)
    start = plan.sample([0.0]).position[0]
    simulation = DynamicSimulation.at_rest(
        robot,
        start[joints],
        START_TIME,
        mode=settings.mode,
        controller=controller,
        step=settings.step,
    )
    begun = RobotState.turning(
        robot, start[joints], settings.angular_momentum, settings.attitude, START_TIME
    )
    simulation = simulation.with_state(replace(begun, wheel_angles=start[wheels]))
    rate = robot.noise.rate
    resting = max(1, round(REST * rate))
    count = int(np.ceil(plan.duration * rate)) + 2 * resting
    times = START_TIME + np.arange(1, count + 1) / rate
    simulation, before = simulation.advanced_to(times[:resting])
    if joints:
        trajectory = plan.joint_trajectory(robot.joint_names)
        simulation = simulation.with_joint_trajectory(trajectory)
    if wheels:
        trajectory = plan.joint_trajectory(robot.wheel_names)
        simulation = simulation.with_wheel_trajectory(trajectory)
    _, after = simulation.advanced_to(times[resting:])
    return before.followed_by(after)


def _streams(
    robot: RobotModel,
    truth: MotionSamples,
    sensors: SensorSet,
    on_way: Mapping[str, Deliveries],
    world_frame: str,
) -> BagStreams:
    """Return measured and true streams."""
    readings = sensors.measure(truth)
    measured, base = readings.motion, robot.link_names[0]
    everything = Deliveries(np.arange(len(truth)), truth.times, truth.times)
    imu = on_way['imu/data']
    absent = np.full((len(truth), 3), np.nan)
    force = absent if readings.specific_force is None else readings.specific_force
    return BagStreams(
        _joints(robot, measured, on_way['joint_states']),
        ImuStream(
            imu.stamps,
            imu.arrivals,
            robot.sensors.imu_frame or base,
            readings.gyro[imu.rows],
            robot.noise.base_angular_velocity,
            force[imu.rows],
            readings.attitude[imu.rows],
        ),
        _pose(measured, world_frame, on_way['base_pose']),
        _twist(measured, base, on_way['base_twist']),
        _joints(robot, truth, everything),
        _pose(truth, world_frame, everything),
        _twist(truth, base, everything),
    )


def _joints(robot: RobotModel, samples: MotionSamples, way: Deliveries) -> JointStream:
    names = (*robot.joint_names, *robot.wheel_names)
    positions = np.hstack([samples.q, samples.wheel_angles])
    velocities = np.hstack([samples.qd, samples.wheel_rates])
    torque = samples.motor_torque
    efforts = None if torque is None else torque[way.rows]
    return JointStream(
        way.stamps, way.arrivals, names, positions[way.rows], velocities[way.rows], efforts
    )


def _pose(samples: MotionSamples, frame: str, way: Deliveries) -> PoseStream:
    rows = way.rows
    return PoseStream(
        way.stamps, way.arrivals, frame, samples.position[rows], samples.attitude[rows]
    )


def _twist(samples: MotionSamples, frame: str, way: Deliveries) -> TwistStream:
    return TwistStream(way.stamps, way.arrivals, frame, samples.base_twist[way.rows])
