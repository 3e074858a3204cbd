"""Names and units of everything that can be drawn, by patterns, and what units stand for."""

from collections.abc import Iterator, Mapping, Sequence

import yaml

from spacerobot_id.lab.campaign.draws.dispersions import RunSetting
from spacerobot_id.lab.campaign.draws.distributions import FIELDS
from spacerobot_id.measurement.adapters.adapter_yaml import UNITS
from spacerobot_id.model import JointType, shipped_file, STREAMS
from spacerobot_id.model.robot_model import MONOMIALS

AXES = ('x', 'y', 'z')

_LIST = shipped_file('config/lab/campaign_keys.yaml').read_text(encoding='utf-8')

DRAWN: Mapping[str, tuple[str, str]] = {
    pattern: (given['unit'], given['is']) for pattern, given in yaml.safe_load(_LIST).items()
}
"""Unit and meaning of everything that can be drawn, by patterns: names stand for capitals."""

_MORE_UNITS = {'1': 1.0, '%': 1e-2, 'mrad': 1e-3, 'Hz': 1.0, 'kHz': 1e3, 'um': 1e-6}

_ALIKE = (
    ('m', 'cm', 'mm', 'um'),
    ('rad', 'mrad', 'deg'),
    ('m/s', 'mm/s'),
    ('rad/s', 'deg/s', 'rpm'),
    ('N', 'mN'),
    ('N m', 'mN m'),
    ('kg', 'g'),
    ('kg m^2', 'kg cm^2', 'kg mm^2'),
    ('s', 'ms', 'us', 'ns'),
    ('Hz', 'kHz'),
    ('1', '%'),
)
"""Units that one can be given in place of another, the SI unit first."""


def names_of(unit: str) -> tuple[str, ...]:
    """Return the units that a quantity of an SI unit can be given in."""
    return next((each for each in _ALIKE if each[0] == unit), (unit,))


def factor_of(name: str, wanted: str) -> float:
    """Return what one of a unit is in an SI unit of the same quantity."""
    return 1.0 if name == wanted else (UNITS | _MORE_UNITS)[name]


def units_of(setting: RunSetting) -> Iterator[tuple[str, str]]:
    """Yield names and units of all keys."""
    robot = setting.robot
    prismatic = {joint.name for joint in robot.tree_joints if joint.type is JointType.PRISMATIC}
    names: dict[str, Sequence[str]] = {
        'LINK': robot.link_names,
        'JOINT': robot.joint_names,
        'WHEEL': robot.wheel_names,
        'THRUSTER': [each.name for each in robot.thrusters],
        'FAULT': list(setting.faults),
        'STREAM': STREAMS,
        'AXIS': AXES,
        'MONOMIAL': MONOMIALS,
        'SHAPE': [key.partition('.')[2] for key in FIELDS if key.startswith('shape.')],
        '1|2': ('1', '2'),
        'x|y': ('x', 'y'),
    }
    for pattern, (unit, _) in DRAWN.items():
        if pattern == 'faults.FAULT.size':  # each kind of fault has its own
            continue
        for name in _expanded(pattern, names):
            slides = 'JOINT' in pattern and any(f'.{each}' in name for each in prismatic)
            yield name, unit.replace('N m', 'N').replace('rad', 'm') if slides else unit
    for name, fault in setting.faults.items():
        if fault.fault.size is not None and fault.fault.size.read is not None:
            yield f'faults.{name}.size', fault.fault.size.unit


def _expanded(pattern: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a pattern with all names in place of its capitals."""
    for part in pattern.split('.'):
        if part in names:
            begin, end = pattern.split(part, 1)
            return [
                each for name in names[part] for each in _expanded(f'{begin}{name}{end}', names)
            ]
    return [pattern]


def vector_values(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return a vector by the keys of its axes."""
    return {f'{name}.{axis}': float(values[k]) for k, axis in enumerate(AXES)}
