"""What actuators of the base were commanded to do, and the wrench that comes of it.

Commands are held from one to the next. Strengths, dead times of valves and delays change the mean
of each command within a step of integration; the wrench is linear in these means.

Where only the commanded wrench is logged, the share of each follows from their geometry: the
non-negative ones of least squares (Lawson and Hanson, Solving Least Squares Problems, 1974), which
for opposing pairs are the clipped pseudo-inverse that controllers of air-bearing tables use.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.methods.balance.actuators.actuator_settings import WRENCH_NAMES
from spacerobot_id.model import Thruster

_DAMPING = 1e-4
"""Weight of the shares themselves, which chooses the least of all that give the same wrench."""

_LEAST = 1e-3
"""Size of a component that no thruster gives, over the largest of all."""

_MOST_LEFT = 0.05
"""Most of the wrenches, root mean square, that thrusters may not be able to give."""


def allocated(
    wrenches: NDArray[np.float64], thrusters: Sequence[Thruster], free: list[int]
) -> NDArray[np.float64]:
    """Return the shares of their strength that thrusters are open for.

    Parameters
    ----------
    wrenches : ndarray, shape (K, 6)
        Force (N) and moment about the base's origin (N m) in base axes.
    thrusters : sequence of Thruster
        The T thrusters of the base.
    free : list of int
        Components of the wrench that count.

    Returns
    -------
    ndarray, shape (K, T)
        Shares from 0 to 1: larger ones saturate.

    Raises
    ------
    EstimationError
        If their geometry cannot give such wrenches.
    """
    columns = np.stack([each.wrench for each in thrusters], axis=-1)[free]
    sizes = np.maximum(np.abs(columns).max(axis=1), _LEAST * np.abs(columns).max())
    columns, asked = columns / sizes[:, None], wrenches[:, free] / sizes
    matrix = np.vstack([columns, _DAMPING * np.eye(len(thrusters))])
    different, place = np.unique(asked, axis=0, return_inverse=True)
    none = np.zeros(len(thrusters))
    shares = np.array([nnls(matrix, np.append(each, none))[0] for each in different])
    left = shares @ columns.T - different
    if np.sum(left[place] ** 2) > _MOST_LEFT**2 * np.sum(asked**2):
        raise EstimationError(
            'base_wrench: the thrusters of the description cannot give such wrenches; describe '
            'them as they are, send thruster_commands, or set allocate_wrench to false'
        )
    return np.minimum(shares, 1.0)[place.reshape(-1)]


_ACTING = 0.1
"""Component of a wrench, over its largest value, from which on it counts as acting."""

_OPEN = 0.5
"""Command from which on a valve counts as open."""

_SLOWEST_THROTTLE = 0.07
"""Distance of commands from which on a share of a thruster is a pulse of that share of it, s.

