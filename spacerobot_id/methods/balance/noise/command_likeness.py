"""How near other forces on the robot come to what commands change: lost commands look like it.

A command that is lost leaves a pulse of a thruster that nothing explains, or one that was never
given, or a wrench that held on too long. Pushes take it up, as large as the thruster or the change
of the wrench, and as long. They are no longer independent of the commands then, as the fit takes
them to be.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacerobot_id.methods.balance.actuators.commands import Commands
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_PULSE = 0.1
"""Length of a pulse where none is commanded, s."""

_LONG, _FEW = 1.5, 0.1
"""Time between two wrenches, over the usual one, from which on one may be missing between them;
and the share of such times below which they are too few to matter."""

_SMALL = 0.1
"""Change of a wrench in that time, over the wrench itself, that does not matter."""


def pulse_likeness(
    method: 'MomentumBalance', commands: Sequence[Commands], sizes: NoiseSizes
) -> float | None:
    """Return the size of other forces within a pulse over the force of a thruster.

    The spectral density of white pushes and of lasting ones (Ornstein-Uhlenbeck) at the inverse
    of the length of a pulse, over that of such pulses: slow forces, as of a tilted table, are not
    like pulses however large they are.

    Parameters
    ----------
    method : MomentumBalance
        Robot.
    commands : sequence of Commands
        What was commanded, by flight.
    sizes : NoiseSizes
        Sizes of the pushes.

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


def step_likeness(
    method: 'MomentumBalance', commands: Sequence[Commands], sizes: NoiseSizes
) -> float | None:
    """Return the size of other forces between wrenches over the changes of these.

    Wrenches hold until the next one. Where they come evenly but for some that are missing, each
    of these leaves the difference of the forces next to it as another force.

    Parameters
    ----------
    method : MomentumBalance
        Robot.
    commands : sequence of Commands
        Wrenches, by flight.
    sizes : NoiseSizes
        Sizes of the pushes.

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


def _force(method: 'MomentumBalance', sizes: NoiseSizes, length: float) -> float:
    """Return the size of other forces that come and go within a time, N."""
    lasting = sizes.slow_force * sizes.memory / np.hypot(1.0, sizes.memory / length)
    return float(method.usual_mass * np.hypot(sizes.force, lasting) / np.sqrt(length))
