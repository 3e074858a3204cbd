"""Kinds of noise of flights: sizes to start from, those that a fit found by name, notes.

A command that is lost leaves a pulse of a thruster that nothing explains, or one that was never
given, or a wrench that held on too long. Disturbances take it up, as large as the thruster or the
change of the wrench, and as long. They are no longer independent of the commands then, as the fit
takes them to be. Where all of the commands act otherwise than stated, as in other axes,
disturbances take up the difference, and come near the wrench.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.signal import correlate

from spacerobot_id.methods.balance.actuators.actuation import Actuation
from spacerobot_id.methods.balance.actuators.commands import Commands
from spacerobot_id.methods.balance.balance_robot import BalanceRobot
from spacerobot_id.methods.balance.equations.moving_robot import MovingRobot
from spacerobot_id.methods.balance.feedback import coupling
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.blocks import Kind, NoiseSizes
from spacerobot_id.methods.solution import FittedFlight, FittedStates, FoundNoise

_PULSE = 0.1
"""Length of a pulse where none is commanded, s."""

_LONG, _FEW = 1.5, 0.1
"""Time between two wrenches, over the usual one, from which on one may be missing between them;
and the share of such times below which they are too few to matter."""

_SMALL = 0.1
"""Change of a wrench in that time, over the wrench itself, that does not matter."""

_ACTING = 0.1
"""Force or torque, over its largest value, from which on it counts as acting."""


def pulse_ratio(
    method: BalanceRobot, commands: Sequence[Commands], sizes: NoiseSizes
) -> float | None:
    """Return the size of other forces within a pulse over the force of a thruster.

    The spectral density of white disturbances and of lasting ones (Ornstein-Uhlenbeck) at the
    inverse of the length of a pulse, over that of such pulses: slow forces, as of a tilted table,
    are not like pulses however large they are.

    Parameters
    ----------
    method : BalanceRobot
        Robot.
    commands : sequence of Commands
        What was commanded, by flight.
    sizes : NoiseSizes
        Sizes of the disturbances.

    Returns
    -------
    float or None
        Ratio; None for a robot without thrusters.
    """
    if not method.model.thrusters:
        return None
    lengths = np.concatenate([each.pulse_lengths() for each in commands])
    length = float(np.median(lengths)) if len(lengths) else _PULSE
    strength = float(np.median([each.strength for each in method.model.thrusters]))
    return _force(method, sizes, length) / strength


def step_ratio(
    method: BalanceRobot, commands: Sequence[Commands], sizes: NoiseSizes
) -> float | None:
    """Return the size of other forces between wrenches over the changes of these.

    Wrenches hold until the next one. Where they come evenly but for some that are missing, each
    of these leaves the difference of the forces next to it as another force.

    Parameters
    ----------
    method : BalanceRobot
        Robot.
    commands : sequence of Commands
        Wrenches, by flight.
    sizes : NoiseSizes
        Sizes of the disturbances.

    Returns
    -------
    float or None
        Ratio; None where hardly a wrench can be missing, or those next to it are the same.
    """
    if any(each.are_valves for each in commands):
        return None
    forces = [each.values @ each.columns[:3].T for each in commands]
    steps = np.concatenate([np.diff(each.times) for each in commands])
    changes = np.concatenate([np.diff(each, axis=0) for each in forces])
    if not len(steps):
        return None
    long = steps > _LONG * np.quantile(steps, 0.25)
    change = float(np.sqrt(np.mean(changes[long] ** 2))) if long.any() else 0.0
    usual = float(np.sqrt(np.mean(np.concatenate(forces) ** 2)))
    if np.mean(long) < _FEW or change <= _SMALL * usual:
        return None
    return _force(method, sizes, float(np.median(steps[long]))) / change


def wrench_ratio(method: BalanceRobot, found: FittedStates) -> tuple[float | None, float | None]:
    """Return the size of other forces over that of the wrench's own, and that of torques.

    Of a robot that the wrench alone moves. Others are those as fast as the wrench, by the mass
    and inertia that the fit found; where they come near it the wrench does not explain the
    motion. What of the wrench is constant does not count: it may hold the robot on a slope.

    Parameters
    ----------
    method : BalanceRobot
        Robot.
    found : FittedStates
        The fit.

    Returns
    -------
    tuple of (float or None)
        Ratios of forces and torques; None where joints or wheels move the robot too, and where
        poses do not show what the wrench does.
    """
    if method.model.joints or method.model.wheels:
        return None, None
    usual = method.usual_mass, method.usual_inertia
    scales = np.mean([_mass_and_inertia(method, own) for own in found.flights], axis=0)
    wrenches = np.concatenate([_stated_wrench(method, own) for own in found.flights])
    spacing = float(np.mean(np.concatenate([own.blocks.seconds for own in found.flights])))
    ratios: list[float | None] = []
    for half, sizes in enumerate(_of_forces_and_torques(found.sizes)):
        strength, length = _acting(np.split(wrenches, 2, axis=1)[half], spacing)
        if strength * length**2 <= method.pose_std[half] * usual[half]:
            ratios.append(None)
            continue
        other = scales[half] * _acceleration(*sizes, found.sizes.memory, length)
        ratios.append(float(other / strength))
    return ratios[0], ratios[1]


def _mass_and_inertia(method: BalanceRobot, own: FittedFlight) -> NDArray[np.float64]:
    """Return mass and mean inertia as a flight was fitted with, shape (2,)."""
    return MovingRobot(method, own.flight, own.values).mass_and_inertia()[0]


def _stated_wrench(method: BalanceRobot, own: FittedFlight) -> NDArray[np.float64]:
    """Return the wrench of each segment as commanded, without its mean, shape (G, 6)."""
    actuation = Actuation(method, own.flight, own.values)
    wrench = actuation.mean_wrench(own.flight.edges, np.zeros(1))
    return (wrench - wrench.mean(axis=0)) * actuation.freedom


def _acting(vectors: NDArray[np.float64], spacing: float) -> tuple[float, float]:
    """Return the root mean square of vectors where they act, and how long in one direction, s.

    That time is the integral of the autocorrelation between the lags at which it is no longer
    positive: the length of pulses. Both are zero where none acts.

    Parameters
    ----------
    vectors : ndarray, shape (N, 3)
        Forces or torques.
    spacing : float
        Time between two of them, s.
    """
    sizes = np.linalg.norm(vectors, axis=1)
    if not sizes.any():
        return 0.0, 0.0
    products = sum(correlate(each, each)[len(each) - 1 :] for each in vectors.T)
    past = np.flatnonzero(products <= 0.0)
    kept = products[: past[0] if len(past) else None]
    length = spacing * (2.0 * np.sum(kept) / products[0] - 1.0)
    acting = sizes[sizes > _ACTING * sizes.max()]
    return float(np.sqrt(np.mean(acting**2))), float(length)


def _of_forces_and_torques(sizes: NoiseSizes) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return sizes of white and of lasting disturbances, of forces and of torques."""
    return (sizes['force'], sizes['slow_force']), (sizes['torque'], sizes['slow_torque'])


def _force(method: BalanceRobot, sizes: NoiseSizes, length: float) -> float:
    """Return the size of other forces that come and go within a time, N."""
    white, lasting = _of_forces_and_torques(sizes)[0]
    return method.usual_mass * _acceleration(white, lasting, sizes.memory, length)


def _acceleration(white: float, lasting: float, memory: float, length: float) -> float:
    """Return the size of accelerations by disturbances that come and go within a time.

    Parameters
    ----------
    white, lasting : float
        Root of the density of white disturbances, and change of lasting ones in a second, over
        mass or inertia.
    memory : float
        Time in which lasting ones fade, s.
    length : float
        The time, s.
    """
    lasting *= memory / np.hypot(1.0, memory / length)
    return float(np.hypot(white, lasting) / np.sqrt(length))


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
