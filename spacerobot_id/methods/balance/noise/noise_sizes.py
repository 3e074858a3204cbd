"""Sizes of the noise of flights: of pushes on the wrench, of pulses, of each kind of readings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.flight import Flight

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

OF_READINGS, SIZES = 5, 8
"""Place of the first size that is of readings, and the number of all."""

NOTCH = 0.3
"""Step of the logarithm of the memory that its likelihood is compared over."""

_SHARE = 0.2
"""Share of the usual wrench that pushes begin with."""

_SCATTER = 0.1
"""Scatter of pulses to begin with."""

_HELD_BACK, _SLOW = 0.01, 1.0
"""Change of lasting pushes in a second over what others make of the velocity, at first and then.

Far from the robot they would explain what the robot has to.
"""


@dataclass(frozen=True)
class NoiseSizes:
    """Sizes of noise.

    Parameters
    ----------
    force, torque : float
        Root of the spectral density of the pushes over mass and mean inertia, m/s^1.5 and
        rad/s^1.5.
    scatter : float
        Deviation of the logarithm of the strength of a pulse: about that as a share of it.
    slow_force, slow_torque : float
        By how much lasting pushes change in a second, m/s^2.5 and rad/s^2.5.
    memory : float
        Time in which lasting pushes fade, s.
    scales : tuple of float
        Noise of each kind of readings over what is stated.
    """

    force: float
    torque: float
    scatter: float
    slow_force: float
    slow_torque: float
    memory: float = 5.0
    scales: tuple[float, ...] = (1.0, 1.0, 1.0)

    @property
    def usual_scatter(self) -> float:
        """Mean of the logarithm of what pulses give whose mean is their thruster's strength.

        As logarithms errors of strengths and of what is pushed leave the scatter of all pulses
        the same way, so that neither is biased, and a scale that all share is none of the data's.
        """
        return -0.5 * self.scatter**2

    @property
    def pushes(self) -> tuple[float, ...]:
        """All sizes but those of readings: of pushes, scatter, lasting pushes and their memory."""
        slow = self.slow_force, self.slow_torque
        return self.force, self.torque, self.scatter, *slow, self.memory

    @property
    def logarithms(self) -> NDArray[np.float64]:
        """Logarithms of all, shape (8,)."""
        slow = self.slow_force, self.slow_torque
        return np.log([self.force, self.torque, self.scatter, *slow, *self.scales])

    def of(self, logarithms: NDArray[np.float64]) -> 'NoiseSizes':
        """Return the sizes of given logarithms, the memory as it is."""
        pushes, scales = np.split(np.exp(logarithms), [OF_READINGS])
        return NoiseSizes(*pushes.tolist(), self.memory, tuple(scales.tolist()))

    def with_lasting_pushes(self) -> 'NoiseSizes':
        """Return the sizes with lasting pushes as free as near the robot they may be."""
        return replace(self, slow_force=_SLOW * self.force, slow_torque=_SLOW * self.torque)

    @property
    def fading(self) -> 'tuple[NoiseSizes, NoiseSizes]':
        """The same with a shorter and a longer memory."""
        return tuple(replace(self, memory=self.memory * np.exp(s * NOTCH)) for s in (-1.0, 1.0))


def first_sizes(method: 'MomentumBalance', flights: Sequence[Flight]) -> NoiseSizes:
    """Return sizes of pushes to start from: a share of the usual wrench."""
    square = np.zeros(2)
    for flight in flights:
        commands = flight.commands
        wrench = commands.values @ commands.columns.T
        square += [np.mean(wrench[:, :3] ** 2), np.mean(wrench[:, 3:] ** 2)]
    usual = np.sqrt(square / len(flights))
    length = float(np.mean(np.diff(flights[0].edges)))
    scales = np.array([method.usual_mass, method.usual_inertia])
    size = np.maximum(_SHARE * usual / scales, 1e-4) * np.sqrt(length)
    force, torque = size.tolist()
    return NoiseSizes(force, torque, _SCATTER, _HELD_BACK * force, _HELD_BACK * torque)
