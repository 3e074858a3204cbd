"""What acts on the robot, for values of the unknowns: thrusters or wrenches, table, drag."""

from functools import cached_property
from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.actuators.actuator_settings import (
    DIRECTION,
    STRENGTH,
    table_powers,
    UNEVENNESS,
    WRENCH_SCALE,
)
from spacerobot_id.methods.balance.actuators.commands import ActuatorErrors
from spacerobot_id.methods.balance.balance_robot import POSE_DELAY, WRENCH_DELAY
from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.methods.balance.equations.moving_robot import MovingRobot

_USUAL = 0.4
"""Logarithm of what a pulse gives over its thruster's strength beyond which it is unusual."""

_SOON = 1e-3
"""Difference that slopes in delays and dead times are taken over, s."""


class Actuation(Case):
    """Wrenches and disturbances of a flight, and their slopes in the unknowns."""

    @property
    def drag(self) -> float:
        """Force against the linear momentum, over it, 1/s."""
        return float(self.part('drag', 1)[0])

    def disturbance(self) -> NDArray[np.float64]:
        """Return force at, and torque about, the centre of mass in inertial axes, (G, 6)."""
        found = np.zeros((len(self.flight.edges) - 1, 6))
        found[:, self.method.free] = self.part('disturbance', len(self.method.free))
        if UNEVENNESS in self.method.unknowns.places:
            table = self.table
            found += table @ self.part(UNEVENNESS, table.shape[-1])
        return found

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """Force of an uneven table by its coefficients, shape (G, 6, K).

        The table's potential is ``sum c_ij x^i y^j / (i! j!)`` at the centre of mass, along the
        measured poses: to second order it does not matter where the pads are.
        """
        edges, pose = self.flight.edges, self.flight.readings['pose'].times
        times = 0.5 * (edges[1:] + edges[:-1])
        base = self.flight.nominal_motion(np.clip(times, pose[0], pose[-1]))[0]
        com = MovingRobot(self.method, self.flight, self.values).at(times).com
        place = base[:, :3] + Rotation.from_quat(base[:, 3:]).apply(com)
        powers = table_powers(self.method.actuators.unevenness_order)
        force = np.zeros((len(times), 6, len(powers)))
        for k, power in enumerate(powers):
            for axis in (0, 1):
                if not power[axis]:
                    continue
                lower = [power[0] - (axis == 0), power[1] - (axis == 1)]
                shape = place[:, 0] ** lower[0] * place[:, 1] ** lower[1]
                force[:, axis, k] = -shape / (factorial(lower[0]) * factorial(lower[1]))
        return force

    @property
    def errors(self) -> ActuatorErrors:
        """How actuators differ from what is stated."""
        strength = np.zeros(len(self.flight.commands.names))
        if self._strengths in self.method.unknowns.places:
            strength[self._unknown_strengths] = self.part(self._strengths, len(strength))
        return ActuatorErrors(
            strength,
            float(self.part('strength_loss', 1)[0]),
            float(self.part('dead_time', 1)[0]),
            float(self.part('delay.wrench', 1)[0]),
        )

    def given(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean commands between neighbouring times as they act, shape (N - 1, T)."""
        return self.flight.commands.given(times - self.clock, self.errors)

    def begins(self) -> NDArray[np.bool_]:
        """Return in which segments pulses of which actuators begin, shape (G, T)."""
        return self.flight.commands.begins(self.flight.edges - self.clock, self.errors)

    @property
    def _strengths(self) -> str:
        """Name of the unknowns that are the strengths of these commands."""
        return STRENGTH if self.flight.commands.are_valves else WRENCH_SCALE

    @property
    def _unknown_strengths(self) -> list[int]:
        """Places of the actuators whose strengths are unknown."""
        known = self.method.actuators.known_strengths
        return [k for k, name in enumerate(self.flight.commands.names) if name not in known]

    @property
    def _has_directions(self) -> bool:
        """Whether the directions of these actuators are unknown."""
        return self.flight.commands.are_valves and DIRECTION in self.method.unknowns.places

    @property
    def _columns(self) -> NDArray[np.float64]:
        """Wrench of each actuator of nominal strength in its direction, shape (6, T)."""
        commands = self.flight.commands
        if not self._has_directions:
            return commands.columns
        turns = commands.turns
        angles = self.part(DIRECTION, turns.shape[1] * turns.shape[2])
        return commands.columns + np.einsum('wta,ta->wt', turns, angles.reshape(turns.shape[1:]))

    def mean_wrench(
        self, nodes: NDArray[np.float64], scatter: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the mean wrench of each step, the scatter of each given, shape (M, 6)."""
        factor = (1.0 + self.errors.strength) * scattered(scatter)[0]
        return (self.given(nodes) * factor) @ self._columns.T

    def wrench_slopes(
        self, nodes: NDArray[np.float64], scatter: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
        """Return slopes of the mean wrenches in the scatter, (M, 6, T), and by unknown, (M, 6).

        Parameters
        ----------
        nodes : ndarray, shape (M + 1,)
            Times between which they are, s.
        scatter : ndarray, shape (M, T)
            Scatter of the pulse that each actuator is in.
        """
        places, commands = self.method.unknowns.places, self.flight.commands
        errors, given = self.errors, self.given(nodes)
        share, slope = scattered(scatter)
        factor = (1.0 + errors.strength) * share
        each = given[:, None, :] * self._columns
        found: dict[int, NDArray[np.float64]] = {}
        if self._strengths in places:
            start = places[self._strengths].start
            for place, actuator in enumerate(self._unknown_strengths):
                found[start + place] = each[:, :, actuator] * share[:, actuator, None]
        if self._has_directions:
            turns = given[:, None, :, None] * factor[:, None, :, None] * commands.turns
            turns = turns.reshape(len(given), 6, -1)
            for place in range(turns.shape[-1]):
                found[places[DIRECTION].start + place] = turns[:, :, place]
        if 'strength_loss' in places:
            lost = commands.lost(nodes - self.clock, errors)
            found[places['strength_loss'].start] = (lost * factor) @ self._columns.T
        for name in ('dead_time', WRENCH_DELAY, POSE_DELAY):
            if name in places:
                sides = []
                for sign in (1.0, -1.0):
                    moved = self.values.copy()
                    moved[places[name].start] += sign * _SOON
                    there = Actuation(self.method, self.flight, moved)
                    sides.append(there.mean_wrench(nodes, scatter))
                found[places[name].start] = (sides[0] - sides[1]) / (2.0 * _SOON)
        return each * ((1.0 + errors.strength) * slope)[:, None], found


def scattered(
    scatter: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what pulses give over their thruster's strength by their scatter, and its slope.

    The exponential, so that errors of strengths and of disturbances move the scatter alike and
    neither is biased by it; its tangents where pulses are far from usual, so that what is linear
    about them holds far away.
    """
    near = np.clip(scatter, -_USUAL, _USUAL)
    slope = np.exp(near)
    return slope * (1.0 + scatter - near), slope
