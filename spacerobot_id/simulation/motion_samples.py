"""What a simulator gives: the motion of the robot at a set of times."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement


@dataclass(frozen=True, eq=False)
class MotionSamples:
    """Motion of the whole robot, true or measured: every row is one time.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    q, qd, qdd : ndarray, shape (N, n)
        Joint positions (rad or m), rates and accelerations.
    wheel_angles, wheel_rates : ndarray, shape (N, w)
        Wheels against the links that carry them, rad and rad/s.
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    position : ndarray, shape (N, 3)
        Position of the base in the inertial frame, m.
    attitude : ndarray, shape (N, 4)
        Attitude quaternion x y z w of the base; without jumps of sign.
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    wheel_angles: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    base_twist: NDArray[np.float64]
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.times)

    def measurement(self) -> Measurement:
        """Return what an estimator takes."""
        return Measurement(
            self.times,
            self.q,
            self.qd,
            self.wheel_rates,
            self.base_twist,
            self.position,
            self.attitude,
        )
