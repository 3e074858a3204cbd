"""For every method of the registry: a robot, its noisy readings, and the truth."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from air_bearing import air_bearing
from build_robots import ROBOTS
from free_flyer_flights import flight, LOADED, PERIOD, record, ROBOT
from motions import measure, paper_plan, with_noise
import numpy as np
from robots import dual_arm, dual_arm_prior
from thruster_flights import fly, Motion, sensed, Sensing, Truth, valves
import turning_arm

from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.registry import method_class, method_names
from spacerobot_id.methods.settings import KnownMomentumSettings, MethodSettings
from spacerobot_id.model import load_robot

METHODS = method_names()
REFERENCE = Path(__file__).parents[1] / 'reference'
SAMPLE_BY_SAMPLE = tuple(name for name in METHODS if not method_class(name).solves_at_once)
OF_MOMENTUM = ('momentum', 'least_squares', 'weighted_least_squares')
OF_FREE_FLYER = ('free_flyer', 'harmonic_least_squares', 'recursive_harmonic_least_squares')


@dataclass(frozen=True, eq=False)
class Case:
    """A method, samples with the noise that it states, and the true unknowns."""

    method: Method
    record: Record
    truth: np.ndarray


@cache
def case_of(name):
    """Return the case of a method; the description is off, as it is in life."""
    if name in OF_MOMENTUM:
        return _dual_arm(method_class(name))
    if name in OF_FREE_FLYER:
        return _free_flyer(method_class(name))
    if name == 'momentum_balance':
        return _air_bearing(method_class(name))
    return _turning_arm(method_class(name))


def robot_of(name):
    """Return the description of the robot of a method's case."""
    if name in OF_MOMENTUM:
        return dual_arm_prior()
    if name == 'momentum_balance':
        return air_bearing(prior=True)
    return ROBOT if name in OF_FREE_FLYER else _turning_prior()


def settings_of(name):
    """Return the settings that a method cannot do without."""
    if name in OF_MOMENTUM:
        return MethodSettings()
    if name in OF_FREE_FLYER:
        return MethodSettings(period=PERIOD)
    if name == 'momentum_balance':
        return load_identify_settings(REFERENCE / 'air_bearing.yaml').of_method
    return MethodSettings(momentum=KnownMomentumSettings(turning_arm.MOMENTUM, trust_zeros=True))


@cache
def _turning_prior():
    model = load_robot(ROBOTS / 'christidi_spatial_arm_prior.urdf')
    return replace(model, noise=replace(model.noise, rate=turning_arm.RATE))


def _made(kind):
    return kind.from_settings(robot_of(kind.name), settings_of(kind.name))


def _dual_arm(kind):
    method = _made(kind)
    seen = with_noise(measure(dual_arm(), paper_plan(30), 50.0), method, 0)
    return Case(method, seen, method.minimal.values(dual_arm()))


def _turning_arm(kind):
    method = _made(kind)
    seen = turning_arm.noisy(1, attitude_std=method.attitude_std)
    return Case(method, seen, method.reduced.values(turning_arm.MODEL))


def _free_flyer(kind):
    return Case(_made(kind), record(flight(cycles=4)), LOADED.vector)


def _air_bearing(kind):
    robot, rng = air_bearing(), np.random.default_rng(1)
    joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
    truth, thrust = Truth(scatter=0.1), valves(8, 20.0, rng)
    flown = fly(robot, truth, joints, wheels, thrust, 20.0, rng, planar=True)
    seen, method = sensed(robot, flown, truth, Sensing(), rng), _made(kind)
    return Case(method, seen, method.minimal.values(robot))
