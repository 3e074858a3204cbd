"""States of momentum balance: along a flight, and seen from the base."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.equations.moving_robot import Inputs
from spacerobot_id.methods.blocks import SegmentStates
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class Trajectory(SegmentStates):
    """States at the beginnings of G segments, and what disturbs the robot within them.

    Parameters
    ----------
    states : ndarray, shape (G, 13)
        Position (m), quaternion x y z w, linear (kg m/s) and angular momentum about the inertial
        origin (kg m^2/s) in inertial axes.
    disturbance : ndarray, shape (G, 6)
        Force at, and torque about, the centre of mass in inertial axes, over the mass (m/s^2) and
        the mean inertia about it (rad/s^2).
    slow : ndarray, shape (G, 6)
        Lasting disturbances, likewise: they change from one segment to the next by a random step.
    scatter : ndarray, shape (G, T)
        Logarithm of what actuators give in the present pulse over their strength.
    """

    states: NDArray[np.float64]
    disturbance: NDArray[np.float64]
    slow: NDArray[np.float64]
    scatter: NDArray[np.float64]

    def moved(
        self,
        states: NDArray[np.float64],
        disturbance: NDArray[np.float64],
        slow: NDArray[np.float64],
        scatter: NDArray[np.float64],
    ) -> 'Trajectory':
        """Return it moved by (G, 12), the attitude about base axes, (G, 6), (G, 6) and (G, T)."""
        turned = Rotation.from_quat(self.states[:, 3:7]) * Rotation.from_rotvec(states[:, 3:6])
        there = self.states.copy()
        there[:, :3] += states[:, :3]
        there[:, 3:7] = turned.as_quat()
        there[:, 7:] += states[:, 6:]
        return Trajectory(
            there, self.disturbance + disturbance, self.slow + slow, self.scatter + scatter
        )


@dataclass(frozen=True, eq=False)
class SeenState:
    """States seen from the base: attitude, momentum, twist."""

    R: NDArray[np.float64]
    r: NDArray[np.float64]
    P: NDArray[np.float64]
    momentum: NDArray[np.float64]
    twist: NDArray[np.float64]

    @classmethod
    def of(cls, states: NDArray[np.float64], inputs: Inputs) -> 'SeenState':
        """Return what states are, seen from the base."""
        R = Rotation.from_quat(states[:, 3:7]).as_matrix()
        r, P = states[:, :3], states[:, 7:10]
        about = states[:, 10:] - np.cross(r, P)
        momentum = np.hstack([np.einsum('nji,nj->ni', R, each) for each in (P, about)])
        moving = (momentum - inputs.carried) * inputs.freedom
        twist = np.einsum('nij,nj->ni', inputs.inverse, moving)
        return cls(R, r, P, momentum, twist)

    def of_twist(self, inputs: Inputs) -> NDArray[np.float64]:
        """Return the slope of the twist in the change of a state, shape (N, 6, 12)."""
        RT = np.swapaxes(self.R, -1, -2)
        of_state = np.zeros((len(self.r), 6, 12))
        of_state[:, :3, 3:6] = skew(self.momentum[:, :3])
        of_state[:, :3, 6:9] = of_state[:, 3:, 9:] = RT
        of_state[:, 3:, :3] = RT @ skew(self.P)
        of_state[:, 3:, 3:6] = skew(self.momentum[:, 3:])
        of_state[:, 3:, 6:9] = -RT @ skew(self.r)
        return inputs.inverse @ (of_state * inputs.freedom[..., None])


def difference(from_: NDArray[np.float64], to: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what moves one state to the other, the attitude about the first's axes, (G, 12)."""
    turn = Rotation.from_quat(from_[:, 3:7]).inv() * Rotation.from_quat(to[:, 3:7])
    return np.hstack([to[:, :3] - from_[:, :3], turn.as_rotvec(), to[:, 7:] - from_[:, 7:]])
