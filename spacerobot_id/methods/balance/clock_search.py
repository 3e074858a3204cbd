"""By how much poses, and wrenches, are late against joints, roughly: where a fit starts from.

At the right delay the base's momentum changes with the motion of the joints and with the wrenches;
at any other their motions do not match. Both are compared by linear regression, so that neither
the inertia of the arms nor the strengths of actuators have to be known.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.balance_robot import BalanceRobot, POSE_DELAY, WRENCH_DELAY
from spacerobot_id.methods.balance.flight import Flight

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.equations.linear_balance import Balance
    from spacerobot_id.methods.balance.equations.moving_robot import Inputs

_SPACING = 0.1
"""Distance of the times at which momentum is looked at, s."""

_STEP = 0.05
"""Step of the delays that are tried, s."""

_FURTHEST = 2.0
"""Largest delay that is tried, s."""

_CHANGE = 4
"""Times that a change of momentum goes over."""

_LATE = 4
"""Times by which commands may act late."""

_TIMES = 4
"""Times that are looked at for each quantity that explains the changes."""

_FINE = 0.025
"""Step of the delays of wrenches that are tried, s."""


_ROUGH = 0.05
"""Deviation of the delay of poses, or of wrenches, from which on it is looked for before the fit,
s: from further away than a segment is long, disturbances explain pulses at another time."""


def time_to_search(flight: Flight, joints: int, std: float) -> float:
    """Return how long a flight has to last for the delay of its poses to be looked for, s.

    Parameters
    ----------
    flight : Flight
        Commands as they were sent.
    joints : int
        Number of joints.
    std : float
        Standard deviation of the delay beforehand, s.
    """
    explaining = len(flight.commands.names) * _LATE + joints + 1
    return _TIMES * explaining * _SPACING + 2.0 * _reach(std)


def likely_delay(balance: 'Balance', std: float) -> float:
    """Return the delay of poses at which the change of momentum is explained best, s.

    Zero where the flight is too short (``time_to_search``).

    Parameters
    ----------
    balance : Balance
        Flight and unknowns to start from.
    std : float
        Standard deviation of the delay beforehand, s.
    """
    flight = balance.flight
    if flight.length < time_to_search(flight, len(balance.method.model.joints), std):
        return 0.0
    reach = _reach(std)
    delays = np.arange(-round(reach / _STEP), round(reach / _STEP) + 1) * _STEP
    pose = flight.readings['pose'].times
    begin = max(flight.joints.begin, pose[0] + reach)
    end = min(flight.joints.end, pose[-1] - reach)
    times = np.arange(begin, end, _SPACING)
    inputs, free = balance.robot.at(times), balance.method.free
    commands = balance.actuation.given(times)
    costs = [np.sum(np.log(_unexplained(flight, inputs, commands, each, free))) for each in delays]
    return float(delays[int(np.argmin(costs))])


def likely_wrench_delay(balances: Sequence['Balance'], std: float) -> float:
    """Return the delay of all wrenches at which the change of momentum is explained best, s.

    Parameters
    ----------
    balances : sequence of Balance
        Flights and unknowns to start from.
    std : float
        Standard deviation of the delay beforehand, s.
    """
    reach = _reach(std)
    delays = np.arange(-round(reach / _FINE), round(reach / _FINE) + 1) * _FINE
    costs = 0.5 * np.square(delays / std)
    for balance in balances:
        costs += _costs_of_wrench_delays(balance, delays)
    return float(delays[int(np.argmin(costs))])


def _reach(std: float) -> float:
    """Return the largest delay that is tried of those with a standard deviation, s."""
    return min(3.0 * std, _FURTHEST)


def _costs_of_wrench_delays(
    balance: 'Balance', delays: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return minus the logarithm of the likelihood of each delay, but for a constant."""
    flight, free, clock = balance.flight, balance.method.free, balance.clock
    values, places = balance.values.copy(), balance.method.unknowns.places
    values[places.get(POSE_DELAY, slice(0))] = 0.0
    balance = replace(balance, values=values)  # all but the poses by the clock of the joints
    pose = flight.readings['pose'].times - clock
    begin, end = max(flight.joints.begin, pose[0]), min(flight.joints.end, pose[-1])
    times = np.arange(begin, end, _SPACING)
    explaining = len(flight.commands.names) + len(balance.method.model.joints) + 1
    if len(times) < _TIMES * explaining or not flight.commands.values.any():
        return np.zeros(len(delays))
    inputs, place = balance.robot.at(times), places[WRENCH_DELAY]
    costs = np.empty(len(delays))
    for k, delay in enumerate(delays):
        values = balance.values.copy()
        values[place] = delay
        commands = replace(balance, values=values).actuation.given(times)
        left = _unexplained(flight, inputs, commands, clock, free, late=1)
        costs[k] = len(times) / _CHANGE * np.sum(np.log(left))  # changes overlap
    return costs


