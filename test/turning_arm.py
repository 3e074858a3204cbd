"""The arm of papers/004 turning with its momentum, as perfect and as real sensors see it."""

from dataclasses import replace
from functools import cache

from build_robots import ROBOTS
import numpy as np

from spacerobot_id.estimation import AcceleratedMotion, AngularMomentumProblem, ReducedSettings
from spacerobot_id.evaluation.momentum_flight import fly_with_momentum
from spacerobot_id.excitation import FourierQuintic
from spacerobot_id.model import load_robot

MODEL = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
MOMENTUM = (68.0, 66.0, 65.0)
ATTITUDE = np.array([0.2, 0.1, 0.3, 0.9274])
RATE = 50.0


def problem(gyro_bias=0.0, trust_zeros=True):
    settings = ReducedSettings(MOMENTUM, trust_zeros=trust_zeros)
    return AngularMomentumProblem.from_model(MODEL, settings, gyro_bias)


@cache
def motion():
    rng = np.random.default_rng(7)
    rest = np.zeros(3)
    a, b = 0.12 * rng.normal(size=(2, 3, 3))
    return FourierQuintic(MODEL.joint_names, 30.0, a, b, rest, rest)


@cache
def flight(model=MODEL):
    return fly_with_momentum(model, motion(), MOMENTUM, ATTITUDE, RATE)


def clean(model=MODEL):
    """Return what perfect sensors see, torques among it."""
    return flight(model).measurement()


def true_accelerations():
    samples, still = flight().samples, np.zeros_like(flight().bending)
    return AcceleratedMotion(
        samples.q,
        samples.qd,
        samples.qdd,
        samples.base_twist[:, 3:],
        flight().bending,
        still,
        flight().joint_torque,
    )


def noisy(seed, bias=0.0, model=MODEL):
    """Return the same with the noise of the problem, attitude and a bias of the gyro included."""
    seen, rng, std = clean(model), np.random.default_rng(seed), problem().rate_std
    twist = seen.base_twist.copy()
    twist[:, 3:] += std[:3] * rng.normal(size=(len(seen), 3)) + bias
    return replace(seen, qd=seen.qd + std[3:] * rng.normal(size=seen.qd.shape), base_twist=twist)
