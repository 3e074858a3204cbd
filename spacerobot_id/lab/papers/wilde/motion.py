"""The manoeuvre of [Wilde 2018]: one joint after the other at 0.1 rad/s, the base floating.

Joints are driven by computed torque with the gains of the paper (Eqs. 112, 115) and the motion is
integrated from the torques. The paper's generalized equations, in other code, are a second route.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid, solve_ivp
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.link_motion import point_jacobian
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.lab.papers.comparison import largest_share
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import centre_of_mass, momentum
from spacerobot_id.multibody.free_floating.generalized_inertia import (
    base_motion_matrix,
    generalized_coriolis_matrix,
    generalized_inertia,
    generalized_jacobian,
)
from spacerobot_id.simulation import (
    Controller,
    DynamicSimulation,
    Gains,
    ManoeuvringMode,
    MotionSamples,
)

_RAMP = 1.0
"""Time within which the rate wanted changes, s."""

_SETTLING = 60.0
"""Time after the last turn in which the joints come to rest by the paper's gains, s."""


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


def gains(paper: Paper) -> Gains:
    """Return the gains of the text, K_P and K_D."""
    damping, stiffness = paper.array('gains')
    return Gains(stiffness, damping)


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


def simulate_wilde(
    model: RobotModel, each: Manoeuvre, control: Gains, period: float = 0.1
) -> WildeMotion:
    """Return the motion of a robot whose joints turn one after the other, from rest.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and no wheels, the base's frame at its centre of mass.
    each : Manoeuvre
        What each joint does.
    control : Gains
        Gains of the joints.
    period : float
        Time between the samples, s.

    Returns
    -------
    WildeMotion
        Motion over n cycles, and until the joints are at rest.
    """
    joints = len(model.joints)
    controller = Controller(model, control, feeds_forward=False)
    simulation = DynamicSimulation.at_rest(
        model, np.zeros(joints), mode=ManoeuvringMode.FLOATING, controller=controller
    )
    trajectory = one_joint_after_the_other(model.joint_names, each)
    simulation = simulation.with_joint_trajectory(trajectory)
    times = period * np.arange(1, round((joints * each.cycle + _SETTLING) / period) + 1)
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


def controlled_joint(
    each: Manoeuvre, control: Gains, times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the angle of a joint that is controlled alone (Eq. 112), rad, shape (N,).

    Computed torque makes every joint an oscillator of its own: ``qdd = u``.

    Parameters
    ----------
    each : Manoeuvre
        What the joint does, from time zero on.
    control : Gains
        Gains.
    times : ndarray, shape (N,)
        Times, s.
    """
    trajectory, present = one_joint_after_the_other(('joint',), each), JointMotion.at_rest([0.0])
    wanted = TrajectoryMotion.from_trajectory(trajectory, trajectory.names, present, 0.0)

    def slope(time: float, state: NDArray[np.float64]) -> list[float]:
        at = wanted.at([time])
        errors = at.velocity[0, 0] - state[1], at.position[0, 0] - state[0]
        return [state[1], control.damping * errors[0] + control.stiffness * errors[1]]

    span = 0.0, float(times[-1])
    found = solve_ivp(slope, span, [0.0, 0.0], t_eval=times, rtol=1e-9, atol=1e-12, max_step=0.5)
    return found.y[0]


@dataclass(frozen=True)
class Disagreement:
    """How far a motion is off the paper's generalized equations, largest over largest.

    Parameters
    ----------
    torque : float
        Of ``H* qdd + C* qd`` from the torques of the joints (Eq. 50).
    base : float
        Of the base's twist from ``-H_0^-1 H_0m qd`` (Eq. 109).
    end_effector : float
        Of its twist from ``J* qd`` (Eq. 107).
    energy : float
        Of the kinetic energy ``qd^T H* qd / 2`` from the work of the joints.
    """

    torque: float
    base: float
    end_effector: float
    energy: float

    @classmethod
    def of(cls, model: RobotModel, samples: MotionSamples) -> 'Disagreement':
        """Return that of the motion of a robot."""
        q, qd, frame = samples.q, samples.qd, model.frames['end_effector']
        inertia = generalized_inertia(model, q)
        coriolis = generalized_coriolis_matrix(model, q, qd)
        torque = _times(inertia, samples.qdd) + _times(coriolis, qd)
        moved = _times(base_motion_matrix(model, q), qd)[:, :6]
        seen = _times(generalized_jacobian(model, q, frame.link, frame.p_LF_L), qd)
        motion = np.hstack([samples.base_twist, qd])
        end = _times(point_jacobian(model, q, frame.link, frame.p_LF_L), motion)
        energy = 0.5 * np.einsum('ni,ni->n', qd, _times(inertia, qd))
        return cls(
            largest_share(torque, samples.joint_torque),
            largest_share(moved, samples.base_twist),
            largest_share(seen, end),
            largest_share(energy, samples.work.sum(axis=1)),
        )


def _times(matrices: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.einsum('nij,nj->ni', matrices, vectors)
