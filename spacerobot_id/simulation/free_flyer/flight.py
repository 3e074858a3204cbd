"""Flights of a free-flyer that tracks a pose, many at once: one rigid body each, no joints.

What ``DynamicSimulation`` does for a whole robot is done here for the base alone, so that the
loads and motions of a study fly in one batch.

The attitude error is Lee's, which [Ekal 2019] section 4.2 uses: it knows no singularity and goes
the short way round (Lee, Exponential stability of an attitude tracking control system on SO(3)
for large-angle rotational maneuvers, 2012). What the actuators cannot give is cut by them.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import Propellers
from spacerobot_id.multibody import body_inertia, rigid_body_motion
from spacerobot_id.spatial import rotation_from_quaternion, skew


@dataclass(frozen=True)
class TrackingGains:
    """Gains of position and attitude, each a spring and a damper per unit of inertia.

    Parameters
    ----------
    position, velocity : float
        Gains of the position (1/s^2) and of the velocity (1/s).
    attitude, angular_velocity : float
        Gains of Lee's attitude error (1/s^2) and of the angular velocity (1/s).
    """

    position: float = 1.0
    velocity: float = 2.0
    attitude: float = 4.0
    angular_velocity: float = 4.0


def lee_attitude_error(rotation: ArrayLike, wanted: ArrayLike) -> NDArray[np.float64]:
    """Return Lee's attitude error, from where the base is to where it should be.

    ``e = (R_d^T R - R^T R_d)^v / (2 sqrt(1 + tr(R_d^T R)))``, whose length is the sine of half
    the angle between the two: it grows all the way to half a turn. In terms of the quaternion of
    ``R_d^T R`` it is the vector part, with the sign that makes the scalar part positive.

    Parameters
    ----------
    rotation, wanted : array_like, shape (..., 3, 3)
        ``R_WB`` as it is and as it should be.

    Returns
    -------
    ndarray, shape (..., 3)
        Error in base axes, no unit.
    """
    between = np.swapaxes(np.asarray(wanted, dtype=float), -1, -2) @ np.asarray(rotation)
    apart = between - np.swapaxes(between, -1, -2)
    vector = np.stack([apart[..., 2, 1], apart[..., 0, 2], apart[..., 1, 0]], axis=-1)
    trace = np.trace(between, axis1=-2, axis2=-1)
    scale = 2.0 * np.sqrt(np.maximum(1.0 + trace, 1e-12))
    return vector / scale[..., None]


def tracking_wrench(
    parameters: ArrayLike, state: ArrayLike, wanted: PoseMotion, gains: TrackingGains
) -> NDArray[np.float64]:
    """Return the wrench that brings bodies to where they should be.

    Parameters
    ----------
    parameters : array_like, shape (10,)
        The body as the control believes it to be.
    state : array_like, shape (B, 13)
        States, as in ``dynamics.rigid_body``.
    wanted : PoseMotion
        Where they should be, B rows or one for all.
    gains : TrackingGains
        Gains.

    Returns
    -------
    ndarray, shape (B, 6)
        Force (N) and moment about the base's origin (N m), in base axes.
    """
    state = np.asarray(state, dtype=float)
    rotation = rotation_from_quaternion(state[:, 3:7])
    linear, omega = state[:, 7:10], state[:, 10:]
    velocity = np.einsum('nij,nj->ni', rotation, linear)
    # What is wanted, as it looks from the base's axes.
    between = np.swapaxes(rotation, 1, 2) @ wanted.rotation
    omega_wanted = np.einsum('nij,nj->ni', between, wanted.angular_velocity)
    change_wanted = np.einsum('nij,nj->ni', between, wanted.angular_acceleration)
    acceleration = (
        wanted.acceleration
        + gains.position * (wanted.position - state[:, :3])
        + gains.velocity * (wanted.velocity - velocity)
    )
    change = (
        change_wanted
        - np.cross(omega, omega_wanted)
        - 2.0 * gains.attitude * lee_attitude_error(rotation, wanted.rotation)
        - gains.angular_velocity * (omega - omega_wanted)
    )
    in_base = np.einsum('nji,nj->ni', rotation, acceleration) - np.cross(omega, linear)
    inertia = body_inertia(parameters)
    momentum = state[:, 7:] @ inertia.T
    return np.hstack([in_base, change]) @ inertia.T + _gyroscopic(state[:, 7:], momentum)


def _gyroscopic(twist: NDArray[np.float64], momentum: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rate of a constant body momentum that its axes' motion makes, (B, 6)."""
    linear, omega = skew(twist[:, :3]), skew(twist[:, 3:])
    force = np.einsum('nij,nj->ni', omega, momentum[:, :3])
    moment = np.einsum('nij,nj->ni', omega, momentum[:, 3:])
    return np.hstack([force, moment + np.einsum('nij,nj->ni', linear, momentum[:, :3])])


