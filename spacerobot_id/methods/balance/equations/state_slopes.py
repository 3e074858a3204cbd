"""Slopes of the derivative of a state of momentum balance: of its free components alone."""

from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.actuators.actuator_settings import UNEVENNESS
from spacerobot_id.methods.balance.equations.moving_robot import Inputs
from spacerobot_id.methods.balance.equations.states import SeenState
from spacerobot_id.spatial import skew

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.equations.linear_balance import Balance


class Acting(NamedTuple):
    """What acts within M steps.

    Wrenches about the base's origin in base and in inertial axes, (M, 6); pushes as force and
    torque and over mass and mean inertia, (M, 6); the scatter of each actuator, (M, T).
    """

    of_body: NDArray[np.float64]
    of_world: NDArray[np.float64]
    pushes: NDArray[np.float64]
    pushed: NDArray[np.float64]
    scatter: NDArray[np.float64]


class Slopes(NamedTuple):
    """Slopes of the derivative of a state in state, scatter, push and unknowns, at M times."""

    of_state: NDArray[np.float64]
    of_scatter: NDArray[np.float64]
    of_push: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StateSlopes:
    """The derivative of a state along a flight.

    Parameters
    ----------
    balance : Balance
        Equations of the flight.
    segment : ndarray of int, shape (M,)
        Segment of each step.
    """

    balance: 'Balance'
    segment: NDArray[np.intp]

    @property
    def _free(self) -> list[int]:
        """Components of the twist that are free."""
        return self.balance.method.free

    @property
    def _linear(self) -> list[int]:
        """Axes along which the base can move."""
        return [k for k in self._free if k < 3]

    @property
    def _angular(self) -> list[int]:
        """Axes about which it can turn."""
        return [k - 3 for k in self._free if k >= 3]

    def at(
        self,
        nodes: NDArray[np.float64],
        inputs: Inputs,
        middles: NDArray[np.float64],
        acting: Acting,
    ) -> Slopes:
        """Return the slopes at the middles of steps.

        Parameters
        ----------
        nodes : ndarray, shape (M + 1,)
            Times between which the steps are, s.
        inputs : Inputs
            What the joints make of the robot at the middles.
        middles : ndarray, shape (M, 13)
            States there.
        acting : Acting
            What acts within the steps.
        """
        balance, free = self.balance, len(self._free)
        around = balance.robot.around(inputs)
        at = SeenState.of(middles, inputs)
        of_push = self._of_push(at, inputs)
        of_unknowns = np.zeros((len(middles), 2 * free, len(balance.method.unknowns)))
        of_unknowns[:, :free] = self._of_motion(at, inputs, around)
        torque = -(skew(acting.pushes[:, :3] - balance.actuation.drag * at.P) @ at.R)
        angular = slice(free + len(self._linear), None)
        of_com = balance.robot.com_columns(inputs, around)
        of_unknowns[:, angular] = torque[:, self._angular] @ of_com
        self._disturb(of_unknowns[:, free:], of_push[:, free:], at)
        self._scale(of_unknowns[:, free:], of_push[:, free:], acting.pushed)
        scattering, by_unknown = balance.actuation.wrench_slopes(nodes, acting.scatter)
        wrenches = np.concatenate(
            [scattering, *(each[..., None] for each in by_unknown.values())], axis=2
        )
        of_wrenches, actuators = self._of_wrenches(wrenches, at), scattering.shape[2]
        of_unknowns[:, free:, list(by_unknown)] += of_wrenches[:, :, actuators:]
        of_scatter = np.zeros((len(middles), 2 * free, actuators))
        of_scatter[:, free:] = of_wrenches[:, :, :actuators]
        return Slopes(self._of_state(at, inputs, acting), of_scatter, of_push, of_unknowns)

    def _of_motion(
        self, at: SeenState, inputs: Inputs, around: tuple[Inputs, Inputs] | None
    ) -> NDArray[np.float64]:
        """Return what the unknowns change of linear and angular velocity, shape (M, f, u)."""
        columns = self.balance.robot.momentum_columns(inputs, at.twist, around)
        inverse = inputs.inverse
        own = np.concatenate([at.R @ inverse[:, :3], inverse[:, 3:]], axis=1)
        if len(self._free) < 6:
            own, columns = own[:, self._free][:, :, self._free], columns[:, self._free]
        return -own @ columns

    def _of_push(self, at: SeenState, inputs: Inputs) -> NDArray[np.float64]:
        """Return what force at and torque about the centre of mass change, shape (M, 2 f, f)."""
        free, linear = len(self._free), len(self._linear)
        found = np.zeros((len(at.r), 2 * free, free))
        found[:, free:] = np.eye(free)
        lever = skew(at.r + np.einsum('nij,nj->ni', at.R, inputs.com))
        found[:, free + linear :, :linear] = lever[:, self._angular][:, :, self._linear]
        return found

    def _disturb(
        self, of_unknowns: NDArray[np.float64], of_push: NDArray[np.float64], at: SeenState
    ) -> None:
        """Fill in what disturbances, tables and drag change of the momentum, (M, f, u)."""
        balance, places = self.balance, self.balance.method.unknowns.places
        if 'disturbance' in places:
            of_unknowns[:, :, places['disturbance']] = of_push
        if UNEVENNESS in places:
            table = balance.actuation.table[self.segment][:, self._free]
            of_unknowns[:, :, places[UNEVENNESS]] = of_push @ table
        if 'drag' in places:
            dragged = of_push[:, :, : len(self._linear)] @ at.P[:, self._linear, None]
            of_unknowns[:, :, places['drag'].start] = -dragged[..., 0]

    def _scale(
        self,
        of_unknowns: NDArray[np.float64],
        of_push: NDArray[np.float64],
        pushed: NDArray[np.float64],
    ) -> None:
        """Make slopes in forces and torques those in accelerations, in place."""
        scales, of_scales = self.balance.scales
        half = np.array(self._free) // 3
        by_scale = (of_push * pushed[:, None, self._free]).reshape(-1, len(half))
        added = by_scale @ of_scales[half]
        of_unknowns[:, :, : of_scales.shape[1]] += added.reshape(*of_push.shape[:2], -1)
        of_push *= scales[half]

    def _of_wrenches(self, wrenches: NDArray[np.float64], at: SeenState) -> NDArray[np.float64]:
        """Return what wrenches (M, 6, K) change of the momentum, shape (M, f, K)."""
        force, torque = wrenches[:, :3], wrenches[:, 3:]
        if not self.balance.flight.commands.in_world:
            force, torque = at.R @ force, at.R @ torque
        torque = torque[:, self._angular] + skew(at.r)[:, self._angular] @ force
        return np.concatenate([force[:, self._linear], torque], axis=1)

    def _of_state(self, at: SeenState, inputs: Inputs, acting: Acting) -> NDArray[np.float64]:
        """Return what the state changes, shape (M, 2 f, 2 f)."""
        of_twist, drag, R = at.of_twist(inputs), self.balance.actuation.drag, at.R
        A = np.zeros((len(at.r), 12, 12))
        A[:, :3] = R @ of_twist[:, :3]
        A[:, :3, 3:6] -= R @ skew(at.twist[:, :3])
        A[:, 3:6] = of_twist[:, 3:]
        A[:, 3:6, 3:6] -= skew(at.twist[:, 3:])
        lever = np.einsum('nij,nj->ni', R, inputs.com)
        force = np.einsum('nij,nj->ni', R, acting.of_body[:, :3])
        turned = -R @ skew(acting.of_body[:, :3])
        pushed = acting.pushes[:, :3] - drag * at.P
        A[:, 6:9, 3:6] = turned
        A[:, 6:9, 6:9] = -drag * np.eye(3)
        A[:, 9:, :3] = -skew(force + acting.of_world[:, :3] + pushed)
        A[:, 9:, 3:6] = skew(at.r) @ turned - R @ skew(acting.of_body[:, 3:])
        A[:, 9:, 3:6] += skew(pushed) @ R @ skew(inputs.com)
        A[:, 9:, 6:9] = -drag * skew(at.r + lever)
        keep = self.balance.method.free_state
        return np.ascontiguousarray(A[:, keep][:, :, keep])
