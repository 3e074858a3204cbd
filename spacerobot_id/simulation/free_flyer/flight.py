"""Flights of a free-flyer that tracks a pose, many at once: one rigid body each, no joints.

What ``DynamicSimulation`` does for a whole robot is done here for the base alone, so that the
loads and motions of a study fly in one batch.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.model import Propellers
from spacerobot_id.multibody import rigid_body_motion
from spacerobot_id.simulation.free_flyer.tracking_control import tracking_wrench, TrackingGains

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
