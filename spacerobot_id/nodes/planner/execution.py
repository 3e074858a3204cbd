"""A controller's part of a plan under way: when it began, who does not follow, how to end it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.stop import stop_early
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory

_COMMAND_DELAY = 0.1
"""Longest time from a joint state to the controller's reaction to it, s."""

_LONGEST_WAY = 0.3
"""Most of the time from sending to the begin that a stop is reckoned to take, too, s."""

_LEFT_REST = 0.2
"""Share of its tolerance by which an actuator has left rest."""

_SHORT = 0.25
"""Share of its farthest way by which an actuator has left rest, if that is less."""

_LIVELY = 0.5
"""Reach in tolerances, relative to the largest, of actuators that show the begin."""

_SAMPLES = 2000
"""Times of the plan that the begin is looked for at."""


@dataclass(frozen=True, eq=False)
class Execution:
    """The part of a plan that one controller has, when it was sent and when it began.

    Parameters
    ----------
    plan : ExcitingMotion
        Motion of the m actuators of the controller.
    tolerance : ndarray, shape (m,)
        Distances from where they should be that are allowed, rad or m; may be infinite.
    sent : float
        Stamp of the joint states when it was sent, s.
    begin : float, optional
        Stamp at which the motion began, s; None while the actuators still rest.
    """

    plan: ExcitingMotion
    tolerance: NDArray[np.float64]
    sent: float
    begin: float | None = None

    @cached_property
    def _at_start(self) -> NDArray[np.float64]:
        """Positions that the motion begins at, shape (m,)."""
        return self.plan.sample([0.0]).position[0]

    @cached_property
    def _rest(self) -> NDArray[np.float64]:
        """Distances from the start within which the actuators are at rest, shape (m,).

        Infinite for those whose motion shows little beside the others', or nothing.
        """
        extent = self.plan.extent()
        reach = np.maximum(extent.highest - self._at_start, self._at_start - extent.lowest)
        relative = reach / self.tolerance
        relative = relative if relative.any() else reach
        is_lively = (reach > 0.0) & (relative >= _LIVELY * relative.max())
        return np.where(is_lively, np.minimum(_LEFT_REST * self.tolerance, _SHORT * reach), np.inf)

    @cached_property
    def leaves_rest(self) -> float:
        """Time after its begin at which the motion shows, s."""
        times = np.linspace(0.0, self.plan.duration, _SAMPLES)
        away = np.abs(self.plan.sample(times).position - self._at_start) > self._rest
        return float(times[np.argmax(away.any(axis=1))])

    def observed(self, now: float, positions: NDArray[np.float64]) -> 'Execution':
        """Return the same with its begin, once the actuators have left rest.

        The begin is where the motion fits the positions best: a controller that is late by a
        constant is followed as one that is not. A motion without any way has begun when it is
        sent.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators.
        """
        if self.begin is not None:
            return self
        if np.isinf(self._rest).all():
            return replace(self, begin=self.sent)
        if not (np.abs(positions - self._at_start) > self._rest).any():
            return self
        elapsed = np.linspace(0.0, np.clip(now - self.sent, 0.0, self.plan.duration), _SAMPLES)
        errors = (self.plan.sample(elapsed).position - positions) / self._rest
        return replace(self, begin=now - float(elapsed[np.argmin(np.sum(errors**2, axis=1))]))

    def elapsed(self, now: float) -> float:
        """Return the time since the begin at a stamp, s, no longer than the plan."""
        since = 0.0 if self.begin is None else now - self.begin
        return min(max(since, 0.0), self.plan.duration)

    def is_over(self, now: float, margin: float) -> bool:
        """Return whether the plan has ended some time ago, s."""
        return self.begin is not None and now - self.begin >= self.plan.duration + margin

    def straying(self, now: float, positions: NDArray[np.float64]) -> str | None:
        """Return an actuator that is not where it should be, if there is one.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators.
        """
        wanted = self.plan.sample([self.elapsed(now)]).position[0]
        excess = np.abs(positions - wanted) - self.tolerance
        worst = int(np.argmax(excess))
        if excess[worst] <= 0.0:
            return None
        name = self.plan.names[worst]
        return f'{name} is at {positions[worst]:.4g} and should be at {wanted[worst]:.4g}'

    def ending(
        self, now: float, positions: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> JointTrajectory:
        """Return a trajectory that ends the present interval, or motion, early.

        It has one point, at rest, so that it can start from wherever its controller is when it
        comes, and takes no longer than an interval does where there are some. It is reckoned to
        be taken up as late as the plan was. An actuator that is not where it should be comes to
        rest from where it is.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions, rates : ndarray, shape (m,)
            Positions of the actuators, NaN where they are not known, and their rates.
        """
        elapsed = self.elapsed(now)
        wanted = self.plan.sample([elapsed]).position[0]
        way = 0.0 if self.begin is None else min(max(self.begin - self.sent, 0.0), _LONGEST_WAY)
        stop = stop_early(self.plan, min(elapsed + way, self.plan.duration), _COMMAND_DELAY)
        strays = np.abs(positions - wanted) > self.tolerance
        coasted = positions + 0.5 * stop.duration * rates
        position = np.where(strays, coasted, stop.position)[None]
        rest = np.zeros_like(position)
        return JointTrajectory(self.plan.names, np.array([stop.duration]), position, rest, rest)
