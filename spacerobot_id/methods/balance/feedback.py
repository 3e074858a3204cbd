"""Whether residuals correlate with the wrench: feedback, or actuators modelled wrongly.

A controller answers what disturbs the robot, so that the wrench is no longer independent of the
disturbance. The fit stays right while its noise is as modelled and is biased where it is not
(Forssell and Ljung, Closed-loop identification revisited, 1999). Whether two series depend on each
other is seen in the cross-correlations of what is left of each when its own past is taken out
(Haugh, Checking the independence of two covariance-stationary time series, 1976).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import correlate
from scipy.spatial.transform import Rotation
from scipy.stats import chi2, norm

from spacerobot_id.methods.balance.actuators.actuation import Actuation
from spacerobot_id.methods.balance.balance_robot import BalanceRobot
from spacerobot_id.methods.balance.equations.moving_robot import MovingRobot
from spacerobot_id.methods.solution import FittedFlight

_SPACING = 0.1
"""Distance of the times at which both are looked at, s, at least."""

_ANSWER, _LATE = 2.0, 1.0
"""Times within which a controller answers, and within which a wrench acts late, s."""

_PAST = 20
"""Samples of its own past that are taken out of each."""

_CHANCE = 1e-4
"""Probability by which independent series are taken to depend on each other."""


@dataclass(frozen=True)
class Coupling:
    """How far residuals correlate with the wrench.

    Parameters
    ----------
    after, at_once : float
        Probability of correlations as large by chance: where the wrench follows within two
        seconds, and where it does not follow.
    correlation : float
        Largest of these correlations.
    lag : float
        Time by which the wrench follows there, s.
    """

    after: float
    at_once: float
    correlation: float
    lag: float

    def sentences(self) -> tuple[str, ...]:
        """Return sentences on what it means and what to do; none if it can be chance."""
        if min(self.after, self.at_once) > _CHANCE:
            return ()
        largest = f'correlation {self.correlation:.2f} at {self.lag:.1f} s'
        if self.after < self.at_once:
            return (
                f'the wrench answers what disturbs the robot ({largest}): identification in '
                'closed loop; where the disturbance is not as modelled, intervals are too short: '
                'compare with a flight whose wrench is a programme, or add pulses that no '
                'feedback asks for',
            )
        return (
            f'residuals correlate with the wrench ({largest}): it acts otherwise than '
            'stated; describe the thrusters and send their commands, or let strength, '
            'strength_loss, dead_time, delay.wrench or wrench_scale be unknown',
        )


def coupling(method: BalanceRobot, flights: Sequence[FittedFlight]) -> Coupling | None:
    """Return how far residuals correlate with the wrench; None where there is too little data.

    Parameters
    ----------
    method : BalanceRobot
        Robot.
    flights : sequence of FittedFlight
        Flights as fitted: disturbances and the scatter of pulses are what is left.
    """
    step = float(np.mean([np.mean(each.blocks.seconds) for each in flights]))
    every = max(round(_SPACING / step), 1)
    spacing = every * step
    reach = max(round(_ANSWER / spacing), 2)
    late = np.arange(-max(round(_LATE / spacing), 1), 1)
    pairs = [
        (k, left, wrench)
        for own in flights
        for k, (left, wrench) in enumerate(zip(*_signals(method, own, every), strict=True))
        if len(left) >= 4 * (_PAST + reach) and left.any() and wrench.any()
    ]
    if not pairs:
        return None
    after = _answer(pairs, np.arange(1, reach + 1))
    at_once = _at_once(pairs, late)
    likelier = min(after, at_once)
    return Coupling(after[0], at_once[0], likelier[1], likelier[2] * spacing)


def _answer(pairs: list[tuple], lags: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return probability by chance, largest correlation and its lag; the past is taken out."""
    sums, counts = {}, {}
    for k, left, wrench in pairs:
        left, wrench = _without_past(left), _without_past(wrench)
        sums[k] = sums.get(k, 0.0) + _products(left, wrench, lags)
        counts[k] = counts.get(k, 0) + len(left)
    correlations = np.array([sums[k] / counts[k] for k in sums])
    square = sum(float(np.sum(sums[k] ** 2)) / counts[k] for k in sums)
    largest = np.unravel_index(np.argmax(np.abs(correlations)), correlations.shape)
    probability = float(chi2.sf(square, correlations.size))
    return probability, float(correlations[largest]), float(lags[largest[1]])


def _at_once(pairs: list[tuple], lags: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return the same of the series as they are: a programme has no past to be taken out.

    Chance makes correlations larger where both are slow (Bartlett, 1935).
    """
    found = []
    for component in sorted({k for k, _, _ in pairs}):
        own = [(left, wrench) for k, left, wrench in pairs if k == component]
        sums = sum(_products(left, wrench, lags) for left, wrench in own)
        power = np.sqrt(np.prod([sum(each[part] @ each[part] for each in own) for part in (0, 1)]))
        variance = sum(
            correlate(left, left) @ correlate(wrench, wrench) / len(left) for left, wrench in own
        )
        largest = int(np.argmax(np.abs(sums)))
        score = abs(sums[largest]) / np.sqrt(max(variance, np.finfo(float).tiny))
        found.append((2.0 * float(norm.sf(score)), float(sums[largest] / power), lags[largest]))
    probability, correlation, lag = min(found)
    return min(probability * len(found) * len(lags), 1.0), correlation, float(lag)


def _products(
    left: NDArray[np.float64], wrench: NDArray[np.float64], lags: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the sums of products of one and the other, later by each lag."""
    count, sums = len(left), np.empty(len(lags))
    for place, lag in enumerate(lags):
        before, after = max(-lag, 0), max(lag, 0)
        sums[place] = left[before : count - after] @ wrench[after : count - before]
    return sums


def _without_past(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what of a series its own past does not predict, of unit variance."""
    past = np.lib.stride_tricks.sliding_window_view(series, _PAST)[:-1]
    now = series[_PAST:]
    left = now - past @ np.linalg.lstsq(past, now, rcond=1e-8)[0]
    return left / max(float(np.std(left)), np.finfo(float).tiny)


def _signals(
    method: BalanceRobot, own: FittedFlight, every: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what is left and the wrench, means over some segments, without their mean, (f, N).

    Both are about the base's place in inertial axes.
    """
    case = (method, own.flight, own.values)
    actuation, trajectory = Actuation(*case), own.trajectory
    turned = Rotation.from_quat(trajectory.states[:, 3:7])

    def in_world(wrench: NDArray[np.float64]) -> NDArray[np.float64]:
        if own.flight.commands.in_world:
            return wrench
        return np.hstack([turned.apply(half) for half in np.split(wrench, 2, axis=1)])

    stated = actuation.mean_wrench(own.flight.edges, np.zeros(1))
    scattered = actuation.mean_wrench(own.flight.edges, trajectory.scatter) - stated
    scales = np.repeat(MovingRobot(*case).mass_and_inertia()[0], 3)
    left = in_world(scattered) + (trajectory.disturbance + trajectory.slow) * scales
    found = []
    for each in (left, in_world(stated)):
        whole = len(each) // every * every
        means = each[:whole, method.free].reshape(-1, every, len(method.free)).mean(axis=1)
        found.append((means - means.mean(axis=0)).T)
    return found[0], found[1]
