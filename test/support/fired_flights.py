"""Pulses along a motion of joints of the robot on a table, drawn or chosen, and their flights."""

from air_bearing import air_bearing
import numpy as np
from scipy.spatial.transform import Rotation
from table_flights import KNOWN_MASS, TABLE, UNKNOWN
from thruster_flights import fly, sensed, Sensing

from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.excitation.planner_node_settings import request_from_mapping
from spacerobot_id.excitation.planner_settings import (
    GRID,
    PlanCriterionSettings,
    SEGMENT,
    ThrustParameters,
)
from spacerobot_id.excitation.thrust.base_drift import base_drift, BaseState
from spacerobot_id.excitation.thrust.pulse_objective import PulseObjective
from spacerobot_id.excitation.thrust.thruster_firing import ThrusterFiring
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.momentum_balance import MomentumBalance

PRIOR = air_bearing(prior=True)
REST = BaseState(0.0, np.zeros(3), Rotation.identity(), np.zeros(6))
COUNTED = {
    'known_mass': 15.4,
    'strength': 0.3,
    'strength_loss': 0.2,
    'dead_time': 0.03,
    'delay.wrench': 0.2,
}
"""What the identification of these flights is given, by the settings of the planner."""


def source_of(given, *, planar=True):
    """Return what motions show of the robot on the table, by settings of the planner."""
    settings = request_from_mapping(given).settings.counted.of_method()
    seen = InformationSettings(planar, given=settings)
    return information_source('momentum_balance', PRIOR, seen)


def objective_of(given):
    """Return what chooses pulses, by settings of the planner."""
    return PulseObjective.of_source(source_of(given), PlanCriterionSettings())


def swinging(joints, duration=60.0):
    """Return a motion of joints to and fro."""
    knots = np.zeros((round(duration / 3.0) + 1, len(joints)))
    knots[1:-1] = np.random.default_rng(1).uniform(-1.0, 1.0, knots[1:-1].shape)
    return ExcitationPlan(tuple(joints), knots, np.full(len(knots) - 1, 3.0))


def flown(parameters, seed, robots, duration=60.0, objective=None):
    """Return commands, and the places of the base at the ends of segments, predicted by a robot.

    The description that plans is not the robot that flies: its thrusters are.
    """
    plan, rng = swinging(PRIOR.joint_names, duration), np.random.default_rng(seed)
    firing = ThrusterFiring(PRIOR, plan, parameters, np.zeros(3), True, objective)
    held, state, places = firing.closed, REST, []
    for begin in np.arange(0.0, duration - SEGMENT + 1e-9, SEGMENT):
        held = HeldSignal.concatenate([held, firing.segment(state, held, begin, rng)])
        times = begin + GRID * np.arange(round(SEGMENT / GRID) + 1)
        drift = base_drift(
            robots, plan.sample(times), state, held.at(times[:-1])[None], planar=True
        )
        state = drift.end(begin + SEGMENT)
        places.append(drift.position[0])
    return held, np.concatenate(places)


def lengths(held):
    """Return how long each pulse is, s."""
    found = []
    for column in held.values.T:
        changes = np.diff(np.concatenate([[0.0], column]))
        found += list(held.times[changes < 0.0] - held.times[changes > 0.0])
    return np.array(found)


class Along:
    """Joints along a plan, as flights take them."""

    def __init__(self, plan, joints):
        self.plan, self.joints = plan, joints

    def at(self, times):
        times = np.asarray(times, dtype=float)
        seen = self.plan.sample(np.atleast_1d(np.clip(times, 0.0, self.plan.duration)))
        parts = (seen.position, seen.velocity, seen.acceleration)
        return tuple(each[:, self.joints].reshape(*times.shape, -1) for each in parts)


def found_after(objective, seed=0, duration=30.0):
    """Return momentum balance of a flight of such pulses, and standard deviations over its prior.

    MuJoCo is the plant; thrusters, table and valves are off.
    """
    robot, plan = air_bearing(), swinging(PRIOR.joint_names, duration)
    held, _ = flown(ThrustParameters(), seed, PRIOR, duration, objective)
    joints, none = Along(plan, slice(0, 3)), Along(plan, slice(3, 3))
    rng = np.random.default_rng(seed)
    flight = fly(robot, TABLE, joints, none, held, duration, rng, planar=True)
    record = sensed(robot, flight, TABLE, Sensing(), rng)
    method = MomentumBalance(PRIOR, planar=True, prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    fit, prior = fit_flights(method, [method.flight(record)]), method.prior()
    before = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))
    return method, np.sqrt(np.diag(fit.information.covariance())) / before
