"""An estimate for other programs: typed values by name, and one JSON text."""

from dataclasses import dataclass
import json
import math

import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import ParameterType, ParameterValue

from spacerobot_id.estimation import ChangedBody, Estimate
from spacerobot_id.model import InertialParameters


@dataclass(frozen=True, eq=False)
class EstimateReport:
    """An estimate with what a reader needs to judge it.

    Parameters
    ----------
    stamp : float
        Time of the last sample, s.
    method : str
        How it was made.
    estimate : Estimate
        Parameters and uncertainty.
    robot : InertialParameters, optional
        The whole robot as it stands; None where the method cannot tell its mass.
    inertia : ndarray, shape (3, 3)
        Its inertia about its centre of mass, kg m^2.
    defects : tuple of str
        Why the estimate is not valid; empty if it is.
    resets : int
        Number of resets so far.
    clock_jumps : int
        Number of jumps of the clock so far.
    rejected : int
        Samples refused so far because they did not fit.
    changes : int
        Times that the robot was found changed.
    changed : tuple of ChangedBody
        What came or went at the last change, by link.
    configuration : str
        Hash of description and settings.
    velocity_source : str
        Topic that the linear velocity comes from.
    updates_waiting : int
        Updates of the estimate that are asked for and not made yet, refinements among them.
    looks_for_changes : bool
        Whether the method refuses samples that do not fit, and finds a changed robot.
    """

    stamp: float
    method: str
    estimate: Estimate
    robot: InertialParameters | None
    inertia: NDArray[np.float64]
    defects: tuple[str, ...]
    resets: int
    clock_jumps: int
    rejected: int
    changes: int
    changed: tuple[ChangedBody, ...]
    configuration: str
    velocity_source: str
    updates_waiting: int = 0
    looks_for_changes: bool = True

    @property
    def is_valid(self) -> bool:
        """Whether the estimate may be used."""
        return not self.defects

    def values(self) -> dict[str, object]:
        """Return everything by name: texts, numbers, tuples of texts, lists of numbers."""
        estimate = self.estimate
        singles = dict(zip(estimate.names, estimate.values.tolist(), strict=True))
        stds = dict(zip(estimate.names, estimate.std.tolist(), strict=True))
        return {
            'stamp': self.stamp,
            'method': self.method,
            'valid': self.is_valid,
            'defects': self.defects,
            'names': estimate.names,
            'units': estimate.units,
            'values': estimate.values.tolist(),
            'std': estimate.std.tolist(),
            'covariance': estimate.covariance.ravel().tolist(),
            'not_identified': estimate.not_identified(),
            'rank': estimate.rank,
            'condition_number': estimate.condition,
            'samples': estimate.samples,
            'chi_square': estimate.chi_square,
            'mass': math.nan if self.robot is None else float(self.robot.mass),
            'center_of_mass': [math.nan] * 3 if self.robot is None else self.robot.com.tolist(),
            'inertia': np.ravel(self.inertia).tolist(),
            'other_names': tuple(each.name for each in estimate.others),
            'other_values': [each.value for each in estimate.others],
            'other_std': [each.std for each in estimate.others],
            'resets': self.resets,
            'clock_jumps': self.clock_jumps,
            'rejected': self.rejected,
            'changes': self.changes,
            'changed_links': tuple(body.link for body in self.changed),
            'changed_mass': [body.mass for body in self.changed],
            'changed_mass_std': [body.mass_std for body in self.changed],
            'changed_center_of_mass': np.ravel([body.com for body in self.changed]).tolist(),
            'changed_center_of_mass_std': np.ravel(
                [body.com_std for body in self.changed]
            ).tolist(),
            'configuration': self.configuration,
            'velocity_source': self.velocity_source,
            'updates_waiting': self.updates_waiting,
            **singles,
            **{f'{name}.std': value for name, value in stds.items()},
        }

    def parameter_values(self, names: list[str]) -> list[ParameterValue]:
        """Return typed values by name; NOT_SET for a name that is unknown."""
        known = self.values()
        return [_parameter_value(known.get(name)) for name in names]

    def json(self) -> str:
        """Return one JSON object; numbers that are not finite become null."""
        values = self.values()
        estimate = self.estimate
        skipped = {'covariance', *estimate.names, *(f'{name}.std' for name in estimate.names)}
        kept = {name: value for name, value in values.items() if name not in skipped}
        return json.dumps(_finite(kept), allow_nan=False)


def _finite(value: object) -> object:
    """Return a value with None in place of numbers that JSON does not know."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _parameter_value(value: object) -> ParameterValue:
    """Return a typed value."""
    match value:
        case bool():
            return ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=value)
        case int():
            return ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value)
        case float():
            return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
        case str():
            return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
        case list():
            return ParameterValue(
                type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=value
            )
        case tuple():
            return ParameterValue(
                type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=list(value)
            )
    return ParameterValue(type=ParameterType.PARAMETER_NOT_SET)
