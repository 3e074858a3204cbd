"""Thrusters that fire: what they are commanded, and the pulses that come of it.

Commands hold from one to the next, so that what thrusters give is constant from event to event: a
valve opens, late by delay and dead time, or closes, late by the delay; others matter because of
the loss. Means over steps follow from these without sampling.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics.trajectory_motion import TrajectoryMotion
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.model import RobotModel, Valves
from spacerobot_id.simulation.controller import Controller, ManoeuvringMode
from spacerobot_id.simulation.dynamic.robot_state import finite, RobotState

_SCATTER_STREAM = 50
"""Number that keeps the draws of pulses apart from those of sensors of the same seed."""

_ROUNDING = 1e-9
"""Time by which a valve may be beyond its dead time through rounding, s."""

_LEAST_TIME = 1e-9
"""Least time between two commands, s."""


@dataclass(frozen=True, eq=False)
class Firing:
    """T thrusters and the K commands that they have had; immutable.

    Parameters
    ----------
    names : tuple of str
        Thrusters.
    columns : ndarray, shape (6, T)
        What each truly gives while it is open alone: N and N m about the base's origin.
    valves : Valves
        What valves do.
    seed : int
        Seed of the scatter of pulses.
    times : ndarray, shape (K,)
        Times from which commands hold, s; strictly increasing.
    shares : ndarray, shape (K, T)
        Commands: 0 closed, 1 open, between that share of the strength, as the mean of fast pulses.
    begun : ndarray, shape (K, T)
        When the present or last pulse was commanded to begin, s.
    pulses : ndarray of int, shape (K, T)
        Pulses so far, the present one among them.
    factors : ndarray, shape (K, T)
        Strength of the present or last pulse over that of the thruster.
    """

    names: tuple[str, ...]
    columns: NDArray[np.float64]
    valves: Valves
    seed: int
    times: NDArray[np.float64]
    shares: NDArray[np.float64]
    begun: NDArray[np.float64]
    pulses: NDArray[np.int64]
    factors: NDArray[np.float64]

    @classmethod
    def closed(cls, model: RobotModel, time: float, seed: int = 0) -> 'Firing':
        """Return a robot's thrusters, all closed since long before some time, s."""
        valves, count = model.actuators.valves, len(model.thrusters)
        wrenches = [valves.wrench(thruster) for thruster in model.thrusters]
        rest = np.zeros((1, count))
        return cls(
            tuple(thruster.name for thruster in model.thrusters),
            np.array(wrenches).reshape(count, 6).T,
            valves,
            seed,
            np.array([time - valves.delay - 1.0]),
            rest,
            np.full((1, count), -np.inf),
            np.zeros((1, count), dtype=np.int64),
            rest + 1.0,
        )

    def commanded(self, since: float, shares: ArrayLike, until: float | None = None) -> 'Firing':
        """Return the same thrusters with other commands from a time on.

        Whatever was commanded from that time on is forgotten.

        Parameters
        ----------
        since : float
            Time from which they hold, s.
        shares : array_like, shape (T,)
            Commands, 0 to 1.
        until : float, optional
            Time at which all valves close if nothing else is commanded by then, s.

        Raises
        ------
        SimulationError
            If they are not as many as the thrusters, or one is not between 0 and 1; names it.
        """
        shares = finite('thruster commands', shares, len(self.names))
        for name, share in zip(self.names, shares, strict=True):
            if not 0.0 <= share <= 1.0:
                raise SimulationError(
                    f'thruster commands: {name} is to open to {share:g}, not 0..1'
                )
        keep = max(int(np.searchsorted(self.times, since - _LEAST_TIME)), 1)
        last = self[slice(0, keep)]
        opened = (shares > 0.0) & (last.shares[-1] == 0.0)
        pulses = last.pulses[-1] + opened
        factors = last.factors[-1].copy()
        for thruster in np.flatnonzero(opened):
            factors[thruster] = self._factor(int(thruster), int(pulses[thruster]))
        found = replace(
            last,
            times=np.append(last.times, max(since, last.times[-1] + _LEAST_TIME)),
            shares=np.vstack([last.shares, shares]),
            begun=np.vstack([last.begun, np.where(opened, since, last.begun[-1])]),
            pulses=np.vstack([last.pulses, pulses]),
            factors=np.vstack([last.factors, factors]),
        )
        if until is None or not shares.any():
            return found
        return found.commanded(until, np.zeros(len(shares)))

    def __getitem__(self, rows: slice) -> 'Firing':
        """Return the same thrusters with some of the commands."""
        held = ('times', 'shares', 'begun', 'pulses', 'factors')
        return replace(self, **{name: getattr(self, name)[rows] for name in held})

    def since(self, time: float) -> 'Firing':
        """Return the same thrusters without the commands that do not act any more at a time, s."""
        acting = int(np.searchsorted(self.times, time - self.valves.delay, side='right')) - 1
        return self[slice(max(acting, 0), None)]

    @property
    def is_idle(self) -> bool:
        """Whether no valve opens any more, nor is open."""
        return not self.shares.any()

    def wrench(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean wrench on the base between neighbouring times, shape (M, 6).

        Parameters
        ----------
        edges : ndarray, shape (M + 1,)
            Times, s, strictly increasing.

        Returns
        -------
        ndarray
            Force (N), then moment about the base's origin (N m), in base axes.
        """
        if self.is_idle:
            return np.zeros((len(edges) - 1, 6))
        given = self._given()
        return given.means(edges)

    def _given(self) -> HeldSignal:
        """Return the wrench from event to event."""
        valves = self.valves
        changes = self.times + valves.delay
        opens = self.begun + valves.delay + valves.dead_time
        events = np.union1d(changes, opens[np.isfinite(opens)])
        row = np.searchsorted(changes, events, side='right') - 1
        events, row = events[row >= 0], row[row >= 0]
        waits = events[:, None] < opens[row] - _ROUNDING
        shares = np.where(waits, 0.0, self.shares[row])
        others = np.maximum(shares.sum(axis=1, keepdims=True) - 1.0, 0.0)
        kept = np.maximum(1.0 - valves.strength_loss * others, 0.0)
        return HeldSignal(events, (shares * self.factors[row] * kept) @ self.columns.T)

    def _factor(self, thruster: int, pulse: int) -> float:
        """Return the strength of a pulse over that of its thruster; the same for the same seed."""
        if not self.valves.scatter:
            return 1.0
        drawn = np.random.default_rng([self.seed, _SCATTER_STREAM, thruster, pulse])
        return max(1.0 + self.valves.scatter * drawn.standard_normal(), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Commands:
    """Commands to n joints, w wheels and the base, constant through a call of the kernel.

    Parameters
    ----------
    joints, wheels : TrajectoryMotion
        Motions asked of joints and wheels.
    controller : Controller
        What turns them into torques.
    mode : ManoeuvringMode
        What drives the base.
    held : RobotState
        State whose pose the base is held at, if the controller holds it.
    wrench : ndarray, shape (6,)
        Force (N) and torque (N m) asked of the base's drives, base axes.
    firing : Firing
        Thrusters of the robot, and what they have been commanded.
    joint_torque : ndarray, shape (n,), optional
        Torques of the joints in place of the control's, N m.
    planar : bool
        Whether a table holds the base in its plane: it moves along x and y and turns about z.
    """

    joints: TrajectoryMotion
    wheels: TrajectoryMotion
    controller: Controller
    mode: ManoeuvringMode
    held: RobotState
    wrench: NDArray[np.float64]
    firing: Firing
    joint_torque: NDArray[np.float64] | None = None
    planar: bool = False

    def references(
        self, starts: NDArray[np.float64], steps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return what is asked of joints and wheels in each of K steps, shape (K, 3, n + w).

        Positions and rates are those at the start of the step, where the control compares them;
        the accelerations those of its middle, because torques are held through it.

        Parameters
        ----------
        starts, steps : ndarray, shape (K,)
            Starts and durations of the steps, s.
        """
        parts = []
        for motion in (self.joints, self.wheels):
            if starts[0] >= motion.end:
                still = np.zeros((len(starts), len(motion.last)))
                parts.append((still + motion.last, still, still))
                continue
            now, middle = motion.at(starts), motion.at(starts + 0.5 * steps)
            parts.append((now.position, now.velocity, middle.acceleration))
        return np.stack([np.hstack(pair) for pair in zip(*parts, strict=True)], axis=1)
