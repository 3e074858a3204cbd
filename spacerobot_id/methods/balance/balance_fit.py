"""Fits of flights by momentum balance: unknowns, states, pushes, and sizes of noise from the data.

Process noise acts on the wrench: a push for every segment, as large as the flights show.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DivergenceError, EstimationError
from spacerobot_id.methods.balance.clock_search import likely_delay, likely_wrench_delay
from spacerobot_id.methods.balance.equations.flight_rows import full_weights
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.balance.flight_fit import BalanceFit, Begun
from spacerobot_id.methods.balance.iteration import Iteration, LOST, Point, Task
from spacerobot_id.methods.balance.noise.noise_sizes import first_sizes, NoiseSizes, SIZES
from spacerobot_id.methods.balance.rough_clock import (
    looks_for_clock,
    POSES,
    rough_delay,
    WRENCHES,
)
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.live.border import Border
    from spacerobot_id.methods.momentum_balance import MomentumBalance


def begin_fit(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    given: Sequence[NoiseSizes] = (),
    first: NoiseSizes | None = None,
    held: bool = False,
    border: 'Border | None' = None,
    begun: Begun | None = None,
    roughness: float = 0.0,
) -> Iteration:
    """Return the fit of flights before its first step.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flights : sequence of Flight
        One or more. All unknowns are common to them but for clocks, disturbances and biases,
        which each has its own of: those of the first are among the unknowns returned.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known without the flights; the description by default.
    given : sequence of NoiseSizes
        Sizes of noise that the fit goes through, each from near the end of the one before; found
        if there are none.
    first : NoiseSizes, optional
        Sizes of noise to start from.
    held : bool
        Whether the unknowns stay where they are, so that states and pushes alone are fitted.
    border : Border, optional
        What is known where the first flight begins, and before; then ``known`` does not count.
    begun : Begun, optional
        Information from an earlier fit on the first segments of the first flight.
    roughness : float
        Least noise of poses to start from, over what is stated.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns.
    """
    flights, point = _begun(method, flights, start, begun, border, held=held or border is not None)
    linear = point.linear(method, flights)
    if linear is None:
        raise DivergenceError(LOST)
    weights = [full_weights(each) for each in linear]
    if begun is not None:
        weights[0] = begun.weights(flights[0], linear[0])
    task = Task(
        method,
        flights,
        known if border is None else border.information,
        border,
        held,
        is_given=bool(given),
        has_first=first is not None,
        goes_on=begun is not None,
    )
    sizes = given[0] if given else first or first_sizes(method, flights)
    if sizes.scales[0] < roughness:
        sizes = replace(sizes, scales=(roughness, *sizes.scales[1:]))
    return Iteration(task, point, linear, weights, sizes, tuple(given[1:]), np.zeros(SIZES))


def fit_from_poses(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    first: NoiseSizes | None = None,
    held: bool = False,
    border: 'Border | None' = None,
) -> BalanceFit:
    """Return the most likely unknowns and sizes of noise of flights, from along their poses.

    Where the noise that is stated leads nowhere, or to no end, as poses are far worse than that
    (stamped on receipt, for instance), the fit starts from what these are off a smooth curve.

    Parameters
    ----------
    method, flights, start, known, first, held, border
        As for ``begin_fit``.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that it leads to.
    """
    begin = partial(
        begin_fit, method, flights, start, known, first=first, held=held, border=border
    )
    fit = None
    with suppress(EstimationError):
        fit = begin().ended()
        if fit.converged:
            return fit
    rough = max(each.roughness(method.pose_std) for each in flights)
    if fit is not None and rough <= (first.scales[0] if first else 1.0):
        return fit  # it would start from the same noise again
    try:
        other = begin(roughness=rough).ended()
    except EstimationError:
        if fit is None:
            raise
        return fit
    return other if fit is None or other.converged else fit


def _begun(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    begun: Begun | None,
    border: 'Border | None',
    *,
    held: bool,
) -> tuple[list[Flight], Point]:
    """Return where the iteration starts: along the measured poses, their clock roughly right.

    Wrenches asked of thrusters are allocated to these, with the attitude by that clock.
    """
    values, ready = [start.copy() for _ in flights], []
    thrusters = method.model.thrusters
    of_poses, of_wrenches = rough_delay(method, POSES), rough_delay(method, WRENCHES)
    for index, (flight, own) in enumerate(zip(flights, values, strict=True)):
        if of_poses and not (held and index == 0):
            place, std = of_poses
            if index or looks_for_clock(method, own):
                own[place] = likely_delay(Balance(method, flight, own), std)
        if border is None or index:
            flight = flight.by_clock(Balance(method, flight, own).clock)
        asked = method.actuators.allocate_wrench and not flight.commands.are_valves
        if asked and thrusters and flight.commands.values.any():
            clock = Balance(method, flight, own).clock
            flight = flight.allocated(thrusters, method.free, clock)
        ready.append(flight)
    if of_wrenches and not held:
        place, std = of_wrenches
        if start[place] == 0.0:
            pairs = zip(ready, values, strict=True)
            found = likely_wrench_delay([Balance(method, *each) for each in pairs], std)
            for own in values:
                own[place] = found
    pairs = zip(ready, values, strict=True)
    trajectories = [Balance(method, flight, own).start() for flight, own in pairs]
    if begun is not None:
        trajectories[0] = trajectories[0].begun(begun.trajectory)
    return ready, Point(values, trajectories)