_AT_LIMIT = 0.999
"""Share of its limit from which a thrust counts as saturated."""


class TrackingControl(Protocol):
    """What decides on the wrench, once per step."""

    def wrench(self, step: int, states: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the wrench asked for in a step, shape (B, 6), from the states, shape (B, 13)."""


@dataclass(frozen=True, eq=False)
class SaturatedTracking:
    """The plain control: computed wrench and errors on SE(3), limits left to the actuators.

    Parameters
    ----------
    parameters : ndarray, shape (10,)
        The body as the control believes it to be: that without a load.
    reference : PoseMotion
        Where B bodies should be in each of K steps; arrays begin with the shape (B, K).
    gains : TrackingGains
        Gains.
    """

    parameters: NDArray[np.float64]
    reference: PoseMotion
    gains: TrackingGains = TrackingGains()

    def wrench(self, step: int, states: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the wrench asked for in a step, shape (B, 6)."""
        wanted = reference_at(self.reference, step)
        return tracking_wrench(self.parameters, states, wanted, self.gains)


@dataclass(frozen=True, eq=False)
class FreeFlyerFlight:
    """What B bodies did in K steps of one length.

    Parameters
    ----------
    step : float
        Step of control and samples, s.
    states : ndarray, shape (B, K + 1, 13)
        States at the start and at the end of every step.
    wrenches : ndarray, shape (B, K, 6)
        Wrenches that acted, limits kept.
    saturated : ndarray of bool, shape (B, K)
        Whether a propeller was at its limit.
    """

    step: float
    states: NDArray[np.float64]
    wrenches: NDArray[np.float64]
    saturated: NDArray[np.bool_]

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the states, shape (K + 1,), s."""
        return self.step * np.arange(self.states.shape[1])

    @property
    def saturated_share(self) -> NDArray[np.float64]:
        """Share of the time in which a propeller was at its limit, shape (B,)."""
        return self.saturated.mean(axis=1)


def reference_at(reference: PoseMotion, step: int) -> PoseMotion:
    """Return one step of the references of B bodies, B rows."""
    return PoseMotion(
        reference.position[:, step],
        reference.rotation[:, step],
        reference.velocity[:, step],
        reference.acceleration[:, step],
        reference.angular_velocity[:, step],
        reference.angular_acceleration[:, step],
    )


def fly(
    bodies: ArrayLike,
    control: TrackingControl,
    steps: int,
    step: float,
    propellers: Propellers | None = None,
    states: ArrayLike | None = None,
) -> FreeFlyerFlight:
    """Return the flights of bodies under a control.

    Parameters
    ----------
    bodies : array_like, shape (B, 10)
        Parameters of the true bodies.
    control : TrackingControl
        What asks for wrenches.
    steps : int
        Number of steps ``K``.
    step : float
        Length of each, s.
    propellers : Propellers, optional
        What gives the wrenches; ideal without limits if None.
    states : array_like, shape (B, 13), optional
        States at the start; at rest at the inertial frame's origin if None.

    Raises
    ------
    SimulationError
        If a motion does not stay finite.
    """
    bodies = np.asarray(bodies, dtype=float)
    rest = np.zeros((len(bodies), 13))
    rest[:, 6] = 1.0
    state = rest if states is None else np.array(states, dtype=float)
    path, wrenches = [state], []
    saturated = np.zeros((len(bodies), steps), dtype=bool)
    for index in range(steps):
        wrench = control.wrench(index, state)
        if propellers is not None:
            thrusts = propellers.thrusts(wrench)
            at_limit = np.abs(thrusts) >= _AT_LIMIT * propellers.max_thrust
            saturated[:, index] = at_limit.any(axis=1)
            wrench = thrusts @ propellers.matrix.T
        state = rigid_body_motion(bodies, state, wrench[:, None], [step])[:, 0]
        path.append(state)
        wrenches.append(wrench)
        lost = ~np.isfinite(state).all(axis=1)
        if lost.any():
            number, time = int(np.argmax(lost)), (index + 1) * step
            raise SimulationError(f'flight {number}: not finite any more at {time:g} s')
    return FreeFlyerFlight(step, np.stack(path, axis=1), np.stack(wrenches, axis=1), saturated)
