"""Kinds of noise of flights: sizes to start from, those that a fit found by name, notes."""

from collections.abc import Sequence

import numpy as np

from spacerobot_id.methods.balance.balance_robot import BalanceRobot
from spacerobot_id.methods.balance.command_ratio import (
    pulse_ratio,
    step_ratio,
    wrench_ratio,
)
from spacerobot_id.methods.balance.feedback import coupling
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.blocks import Kind, NoiseSizes
from spacerobot_id.methods.solution import FittedStates, FoundNoise

_SHARE, _FIRST_SCATTER = 0.2, 0.1
"""Share of the usual wrench that disturbances begin with, and the scatter of pulses."""

_HELD_BACK, _SLOW = 0.01, 1.0
"""Change of lasting disturbances in a second over what others make of the velocity, at first and
then: far from the robot they would explain what the robot has to."""

_MEMORY = 5.0
"""Time in which they fade at first, s."""

_DISTURBANCES = (
    Kind('force', is_white=True),
    Kind('torque', is_white=True),
    Kind('scatter', most=1.0),  # no pulse has more
    Kind('slow_force'),
    Kind('slow_torque'),
)
"""Root of the spectral density of the disturbance wrench over mass and mean inertia (m/s^1.5 and
rad/s^1.5), deviation of the logarithm of the strength of a pulse, and by how much the lasting
disturbance wrench changes in a second, likewise (m/s^2.5 and rad/s^2.5).

As logarithms errors of strengths and of what is disturbed leave the scatter of all pulses the same
way, so that neither is biased, and a scale that all share is none of the data's.
"""

KINDS = (
    *_DISTURBANCES,
    *(Kind(name, 0.1, 3000.0, is_reading=True) for name in READINGS),
)
"""All kinds of noise: disturbances, then readings over what is stated."""

_SCATTER = 'scatter of pulses'
_MOST_SCATTER = 0.5
"""Name of the deviation of the strength of a pulse, as a share of it, and the largest that is
plausible: twice that of the test beds that publish theirs."""

_RATIO = {
    "other forces within a pulse over a thruster's": pulse_ratio,
    'other forces between wrenches over their changes': step_ratio,
}
_MOST_RATIO = 0.3
"""Names of the size of other forces as a share of what commands change, and the largest that is
plausible: the table of ``test/reference`` has 0.007, and 0.2 with a tenth of its commands lost."""

_OVER_WRENCH = "other forces over the wrench's own", "other torques over the wrench's own"
_MOST_OVER_WRENCH = 0.15
"""Names of the size of other forces and torques over the wrench's, of a robot that it alone moves,
and the largest that is plausible: pulses that scatter by 15 % make 0.07, a wrench in inertial axes
that is taken for one in those of the base, or two of whose axes are exchanged, 0.2 to 0.5."""

_OVER = 'noise of {} over that stated'
"""Name of the noise of a kind of readings."""


def first_sizes(method: BalanceRobot, flights: Sequence[Flight]) -> NoiseSizes:
    """Return sizes of noise to start from: disturbances are a share of the usual wrench."""
    square = np.zeros(2)
    for flight in flights:
        commands = flight.commands
        wrench = commands.values @ commands.columns.T
        square += [np.mean(wrench[:, :3] ** 2), np.mean(wrench[:, 3:] ** 2)]
    usual = np.sqrt(square / len(flights))
    length = float(np.mean(np.diff(flights[0].edges)))
    scales = np.array([method.usual_mass, method.usual_inertia])
    size = np.maximum(_SHARE * usual / scales, 1e-4) * np.sqrt(length)
    values = np.concatenate([size, [_FIRST_SCATTER], _HELD_BACK * size, np.ones(len(READINGS))])
    return NoiseSizes(KINDS, values, _MEMORY)


def with_lasting(sizes: NoiseSizes) -> NoiseSizes:
    """Return sizes with lasting disturbances as free as near the robot they may be."""
    names = {'slow_force': 'force', 'slow_torque': 'torque'}
    return sizes.changed({slow: _SLOW * sizes[white] for slow, white in names.items()})


def _noise_units(method: BalanceRobot) -> tuple[tuple[str, str, float], ...]:
    """Return name, unit and factor of the sizes of noise but for those of readings."""
    mass, inertia = method.usual_mass, method.usual_inertia
    return (
        ('other forces', 'N s^0.5', mass),
        ('other torques', 'N m s^0.5', inertia),
        (_SCATTER, '1', 1.0),
        ('change of lasting forces', 'N s^-0.5', mass),
        ('change of lasting torques', 'N m s^-0.5', inertia),
        ('memory of lasting forces and torques', 's', 1.0),
    )


def found_noise(method: BalanceRobot, found: FittedStates) -> tuple[FoundNoise, ...]:
    """Return the sizes of noise that a fit found, those of readings that there are."""
    sizes, scales = found.sizes, found.sizes.scales.tolist()
    kinds = sorted({int(kind) for own in found.flights for kind in np.unique(own.blocks.kind)})
    count = len(_DISTURBANCES)
    values = [*sizes.values[:count].tolist(), sizes.memory] if found.has_found_sizes else ()
    disturbances = (
        FoundNoise(name, unit, value * factor, _MOST_SCATTER if name == _SCATTER else np.inf)
        for (name, unit, factor), value in zip(_noise_units(method), values, strict=False)
    )
    commands = [own.flight.commands for own in found.flights]
    ratios = (
        FoundNoise(name, '1', ratio, _MOST_RATIO)
        for name, ratio_of in _RATIO.items()
        if found.has_found_sizes and (ratio := ratio_of(method, commands, sizes)) is not None
    )
    over_wrench = (
        FoundNoise(name, '1', ratio, _MOST_OVER_WRENCH, is_of_wrench=True)
        for name, ratio in zip(_OVER_WRENCH, wrench_ratio(method, found), strict=True)
        if found.has_found_sizes and ratio is not None
    )
    readings = (
        FoundNoise(_OVER.format(READINGS[kind]), '1', scales[kind])
        for kind in kinds
        if found.has_found_sizes or scales[kind] != 1.0
    )
    return (*disturbances, *ratios, *over_wrench, *readings)


def notes(method: BalanceRobot, found: FittedStates) -> tuple[str, ...]:
    """Return notes on residuals that correlate with the wrench."""
    between = coupling(method, found.flights) if found.has_found_sizes else None
    return () if between is None else between.sentences()