def _unexplained(
    flight: Flight,
    inputs: 'Inputs',
    commands: NDArray[np.float64],
    delay: float,
    free: list[int],
    late: int = _LATE,
) -> NDArray[np.float64]:
    """Return deviations of the base's change of momentum about what joints and wrenches explain.

    Of the linear momentum in inertial axes, and of the angular about the system's centre of mass,
    which does not have the noise of velocities; the components that are free. Where there is a
    gyro the angular momentum is that of its readings, too.
    """
    place, twist = flight.nominal_motion(inputs.times + delay)
    turned = Rotation.from_quat(place[:, 3:])

    def in_world(vectors: NDArray[np.float64], rows: slice = slice(None)) -> NDArray[np.float64]:
        linear, angular = vectors[:, :3], vectors[:, 3:]
        angular = angular - np.cross(inputs.com[rows], linear)
        return np.hstack([turned[rows].apply(linear), turned[rows].apply(angular)])

    def change(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return (sums[_CHANGE:] - sums[:-_CHANGE])[_LATE:]

    def of_base(twist: NDArray[np.float64]) -> NDArray[np.float64]:
        moving = np.einsum('nij,nj->ni', inputs.of_base, twist) + inputs.of_wheels.sum(axis=-1)
        return change(in_world(moving))

    explaining = [
        change(in_world(inputs.of_joints[:, :, k] * inputs.qd[:, k : k + 1]))
        for k in range(inputs.qd.shape[1])
    ]
    for column, share in zip(flight.commands.columns.T, commands.T, strict=True):
        wrench = share[:, None] * column
        if flight.commands.in_world:
            wrench = np.hstack([
                turned[:-1].apply(half, inverse=True) for half in np.split(wrench, 2, axis=1)
            ])  # fmt: skip
        acting = in_world(wrench, slice(0, -1))
        total = np.vstack([np.zeros(6), np.cumsum(acting * _SPACING, axis=0)])
        shifted = (np.vstack([np.zeros((k, 6)), total[: len(total) - k]]) for k in range(late))
        explaining += [change(each) for each in shifted]
    changes = [(component, of_base(twist)[:, component]) for component in free]
    gyro = flight.readings['gyro']
    if len(gyro.times) > 1:
        seen = [np.interp(inputs.times, gyro.times, each) for each in gyro.values.T]
        by_gyro = of_base(np.column_stack([twist[:, :3], *seen]))
        changes += [(component, by_gyro[:, component]) for component in free if component >= 3]
    left = np.empty(len(changes))
    for k, (component, changed) in enumerate(changes):
        columns = [each[:, component] for each in explaining]
        matrix = np.column_stack([*columns, np.ones(len(changed))])
        scale = np.maximum(np.linalg.norm(matrix, axis=0), np.finfo(float).tiny)
        solution = np.linalg.lstsq(matrix / scale, changed, rcond=1e-10)[0]
        left[k] = np.std(changed - matrix / scale @ solution)
    return np.maximum(left, np.finfo(float).tiny)


def rough_delay(method: BalanceRobot, name: str) -> tuple[int, float] | None:
    """Return place and deviation (s) of a delay that a fit cannot start from; None if it can.

    Parameters
    ----------
    method : BalanceRobot
        Unknowns.
    name : str
        Name of the delay.
    """
    unknowns = method.unknowns
    if name not in unknowns.places:
        return None
    place = unknowns.places[name].start
    std = float(unknowns.std[place - unknowns.parameters])
    return (place, std) if std > _ROUGH else None
