"""The arm of [Christidi 2017] turning with its momentum, as perfect and as real sensors see it."""

from dataclasses import replace
from functools import cache

from build_robots import ROBOTS
import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.flight.momentum_flight import fly_with_momentum
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.settings import KnownMomentumSettings
from spacerobot_id.methods.unknowns import NuisanceSettings
from spacerobot_id.model import load_robot

MODEL = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
MOMENTUM = (68.0, 66.0, 65.0)
ATTITUDE = np.array([0.2, 0.1, 0.3, 0.9274])
RATE = 50.0


def method(gyro_bias=0.0, trust_zeros=True, kind=AngularMomentum, model=MODEL):
    """Return a method that identifies the arm, with its momentum known."""
    settings = KnownMomentumSettings(MOMENTUM, trust_zeros=trust_zeros)
    return kind.from_model(model, settings, NuisanceSettings(gyro_bias=gyro_bias))


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
    """Return what perfect sensors of accelerations would see besides."""
    flown = flight()
    return replace(
        flown.measurement(),
        qdd=flown.samples.qdd,
        angular_acceleration=flown.angular_acceleration,
        wheel_acceleration=np.zeros_like(flown.samples.wheel_rates),
    )


def noisy(seed, bias=0.0, model=MODEL, attitude_std=0.0):
    """Return the same with the noise of the method's rates, a bias of the gyro, and more."""
    seen, rng, std = clean(model), np.random.default_rng(seed), method().rate_std
    twist = seen.base_twist.copy()
    twist[:, 3:] += std[:3] * rng.normal(size=(len(seen), 3)) + bias
    qd = seen.qd + std[3:] * rng.normal(size=seen.qd.shape)
    turned = Rotation.from_rotvec(attitude_std * rng.normal(size=(len(seen), 3)))
    attitude = (Rotation.from_quat(seen.attitude) * turned).as_quat()
    return replace(seen, qd=qd, base_twist=twist, attitude=attitude)
