"""Flying a plan in simulation and recording what the nodes would have published."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.planner_settings import SEGMENT, ThrustParameters
from spacerobot_id.excitation.thrust.thruster_firing import base_state, ThrusterFiring
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.flight.conserved_flight import actuator_columns
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation import (
    Controller,
    DEFAULT_GAINS,
    DynamicSimulation,
    Gains,
    ManoeuvringMode,
    MotionSamples,
    Payload,
    RobotState,
    SensorSet,
    stream_deliveries,
)
from spacerobot_id.simulation.sensor_errors import Deliveries

START_TIME = 1.0
"""Simulated time at the start, s: a stamp of zero means no stamp."""

REST = 0.5
"""Time at rest before and after the motion, s."""

_SEEN = 0.5
"""Time before a segment over which the base is seen for it, s."""

_FIRING_STREAM = 60
"""Number that keeps the draws of pulses apart from those of sensors of the same seed."""


@dataclass(frozen=True)
class Grasp:
    """A body that joins the robot in flight, at rest relative to the link that takes it.

    Parameters
    ----------
    payload : Payload
        Body, and where it goes.
    time : float
        When, s after the motion of the plan begins.
    """

    payload: Payload
    time: float


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
    linear_momentum : tuple of 3 floats
        Linear momentum at the start in inertial axes, kg m/s.
    attitude : tuple of 4 floats
        Quaternion x y z w of the base at the start.
    planar : bool
        Whether a table holds the base in its plane.
    thrust : ThrustParameters, optional
        How thrusters fire along the plan; they do not if None.
    grasp : Grasp, optional
        Body that joins the robot; none if None.
    joints : Gains
        Gains of the joints' computed torque.
    feeds_forward : bool
        Whether that adds the accelerations that the plan asks for.
    """

    seed: int = 0
    noise: bool = True
    mode: ManoeuvringMode = ManoeuvringMode.ROTATION_FLOATING
    step: float = 1e-3
    world_frame: str = 'world'
    angular_momentum: tuple[float, ...] = (0.0, 0.0, 0.0)
    linear_momentum: tuple[float, ...] = (0.0, 0.0, 0.0)
    attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
    planar: bool = False
    thrust: ThrustParameters | None = None
    grasp: Grasp | None = None
    joints: Gains = DEFAULT_GAINS
    feeds_forward: bool = True


@dataclass(frozen=True, eq=False)
class Flight:
    """A flight, and what it was flown with: read from the objects that simulated it.

    Parameters
    ----------
    streams : BagStreams
        Measured and true streams.
    robot : RobotModel
        Robot without what it grasped: the plant, with the noise, the sensors and the valves that
        measured and fired.
    start : RobotState
        State at the beginning.
    begin : float
        When the motion of the plan begins, s.
    grasp : Grasp, optional
        Body that was joined, and when; None if there was none.
    """

    streams: BagStreams
    robot: RobotModel
    start: RobotState
    begin: float
    grasp: Grasp | None = None


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
    return fly(robot, plan, prior, settings).streams


def fly(
    robot: RobotModel,
    plan: ExcitingMotion,
    prior: RobotModel | None = None,
    settings: FlightSettings | None = None,
) -> Flight:
    """Return the flight of a robot that follows a plan; as for ``fly_plan``."""
    settings = FlightSettings() if settings is None else settings
    prior = robot if prior is None else prior
    flown = _flown(robot, plan, prior, settings)
    truth = flown.samples
    sensors = SensorSet(robot, settings.seed, noisy=settings.noise)
    ways = stream_deliveries(robot, settings.seed, ideal=not settings.noise)
    on_way = {name: way.deliver(truth.times) for name, way in ways.items()}
    streams = _streams(robot, truth, sensors, on_way, settings.world_frame)
    if flown.thrust is not None:
        streams = replace(streams, thrust=_commands(prior, flown.thrust))
    plant = flown.simulation
    used = replace(
        plant.robot,
        noise=sensors.noise,
        sensors=replace(
            sensors.sensors, streams={name: way.settings for name, way in ways.items()}
        ),
        actuators=replace(plant.robot.actuators, valves=plant.firing.valves),
    )
    grasp = None if plant.payload is None else Grasp(plant.payload, flown.grasped - flown.begin)
    return Flight(streams, used, flown.start, flown.begin, grasp)


@dataclass(frozen=True, eq=False)
class _Flown:
    """A simulation at its end, and how it came there."""

    simulation: DynamicSimulation
    samples: MotionSamples
    start: RobotState
    begin: float
    grasped: float
    thrust: HeldSignal | None = None


def _flown(
    robot: RobotModel, plan: ExcitingMotion, prior: RobotModel, settings: FlightSettings
) -> _Flown:
    """Return the true motion: joints at rest, then along the plan, then at rest again."""
    joints, wheels = _moved_columns(robot, plan, settings)
    start = plan.sample([0.0]).position[0]
    simulation = DynamicSimulation.at_rest(
        robot,
        start[joints],
        START_TIME,
        mode=settings.mode,
        controller=Controller(prior, settings.joints, feeds_forward=settings.feeds_forward),
        step=settings.step,
        planar=settings.planar,
        seed=settings.seed,
    ).with_state(_begun(robot, start[joints], start[wheels] if wheels else None, settings))
    begun = simulation.state
    rate = robot.noise.rate
    resting = max(1, round(REST * rate))
    count = int(np.ceil(plan.duration * rate)) + 2 * resting
    times = START_TIME + np.arange(1, count + 1) / rate
    simulation, before = simulation.advanced_to(times[:resting])
    begin = simulation.time
    grasping = _Grasping.of(settings.grasp, begin)
    if joints:
        trajectory = plan.joint_trajectory(robot.joint_names)
        simulation = simulation.with_joint_trajectory(trajectory)
    if wheels:
        trajectory = plan.joint_trajectory(robot.wheel_names)
        simulation = simulation.with_wheel_trajectory(trajectory)
    thrust = None
    if settings.thrust is None:
        simulation, after = grasping.advanced(simulation, times[resting:])
    else:
        firing = ThrusterFiring(prior, plan, settings.thrust, np.zeros(3), settings.planar)
        simulation, after, thrust = _fired(
            simulation, firing, before, times[resting:], settings.seed, grasping
        )
    samples = before.followed_by(after)
    return _Flown(simulation, samples, begun, begin, grasping.time, thrust)


