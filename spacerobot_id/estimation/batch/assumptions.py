"""What intervals rest on: errors of sensors and geometry that data do not show, but that count.

A gyro that reads 1 % too much makes a robot that is 1 % too light, and no residual shows it. For
every calibration that is not among the unknowns it is stated how small its error must be for the
parameters to stay within a standard deviation: to first order, from the slopes of the readings.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import known_information
from spacerobot_id.estimation.batch.score_test import extended_samples, values_for
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record

USUAL = {
    'encoder_offset': 2e-3,
    'joint_axis': 2e-3,
    'joint_origin': 1e-3,
    'gyro_bias': 1e-5,
    'gyro_mounting': 2e-3,
    'gyro_scale': 2e-3,
    'twist_point': 2e-3,
    'twist_mounting': 2e-3,
    'twist_scale': 2e-3,
    'pose_point': 2e-3,
    'pose_mounting': 2e-3,
    'delay.imu': 1e-3,
    'delay.base_twist': 1e-3,
    'delay.base_pose': 1e-3,
    'wheel_scale': 2e-3,
}
"""Errors of good hardware that is not calibrated, in the units of the settings."""

_PART = 200
"""Samples about that slopes are taken at."""


@dataclass(frozen=True)
class Assumption:
    """An error that is taken to be zero.

    Parameters
    ----------
    key : str
        Setting that would make it an unknown.
    size : float
        Error that moves a parameter by one standard deviation.
    unit : str
        Its unit.
    parameter : str
        Parameter that it moves most.
    """

    key: str
    size: float
    unit: str
    parameter: str

    def description(self) -> str:
        """Return a description with its size and the parameter that it moves."""
        unit = '' if self.unit == '1' else f' {self.unit}'
        return f'{self.key} {self.size:.2g}{unit} ({self.parameter})'

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'key': self.key,
            'size': self.size,
            'unit': self.unit,
            'parameter': self.parameter,
        }


def assumptions(state: Identification, record: Record) -> tuple[Assumption, ...]:
    """Return the errors that would spoil the intervals of an estimate, the likeliest first.

    Those are left out that even with poor hardware would not.

    Parameters
    ----------
    state : Identification
        State of a fit.
    record : Record
        Its samples, as they came.
    """
    method = state.method
    samples = extended_samples(method, record, _PART)
    if samples is None:
        return ()
    extended, part = samples
    names = list(extended.unknowns.names)
    own = [names.index(name) for name in method.unknowns.names]
    new = [k for k in range(len(names)) if k not in own]
    if not new:
        return ()
    extended, values, description = extended.since(method.epoch), state.values(), method.prior()
    if not np.isfinite(description.cost(values)):  # a robot that cannot be
        return ()
    try:
        rows = extended.equations(part, values_for(method, extended, values))
        prior = known_information(values, description, None)
    except (EstimationError, np.linalg.LinAlgError):
        return ()
    share = np.sqrt(len(part) / max(state.samples, 1))
    known = np.vstack([rows.matrix[:, own], share * prior.factor])
    of_new = np.vstack([rows.matrix[:, new], np.zeros((len(prior.factor), len(new)))])
    moved = np.linalg.lstsq(known, of_new, rcond=None)[0]
    count = method.unknowns.parameters
    estimate = state.estimate()
    shifts = moved[:count] / estimate.std[:, None]
    found = [
        (ratio, Assumption(key, USUAL[key] / ratio, unit, estimate.names[worst]))
        for key in USUAL
        if key in extended.unknowns.places and key not in method.unknowns.places
        for ratio, worst, unit in [_shift(key, names, new, shifts, extended.unknowns.units)]
        if ratio > 1.0
    ]
    found.sort(key=lambda each: -each[0])
    return tuple(each for _, each in found)


def _shift(
    key: str,
    names: list[str],
    new: list[int],
    shifts: NDArray[np.float64],
    units: tuple[str, ...],
) -> tuple[float, int, str]:
    """Return the largest shift that a usual error makes, in deviations, of which parameter."""
    own = [
        k
        for k, place in enumerate(new)
        if names[place] == key or names[place].startswith(f'{key}.')
    ]
    sizes = USUAL[key] * np.linalg.norm(shifts[:, own], axis=1)
    worst = int(np.argmax(sizes))
    return float(sizes[worst]), worst, units[new[own[0]]]
