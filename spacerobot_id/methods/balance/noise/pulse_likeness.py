"""How near other forces on the robot come to what its thrusters give: lost commands look like it.

A command that is lost leaves a pulse that nothing explains, or one that was never given. Pushes
take it up, as large as a thruster and as long as its pulses. They are no longer independent of the
commands then, as the fit takes them to be.
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
    lasting = sizes.slow_force * sizes.memory / np.hypot(1.0, sizes.memory / length)
    force = method.usual_mass * np.hypot(sizes.force, lasting)
    return float(force / (strength * np.sqrt(length)))
