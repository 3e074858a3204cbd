"""Settings of the firing of thrusters, as they are declared."""

from dataclasses import dataclass

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.settings import parameter

GRID = 0.05
"""Spacing of the times at which valves open and close, s."""

SEGMENT = 2.0
"""Duration of the segments that pulses are drawn for, s."""


@dataclass(frozen=True)
class ThrustParameters:
    """Pulses, valves open at once, and where the base may go; each has its own description."""

    shortest_pulse: float = parameter(
        0.1,
        'Shortest time that a thruster is opened for, s, in steps of 0.05 s; for robots with '
        'thrusters and momentum_balance, as all of the thrusters.',
        minimum=0.05,
        maximum=10.0,
        read_only=True,
    )
    longest_pulse: float = parameter(
        0.5,
        'Longest time that a thruster is opened for, s.',
        minimum=0.05,
        maximum=10.0,
        read_only=True,
    )
    most_valves: int = parameter(
        2, 'Most thrusters that are open at once; no unit.', minimum=1, read_only=True
    )
    thrust_box: tuple[float, ...] = parameter(
        (0.5, 0.5, 0.5),
        'How far the base may go from where it starts along each inertial axis, m.',
        lengths=(3,),
        read_only=True,
    )
    thrust_rate_limit: float = parameter(
        0.3,
        'Largest angular velocity of the base that thrusters are to give it, rad/s.',
        minimum=1e-3,
        read_only=True,
    )
    command_lead: float = parameter(
        1.0,
        'Time by which commands of thrusters are sent before they hold, s; what has been sent is '
        'carried out even when the motion is stopped.',
        minimum=0.05,
        maximum=5.0,
        read_only=True,
    )


def check_thrust(parameters: ThrustParameters) -> None:
    """Raise ConfigurationError if no pulse is possible, or the box has no room."""
    shortest, longest = parameters.shortest_pulse, parameters.longest_pulse
    if shortest > longest:
        raise ConfigurationError(
            f'shortest_pulse: {shortest:g} s is above longest_pulse, {longest:g}'
        )
    if shortest > SEGMENT - GRID:
        raise ConfigurationError(f'shortest_pulse: must be below {SEGMENT - GRID:g} s')
    if min(parameters.thrust_box) <= 0.0:
        raise ConfigurationError('thrust_box: every number must be above zero')
