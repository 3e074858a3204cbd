"""Pulses of thrusters beside a motion of joints, segment by segment from where the base is.

For every segment pulses are drawn at random, many times. Of the candidates that keep the base in
its box, coasting on afterwards included, the one is taken that shows most, or the first; where
none does, the one that comes closest to it, which pushes the base back. The description predicts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.planner_settings import (
    check_thrust,
    GRID,
    SEGMENT,
    ThrustParameters,
)
from spacerobot_id.excitation.thrust.base_drift import base_drift, BaseDrift, BaseState
from spacerobot_id.excitation.thrust.pulse_objective import PulseObjective
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.model import RobotModel

_REPEAT = 0.5
"""Longest time between two commands, s: what carries them out closes valves in silence."""

_CANDIDATES = 48
"""Firings drawn for a segment."""

_COMPARED = 24
"""Firings that are compared by what they show: the first ones that keep the base in its box."""

_COAST = 6.0
"""Time after a segment in which the base must not leave its box without thrusters, s."""

_OLDEST = 3.0
"""Longest time before a segment at which the base was seen last, s."""

_PULSES = 2.0
"""Most pulses per second that are tried for, times the valves that may be open at once."""


@dataclass(frozen=True, eq=False)
class ThrusterFiring:
    """Draws the firing of T thrusters along a motion of joints and wheels.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    motion : ExcitingMotion
        Motion of its joints, then wheels.
    parameters : ThrustParameters
        Pulses and box.
    centre : ndarray, shape (3,)
        Middle of the box in the inertial frame, m.
    planar : bool
        Whether a table holds the base in its plane.
    objective : PulseObjective, optional
        What chooses among firings that keep the base in its box; the first that does by default.

    Raises
    ------
    ConfigurationError
        If the shortest pulse is longer than the longest or than a segment, or the box has no room.
    """

    model: RobotModel
    motion: ExcitingMotion
    parameters: ThrustParameters
    centre: NDArray[np.float64]
    planar: bool = False
    objective: PulseObjective | None = None

    def __post_init__(self) -> None:
        check_thrust(self.parameters)

    @property
    def closed(self) -> HeldSignal:
        """All valves closed from the start on."""
        return HeldSignal(np.zeros(1), np.zeros((1, len(self.model.thrusters))))

    def segment(
        self, state: BaseState, held: HeldSignal, begin: float, rng: np.random.Generator
    ) -> HeldSignal:
        """Return the commands of the segment that begins at a time of the motion.

        Parameters
        ----------
        state : BaseState
            Where the base was last seen; times are those of the motion, s.
        held : HeldSignal
            Commands until the segment begins.
        begin : float
            Start of the segment, s; it ends before the motion does.
        rng : numpy.random.Generator
            Source of the pulses.

        Returns
        -------
        HeldSignal
            Commands from ``begin`` on, all closed at its end.
        """
        duration = min(SEGMENT, self.motion.duration - begin)
        ticks = int(duration / GRID + 1e-9)
        if ticks < 2:
            return HeldSignal(np.array([begin]), np.zeros((1, len(self.model.thrusters))))
        drawn = np.stack([self._pulses(ticks, rng) for _ in range(_CANDIDATES)])
        edges = self.motion.sample(begin + GRID * np.arange(ticks + 2))
        followed = np.pad(drawn, ((0, 0), (0, 1), (0, 0)))  # by a grid time, all closed
        ahead = self._ahead(state, held, begin)
        drift = base_drift(self.model, edges, ahead, followed, planar=self.planar)
        return _as_commands(begin, drawn[self._chosen(edges, drift, followed)])

    def _chosen(self, edges: PlannedMotion, drift: BaseDrift, shares: NDArray[np.float64]) -> int:
        """Return the place of the candidate that is to be fired."""
        excess = self._excess(drift)
        good = np.flatnonzero(excess <= 1.0)[:_COMPARED]
        if not len(good):
            good = np.array([np.argmin(excess)])
        if self.objective is None:
            return int(good[0])
        return int(good[self.objective.choose(edges, drift[good], shares[good])])

    def _ahead(self, state: BaseState, held: HeldSignal, begin: float) -> BaseState:
        """Return where the base will be at a time, under the commands until then.

        The clock of poses may be another: what was seen is taken to be no older than some seconds.
        """
        since = max(state.time, begin - _OLDEST)
        steps = int(np.ceil(max(begin - since, 0.0) / GRID - 1e-9))
        if not steps:
            return state
        edges = np.linspace(since, begin, steps + 1)
        shares = held.at(edges[:-1])[None]
        return base_drift(
            self.model, self.motion.sample(edges), state, shares, planar=self.planar
        ).end(begin)

    def _excess(self, drift: BaseDrift) -> NDArray[np.float64]:
        """Return how far candidates go: shares of the closest limit, shape (C,)."""
        box = np.array(self.parameters.thrust_box)
        velocity = drift.attitude.apply(drift.coasting[:, :3])
        coasting = drift.position[:, -1] + _COAST * velocity
        places = np.concatenate([drift.position, coasting[:, None]], axis=1)
        away = np.abs(places - self.centre) / box
        if self.planar:
            away = away[..., :2]
        omega = np.linalg.norm(drift.coasting[:, 3:], axis=-1)
        return np.maximum(away.max(axis=(1, 2)), omega / self.parameters.thrust_rate_limit)

    def _pulses(self, ticks: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return pulses drawn at random, shape (ticks, T); the last tick is always closed."""
        given, count = self.parameters, len(self.model.thrusters)
        shortest = int(np.ceil(given.shortest_pulse / GRID - 1e-9))
        longest = min(max(int(given.longest_pulse / GRID + 1e-9), shortest), ticks - 1)
        is_open = np.zeros((ticks, count))
        if longest < shortest:
            return is_open
        tries = int(np.ceil(_PULSES * GRID * ticks * given.most_valves))
        for _ in range(rng.integers(1, tries + 1)):
            length = int(rng.integers(shortest, longest + 1))
            begin, thruster = int(rng.integers(0, ticks - length)), int(rng.integers(count))
            around = slice(max(begin - shortest, 0), begin + length + shortest)
            during = slice(begin, begin + length)
            has_room = is_open[during].sum(axis=1).max() < given.most_valves
            if has_room and not is_open[around, thruster].any():
                is_open[during, thruster] = 1.0
        return is_open


def base_state(
    times: NDArray[np.float64], positions: NDArray[np.float64], attitudes: NDArray[np.float64]
) -> BaseState:
    """Return the state of the base at the last of some poses, from their straight lines.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s; two or more.
    positions : ndarray, shape (N, 3)
        Positions in the inertial frame, m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w.
    """
    attitude = Rotation.from_quat(attitudes)
    turns = (attitude[-1].inv() * attitude).as_rotvec()
    since = times - times[-1]
    slopes = np.polyfit(since, np.hstack([positions, turns]), 1)[0]
    linear = attitude[-1].apply(slopes[:3], inverse=True)
    return BaseState(
        float(times[-1]), positions[-1], attitude[-1], np.concatenate([linear, slopes[3:]])
    )


def _as_commands(begin: float, pattern: NDArray[np.float64]) -> HeldSignal:
    """Return a row for each change, and repeats of it where nothing changes for long."""
    times = begin + GRID * np.arange(len(pattern))
    sent = np.append(True, np.any(np.diff(pattern, axis=0) != 0.0, axis=1))
    sent[:: round(_REPEAT / GRID)] = True
    return HeldSignal(times[sent], pattern[sent])
