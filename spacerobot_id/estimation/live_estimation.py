"""What every method gives while a robot moves: states that are made of one another."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.changed_body import ChangedBody
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.model import InertialParameters


class LiveEstimation(Protocol):
    """The state of a method after some samples; a value that nothing changes."""

    looks_for_changes: ClassVar[bool]
    """Whether samples that do not fit are refused, and a changed robot is announced."""

    @property
    def samples(self) -> int:
        """Samples absorbed."""

    @property
    def rejected(self) -> int:
        """Samples refused because they did not fit."""

    @property
    def changes(self) -> int:
        """Times that the robot was found changed."""

    def is_moving(self, block: Measurement) -> NDArray[np.bool_]:
        """Return in which samples something moves, shape (N,)."""

    def absorb(self, block: Measurement) -> 'LiveEstimation':
        """Return the state after new samples, in the order of time."""

    def refined(self) -> 'LiveEstimation':
        """Return the state with all samples kept fitted in one batch."""

    def estimate(self) -> Estimate:
        """Return what is known now."""

    def robot(self, q: NDArray[np.float64]) -> InertialParameters | None:
        """Return the whole robot at joint positions; None where its mass cannot be told."""

    def inertia(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its inertia about its centre of mass in base axes, kg m^2, shape (3, 3)."""

    def links(self, relative_std: float) -> ConsistentParameters | None:
        """Return links that can exist; None where links cannot be told."""

    def changed(self) -> tuple[ChangedBody, ...]:
        """Return what came or went at the last change, by link."""
