"""What a calibration is: how model, inputs and predicted readings change with a few numbers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import RobotModel

AXES = ('x', 'y', 'z')


@dataclass(frozen=True)
class Calibration(ABC):
    """Numbers that are zero if robot and sensors are as described, with a prior deviation.

    A subclass overrides one of ``robot``, ``inputs``, ``sensed`` and ``delay``. Readings are
    always predicted forward; a measured reading is never divided or turned back, which would
    change its noise with the unknown.

    Parameters
    ----------
    std : float
        Prior standard deviation of each number; zero if it is known.
    known : tuple of float
        Numbers that the robot's YAML file states, beside which they are off; none if zero.
    """

    key: ClassVar[str]
    """Name of its setting and of its unknowns."""

    stream: ClassVar[str] = ''
    """Reading that it changes: ``gyro``, ``velocity`` or ``pose``; empty if all."""

    suspected: ClassVar[float]
    """How far sensors or geometry may be off without a given deviation."""

    moves_base: ClassVar[bool] = True
    """Whether it changes what the base is predicted to do, and not only how that is read."""

    std: float
    known: tuple[float, ...] = ()

    @abstractmethod
    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the names of its numbers."""

    @abstractmethod
    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return their units."""

    def group(self, model: RobotModel) -> UnknownGroup:
        """Return its numbers as unknowns."""
        return UnknownGroup(self.key, self.names(model), list(self.units(model)), self.std)

    def robot(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return the robot with another geometry."""
        return model

    def described(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return a description by which readings are predicted as with these numbers."""
        if not self.stream:
            return self.robot(model, values)
        known = {**model.calibration, self.key: tuple(values.tolist())}
        return replace(model, calibration=known)

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with other joint positions or poses: shifts, so that noise stays."""
        return record

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from the base's twist to what velocity and gyro read, (6, 6)."""
        return np.eye(6)

    def displacements(
        self, model: RobotModel, values: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return how its numbers displace joints, where that is all they do.

        Parameters
        ----------
        model : RobotModel
            Robot with t joints in its tree, with the geometry that the numbers give.
        values : ndarray, shape (f,)
            Numbers about which they change.

        Returns
        -------
        ndarray, shape (t, 6, f), optional
            Slope of the displacements of ``momentum_by_displacements``; None by default.
        """
        return None

    def delay(self, values: NDArray[np.float64]) -> float:
        """Return by how much its stream is late against the joints, s."""
        return 0.0


@dataclass(frozen=True)
class AxisCalibration(Calibration):
    """A calibration of three numbers, one for each axis of the base."""

    unit: ClassVar[str]

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the axes."""
        return AXES

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return the unit of each."""
        return (self.unit,) * 3
