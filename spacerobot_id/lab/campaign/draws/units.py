"""Units of what is drawn and required: each is one of the SI unit that a key has, or an error."""

from spacerobot_id.measurement.adapters.adapter_yaml import UNITS

_OTHERS = {'1': 1.0, '%': 1e-2, 'mrad': 1e-3, 'Hz': 1.0, 'kHz': 1e3, 'um': 1e-6}

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
    return 1.0 if name == wanted else (UNITS | _OTHERS)[name]
