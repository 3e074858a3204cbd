"""How a part of a plan is taken up from where joints and wheels are, or why it is not."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.excitation.trajectory.command_check import extent_of
from spacerobot_id.excitation.trajectory.possible_states import (
    anywhere,
    MeasuredState,
    resting,
    setting_out,
    tracking_error,
)
from spacerobot_id.excitation.trajectory.started import started_from, StartedMotion
from spacerobot_id.excitation.trajectory.stop import shortest_stop
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import JointMotion
from spacerobot_id.model import JointLimits

_STILL = 0.05
"""Time without any news from joint states after which they may be frozen, s."""

_WAITS = 0.1, 600.0
"""Shortest and longest time that actuators may take to where they seem to be, s."""


def misplaced(
    motion: ExcitingMotion,
    state: MeasuredState,
    limits: Sequence[JointLimits],
    time: float = 0.0,
) -> str | None:
    """Return an actuator that is not where a motion has it at a time, s, if there is one.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion of m actuators.
    state : MeasuredState
        Their state.
    limits : sequence of JointLimits
        Their limits.
    time : float
        Time since its start, s.
    """
    wanted = motion.sample([time]).position[0]
    off = np.abs(state.position - wanted) - state.position_noise
    off = off - tracking_error(extent_of(limits))
    worst = int(np.argmax(off))
    if off[worst] <= 0.0:
        return None
    here, there = state.position[worst], wanted[worst]
    return f'{motion.names[worst]} is at {here:.4g} and should be at {there:.4g}'


def needed_wait(state: MeasuredState, limits: Sequence[JointLimits], reach: float) -> float:
    """Return how long a motion has to wait for actuators that may be elsewhere, s.

    Joint states that repeat exactly are those of a robot that is perfectly still, or frozen.

    Parameters
    ----------
    state : MeasuredState
        State of the actuators.
    limits : sequence of JointLimits
        Their limits.
    reach : float
        How far from there they may be, rad or m.
    """
    if state.stamp - state.news <= _STILL or not reach:
        return 0.0
    within = extent_of(limits)
    starts = anywhere(state, within, reach)
    return shortest_stop(starts, within, _WAITS, end=state.position).duration


def taken_up(
    part: ExcitingMotion,
    state: MeasuredState,
    limits: Sequence[JointLimits],
    step: float,
    *,
    wait: tuple[float, float] | None = None,
    is_first: bool = False,
) -> tuple[StartedMotion, JointMotion]:
    """Return a part as it is sent, and the states in which it may be taken up.

    Parameters
    ----------
    part : ExcitingMotion
        Part of a plan.
    state : MeasuredState
        State of its actuators.
    limits : sequence of JointLimits
        Their limits.
    step : float
        Largest time between the points that are sent, s.
    wait : tuple of 2 floats, optional
        Time to wait before (s), and how far away they may be until then, rad or m.
    is_first : bool
        Whether nothing was sent before from which they come to rest.

    Raises
    ------
    TrajectoryError
        If it cannot be within limits; the message names the actuator.
    """
    if wait is not None:
        starts = anywhere(state, extent_of(limits), wait[1])
    else:
        starts = setting_out(state) if is_first else resting(state)
    is_known = (np.abs(state.rate) > state.rate_noise) & (is_first and wait is None)
    rate = np.where(is_known, state.rate, 0.0)
    begun = StartedMotion(part, state.position, rate, wait=wait[0] if wait is not None else 0.0)
    return started_from(begun, starts, limits, step), starts
