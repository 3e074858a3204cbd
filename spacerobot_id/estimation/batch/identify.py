"""Identification of a robot from a log, by any method: beforehand, from the fit, and held out."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.assumptions import assumptions
from spacerobot_id.estimation.batch.causes import explained_or_weighed
from spacerobot_id.estimation.batch.outliers import fit_record, LogFit
from spacerobot_id.estimation.excitation_report import excitation_report
from spacerobot_id.estimation.fit_quality import ResidualSeries
from spacerobot_id.estimation.physical_consistency import consistent_links
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result, Validation
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.body_prior import changeable_links
from spacerobot_id.methods.method import Method


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
    seen, unseen = state.as_shown(seen), state.as_shown(unseen)
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
