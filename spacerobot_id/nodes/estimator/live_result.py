"""The result of the estimator for other programs: typed values by name, and one JSON text."""

from dataclasses import dataclass
import json
import math

import numpy as np
from rcl_interfaces.msg import ParameterType, ParameterValue
from rclpy.parameter import Parameter

from spacerobot_id.estimation.result import MISFIT, Result


@dataclass(frozen=True, eq=False)
class LiveResult:
    """A result with what a live reader needs besides.

    Parameters
    ----------
    result : Result
        What is known.
    stamp : float
        Time of the last sample, s.
    resets : int
        Number of resets so far.
    clock_jumps : int
        Number of jumps of the clock so far.
    configuration : str
        Hash of description and settings.
    velocity_source : str
        Topic that the linear velocity comes from.
    updates_waiting : int
        Updates of the estimate that are asked for and not made yet, refinements among them.
    looks_for_changes : bool
        Whether samples that do not fit are rejected, and a changed robot is found.
    """

    result: Result
    stamp: float
    resets: int
    clock_jumps: int
    configuration: str
    velocity_source: str
    updates_waiting: int = 0
    looks_for_changes: bool = True

    @property
    def is_valid(self) -> bool:
        """Whether the estimate may be used."""
        return not self.result.defects

    def to_dict(self) -> dict[str, object]:
        """Return plain values of the schema of ``Result``, and what is live beside them."""
        return self.result.to_dict() | {
            'valid': self.is_valid,
            'live': {
                'stamp': self.stamp,
                'resets': self.resets,
                'clock_jumps': self.clock_jumps,
                'configuration': self.configuration,
                'velocity_source': self.velocity_source,
                'updates_waiting': self.updates_waiting,
                'looks_for_changes': self.looks_for_changes,
            },
        }

    def json(self) -> str:
        """Return one JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def values(self) -> dict[str, object]:
        """Return everything by name: texts, numbers, tuples of texts, lists of numbers."""
        result, estimate = self.result, self.result.estimate
        robot, inertia, changed = result.robot, result.inertia, result.changed
        singles = dict(zip(estimate.names, estimate.values.tolist(), strict=True))
        stds = zip(estimate.names, estimate.std.tolist(), strict=True)
        return {
            'stamp': self.stamp,
            'method': result.method.name,
            'valid': self.is_valid,
            'defects': result.reasons,
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
            'mass': math.nan if robot is None else float(robot.mass),
            'center_of_mass': [math.nan] * 3 if robot is None else robot.com.tolist(),
            'inertia': [math.nan] * 9 if inertia is None else np.ravel(inertia).tolist(),
            'other_names': tuple(each.name for each in estimate.others),
            'other_values': [each.value for each in estimate.others],
            'other_std': [each.std for each in estimate.others],
            'resets': self.resets,
            'clock_jumps': self.clock_jumps,
            'rejected': int(result.rejected.get(MISFIT, 0)),
            'changes': result.changes,
            'changed_links': tuple(body.link for body in changed),
            'changed_mass': [body.mass for body in changed],
            'changed_mass_std': [body.mass_std for body in changed],
            'changed_center_of_mass': np.ravel([body.com for body in changed]).tolist(),
            'changed_center_of_mass_std': np.ravel([body.com_std for body in changed]).tolist(),
            'configuration': self.configuration,
            'velocity_source': self.velocity_source,
            'updates_waiting': self.updates_waiting,
            **singles,
            **{f'{name}.std': value for name, value in stds},
        }

    def parameter_values(self, names: list[str]) -> list[ParameterValue]:
        """Return typed values by name; NOT_SET for a name that is unknown."""
        known = self.values()
        return [_parameter_value(known.get(name)) for name in names]


def _parameter_value(value: object) -> ParameterValue:
    """Return a typed value; an empty array keeps its type."""
    if value is None:
        return ParameterValue(type=ParameterType.PARAMETER_NOT_SET)
    kind = Parameter.Type.from_parameter_value(value)
    if isinstance(value, list):
        kind = Parameter.Type.DOUBLE_ARRAY
    elif isinstance(value, tuple):
        kind, value = Parameter.Type.STRING_ARRAY, list(value)
    return Parameter('value', kind, value).get_parameter_value()
