"""The dual arm with a momentum about its centre of mass, as perfect sensors see it."""

from dataclasses import replace

from motions import paper_plan
import numpy as np
from robots import dual_arm, dual_arm_prior
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.regressor import first_moment_regressor, minimal_parameters

MOMENTUM = np.array([20.0, -10.0, 5.0, 30.0, 20.0, -40.0])


BIAS = np.array([1e-3, -2e-3, 5e-4])


SCALE = np.array([0.01, -0.01, 0.005])


CENTRE = np.array([1.0, 2.0, 3.0])


STILL, NO_BIAS = np.zeros(6), np.zeros(3)


HALF = 1650
"""Samples of half of the paper's motion, 33 s, at 50 Hz."""


def described():
    """Return the offset description of a robot whose sensors say something 50 times a second."""
    prior = dual_arm_prior()
    return replace(prior, noise=replace(prior.noise, rate=50.0))


def half(**moving):
    """Return what perfect sensors see of half of the motion at 50 Hz; parameters of ``world``."""
    return world(samples=2 * HALF, **moving)[:HALF]


def world(momentum=STILL, bias=NO_BIAS, scale=NO_BIAS, samples=1500, plan=None):
    """Return what perfect sensors but for a bias see of the dual arm along the paper's motion.

    Or along another plan.

    The attitude is any smooth one, because only its value matters, sample by sample.
    """
    model = dual_arm()
    times = np.linspace(0.0, 66.0, samples)
    motion = (plan or paper_plan()).sample(times)
    n = len(model.joints)
    q, qd, wheel_rates = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    turned = Rotation.from_rotvec(np.outer(times / 66.0, [1.0, -0.5, 0.8]))
    first = first_moment_regressor(model, q) @ model.parameters
    mass = minimal_parameters(model).values(model)[MASS]
    position = CENTRE + np.outer(times, momentum[:3]) / mass - turned.apply(first) / mass
    linear = turned.apply(np.tile(momentum[:3], (samples, 1)), inverse=True)
    about_base = momentum[3:] + np.cross(turned.apply(first) / mass, momentum[:3])
    total = np.hstack([linear, turned.apply(about_base, inverse=True)])
    twist = base_twist_from_momentum(model, q, qd, wheel_rates * (1.0 + scale), total)
    twist[:, 3:] += bias
    return Record(times, q, qd, wheel_rates, twist, position, turned.as_quat())


def turned_as_measured(measurement):
    """Return a measurement of a robot at rest as a whole, its attitudes those of its rates."""
    model = dual_arm()
    rates, steps = measurement.base_twist[:, 3:], np.diff(measurement.times)
    turns = [Rotation.identity()]
    for step, rate in zip(steps, 0.5 * (rates[:-1] + rates[1:]), strict=True):
        turns.append(turns[-1] * Rotation.from_rotvec(step * rate))
    turned = Rotation.concatenate(turns)
    first = first_moment_regressor(model, measurement.q) @ model.parameters
    position = CENTRE - turned.apply(first) / minimal_parameters(model).values(model)[MASS]
    return replace(measurement, position=position, attitude=turned.as_quat())
