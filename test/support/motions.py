"""States and motions of robots, and what perfect and imperfect sensors see of them."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from robots import dual_arm

from spacerobot_id.excitation.family.cycloid_family import draw_direction_combinations
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement import Record
from spacerobot_id.model import JointType
from spacerobot_id.multibody import base_twist_from_momentum


@dataclass(frozen=True)
class States:
    """Independent states of a robot: every sample moves in every way at once."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    base_twist: np.ndarray
    base_acceleration: np.ndarray
    wheel_rates: np.ndarray


def random_states(model, seed=0, samples=5):
    """Return random states of a robot."""
    rng = np.random.default_rng(seed)
    joints = (samples, len(model.joints))
    return States(
        q=rng.uniform(-np.pi, np.pi, joints),
        qd=rng.normal(size=joints),
        qdd=rng.normal(size=joints),
        base_twist=rng.normal(size=(samples, 6)),
        base_acceleration=rng.normal(size=(samples, 6)),
        wheel_rates=rng.normal(size=(samples, len(model.wheels))),
    )


def advanced(states, step):
    """Return the states a short time later, to first order."""
    linear, angular = states.base_twist[:, :3], states.base_twist[:, 3:]
    change = states.base_acceleration.copy()  # of the velocity itself, not of its components
    change[:, :3] -= np.cross(angular, linear)
    return replace(
        states,
        q=states.q + step * states.qd + 0.5 * step**2 * states.qdd,
        qd=states.qd + step * states.qdd,
        base_twist=states.base_twist + step * change,
    )


def random_plan(model, seed, intervals):
    """Return cycloids of a second with directions and seeds drawn at random."""
    rng = np.random.default_rng(seed)
    joints, wheels = len(model.joints), len(model.wheels)
    start = rng.uniform(-1.5, 1.5, joints + wheels)
    revolute = [joint.type is JointType.REVOLUTE for joint in model.joints]
    reach = np.append(np.where(revolute, 0.3, 0.05), np.full(wheels, 3.0 * np.pi))
    directions = draw_direction_combinations(joints + wheels, intervals, rng)
    return _plan(model, start, reach, directions)


@cache
def paper_plan(intervals=67, seed=0):
    """Return the motion that Table 4 of [Naveen 2024] describes, its directions drawn again.

    The seeds are those of the paper, the wheels move by 3 pi rad per interval.
    """
    directions = draw_direction_combinations(9, intervals, np.random.default_rng(seed))
    return paper_motion(directions)


def paper_motion(directions):
    """Return the motion of Table 4 of [Naveen 2024] with given directions."""
    start = np.deg2rad([40.661, -109.403, -78.782, 125.089, -110.0, 51.228])
    reach = np.deg2rad([0.524, 2.51, 2.51, 2.513, 2.036, 2.5])
    seeds = np.append(start, np.zeros(3)), np.append(reach, np.full(3, 3.0 * np.pi))
    return _plan(dual_arm(), *seeds, directions)


def _plan(model, start, reach, directions):
    return ExcitationPlan(
        names=model.joint_names + model.wheel_names,
        knots=knots_from_seeds(start, reach, directions),
        durations=np.ones(len(directions)),
    )


def measure(model, plan, rate=100.0):
    """Return what perfect sensors see of a robot that starts at rest and follows a plan."""
    times = (np.arange(int(plan.duration * rate)) + 0.5) / rate
    motion, joints = plan.sample(times), len(model.joints)
    q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
    wheel_rates = motion.velocity[:, joints:]
    twist = base_twist_from_momentum(model, q, qd, wheel_rates)
    return Record(times, q, qd, wheel_rates, twist)


def with_noise(measurement, method, seed):
    """Return a measurement with the noise of the rates that a method states."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(measurement), len(method.rate_std))) * method.rate_std
    return replace(
        measurement,
        base_twist=measurement.base_twist + noise[:, :6],
        qd=measurement.qd + noise[:, 6:],
    )
