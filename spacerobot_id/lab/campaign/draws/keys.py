"""Everything that can be drawn, by its key: its unit, how it is set, and how it is read back.

A key is read from the objects that a run was flown with in the same way as from those of the
campaign file, so that what was really drawn can be held against what was asked.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from spacerobot_id.lab.campaign.draws.dispersions import RunSetting
from spacerobot_id.lab.campaign.draws.equipment_keys import (
    check_equipment,
    EQUIPMENT_PARTS,
    fault_values,
    grasp_values,
    path_of,
    start_values,
    value_at,
    with_faults,
    with_grasp,
    with_start,
    with_value,
)
from spacerobot_id.lab.campaign.draws.key_names import units_of
from spacerobot_id.lab.campaign.draws.robot_keys import (
    tree_values,
    with_joints,
    with_links,
    with_wheels,
)
from spacerobot_id.lab.faults import SENSORS, tolerances

_ROUNDING = 1e-7
"""How far a value that is read back may be from the drawn one, as a share of it or of one unit."""

_COMMANDS = 1.0
"""Commands of thrusters and wrenches per second that are counted on."""


@dataclass(frozen=True)
class Key:
    """Something that can be drawn.

    Parameters
    ----------
    name : str
        Its key.
    unit : str
        SI unit.
    nominal : float
        Its value by the campaign file.
    tolerance : float
        How far what is read back may be from what was drawn.
    """

    name: str
    unit: str
    nominal: float
    tolerance: float = _ROUNDING

    def is_at(self, drawn: float, read: float) -> bool:
        """Return whether a value that was read back is the drawn one."""
        return bool(abs(read - drawn) <= self.tolerance * max(1.0, abs(drawn)))


def known_keys(setting: RunSetting) -> dict[str, Key]:
    """Return everything that can be drawn of a nominal run, by name."""
    units = dict(units_of(setting))
    values = values_of(setting, setting)
    found = {}
    for name, unit in units.items():
        if name in values:
            found[name] = Key(name, unit, values[name], _tolerance(name, setting))
    return found


def _tolerance(name: str, setting: RunSetting) -> float:
    """Return how far what is read back may be from what was drawn."""
    kind, *rest = name.split('.')
    if kind != 'faults':
        return _ROUNDING
    fault = setting.faults['.'.join(rest[:-1])]
    robot = setting.robot
    rates = [
        robot.sensors.stream(topic).rate or robot.noise.rate
        for topic, reading in SENSORS.items()
        if reading in fault.kinds
    ]
    return tolerances(fault, sum(rates) or _COMMANDS)[rest[-1]]


def values_of(
    setting: RunSetting, nominal: RunSetting, wanted: Collection[str] | None = None
) -> dict[str, float]:
    """Return the values of keys that a run has; shapes and tilts are relative to the nominal.

    Parameters
    ----------
    setting : RunSetting
        What is read.
    nominal : RunSetting
        The same by the campaign file.
    wanted : collection of str, optional
        Keys to read; all by default.
    """
    values = tree_values(setting.robot, nominal.robot, wanted)
    values |= start_values(setting.start, setting.robot)
    values |= grasp_values(setting)
    values |= fault_values(setting.faults)
    names = [name for name, _ in units_of(nominal)] if wanted is None else wanted
    for name in names:
        if name.split('.')[0] in EQUIPMENT_PARTS:
            values[name] = value_at(setting.robot, path_of(name))
    return values if wanted is None else {name: values[name] for name in wanted if name in values}


def setting_with(nominal: RunSetting, drawn: Mapping[str, float]) -> RunSetting:
    """Return what a run is flown with: the nominal one with values drawn by key.

    Raises
    ------
    ConfigurationError
        If what is drawn cannot be; names the key, and why.
    """
    of_kind: dict[str, dict[str, float]] = {}
    for name, value in drawn.items():
        kind, _, rest = name.partition('.')
        of_kind.setdefault(kind, {})[rest] = value
    robot = with_links(nominal.robot, of_kind.get('links', {}))
    robot = with_wheels(robot, of_kind.get('wheels', {}))
    robot = with_joints(robot, of_kind.get('joints', {}))
    for name, value in drawn.items():
        if name.split('.')[0] in EQUIPMENT_PARTS:
            robot = with_value(robot, path_of(name), value)
    if any(kind in of_kind for kind in EQUIPMENT_PARTS):
        check_equipment(robot)
    return RunSetting(
        robot,
        with_start(nominal.start, robot, of_kind.get('start', {})),
        with_grasp(nominal, of_kind.get('grasp', {})),
        with_faults(nominal, of_kind.get('faults', {})),
    )
