"""Identification of a robot from a log, by any method: beforehand, from the fit, and held out."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.assumptions import assumptions
from spacerobot_id.estimation.batch.cause import Cause
from spacerobot_id.estimation.batch.causes import explained_or_weighed, likely_causes
from spacerobot_id.estimation.batch.reweighting import reweighted
from spacerobot_id.estimation.excitation_report import excitation_report
from spacerobot_id.estimation.fit_quality import ResidualSeries
from spacerobot_id.estimation.physical_consistency import consistent_links
from spacerobot_id.estimation.recursive.gate import is_settled, MOST_NOISE, standing_out
from spacerobot_id.estimation.recursive.recursion import (
    absorb,
    begin_identification,
    recorded,
    refine,
    refitted,
)
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result, Validation
from spacerobot_id.estimation.sensor_intake import record_from_log
from spacerobot_id.estimation.settings import IdentifySettings, RecursionSettings
from spacerobot_id.estimation.states.solution import furthest_solution, seems_changed
from spacerobot_id.exceptions import DivergenceError, EstimationError
from spacerobot_id.measurement import Record, VelocitySource
from spacerobot_id.measurement.intake import believed_noise
from spacerobot_id.measurement.log_record import LogRecord, stream_summaries, StreamSummary
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.methods.body_prior import changeable_links
from spacerobot_id.methods.method import Method
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class RecordedLog:
    """A log, and the method that it is to be identified by.

    Parameters
    ----------
    log : LogRecord
        Aligned samples, and what was not used.
    method : Method
        Robot, noise and unknowns.
    streams : tuple of StreamSummary
        How its messages came.
    """

    log: LogRecord
    method: Method
    streams: tuple[StreamSummary, ...] = ()


def needs_of_log(robot: RobotModel, settings: IdentifySettings) -> StreamNeeds:
    """Return the streams of a method, torques taken along where joint states have them."""
    needs = settings.method_type().needs.of_robot(len(robot.joints), len(robot.wheels))
    if not needs.joints or needs.torque:
        return needs
    return replace(needs, torque=Need.USED)


def log_from_streams(
    robot: RobotModel, streams: BagStreams, settings: IdentifySettings
) -> RecordedLog:
    """Return the log that some streams make.

    Parameters
    ----------
    robot : RobotModel
        Description of the robot.
    streams : BagStreams
        Streams of the sensors.
    settings : IdentifySettings
        Method and alignment.

    Raises
    ------
    MeasurementError
        If a stream that is needed is missing, no sample is complete, or gyro or twist contradict
        the pose; the message names which.
    ConfigurationError
        If the method does not take what was set.
    """
    needs = needs_of_log(robot, settings)
    source = None
    if settings.base_velocity != 'auto':
        source = VelocitySource(settings.base_velocity)
    log = record_from_log(
        robot,
        streams,
        settings.alignment,
        needs,
        source=source,
        frozen_samples=settings.frozen_samples,
        turns_by_itself=settings.turns_by_itself,
        imu_frame=settings.imu_frame,
        is_one_clock=settings.is_one_clock,
    )
    stated = 0.0 if streams.imu is None else streams.imu.noise
    method = settings.method_for(
        robot,
        from_pose=log.source is VelocitySource.POSE and bool(needs.velocity),
        gyro_noise=believed_noise(stated, robot.noise.base_angular_velocity),
    )
    rates = log.measurement.qd
    if rates is not None and not np.isfinite(rates).all():
        method = method.without_joint_rates()
    begun = method.since(float(log.measurement.times[0]))
    summaries = stream_summaries(streams, log)
    return RecordedLog(replace(log, notes=streams.notes + log.notes), begun, summaries)


_BLOCK, _BLOCK_SHARE = 200, 0.25
"""Samples taken at a time, so that a change of the robot is seen where it happens, at most; and
the most they may be of the time over which rejected ones are counted."""

_PART = 1000
"""Samples about that a first fit is made of."""

_PATIENCE = 2.0
"""Times the time to settle after which data are given up that still fit no robot."""

_EXPLAINED = 1.2
"""Chi-square per reading up to which a cause explains data without a change of the robot."""

_LEFT = 0.02
"""Share of what is not noise that the cause of all of it leaves at most, as late stamps do."""

_ROUNDS = 5
"""Most times that outliers are looked for again among all samples."""


@dataclass(frozen=True, eq=False)
class LogFit:
    """The fit of a whole log.

    Parameters
    ----------
    state : Identification
        State that its samples give.
    causes : tuple of Cause, optional
        What would explain what this state leaves over; None where that was not looked for.
    """

    state: Identification
    causes: tuple[Cause, ...] | None = None


def fit_record(
    method: Method, record: Record, moving: Record, settings: RecursionSettings
) -> LogFit:
    """Return the state that a whole log gives, outliers left out.

    One robot is fitted to a part of the samples, all along the log, and from there to all. Where
    the part does not fit, and not because its noise is larger than stated, the samples are taken
    in the order of time as the live estimator does, which finds out when the robot has changed;
    not if one calibration explains all of them, or noise of some sensors other than stated.

    Parameters
    ----------
    method : Method
        Robot, readings, noise and unknowns.
    record : Record
        All samples, as they came.
    moving : Record
        Those that can be used, in the order of time.
    settings : RecursionSettings
        Gate and search for changes.
    """
    if method.solves_at_once or method.no_gate or not settings.change.gate:
        return LogFit(_at_once(method, moving, settings))
    part = moving[:: 1 + len(moving) // _PART]
    coarse = _without_outliers(method, part, settings)
    if not (is_settled(coarse.information) or _is_only_noisier(coarse)):
        is_white = coarse.quality.is_white
        causes = likely_causes(method, record, coarse.values(), with_mistakes=not is_white)
        given_up = LogFit(coarse, causes)
        if causes and (causes[0].after < _EXPLAINED or causes[0].explains(_LEFT)):
            return given_up  # one robot all along, seen or made otherwise
        weighed = coarse if causes else reweighted(coarse, refine, moving)
        if weighed.shown is not None:
            found = _without_outliers(method, weighed.reweighted(moving), settings, weighed)
            return LogFit(replace(found, shown=weighed.shown))
        changed = _with_changes(method, moving, settings)
        return given_up if changed is None else LogFit(changed)
    return LogFit(_without_outliers(method, moving, settings, coarse))


def _is_only_noisier(state: Identification) -> bool:
    """Return whether the noise is larger than stated and nothing else is wrong."""
    return bool(state.quality.is_white and state.information.noise_variance() < MOST_NOISE)


def _at_once(method: Method, moving: Record, settings: RecursionSettings) -> Identification:
    """Return the state that all samples give together; of the last robot if it has changed."""
    begun = recorded(method, moving, settings)
    try:
        state = refitted(begun, judge=False)
    except DivergenceError:
        if method.states is None:
            raise
        state = begun.after(furthest_solution(method, moving, begun.first_values))
    interval = 0.0 if method.states is None else method.states.refit_interval
    if not (interval and state.looks_for_changes):
        return state
    if not seems_changed(method, moving, state.centre, state.first_sizes, settings.change):
        return state
    live = begin_identification(method, settings)
    seconds = np.floor((moving.times - moving.times[0]) / interval)
    for part in np.split(np.arange(len(moving)), np.flatnonzero(np.diff(seconds)) + 1):
        live = absorb(live, moving[part])
    return refine(live) if live.changes else state


def _without_outliers(
    method: Method,
    samples: Record,
    settings: RecursionSettings,
    coarse: Identification | None = None,
) -> Identification:
    """Return the state that those samples give which do not stand out.

    Parameters
    ----------
    method, samples, settings
        What is fitted.
    coarse : Identification, optional
        State that a part of the samples gave, to start from.
    """
    good = np.ones(len(samples), dtype=bool)
    if coarse is not None:
        good = ~_outliers(method, samples, coarse, settings)
    state = _fitted(method, samples, good, settings, coarse)
    for _ in range(1 if coarse is None else _ROUNDS):
        out = _outliers(method, samples, state, settings)
        if np.array_equal(out, ~good):
            break
        good = ~out
        state = _fitted(method, samples, good, settings, coarse and state)
    return state


def _outliers(
    method: Method,
    samples: Record,
    state: Identification,
    settings: RecursionSettings,
) -> NDArray[np.bool_]:
    """Return which samples stand out, shape (N,); none if they are too many for that."""
    if not settings.change.gate:
        return np.zeros(len(samples), dtype=bool)
    gate = settings.change.gate
    return standing_out(method, samples, state.information, state.centre, gate)


def _fitted(
    method: Method,
    samples: Record,
    good: NDArray[np.bool_],
    settings: RecursionSettings,
    start: Identification | None,
) -> Identification:
    """Return the state that the good ones of some samples give, near a start if there is one."""
    state = replace(recorded(method, samples[good], settings), rejected=int(np.sum(~good)))
    if start is None:
        return refine(state, judge=False)
    return refitted(state, judge=False, near=start.centre)


def _with_changes(
    method: Method, moving: Record, settings: RecursionSettings
) -> Identification | None:
    """Return the state of a robot that may change, or None where that explains nothing."""
    state = begin_identification(method, settings)
    rate = method.model.noise.rate
    patience = _PATIENCE * settings.change.settle * rate
    block = int(np.clip(_BLOCK_SHARE * settings.change.window * rate, 1, _BLOCK))
    for begin in range(0, len(moving), block):
        try:
            state = absorb(state, moving[begin : begin + block])
        except np.linalg.LinAlgError:  # no robot that can be predicts these data
            return None
        if begin > patience:
            fits = is_settled(state.information, state.noise)
            if state.samples < patience:  # too little information to fit or not
                fits = state.rejected <= 0.5 * begin
            if not (fits and state.information.has_full_rank()):
                return None  # what has lost its rank has left every robot that can be
    found = refine(state)
    return found if _is_robot(found) else None


def _is_robot(state: Identification) -> bool:
    """Return whether a state is of a robot that can be, all of it known."""
    is_possible = state.method.is_possible(state.values())
    return is_possible and state.information.has_full_rank()


def fitted(
    method: Method, record: Record, settings: RecursionSettings = RecursionSettings()
) -> LogFit:
    """Return the state that all samples of a record give.

    Parameters
    ----------
    method : Method
        Robot, readings, noise and unknowns.
    record : Record
        Samples in the order of time.
    settings : RecursionSettings
        Gate and search for changes; as the node has them.

    Raises
    ------
    EstimationError
        If there are too few samples in which something moves, or a stream is missing.
    ConfigurationError
        If a link that can change does not exist.
    """
    changeable_links(method.model, settings.change)
    prepared = method.prepared(record)
    if method.needs.pose and not len(prepared) and not record.has('attitude').any():
        raise EstimationError(f'{method.name} needs the attitude of base_pose')
    usable = method.usable(prepared)
    if method.outputs * len(usable) < len(method.unknowns):
        raise EstimationError(
            f'{len(usable)} samples in which something moves are too few for '
            f'{len(method.unknowns)} unknowns'
        )
    return fit_record(method.since(float(usable.times[0])), record, usable, settings)


def identify(
    record: Record,
    method: Method,
    settings: RecursionSettings = RecursionSettings(),
    holdout: float = 0.0,
    *,
    with_links: bool = True,
) -> Result:
    """Return the result of a record of a robot.

    Parameters
    ----------
    record : Record
        Samples in the order of time.
    method : Method
        Robot, readings, noise and unknowns.
    settings : RecursionSettings
        Gate and search for changes.
    holdout : float
        Share of the samples, at the end, kept for validation.
    with_links : bool
        Whether links that can exist are looked for, and what the motion shows beforehand.

    Raises
    ------
    EstimationError
        If there are too few samples in which something moves, or a stream is missing.
    ConfigurationError
        If a link that can change does not exist.
    """
    used = samples_fitted(record, holdout)
    seen, unseen = record[:used], record[used:]
    fit = fitted(method, seen, settings)
    state = fit.state
    if fit.causes is None or state.quality.is_as_stated:
        state = explained_or_weighed(state, _of_last_robot(state, seen))
    else:
        state = replace(state, causes=fit.causes)
    seen, unseen = state.reweighted(seen), state.reweighted(unseen)
    estimate = state.estimate()
    joints = len(method.model.joints)
    known = seen.has('q')
    positions = seen.q[known][-1] if known.any() else np.zeros(joints)
    values = state.values()
    relative_std = _relative_std(method)
    return Result.of_state(
        state,
        positions,
        assumptions=assumptions(state, seen) if with_links else (),
        links=consistent_links(state.method, estimate, relative_std) if with_links else None,
        excitation=excitation_report(method, method.prepared(seen)) if with_links else None,
        validation=validate(state.method, unseen, values) if len(unseen) else None,
    )


def _of_last_robot(state: Identification, record: Record) -> Record:
    """Return the samples of the robot as it is at the end.

    All of them as they came; of one that has changed, or whose noise is not as stated, those that
    were taken since, as live.
    """
    if not state.recorded or (not state.changes and state.shown is None):
        return record
    return Record.concatenate(state.recorded)


def samples_fitted(record: Record, holdout: float) -> int:
    """Return how many samples are fitted, from the begin on, if a share at the end is held out."""
    return len(record) - round(holdout * len(record))


def validate(method: Method, record: Record, values: NDArray[np.float64]) -> Validation | None:
    """Return how unknowns predict other samples; None if none of them can be used.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    record : Record
        N samples that were not used.
    values : ndarray, shape (u,)
        Unknowns.
    """
    seen = method.prepared(record)
    if not len(seen):
        return None
    left = ResidualSeries.of(method, seen, values)
    freedom = max(int(np.isfinite(left.values).sum()) - left.fitted, 1)
    read = left.read
    return Validation(
        len(seen),
        np.sqrt(np.nanmean(left.misfit[:, read] ** 2, axis=0)),
        tuple(unit for unit, is_read in zip(left.units, read, strict=True) if is_read),
        float(np.nansum(left.values**2)) / freedom,
        left,
    )


def _relative_std(method: Method) -> float:
    """Return how far the description may be wrong, as a share."""
    settings = method.prior_settings
    return 1.0 if settings is None else settings.relative_std
