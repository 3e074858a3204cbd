"""What is known of the robot's motion at a set of times."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Measurement:
    """Aligned samples: every row is one time.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    q, qd : ndarray, shape (N, n)
        Joint positions (rad or m) and rates.
    wheel_rates : ndarray, shape (N, w)
        Rates of the wheels against the links that carry them, rad/s.
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    position : ndarray, shape (N, 3)
        Position of the base in the inertial frame, m; NaN where it is not known.
    attitude : ndarray, shape (N, 4)
        Attitude quaternion x y z w of the base; NaN where it is not known.
    joint_torque : ndarray, shape (N, n), optional
        Torque (N m) or force (N) of every joint's motor; None where it is not measured.
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    base_twist: NDArray[np.float64]
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    joint_torque: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.times)

    def __getitem__(self, rows: slice | NDArray[np.bool_] | NDArray[np.intp]) -> 'Measurement':
        """Return some of the samples."""
        columns = (getattr(self, field.name) for field in fields(self))
        return Measurement(*(None if each is None else each[rows] for each in columns))

    @classmethod
    def concatenate(cls, parts: Sequence['Measurement']) -> 'Measurement':
        """Return several measurements one after the other; torques only if all have them."""
        columns = ([getattr(part, field.name) for part in parts] for field in fields(cls))
        return cls(
            *(
                None if any(each is None for each in column) else np.concatenate(column)
                for column in columns
            )
        )
