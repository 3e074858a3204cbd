"""The angular momentum that a robot turns with, known to whoever plans for it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownMomentum:
    """A robot's angular momentum, and what else its estimator is told.

    Parameters
    ----------
    angular_momentum : tuple of 3 floats
        About the system's centre of mass in inertial axes, kg m^2/s.
    attitude : tuple of 4 floats
        Quaternion x y z w of the base at the start.
    trust_zeros : bool
        Whether parameters that are exactly zero in the description are known to be zero.
    """

    angular_momentum: tuple[float, ...]
    attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
    trust_zeros: bool = False
