"""The manoeuvre of papers/001: one joint after the other at 0.1 rad/s, the base afloat."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics import centre_of_mass, momentum
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation import FreeFloatingSimulation, JointTrajectory, MotionSamples
from spacerobot_id.spatial import rotation_from_quaternion

CYCLE = 46.0
"""Time that one joint takes until the next begins, s."""

_KNOTS = np.array(
    [  # time (s), position (rad), rate (rad/s)
        [0.0, 0.0, 0.0],
        [1.0, 0.05, 0.1],
        [10.0, 0.95, 0.1],
        [11.0, 1.0, 0.0],
        [12.0, 1.0, 0.0],
        [13.0, 0.95, -0.1],
        [32.0, -0.95, -0.1],
        [33.0, -1.0, 0.0],
        [34.0, -1.0, 0.0],
        [35.0, -0.95, 0.1],
        [44.0, -0.05, 0.1],
        [45.0, 0.0, 0.0],
    ]
)
"""The manoeuvre of one joint: 10 s forth, 2 s of rest, 20 s back, 2 s of rest, 10 s forth."""


@dataclass(frozen=True, eq=False)
class WildeMotion:
    """What a simulation gives, in the axes of the inertial frame.

    Parameters
    ----------
    samples : MotionSamples
        Motion of joints and base.
    base_momentum, arm_momentum : ndarray, shape (N, 6)
        Linear momentum (kg m/s) and angular momentum about the base's centre of mass (kg m^2/s)
        of the base and of all links of the arm, in inertial axes.
    base_rate : ndarray, shape (N, 3)
        Angular velocity of the base in inertial axes, rad/s.
    centre : ndarray, shape (N, 3)
        Centre of mass of the whole robot in the inertial frame, m.
    """

    samples: MotionSamples
    base_momentum: NDArray[np.float64]
    arm_momentum: NDArray[np.float64]
    base_rate: NDArray[np.float64]
    centre: NDArray[np.float64]

    def of_joint(self, joint: int) -> slice:
        """Return the samples of the cycle of one joint, counted from 0."""
        ends = np.searchsorted(self.samples.times, [joint * CYCLE, (joint + 1) * CYCLE])
        return slice(*ends.tolist())


def one_joint_after_the_other(names: tuple[str, ...]) -> JointTrajectory:
    """Return the manoeuvre of papers/001: joint by joint to 1 rad, to -1 rad and back.

    Rates change within a second from when the text says that they do, where the paper's
    controller needs a time that its gains give.

    Parameters
    ----------
    names : tuple of str
        Names of the n joints, all of them at zero.

    Returns
    -------
    JointTrajectory
        Knots in position, rate and acceleration.
    """
    count, points = len(names), len(_KNOTS)
    positions, rates = np.zeros((2, count * points, count))
    for joint in range(count):
        rows = slice(joint * points, (joint + 1) * points)
        positions[rows, joint], rates[rows, joint] = _KNOTS[:, 1], _KNOTS[:, 2]
    times = (CYCLE * np.arange(count)[:, None] + _KNOTS[:, 0]).ravel()
    return JointTrajectory(names, times, positions, rates, np.zeros_like(rates))


def simulate_wilde(model: RobotModel, period: float = 0.1) -> WildeMotion:
    """Return the motion of a robot whose joints turn one after the other, from rest.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and no wheels, the base's frame at its centre of mass.
    period : float
        Time between the samples, s.

    Returns
    -------
    WildeMotion
        Motion over n cycles.
    """
    joints = len(model.joints)
    simulation = FreeFloatingSimulation.at_rest(model, np.zeros(joints))
    simulation = simulation.with_joint_trajectory(one_joint_after_the_other(model.joint_names))
    times = period * np.arange(1, round(joints * CYCLE / period) + 1)
    samples = simulation.advanced_to(times)[1]
    turns = rotation_from_quaternion(samples.attitude)
    parameters = model.parameters.copy()
    of_base, of_arm = (
        _in_inertial_axes(turns, _momentum_of(model.with_parameters(part), samples))
        for part in (
            np.where(np.arange(len(parameters)) < 10, parameters, 0.0),
            np.where(np.arange(len(parameters)) < 10, 0.0, parameters),
        )
    )
    centre = samples.position + np.einsum('nij,nj->ni', turns, centre_of_mass(model, samples.q))
    base_rate = np.einsum('nij,nj->ni', turns, samples.base_twist[:, 3:])
    return WildeMotion(samples, of_base, of_arm, base_rate, centre)


def _momentum_of(model: RobotModel, samples: MotionSamples) -> NDArray[np.float64]:
    """Return momentum in base axes about the base's origin, shape (N, 6)."""
    return momentum(model, samples.q, samples.qd, samples.base_twist)


def _in_inertial_axes(
    turns: NDArray[np.float64], momenta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return linear and angular momenta in other axes, shape (N, 6)."""
    parts = momenta.reshape(-1, 2, 3)
    return np.einsum('nij,nkj->nki', turns, parts).reshape(-1, 6)
