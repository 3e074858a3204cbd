"""The manoeuvre of [Wilde 2018]: one joint after the other at 0.1 rad/s, the base floating."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import centre_of_mass, momentum
from spacerobot_id.simulation import KinematicSimulation, MotionSamples

_RAMP = 1.0
"""Time within which a rate changes, s: the paper's controller needs one that its gains give."""


@dataclass(frozen=True)
class Manoeuvre:
    """What one joint does after the other: forth, rest, back, rest, and forth again.

    Parameters
    ----------
    rate : float
        Rate of the joint, rad/s.
    forth, back : float
        Time of the first and the last turn, and of that between them, s.
    rest : float
        Time between them, s.
    """

    rate: float
    forth: float
    back: float
    rest: float

    @property
    def cycle(self) -> float:
        """Time until the next joint begins, s."""
        return 2.0 * self.forth + self.back + 3.0 * self.rest

    def knots(self) -> NDArray[np.float64]:
        """Return times (s), positions (rad) and rates (rad/s), shape (12, 3)."""
        second = self.forth + self.rest
        third = second + self.back + self.rest
        turns = ((0.0, self.forth, 1.0), (second, self.back, -1.0), (third, self.forth, 1.0))
        times, rates = [], []
        for begin, duration, sign in turns:
            end = begin + duration
            times += [begin, begin + _RAMP, end, end + _RAMP]
            rates += [0.0, sign * self.rate, sign * self.rate, 0.0]
        positions = cumulative_trapezoid(rates, times, initial=0.0)
        return np.column_stack([times, positions, rates])


def manoeuvre(paper: Paper) -> Manoeuvre:
    """Return the manoeuvre of the text."""
    return Manoeuvre(*(paper.number(key) for key in ('rate', 'forth', 'back', 'rest')))


@dataclass(frozen=True, eq=False)
class WildeMotion:
    """What a simulation gives, in the axes of the inertial frame.

    Parameters
    ----------
    samples : MotionSamples
        Motion of joints and base.
    cycle : float
        Time from the begin of one joint to that of the next, s.
    base_momentum, arm_momentum : ndarray, shape (N, 6)
        Linear momentum (kg m/s) and angular momentum about the base's centre of mass (kg m^2/s)
        of the base and of all links of the arm, in inertial axes.
    base_rate : ndarray, shape (N, 3)
        Angular velocity of the base in inertial axes, rad/s.
    centre : ndarray, shape (N, 3)
        Centre of mass of the whole robot in the inertial frame, m.
    """

    samples: MotionSamples
    cycle: float
    base_momentum: NDArray[np.float64]
    arm_momentum: NDArray[np.float64]
    base_rate: NDArray[np.float64]
    centre: NDArray[np.float64]

    def of_joint(self, joint: int) -> slice:
        """Return the samples of the cycle of one joint, counted from 0."""
        ends = np.searchsorted(self.samples.times, [joint * self.cycle, (joint + 1) * self.cycle])
        return slice(*ends.tolist())


def one_joint_after_the_other(names: tuple[str, ...], each: Manoeuvre) -> JointTrajectory:
    """Return the manoeuvre of [Wilde 2018]: joint by joint to 1 rad, to -1 rad and back.

    Rates change within a second from when they do in the text.

    Parameters
    ----------
    names : tuple of str
        Names of the n joints, all of them at zero.
    each : Manoeuvre
        What each of them does.

    Returns
    -------
    JointTrajectory
        Knots in position, rate and acceleration.
    """
    knots = each.knots()
    count = len(names)
    positions, rates = (np.kron(np.eye(count), knots[:, [column]]) for column in (1, 2))
    times = (each.cycle * np.arange(count)[:, None] + knots[:, 0]).ravel()
    return JointTrajectory(names, times, positions, rates, np.zeros_like(rates))


def simulate_wilde(model: RobotModel, each: Manoeuvre, period: float = 0.1) -> WildeMotion:
    """Return the motion of a robot whose joints turn one after the other, from rest.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and no wheels, the base's frame at its centre of mass.
    each : Manoeuvre
        What each joint does.
    period : float
        Time between the samples, s.

    Returns
    -------
    WildeMotion
        Motion over n cycles.
    """
    joints = len(model.joints)
    simulation = KinematicSimulation.at_rest(model, np.zeros(joints))
    trajectory = one_joint_after_the_other(model.joint_names, each)
    simulation = simulation.with_joint_trajectory(trajectory)
    times = period * np.arange(1, round(joints * each.cycle / period) + 1)
    samples = simulation.advanced_to(times)[1]
    turned, of_base = Rotation.from_quat(samples.attitude), np.arange(len(model.parameters)) < 10
    momenta = []
    for part in (of_base, ~of_base):
        body = model.with_parameters(np.where(part, model.parameters, 0.0))
        moving = momentum(body, samples.q, samples.qd, samples.base_twist)
        momenta.append(np.hstack([turned.apply(moving[:, :3]), turned.apply(moving[:, 3:])]))
    centre = samples.position + turned.apply(centre_of_mass(model, samples.q))
    base_rate = turned.apply(samples.base_twist[:, 3:])
    return WildeMotion(samples, each.cycle, *momenta, base_rate, centre)
