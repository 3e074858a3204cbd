"""What the package's work costs on this computer: whether it keeps up with a robot on board."""

from collections.abc import Callable
from dataclasses import dataclass
import time

import numpy as np

from spacerobot_id.estimation import absorb, begin_identification, refine
from spacerobot_id.excitation.planner import plan_excitation
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.flight.recording import fly_plan
from spacerobot_id.measurement import Alignment, Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

_EFFORT = {'draws': 10, 'restarts': 1, 'iterations': 5}
"""Effort of the plan that is flown: some seconds, and its speed is what counts."""

_SAMPLES = 10_000
"""Samples of the regressor at once."""

_BUSY = 10.0
"""Time over which the busiest part is averaged, s."""


@dataclass(frozen=True)
class EstimatorLoad:
    """Processor time over the time of the motion.

    Parameters
    ----------
    intake : float
        Share of a core that taking samples in and aligning them costs.
    whole : float
        Share of a core that all of it costs.
    busiest : float
        The same in the busiest ten seconds.
    refining : float
        Time of the last fit of all samples, s.
    """

    intake: float
    whole: float
    busiest: float
    refining: float


@dataclass(frozen=True)
class ComputingLoad:
    """What the work for a robot costs.

    Parameters
    ----------
    parameters : int
        Number of minimal parameters.
    duration : float
        Duration of the motion, s.
    planning : float
        Time that a plan with little effort took, s.
    regressor : float
        Time of the momentum regressor per sample, s.
    simulation : float
        Simulated time over the time that it takes.
    rate : float
        Samples per second that the estimator takes.
    estimator : EstimatorLoad
        What it costs it.
    """

    parameters: int
    duration: float
    planning: float
    regressor: float
    simulation: float
    rate: float
    estimator: EstimatorLoad


def computing_load(robot: RobotModel, rate: float, duration: float) -> ComputingLoad:
    """Return what the work for a robot costs on one core of this computer.

    Parameters
    ----------
    robot : RobotModel
        Robot with n joints.
    rate : float
        Samples per second of all sensors.
    duration : float
        Duration of the motion, s.

    Raises
    ------
    PlanningError
        If no motion can be planned for it.
    """
    begin = time.process_time()
    settings = PlannerSettings(duration=duration, **_EFFORT)
    start = np.zeros(len(robot.joints) + len(robot.wheels))
    planned = plan_excitation(robot, start, settings)
    planning = time.process_time() - begin
    problem = Momentum.from_model(robot)
    clean = conserved_flight(robot, planned.plan, rate)
    return ComputingLoad(
        len(problem.minimal),
        planned.plan.duration,
        planning,
        _regressor_seconds(robot, clean),
        _simulation_speed(robot, planned.plan),
        rate,
        estimator_load(problem, with_sensor_noise(clean, problem, 0)),
    )


def _regressor_seconds(robot: RobotModel, motion: Record) -> float:
    """Return the time of the momentum regressor per sample, s."""
    rows = np.resize(np.arange(len(motion)), _SAMPLES)
    samples, columns = motion[rows], minimal_parameters(robot).columns
    return _shortest(
        lambda: momentum_regressor(robot, samples.q, samples.qd, samples.base_twist, columns)
    ) / len(rows)


def _simulation_speed(robot: RobotModel, plan: ExcitingMotion) -> float:
    """Return how many times as fast as real time a flight is simulated."""
    flown = fly_plan(robot, plan).true_joints.stamps  # compiles
    begin = time.process_time()
    fly_plan(robot, plan)
    return float(flown[-1] - flown[0]) / (time.process_time() - begin)


def _shortest(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest processor time of several runs, after one that does not count, s."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def estimator_load(
    problem: Momentum, measurement: Record, update_period: float = 0.2
) -> EstimatorLoad:
    """Return what it costs to estimate along a motion, as the node does it.

    Parameters
    ----------
    problem : Momentum
        Robot, noise and unknowns.
    measurement : Record
        Samples at a constant rate; they are taken in one by one.
    update_period : float
        Time between two updates of the estimate, s.
    """
    times = measurement.times
    rate = (len(times) - 1) / (times[-1] - times[0])
    alignment = Alignment(len(problem.model.joints), len(problem.model.wheels))
    state, taking, spent = begin_identification(problem), 0.0, []
    block = max(1, round(update_period * rate))
    for begin in range(0, len(times), block):
        start = time.process_time()
        for k in range(begin, min(begin + block, len(times))):
            _take_in(alignment, measurement, k)
        aligned = alignment.take()
        taking += time.process_time() - start
        state = absorb(state, aligned)
        spent.append(time.process_time() - start)
    window = min(len(spent), round(_BUSY / update_period))
    busiest = np.convolve(spent, np.ones(window), 'valid').max() / (window * update_period)
    start = time.process_time()
    refine(state)
    refining = time.process_time() - start
    duration = len(times) / rate
    return EstimatorLoad(taking / duration, sum(spent) / duration, float(busiest), refining)


def _take_in(alignment: Alignment, measurement: Record, k: int) -> None:
    """Give one sample of every stream to the alignment."""
    stamp, twist = measurement.times[k], measurement.base_twist[k]
    alignment.push_joints(stamp, measurement.q[k], measurement.qd[k], measurement.wheel_rates[k])
    alignment.push_gyro(stamp, twist[3:])
    alignment.push_linear_velocity(stamp, twist[:3])
