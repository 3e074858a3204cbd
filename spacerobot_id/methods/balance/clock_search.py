"""By how much poses are late against joints and commands, roughly: where a fit starts from.

At the right delay the base's momentum changes as the motion of the joints and the wrenches say; at
any other their motions do not match. Both are compared by linear regression, so that neither the
inertia of the arms nor the strengths of actuators have to be known.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

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


def likely_delay(balance: 'Balance', std: float) -> float:
    """Return the delay of poses at which the change of momentum is explained best, s.

    Parameters
    ----------
    balance : Balance
        Flight and unknowns to start from.
    std : float
        Standard deviation of the delay beforehand, s.
    """
    reach = min(3.0 * std, _FURTHEST)
    delays = np.arange(-round(reach / _STEP), round(reach / _STEP) + 1) * _STEP
    flight = balance.flight
    pose = flight.readings['pose'].times
    begin = max(flight.joints.begin, pose[0] + reach)
    end = min(flight.joints.end, pose[-1] - reach)
    times = np.arange(begin, end, _SPACING)
    explaining = len(flight.commands.names) * _LATE + len(balance.method.model.joints) + 1
    if len(times) < 4 * explaining or len(delays) < 3:
        return 0.0
    inputs, free = balance.robot.at(times), balance.method.free
    commands = balance.actuation.given(times)
    costs = [np.sum(np.log(_unexplained(flight, inputs, commands, each, free))) for each in delays]
    return float(delays[int(np.argmin(costs))])


def _unexplained(
    flight: Flight,
    inputs: 'Inputs',
    commands: NDArray[np.float64],
    delay: float,
    free: list[int],
) -> NDArray[np.float64]:
    """Return deviations of the base's change of momentum about what joints and wrenches explain.

    Of force and torque in inertial axes about the first place, those that are free.
    """
    place, twist = flight.nominal_motion(inputs.times + delay)
    turned = Rotation.from_quat(place[:, 3:])

    def in_world(vectors: NDArray[np.float64], rows: slice = slice(None)) -> NDArray[np.float64]:
        linear, angular = turned[rows].apply(vectors[:, :3]), turned[rows].apply(vectors[:, 3:])
        return np.hstack([linear, angular + np.cross(place[rows, :3], linear)])

    def change(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return (sums[_CHANGE:] - sums[:-_CHANGE])[_LATE:, free]

    base = change(in_world(np.einsum('nij,nj->ni', inputs.of_base, twist)))
    explaining = [
        change(in_world(inputs.of_joints[:, :, k] * inputs.qd[:, k : k + 1]))
        for k in range(inputs.qd.shape[1])
    ]
    for column, share in zip(flight.commands.columns.T, commands.T, strict=True):
        wrench = share[:, None] * column
        acting = wrench if flight.commands.in_world else in_world(wrench, slice(0, -1))
        total = np.vstack([np.zeros(6), np.cumsum(acting * _SPACING, axis=0)])
        late = [np.vstack([np.zeros((k, 6)), total[: len(total) - k]]) for k in range(_LATE)]
        explaining += [change(each) for each in late]
    left = np.empty(len(free))
    for component in range(len(free)):
        columns = [each[:, component] for each in explaining]
        matrix = np.column_stack([*columns, np.ones(len(base))])
        scale = np.maximum(np.linalg.norm(matrix, axis=0), np.finfo(float).tiny)
        solution = np.linalg.lstsq(matrix / scale, base[:, component], rcond=1e-10)[0]
        left[component] = np.std(base[:, component] - matrix / scale @ solution)
    return np.maximum(left, np.finfo(float).tiny)
