"""Settings of what is unknown of the base's actuators, and of what else acts on it."""

from dataclasses import dataclass

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import parameter

STRENGTH, DIRECTION, WRENCH_SCALE = 'strength', 'thrust_direction', 'wrench_scale'
"""Unknowns of thrusters, and of the components of a wrench."""

UNEVENNESS = 'unevenness'
"""Unknowns of a table whose slope changes with the place."""

WRENCH_NAMES = ('fx', 'fy', 'fz', 'tx', 'ty', 'tz')
"""Components of a wrench."""


def _std(sentence: str, key: str | None = None) -> float:
    """Return the field of a standard deviation."""
    return parameter(0.0, f'{sentence}; none if 0.', key=key, minimum=0.0, read_only=True)


@dataclass(frozen=True)
class ThrusterErrorSettings:
    """Which errors of thrusters are unknown, by their deviations."""

    strength: float = _std(
        'Standard deviation of the relative error of the strength of each thruster, where '
        'thruster_commands come'
    )
    known_strengths: tuple[str, ...] = parameter(
        (),
        'Thrusters, or components of base_wrench, whose strengths are exactly as stated.',
        read_only=True,
    )
    strength_loss: float = _std(
        'Standard deviation of the share of the strength that is lost for every further thruster '
        'that is open'
    )
    dead_time: float = _std(
        'Standard deviation of the time by which every pulse of a thruster begins too late, s'
    )
    delay_wrench: float = _std(
        'Standard deviation of the delay of wrenches against joint_states, or, for free_flyer, '
        'against base_pose, s',
        'delay.wrench',
    )
    thrust_direction: float = _std(
        'Standard deviation of the direction of each thruster, about each axis across it, rad'
    )


@dataclass(frozen=True)
class ActuatorSettings(ThrusterErrorSettings):
    """Which errors of actuators, and which disturbances, are unknown, by their deviations."""

    wrench_scale: float = _std(
        'Standard deviation of the relative error of each component of base_wrench, where these '
        'come'
    )
    disturbance_force: float = _std(
        "Standard deviation of a constant force at the system's centre of mass in inertial axes, "
        'such as that of a tilted table, N'
    )
    disturbance_torque: float = _std(
        "Standard deviation of a constant torque about the system's centre of mass in inertial "
        'axes, N m'
    )
    drag: float = _std('Standard deviation of a force against the linear momentum, over it, 1/s')
    unevenness: float = _std(
        'Standard deviation of the second derivatives of the potential of an uneven table by the '
        'place of the centre of mass, N/m, and of higher ones, N/m^2 and so on'
    )
    unevenness_order: int = parameter(
        3,
        "Order of the polynomial of the table's potential.",
        minimum=2,
        maximum=5,
        read_only=True,
    )
    allocate_wrench: bool = parameter(
        True,
        'Whether base_wrench is asked of the thrusters of the description, where it has some: it '
        'is allocated to them by non-negative least squares.',
        read_only=True,
    )


def table_powers(order: int) -> list[tuple[int, int]]:
    """Return the powers of x and y in the potential of an uneven table, slopes apart."""
    return [(degree - k, k) for degree in range(2, order + 1) for k in range(degree + 1)]


def actuator_groups(
    settings: ActuatorSettings, model: RobotModel, free: list[int]
) -> list[UnknownGroup]:
    """Return what is unknown of actuators and disturbances.

    Parameters
    ----------
    settings : ActuatorSettings
        Standard deviations.
    model : RobotModel
        Robot; names its thrusters.
    free : list of int
        Components of the twist that are free.

    Raises
    ------
    ConfigurationError
        If an actuator is named that there is not, or a table is uneven in space.
    """
    groups = []
    wrench = [WRENCH_NAMES[k] for k in free]
    thrusters = [each.name for each in model.thrusters]
    unknown = set(settings.known_strengths) - {*thrusters, *wrench}
    if unknown:
        named = ', '.join([*thrusters, *wrench])
        raise ConfigurationError(
            f'known_strengths: must be one of {named}, got {", ".join(sorted(unknown))}'
        )
    for key, std, names in (
        (STRENGTH, settings.strength, thrusters),
        (WRENCH_SCALE, settings.wrench_scale, wrench),
    ):
        names = [name for name in names if name not in settings.known_strengths]
        if std and names:
            groups.append(UnknownGroup(key, names, ['1'] * len(names), std))
    if settings.thrust_direction and thrusters:
        axes = ('',) if free == [0, 1, 5] else ('.u', '.v')
        names = [name + axis for name in thrusters for axis in axes]
        units = ['rad'] * len(names)
        groups.append(UnknownGroup(DIRECTION, names, units, settings.thrust_direction))
    for key, std, unit in (
        ('strength_loss', settings.strength_loss, '1'),
        ('dead_time', settings.dead_time, 's'),
        ('delay.wrench', settings.delay_wrench, 's'),
    ):
        if std:
            groups.append(UnknownGroup(key, ('',), [unit], std))
    disturbance = [
        settings.disturbance_force if k < 3 else settings.disturbance_torque for k in free
    ]
    if any(disturbance):
        units = ['N' if k < 3 else 'N m' for k in free]
        tiny = [max(each, 1e-12) for each in disturbance]
        groups.append(UnknownGroup('disturbance', wrench, units, tiny))
    if settings.unevenness:
        if 2 in free:
            raise ConfigurationError('unevenness: a table is only where planar is true')
        powers = table_powers(settings.unevenness_order)
        names = ['x' * i + 'y' * j for i, j in powers]
        units = ['N/m' if i + j == 2 else f'N/m^{i + j - 1}' for i, j in powers]
        groups.append(UnknownGroup(UNEVENNESS, names, units, settings.unevenness))
    if settings.drag:
        groups.append(UnknownGroup('drag', ('',), ['1/s'], settings.drag))
    return groups
