"""The result of the estimator for other programs: typed values by name, and one JSON text."""

from collections.abc import Callable
from dataclasses import dataclass
import json
import math

import numpy as np
from rcl_interfaces.msg import ParameterType, ParameterValue
from rclpy.parameter import Parameter

from spacerobot_id.estimation.result import MISFIT, Result

MOST_NAMES = 1000
"""Names that are answered at once: several times those that there are of a large robot."""


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

    def value(self, name: str) -> object:
        """Return a text, number, tuple of texts or list of numbers by name; None if unknown."""
        if name in _VALUES:
            return _VALUES[name](self)
        estimate = self.result.estimate
        parameter = name.removesuffix('.std')
        if parameter not in estimate.names:
            return None
        given = estimate.values if parameter == name else estimate.std
        return float(given[estimate.names.index(parameter)])

    def parameter_values(self, names: list[str]) -> list[ParameterValue]:
        """Return typed values by name; NOT_SET for one that is unknown, or one too many."""
        known = {name: _parameter_value(self.value(name)) for name in set(names[:MOST_NAMES])}
        beyond = [_parameter_value(None)] * (len(names) - MOST_NAMES)
        return [known[name] for name in names[:MOST_NAMES]] + beyond


def _mass(live: LiveResult) -> float:
    robot = live.result.robot
    return math.nan if robot is None else float(robot.mass)


def _center_of_mass(live: LiveResult) -> list[float]:
    robot = live.result.robot
    return [math.nan] * 3 if robot is None else robot.com.tolist()


def _inertia(live: LiveResult) -> list[float]:
    inertia = live.result.inertia
    return [math.nan] * 9 if inertia is None else np.ravel(inertia).tolist()


def _of_changed(field: str) -> Callable[[LiveResult], list[float]]:
    """Return what gives numbers of the bodies that came or went, one after the other."""
    return lambda live: np.ravel([getattr(each, field) for each in live.result.changed]).tolist()


_VALUES: dict[str, Callable[[LiveResult], object]] = {
    'stamp': lambda live: live.stamp,
    'method': lambda live: live.result.method.name,
    'valid': lambda live: live.is_valid,
    'defects': lambda live: live.result.reasons,
    'intervals_hold': lambda live: live.result.intervals_hold,
    'names': lambda live: live.result.estimate.names,
    'units': lambda live: live.result.estimate.units,
    'values': lambda live: live.result.estimate.values.tolist(),
    'std': lambda live: live.result.estimate.std.tolist(),
    'covariance': lambda live: live.result.estimate.covariance.ravel().tolist(),
    'not_identified': lambda live: live.result.estimate.not_identified(),
    'rank': lambda live: live.result.estimate.rank,
    'condition_number': lambda live: live.result.estimate.condition,
    'samples': lambda live: live.result.estimate.samples,
    'chi_square': lambda live: live.result.estimate.chi_square,
    'mass': _mass,
    'center_of_mass': _center_of_mass,
    'inertia': _inertia,
    'other_names': lambda live: tuple(each.name for each in live.result.estimate.others),
    'other_values': lambda live: [each.value for each in live.result.estimate.others],
    'other_std': lambda live: [each.std for each in live.result.estimate.others],
    'resets': lambda live: live.resets,
    'clock_jumps': lambda live: live.clock_jumps,
    'rejected': lambda live: int(live.result.rejected.get(MISFIT, 0)),
    'changes': lambda live: live.result.changes,
    'changed_links': lambda live: tuple(body.link for body in live.result.changed),
    'changed_mass': _of_changed('mass'),
    'changed_mass_std': _of_changed('mass_std'),
    'changed_center_of_mass': _of_changed('com'),
    'changed_center_of_mass_std': _of_changed('com_std'),
    'configuration': lambda live: live.configuration,
    'velocity_source': lambda live: live.velocity_source,
    'updates_waiting': lambda live: live.updates_waiting,
}
"""What a program may ask for by name, beside the parameters: only what is asked for is found."""


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