Shares that come more often are the means of faster pulses, or those of a throttle.
"""

_NO_SHARE = 1e-3
"""Share of a thruster that is none."""


@dataclass(frozen=True)
class ActuatorErrors:
    """How actuators differ from what is stated.

    Parameters
    ----------
    strength : ndarray, shape (T,)
        Relative errors of the strengths.
    loss : float
        Share of the strength that is lost for every further valve that is open.
    dead_time : float
        Time by which every pulse begins too late, s.
    delay : float
        Time by which all commands act late, s.
    """

    strength: NDArray[np.float64]
    loss: float = 0.0
    dead_time: float = 0.0
    delay: float = 0.0


@dataclass(frozen=True, eq=False)
class Commands:
    """Commands of T actuators.

    Parameters
    ----------
    times : ndarray, shape (K,)
        Times from which each row holds, s, strictly increasing; nothing is commanded before.
    values : ndarray, shape (K, T)
        Commands: shares of the strength of thrusters, or the components of a wrench.
    columns : ndarray, shape (6, T)
        Wrench of each at a command of one: N and N m, about the base's origin.
    names : tuple of str
        Their names.
    in_world : bool
        Whether forces and torques are in inertial axes rather than those of the base.
    are_valves : bool
        Whether they are valves, open or closed, or open for a share of the time.
    turns : ndarray, shape (6, T, A)
        What turning each about A axes across its direction changes of its wrench, per rad.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    columns: NDArray[np.float64]
    names: tuple[str, ...]
    in_world: bool = False
    are_valves: bool = False
    turns: NDArray[np.float64] | None = None

    def given(self, edges: NDArray[np.float64], errors: ActuatorErrors) -> NDArray[np.float64]:
        """Return the mean commands between neighbouring times as they act, shape (M, T).

        Parameters
        ----------
        edges : ndarray, shape (M + 1,)
            Times, s.
        errors : ActuatorErrors
            How the actuators differ from what is stated; their strengths are left to the wrench.
        """
        times, values = self._begun_late(errors.dead_time)
        if self.are_valves:
            values = values * (1.0 - errors.loss * self._others(values))
        return _mean_of_held(times, values, edges - errors.delay)

    def begins(self, edges: NDArray[np.float64], errors: ActuatorErrors) -> NDArray[np.bool_]:
        """Return for which actuators a pulse begins between neighbouring times, (G, T).

        Of a wrench one begins where a component sets in, or turns about.

        Parameters
        ----------
        edges : ndarray, shape (G + 1,)
            Times, s.
        errors : ActuatorErrors
            How the actuators differ from what is stated.
        """
        before = np.vstack([np.zeros(self.values.shape[1]), self.values[:-1]])
        if self.are_valves:
            changed = (self.values >= _OPEN) & (before < _OPEN)
        else:
            least = _ACTING * np.abs(self.values).max(axis=0)
            way, was = (np.sign(each) * (np.abs(each) > least) for each in (self.values, before))
            changed = (way != 0.0) & (way != was)
        segment = np.searchsorted(edges, self.times + errors.delay, side='right') - 1
        begins = np.zeros((len(edges) - 1, self.values.shape[1]), dtype=bool)
        inside = (segment >= 0) & (segment < len(begins))
        np.logical_or.at(begins, segment[inside], changed[inside])
        return begins

    def pulse_lengths(self) -> NDArray[np.float64]:
        """Return the lengths of all pulses of valves that begin and end, s, shape (P,)."""
        if not self.are_valves:
            return np.zeros(0)
        is_open = np.vstack([np.zeros(self.values.shape[1]), self.values]) >= _OPEN
        turns = (self.times[np.flatnonzero(each)] for each in np.diff(is_open, axis=0).T)
        return np.concatenate([each[1::2] - each[: len(each) // 2 * 2 : 2] for each in turns])

    def lost(self, edges: NDArray[np.float64], errors: ActuatorErrors) -> NDArray[np.float64]:
        """Return the slope of ``given`` in the loss, shape (M, T)."""
        times, values = self._begun_late(errors.dead_time)
        return _mean_of_held(times, -values * self._others(values), edges - errors.delay)

    @staticmethod
    def _others(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many further valves are open, (K, 1); shares of time count as such."""
        return np.maximum(np.abs(values).sum(axis=1, keepdims=True) - 1.0, 0.0)

    def _begun_late(self, dead_time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return times and values with every pulse of a valve begun late, or early if negative.

        So that the wrench has a slope in the dead time at zero, too.
        """
        if not self.are_valves or dead_time == 0.0:
            return self.times, self.values
        was_open = np.vstack([np.zeros(self.values.shape[1]), self.values[:-1]]) >= _OPEN
        opened = (self.values >= _OPEN) & ~was_open
        late = np.unique(self.times[opened.any(axis=1)] + dead_time)
        times = np.union1d(self.times, late)
        row = np.searchsorted(self.times, times, side='right') - 1
        if dead_time < 0.0:
            return times, self._begun_early(times, row, opened, dead_time)
        begun = np.where(opened, self.times[:, None], -np.inf)
        begun = np.maximum.accumulate(begun, axis=0)
        waits = times[:, None] < begun[row] + dead_time - 1e-12
        return times, np.where(waits, 0.0, self.values[row])

    def _begun_early(
        self,
        times: NDArray[np.float64],
        row: NDArray[np.intp],
        opened: NDArray[np.bool_],
        dead_time: float,
    ) -> NDArray[np.float64]:
        """Return values at times, (M, T), where the next pulse is there that much before its own.

        Parameters
        ----------
        times : ndarray, shape (M,)
            Times, s.
        row : ndarray of int, shape (M,)
            Command that holds at each; -1 before the first.
        opened : ndarray of bool, shape (K, T)
            Which commands open a valve.
        dead_time : float
            Time by which pulses begin late, s; negative.
        """
        count = len(self.times)
        coming = np.where(opened, np.arange(count)[:, None], count)
        coming = np.minimum.accumulate(coming[::-1], axis=0)[::-1]
        coming = np.vstack([coming, np.full((1, coming.shape[1]), count)])[row + 1]
        starts, values = np.append(self.times, np.inf), np.vstack([self.values, 0.0 * coming[:1]])
        held = np.where((row >= 0)[:, None], self.values[row], 0.0)
        is_begun = times[:, None] >= starts[coming] + dead_time - 1e-12
        return np.where(is_begun, np.take_along_axis(values, coming, axis=0), held)


def _mean_of_held(
    times: NDArray[np.float64], values: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return means of held values between neighbouring times; zero before the first of them."""
    before = min(times[0], edges[0]) - 1.0
    held = HeldSignal(np.append(before, times), np.vstack([np.zeros_like(values[:1]), values]))
    return held.means(edges)


def pulses(
    times: NDArray[np.float64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return shares of valves as pulses that begin with each command: times (K,), values (K, T).

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times of the commands, s.
    shares : ndarray, shape (N, T)
        Shares of the time until the next command that each valve is open for.
    """
    lengths = np.diff(times)
    if not len(lengths) or np.median(lengths) < _SLOWEST_THROTTLE:
        return times, shares
    whole = np.where(shares < _NO_SHARE, 0.0, np.where(shares > 1.0 - _NO_SHARE, 1.0, shares))
    usual = float(np.median(lengths))
    lengths = np.minimum(np.append(lengths, usual), 1.5 * usual)
    partial = (whole > 0.0) & (whole < 1.0)
    closing = np.where(partial, times[:, None] + whole * lengths[:, None], np.inf)
    events = np.union1d(times, closing[partial])
    row = np.searchsorted(times, events, side='right') - 1
    is_open = (whole[row] > 0.0) & (events[:, None] < closing[row] - 1e-9)
    return events, is_open.astype(float)


def of_record(record: Record, thrusters: Sequence[Thruster], free: list[int]) -> Commands:
    """Return the commands of thrusters, or wrenches as one for each component that is free."""
    if record.thrust is not None:
        return of_thrusters(record.thrust.times, record.thrust.values, thrusters, free)
    names = tuple(WRENCH_NAMES[k] for k in free)
    columns = np.eye(6)[:, free]
    if record.wrench is None:
        none = np.zeros((1, len(free)))
        return Commands(record.times[:1] - 1.0, none, columns, names)
    wrench = record.wrench
    return Commands(wrench.times, wrench.values[:, free], columns, names, wrench.in_world)


def of_thrusters(
    times: NDArray[np.float64],
    shares: NDArray[np.float64],
    thrusters: Sequence[Thruster],
    free: list[int],
) -> Commands:
    """Return the commands of thrusters that are open for shares, (K, T), of the time.

    Parameters
    ----------
    times : ndarray, shape (K,)
        Times of the commands, s.
    shares : ndarray, shape (K, T)
        Shares.
    thrusters : sequence of Thruster
        Where they are.
    free : list of int
        Components of the wrench that count.
    """
    columns = np.stack([each.wrench for each in thrusters], axis=-1)
    names = tuple(each.name for each in thrusters)
    turns = np.stack([each.turned_wrenches(planar=2 not in free) for each in thrusters], axis=1)
    return Commands(*pulses(times, shares), columns, names, are_valves=True, turns=turns)
