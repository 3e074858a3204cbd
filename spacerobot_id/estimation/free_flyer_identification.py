"""Identification of a free-flyer from a whole log: poses of its base, and wrenches on it."""

from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import BagStreams, FreeFlyerRecord, PoseStream
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.harmonic_least_squares import (
    harmonic_least_squares,
    periodic_samples,
    recursive_harmonic_least_squares,
)
from spacerobot_id.estimation.live_free_flyer import LiveFreeFlyer
from spacerobot_id.estimation.trajectory_likelihood import trajectory_likelihood
from spacerobot_id.exceptions import EstimationError, MeasurementError
from spacerobot_id.model import PARAMETER_NAMES, PARAMETER_UNITS, RobotModel
from spacerobot_id.spatial import normalise_quaternion


class FreeFlyerMethod(Enum):
    """How the ten parameters of base and grasped object are estimated."""

    FREE_FLYER = 'free_flyer'
    HARMONIC_LEAST_SQUARES = 'harmonic_least_squares'
    RECURSIVE_HARMONIC_LEAST_SQUARES = 'recursive_harmonic_least_squares'


def free_flyer_record(model: RobotModel, log: BagStreams) -> FreeFlyerRecord:
    """Return what a log says of a free-flyer, from the first wrench to the last pose.

    What acted is what the drives say they gave, where they say so; else the wrench asked for, cut
    down to what the propellers give. Poses that are none are left out.

    Parameters
    ----------
    model : RobotModel
        Robot; names its base, knows its propellers.
    log : BagStreams
        Poses and wrenches, asked for or applied.

    Raises
    ------
    MeasurementError
        If poses or wrenches are missing, or a wrench is not in the axes of the base.
    """
    stream = log.wrench if log.applied_wrench is None else log.applied_wrench
    if log.pose is None or stream is None:
        raise MeasurementError('free-flyers need base_pose and base_wrench or applied_wrench')
    base = model.links[0].name
    if stream.frame_id.strip('/') != base:
        raise MeasurementError(f'base_wrench: frame {stream.frame_id!r} is not the base {base!r}')
    good = np.isfinite(stream.wrenches).all(axis=1)
    commands, first = np.unique(stream.stamps[good], return_index=True)
    wrenches = stream.wrenches[good][first]
    propellers = model.actuators.propellers
    if log.applied_wrench is None and propellers is not None:
        wrenches = propellers.given(wrenches)
    times, poses = _poses(log.pose)
    acting = times >= commands[0] if len(commands) else np.zeros(len(times), dtype=bool)
    if not acting.any():
        raise MeasurementError('base_wrench: no pose comes after the first wrench')
    poses = poses[acting]
    return FreeFlyerRecord(times[acting], poses[:, :3], poses[:, 3:], commands, wrenches)


def identify_free_flyer(
    model: RobotModel,
    record: FreeFlyerRecord,
    method: FreeFlyerMethod = FreeFlyerMethod.FREE_FLYER,
    period: float | None = None,
) -> Estimate:
    """Return the ten parameters of the robot with what it has grasped.

    Parameters
    ----------
    model : RobotModel
        Robot without its load, and the noise of its poses.
    record : FreeFlyerRecord
        Poses and wrenches.
    method : FreeFlyerMethod
        Maximum likelihood over the trajectory, or the average of cycles of papers/003, all at
        once or cycle by cycle; of the latter two the first cycle is left out.
    period : float, optional
        Period of the motion, s; only the latter two need it.

    Raises
    ------
    EstimationError
        If the record shows too little, or a period is missing.
    ConfigurationError
        If the noise of the poses is not given, or the robot cannot exist.
    """
    state = LiveFreeFlyer.begin(model, len(record))
    if method is FreeFlyerMethod.FREE_FLYER:
        fit = trajectory_likelihood(record, state.reference.vector, state.settings)
        return replace(state, record=record, fit=fit, fitted=len(record)).estimate()
    if period is None or not period > 0.0:
        raise EstimationError(f'{method.value} needs the period of the motion')
    spacing = float(np.median(np.diff(record.times))) if len(record) > 1 else period
    cycles = periodic_samples(record, period, max(1, round(period / spacing)))
    if method is FreeFlyerMethod.HARMONIC_LEAST_SQUARES:
        found = harmonic_least_squares(cycles)
    else:
        found = recursive_harmonic_least_squares(cycles)[-1]
    return Estimate(
        names=PARAMETER_NAMES,
        units=PARAMETER_UNITS,
        values=found.values,
        covariance=found.covariance,
        prior_std=state.estimate().prior_std,
        rank=len(found.values),
        condition=found.condition,
        samples=cycles.coordinates[..., 0].size,
        chi_square=np.nan,
    )


def _poses(stream: PoseStream) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return stamps, ascending, and positions and unit quaternions at them, shape (N, 7)."""
    unit = [normalise_quaternion(each) for each in stream.attitudes]
    good = np.array([each is not None for each in unit], dtype=bool)
    good &= np.isfinite(stream.positions).all(axis=1)
    times, first = np.unique(stream.stamps[good], return_index=True)
    attitudes = np.array([each for each, kept in zip(unit, good, strict=True) if kept])
    poses = np.hstack([stream.positions[good], attitudes.reshape(-1, 4)])
    return times, poses[first]
