"""Joint rates as slopes of the positions, where they are not measured or encoders are better.

Slopes of neighbours are made of the same positions. Their noise is large at each sample and next
to nothing in the sum of many, because what one takes from a position the next gives back. So the
covariance of neighbours is kept, and encoders are used as well as they can be, without a
filter whose width had to be chosen.

Encoders that step repeat themselves while a joint moves slowly: readings that are alike have one
error, and count as one. That is noise of the readings, the same in every slope that one is part
of: were it that of the slopes, neighbours would no longer cancel, and rates be off by percents.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.local_polynomial import CentralSlope, REACH
from spacerobot_id.model import RobotModel, SensorNoise

_LONGEST = 0.15
"""Largest time between two positions of a slope, s."""

_CLOSE = 0.05
"""Largest time between two means up to which their slopes follow any motion of arms, s."""

_IN_BAND = 5.0
"""Rates of slow motion that noise of positions looks like, per second."""

PRECISE = 3e-4
"""Noise of joint positions (rad) and rates (rad/s) up to which slopes at them are as good."""

_POORER = 2.0
"""Times that by which sensors of rates must be noisier for encoders to take their place."""

_ALIKE = 1e-3
"""Share of the noise of positions up to which two readings are the same."""

_STEADY = 4.0
"""Readings in a row that are alike up to which steps of encoders are as good as white noise."""

_NODES = 2 * REACH
"""Samples on each side that slopes reach, poses that count at stamps of their own among them."""

MARGIN = 15
"""Samples on each side that rates need: what slopes are made of, and how encoders step around."""


def in_band_std(position_std: float) -> float:
    """Return the noise of rates derived from positions in the band of a motion, rad/s or m/s."""
    return _IN_BAND * position_std


def encoder_std(model: RobotModel) -> float:
    """Return the noise of joint positions, rad or m: as stated, or that of steps of encoders."""
    steps = model.sensors.encoder_resolution / np.sqrt(12.0)
    return float(max(model.noise.joint_position, steps))


def is_poor(rate_std: float, position_std: float) -> bool:
    """Return whether encoders give rates better than a sensor whose noise is of account.

    Parameters
    ----------
    rate_std, position_std : float
        Standard deviations as stated; encoders without any are not known to be good.
    """
    least = max(_POORER * in_band_std(position_std), PRECISE)
    return bool(position_std > 0.0 and rate_std > least)


def planned_rate_std(noise: SensorNoise) -> float:
    """Return the noise of joint rates that a plan counts with: of sensors, or of encoders."""
    position = noise.joint_position
    return in_band_std(position) if is_poor(noise.joint_rate, position) else noise.joint_rate


def are_followed(record: Record) -> NDArray[np.bool_]:
    """Return at which samples slopes of positions follow a motion, shape (N,).

    Those of means do where samples are close: means over longer times cut it short.
    """
    near = np.diff(record.times, prepend=-np.inf, append=np.inf) <= _CLOSE
    return (near[1:] & near[:-1]) | (record.noise_of('joints') >= 1.0)


def with_derived_rates(
    record: Record, derived: NDArray[np.bool_], position_std: float = 0.0
) -> Record:
    """Return samples with rates derived from the positions around them.

    Parameters
    ----------
    record : Record
        N samples in the order of time, of which ``MARGIN`` are lost at each end.
    derived : ndarray of bool, shape (N, n)
        Which rates are.
    position_std : float
        Standard deviation of positions, rad or m; readings much nearer to each other are alike.
    """
    own = np.flatnonzero(_is_of_joints(record))
    slope = CentralSlope.at(record.times[own], _LONGEST)
    nodes = own[slope.nodes] if len(own) else slope.nodes
    good = slope.good & (np.abs(nodes - own[:, None]).max(axis=1, initial=0) <= _NODES)
    repetition = np.ones_like(record.q)
    if len(own):
        latest = np.searchsorted(own, np.arange(len(record)), side='right') - 1
        repetition = _repetition(record[own], _ALIKE * position_std)[np.maximum(latest, 0)]
    times = np.full((len(record), 2 * REACH + 1), np.nan)
    weights = np.zeros((*times.shape, record.q.shape[1]))
    times[own[good]] = record.times[nodes[good]]
    weights[own[good]] = slope.weights[good][..., None] * repetition[nodes[good]]
    weights *= derived[:, None, :]
    rates = np.full_like(record.q, np.nan)
    rates[own[good]] = slope.of(record.q[own])[good]
    if good.any():
        for joint in range(rates.shape[1]):
            known = np.isfinite(rates[:, joint])
            rates[~known, joint] = np.interp(
                record.times[~known], record.times[known], rates[known, joint]
            )
    found = replace(
        record,
        qd=np.where(derived, rates, record.qd),
        derived=np.where(derived, repetition, 0.0),
        slope_times=times,
        slope_weights=weights.reshape(len(record), -1),
    )
    return found[MARGIN : len(found) - MARGIN]


def at_calm_rates(record: Record) -> Record:
    """Return samples to judge motion by: where rates are derived, the smoothed ones."""
    return record if record.derived is None or record.smoothed is None else record.at_smoothed()


def has_rates(record: Record) -> NDArray[np.bool_]:
    """Return which samples have rates of all joints, measured or derived, shape (N,)."""
    there = np.isfinite(record.qd).all(axis=1)
    if record.derived is None:
        return there
    is_whole = np.isfinite(record.slope_times).all(axis=1) | ~_is_of_joints(record)
    return there & (is_whole | ~record.derived.any(axis=1))


def _repetition(record: Record, alike: float) -> NDArray[np.float64]:
    """Return by how much more noise of readings counts that repeat themselves, shape (N, n).

    While a joint turns back an encoder's error stays; that of readings in its run is one error.
    Samples are those of joints: positions between readings, at stamps of poses, are no readings.
    """
    changed = 1.0 * (np.abs(np.diff(record.q, axis=0, prepend=np.nan)) > alike)
    changed[:1] = 1.0
    if record.changed is not None:
        changed = np.where(np.isfinite(record.changed), record.changed, changed)
    window = 2 * MARGIN + 1
    around = np.pad(changed, ((MARGIN, MARGIN), (0, 0)), constant_values=1.0)
    share = np.lib.stride_tricks.sliding_window_view(around, window, axis=0).mean(axis=-1)
    alone = _averaged(record) / window
    return np.sqrt(np.maximum(1.0 / np.maximum(share, alone) / _STEADY, 1.0))


def _averaged(record: Record) -> NDArray[np.float64]:
    """Return the variance of averaged readings over that of one, at most one, shape (N, 1)."""
    return np.minimum(record.noise_of('joints'), 1.0)[:, None]


def encoder_covariances(
    record: Record, of_positions: NDArray[np.float64], of_rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the noise of positions does to predicted readings, by positions and by rates.

    Parameters
    ----------
    record : Record
        N samples with derived rates.
    of_positions, of_rates : ndarray, shape (N, k, n)
        Readings per deviation of the noise of a position, and the same of a rate, per 1/s.

    Returns
    -------
    own : ndarray, shape (N, k, k)
        Covariance of each sample.
    shared : ndarray, shape (L, N, k, k)
        Of the samples 1 to L later with each, as far as slopes share positions.
    """
    scale = np.where(record.derived > 0.0, record.derived, 1.0)[:, None, :]
    of_positions, times = of_positions * scale, record.slope_times
    weights = record.slope_weights.reshape(*times.shape, -1)
    blocks = []
    for lag in range(_farthest(times) + 1):
        count = max(len(record) - lag, 0)
        first, later = slice(0, count), slice(lag, lag + count)
        same = 1.0 * (times[later, :, None] == times[first, None, :])
        both = np.einsum('naj,nab,nbj->nj', weights[later], same, weights[first])
        is_later = times[first] == record.times[later, None]
        is_first = times[later] == record.times[first, None]
        in_first = np.einsum('nbj,nb->nj', weights[first], 1.0 * is_later)
        in_later = np.einsum('naj,na->nj', weights[later], 1.0 * is_first)
        rates, positions = (np.swapaxes(each[first], -1, -2) for each in (of_rates, of_positions))
        block = (of_rates[later] * both[:, None, :]) @ rates
        block += (of_positions[later] * in_first[:, None, :]) @ rates
        block += (of_rates[later] * in_later[:, None, :]) @ positions
        if not lag:
            block += of_positions @ positions
        blocks.append(np.concatenate([block, np.zeros((len(record) - count, *block.shape[1:]))]))
    return blocks[0], np.array(blocks[1:])


def _farthest(times: NDArray[np.float64]) -> int:
    """Return how many samples later a slope still shares a position, poses between them counted.

    Left out, what the last ones share would be missing where slopes cancel: a hundredth of their
    noise, and several times what of it is left in the sum of many.

    Parameters
    ----------
    times : ndarray, shape (N, 5)
        Times of the positions that slopes are made of; not finite where there is none.
    """
    own = np.flatnonzero(np.isfinite(times).all(axis=1))
    last = np.searchsorted(times[own, 0], times[own, -1], side='right') - 1
    return int(np.max(own[last] - own, initial=0))


def _is_of_joints(record: Record) -> NDArray[np.bool_]:
    """Return which samples are at stamps of joints, and not of poses that count on their own."""
    return np.isfinite(record.noise_of('gyro')) | np.isfinite(record.noise_of('velocity'))
