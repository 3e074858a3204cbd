"""A servicer with thrusters, wheels and a moving arm, MuJoCo as the plant, for several tests."""

from dataclasses import replace
from functools import cache

import numpy as np
from robots import servicer
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline
from table_flights import AS_STATED
from thruster_flights import fly, Motion, sensed, Sensing, Truth, valves

from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model import Thruster

THRUSTERS = 12
LATE = Truth(loss=0.15, dead_time=0.02, delay=0.15, scatter=0.15)
"""What is off of the thrusters but for their strengths."""

UNKNOWN = ActuatorSettings(
    strength=0.3 / np.sqrt(3.0), strength_loss=0.15, dead_time=0.02, delay_wrench=0.2
)
"""The same as unknowns; the deviation of strengths is that of even ones up to 30 % off."""

DESCRIBED = PriorSettings(0.2, 0.1)
"""How far a description that is drawn is off."""


@cache
def thrusting_servicer():
    """Return the servicer with twelve thrusters at the corners of its bus."""
    thrusters = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            for side in (0.5, -0.5):
                place, way = np.zeros(3), np.zeros(3)
                place[axis], place[(axis + 1) % 3] = -0.5 * sign, side
                way[axis] = sign
                thrusters.append(Thruster(f't{len(thrusters)}', place, way, 2.0))
    return replace(servicer(), thrusters=thrusters)


def servicer_flown(seed, duration, truth=AS_STATED, *, thrusts=True):
    """Return a flight of the servicer: joints and wheels swing, valves open now and then."""
    robot, rng = thrusting_servicer(), np.random.default_rng(seed)
    joints, wheels = Motion.drawn(7, 0.5, rng), Motion.drawn(3, 100.0, rng)
    closed = HeldSignal(np.zeros(1), np.zeros((1, THRUSTERS)))
    thrust = valves(THRUSTERS, duration, rng) if thrusts else closed
    return fly(robot, truth, joints, wheels, thrust, duration, rng, planar=False), rng


@cache
def space_flight(seed=0, duration=30.0, truth=AS_STATED, *, thrusts=True):
    """Return what pose, gyro and joints see of a servicer under thrusters and wheels."""
    flown, rng = servicer_flown(seed, duration, truth, thrusts=thrusts)
    return sensed(thrusting_servicer(), flown, truth, Sensing(pose=20.0, gyro=50.0), rng)


def seen_at_once(seed, duration, rate=50.0):
    """Return a drifting servicer's exact joints and poses, and its noisy twists, all at once."""
    flown, rng = servicer_flown(seed, duration, thrusts=False)
    noise, times = servicer().noise, np.arange(0.01, duration - 0.01, 1.0 / rate)
    q, qd, _ = flown.joints.at(times)
    std = np.repeat([noise.base_linear_velocity, noise.base_angular_velocity], 3)
    twist = CubicSpline(flown.times, flown.twist)(times)
    twist = twist + std * rng.normal(size=twist.shape)
    attitude = RotationSpline(flown.times, Rotation.from_quat(flown.attitude))(times)
    position = CubicSpline(flown.times, flown.position)(times)
    wheels = flown.wheels.at(times)[1]
    return Record(times, q, qd, wheels, twist, position, attitude.as_quat())


def likely_description(robot, settings, rng):
    """Return a description as far off as settings state, drawn from the prior that they make."""
    std = standard_std(robot, settings.relative_std)
    vector = robot.parameters + std * rng.normal(size=std.shape)
    mass = sum(link.inertial.mass for link in robot.links)
    mass *= np.exp(settings.scale_std * rng.normal())
    return robot.with_parameters(vector * mass / vector[6::10].sum())


def drawn_servicer(seed, duration, errors=LATE, actuators=UNKNOWN):
    """Return the method with a description drawn at random, what is seen, and the unknowns.

    Thrusters are as strong as stated where these are not unknown.
    """
    robot, rng = thrusting_servicer(), np.random.default_rng(seed)
    strength = 0.3 * rng.uniform(-1.0, 1.0, THRUSTERS)
    truth = replace(errors, strength=strength) if actuators.strength else errors
    prior = likely_description(robot, DESCRIBED, rng)
    method = MomentumBalance(prior, prior_settings=DESCRIBED, actuators=actuators)
    flown, rng = servicer_flown(seed + 1000, duration, truth)
    record = sensed(robot, flown, truth, Sensing(pose=20.0, gyro=50.0), rng)
    values, places = np.zeros(len(method.unknowns)), method.unknowns.places
    values[: len(method.minimal)] = method.minimal.values(robot)
    for key, value in (
        ('strength', truth.strength),
        ('strength_loss', truth.loss),
        ('dead_time', truth.dead_time),
        ('delay.wrench', truth.delay),
    ):
        if key in places:
            values[places[key]] = value
    return method, record, values
