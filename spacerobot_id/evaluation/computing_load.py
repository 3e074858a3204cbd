"""What the package's work costs on this computer: whether it keeps up with a robot on board."""

from collections.abc import Callable
from dataclasses import dataclass
import time

import numpy as np

from spacerobot_id.data import Measurement
from spacerobot_id.estimation import MomentumProblem
from spacerobot_id.evaluation.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.evaluation.estimator_load import estimator_load, EstimatorLoad
from spacerobot_id.evaluation.flight_recording import fly_plan
from spacerobot_id.excitation import ExcitingMotion, plan_excitation, PlannerSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

_EFFORT = {'draws': 10, 'restarts': 1, 'iterations': 5}
"""Effort of the plan that is flown: some seconds, and its speed is what counts."""

_SAMPLES = 10_000
"""Samples of the regressor at once."""


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
    problem = MomentumProblem.from_model(robot)
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


def _regressor_seconds(robot: RobotModel, motion: Measurement) -> float:
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