def _begun(
    robot: RobotModel,
    q: NDArray[np.float64],
    wheel_angles: NDArray[np.float64] | None,
    settings: FlightSettings,
) -> RobotState:
    """Return the state at the start: turning and drifting as a whole."""
    begun = RobotState.with_angular_momentum(
        robot, q, settings.angular_momentum, settings.attitude, START_TIME
    )
    mass = sum(link.inertial.mass for link in robot.links)
    drift = np.array(settings.linear_momentum, dtype=float) @ begun.rotation / mass
    twist = begun.base_twist + np.concatenate([drift, np.zeros(3)])
    angles = begun.wheel_angles if wheel_angles is None else wheel_angles
    return replace(begun, wheel_angles=angles, base_twist=twist)


def _moved_columns(
    robot: RobotModel, plan: ExcitingMotion, settings: FlightSettings
) -> tuple[list[int], list[int]]:
    """Return the columns of joints and wheels; none of wheels that are not driven nor planned."""
    is_driven = settings.mode.properties.drives_wheels or set(plan.names) & set(robot.wheel_names)
    return actuator_columns(robot if is_driven else replace(robot, wheels=()), plan)


@dataclass(frozen=True)
class _Grasping:
    """A grasp to come, at a time of the simulation."""

    payload: Payload | None
    time: float

    @classmethod
    def of(cls, grasp: Grasp | None, begin: float) -> '_Grasping':
        """Return what is to come of a grasp, which is so long after a time, s."""
        return cls(None, np.inf) if grasp is None else cls(grasp.payload, begin + grasp.time)

    def advanced(
        self, simulation: DynamicSimulation, times: NDArray[np.float64]
    ) -> tuple[DynamicSimulation, MotionSamples]:
        """Return the robot at the last of some times, and its motion; the body joined if due."""
        is_due = simulation.time <= self.time < times[-1]
        if self.payload is None or simulation.payload is not None or not is_due:
            return simulation.advanced_to(times)
        ahead, flown = times[times <= self.time], ()
        if self.time > simulation.time:
            simulation, moved = simulation.advanced_to(np.union1d(ahead, [self.time]))
            flown = (moved[: len(ahead)],)
        simulation, after = simulation.with_payload(self.payload).advanced_to(times[len(ahead) :])
        for before in flown:
            after = before.followed_by(after)
        return simulation, after


def _fired(
    simulation: DynamicSimulation,
    firing: ThrusterFiring,
    seen: MotionSamples,
    times: NDArray[np.float64],
    seed: int,
    grasping: _Grasping,
) -> tuple[DynamicSimulation, MotionSamples, HeldSignal]:
    """Return the motion of a robot whose thrusters fire, and what they were commanded.

    Parameters
    ----------
    simulation : DynamicSimulation
        Robot at the start of its motion.
    firing : ThrusterFiring
        What draws pulses.
    seen : MotionSamples
        What went before.
    times : ndarray, shape (N,)
        Times of the samples, s.
    seed : int
        Seed of the pulses.
    grasping : _Grasping
        What joins the robot meanwhile.
    """
    rng, start, held = (
        np.random.default_rng([seed, _FIRING_STREAM]),
        simulation.time,
        firing.closed,
    )
    begins = np.arange(0.0, firing.motion.duration - SEGMENT + 1e-9, SEGMENT)
    first = len(seen)
    for begin, end in zip(begins, [*(start + begins[1:]), np.inf], strict=True):
        rows = seen.times >= seen.times[-1] - _SEEN
        state = base_state(seen.times[rows] - start, seen.position[rows], seen.attitude[rows])
        segment = firing.segment(state, held, float(begin), rng)
        held = HeldSignal.concatenate([held, segment])
        for time, shares in zip(segment.times, segment.values, strict=True):
            simulation = simulation.with_thrust(shares, start + time)
        due = times[(times > simulation.time) & (times <= end)]
        simulation, flown = grasping.advanced(simulation, due)
        seen = seen.followed_by(flown)
    return simulation, seen[first:], HeldSignal(start + held.times, held.values)


def _commands(prior: RobotModel, thrust: HeldSignal) -> ThrustStream:
    """Return commands as messages that come when they hold."""
    names = tuple(thruster.name for thruster in prior.thrusters)
    return ThrustStream(thrust.times, thrust.times, names, thrust.values)


def streams_of(robot: RobotModel, truth: MotionSamples, settings: FlightSettings) -> BagStreams:
    """Return what sensors measure of a true motion, on their ways, and the truth."""
    sensors = SensorSet(robot, settings.seed, noisy=settings.noise)
    ways = stream_deliveries(robot, settings.seed, ideal=not settings.noise)
    on_way = {name: way.deliver(truth.times) for name, way in ways.items()}
    return _streams(robot, truth, sensors, on_way, settings.world_frame)


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
