"""The shipped robot on a table, MuJoCo as the plant, and its description, for several tests."""

from dataclasses import replace
from functools import cache

from air_bearing import air_bearing
import numpy as np
from thruster_flights import fly, Motion, sensed, Sensing, STEP, Truth, valves

from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.balance.found_noise import KINDS
from spacerobot_id.methods.blocks import NoiseSizes
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model import InertialParameters

KNOWN_MASS = PriorSettings(1.0, 1e-3)
UNKNOWN = ActuatorSettings(
    strength=0.3, strength_loss=0.2, dead_time=0.03, delay_wrench=0.2, disturbance_force=0.02
)
TABLE = Truth(
    strength=np.array([0.1, -0.2, 0.3, -0.1, 0.2, 0.0, -0.3, 0.15]),
    loss=0.15,
    dead_time=0.02,
    delay=0.15,
    scatter=0.15,
    force=np.array([4.8e-3, -3.6e-3, 0.0]),
)


AS_STATED, WEAK = Truth(), Truth(strength=np.full(8, -0.4))


def body_of(mass):
    return InertialParameters.from_com(
        mass, [0.1, 0.02, 0.03], mass * np.diag([0.004, 0.006, 0.005])
    )


def loaded(robot, mass):
    """Return a robot with a body in its last link."""
    links = list(robot.links)
    links[-1] = replace(links[-1], inertial=links[-1].inertial + body_of(mass))
    return replace(robot, links=links)


@cache
def grasp_flight(when, mass, seed=0, duration=24.0):
    """Return what sensors see of the robot whose hand grasps a body at a time."""
    robot, rng = air_bearing(), np.random.default_rng(seed)
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    thrust, then = valves(8, duration, rng), (when, loaded(robot, mass))
    flown = fly(robot, TABLE, joints, wheels, thrust, duration, rng, planar=True, then=then)
    return sensed(robot, flown, TABLE, Sensing(encoder_step=1.5e-3), rng)


@cache
def table_flight(truth=AS_STATED, seed=0, duration=40.0, robot=None, white=0.0, **sensing):
    """Return what sensors see of the robot on the table, under white forces, N s^0.5."""
    robot, rng = robot or air_bearing(), np.random.default_rng(seed)
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    thrust = valves(8, duration, rng)
    shaken = None
    if white:
        shaken = white / np.sqrt(STEP) * rng.normal(size=(round(duration / STEP), 3))
    flown = fly(robot, truth, joints, wheels, thrust, duration, rng, planar=True, shaken=shaken)
    return sensed(robot, flown, truth, Sensing(**sensing), rng)


def on_table(**settings):
    return MomentumBalance(air_bearing(prior=True), planar=True, **settings)


def heavier():
    """Return the description with the mass of the base as it is."""
    robot, true = air_bearing(prior=True), air_bearing()
    missing = sum(link.inertial.mass for link in true.links)
    missing -= sum(link.inertial.mass for link in robot.links)
    vector = robot.parameters.copy()
    vector[6] += missing
    return robot.with_parameters(vector)


def scores(fit, method, truth):
    """Return errors in standard deviations, and where the data halved the prior's deviation."""
    std = np.sqrt(np.diag(fit.information.covariance()))
    prior = method.prior()
    before = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))
    return (fit.values - truth) / std, std < 0.5 * before


def noise_sizes(force, torque, scatter=0.1, slow_force=1e-7, slow_torque=1e-7, memory=5.0):
    """Return sizes of the noise of flights, that of readings as stated."""
    disturbances = [force, torque, scatter, slow_force, slow_torque]
    readings = [1.0] * (len(KINDS) - len(disturbances))
    return NoiseSizes(KINDS, np.array(disturbances + readings), memory)
