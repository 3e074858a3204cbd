"""The motion between the points of a trajectory: quintic, cubic or linear Hermite polynomials.

As ros2_controllers' joint_trajectory_controller does: quintic where the points have velocities
and accelerations, cubic where they have velocities, linear where they have positions alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.simulation.trajectory import JointTrajectory

_LINEAR = np.array([[1.0, 0.0], [-1.0, 1.0]])
_CUBIC = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [-3.0, -2.0, 3.0, -1.0],
        [2.0, 1.0, -2.0, 1.0],
    ]
)
_QUINTIC = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        [-10.0, -6.0, -1.5, 10.0, -4.0, 0.5],
        [15.0, 8.0, 1.5, -15.0, 7.0, -1.0],
        [-6.0, -3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)
_HERMITE = {1: _LINEAR, 2: _CUBIC, 3: _QUINTIC}
"""By number of derivatives at the ends (position among them): from the derivatives at phase 0,
then at phase 1, to the coefficients of the powers of the phase."""


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Positions, rates and accelerations of m joints, at one time or at several.

    Parameters
    ----------
    position, velocity, acceleration : ndarray, shape (m,) or (N, m)
        rad, rad/s, rad/s^2; m, m/s, m/s^2 for prismatic joints.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]

    @classmethod
    def at_rest(cls, position: ArrayLike) -> 'JointMotion':
        """Return joints that stand still somewhere."""
        position = np.array(position, dtype=float)
        return cls(position, np.zeros_like(position), np.zeros_like(position))


@dataclass(frozen=True, eq=False)
class TrajectoryMotion:
    """A motion in time, piece by piece a polynomial; at rest after its end.

    Parameters
    ----------
    knots : ndarray, shape (K + 1,)
        Times between the pieces, s, strictly increasing.
    coefficients : ndarray, shape (6, K, m)
        Coefficients of the powers of the phase, which goes from 0 to 1 in every piece.
    last : ndarray, shape (m,)
        Positions at the end, rad or m.
    """

    knots: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    last: NDArray[np.float64]

    @classmethod
    def at_rest(cls, position: ArrayLike, time: float) -> 'TrajectoryMotion':
        """Return the motion of joints that stand still."""
        position = np.array(position, dtype=float)
        return cls(np.array([time]), np.zeros((6, 0, len(position))), position)

    @classmethod
    def from_trajectory(
        cls,
        trajectory: JointTrajectory,
        names: tuple[str, ...],
        present: JointMotion,
        start: float = 0.0,
    ) -> 'TrajectoryMotion':
        """Return the motion from where the joints are through all points.

        Parameters
        ----------
        trajectory : JointTrajectory
            Points; a first one at time zero is replaced by the present motion.
        names : tuple of str
            The trajectory's names in the order wanted.
        present : JointMotion
            Motion of the m joints at the start, in that order.
        start : float
            Time at which the trajectory starts, s.
        """
        columns = [trajectory.names.index(name) for name in names]
        rows = slice(1 if trajectory.times[0] == 0.0 else 0, None)
        given = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
        now = (present.position, present.velocity, present.acceleration)
        derivatives = [
            np.concatenate([first[None], values[rows][:, columns]])
            for first, values in zip(now, given, strict=True)
            if values is not None
        ]
        times = np.concatenate([[0.0], trajectory.times[rows]])
        coefficients = _hermite_coefficients(np.diff(times), derivatives)
        return cls(start + times, coefficients, derivatives[0][-1])

    @property
    def end(self) -> float:
        """Time from which on the joints rest, s."""
        return float(self.knots[-1])

    def at(self, times: ArrayLike, side: str = 'right') -> JointMotion:
        """Return the motion at given times.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times, s; before the first knot the joints are where they are there.
        side : {'right', 'left'}
            Which piece counts at the knots, where rates or accelerations may jump.
        """
        times = np.asarray(times, dtype=float)
        pieces = self.coefficients.shape[1]
        place = np.searchsorted(self.knots, times, side=side) - 1
        resting = (place >= pieces) | (place < 0)
        position = np.broadcast_to(self.last, (len(times), len(self.last))).copy()
        motion = JointMotion.at_rest(position)
        moving, piece = ~resting, place[~resting]
        durations = np.diff(self.knots)[piece]
        phase = (times[moving] - self.knots[piece]) / durations
        inside = _evaluate(self.coefficients[:, piece], phase[:, None], durations[:, None])
        motion.position[moving] = inside.position
        motion.velocity[moving] = inside.velocity
        motion.acceleration[moving] = inside.acceleration
        if pieces:
            motion.position[place < 0] = self.coefficients[0, 0]
        return motion

    def within_pieces(self, phases: ArrayLike) -> JointMotion:
        """Return the motion at the same phases, 0 to 1, of all pieces: shapes (K, S, m)."""
        durations = np.diff(self.knots)[:, None, None]
        phases = np.asarray(phases, dtype=float)[None, :, None]
        return _evaluate(self.coefficients[:, :, None], phases, durations)


def _hermite_coefficients(
    durations: NDArray[np.float64], derivatives: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the coefficients of all pieces, shape (6, K, m), from the values at the points."""
    order = len(derivatives)
    scaled = [values[:-1] * durations[:, None] ** k for k, values in enumerate(derivatives)]
    scaled += [values[1:] * durations[:, None] ** k for k, values in enumerate(derivatives)]
    # The scaled way would lose digits against positions far from zero: wheels turn on and on.
    origin = scaled[0].copy()
    scaled[order] = scaled[order] - origin
    scaled[0] = np.zeros_like(origin)
    coefficients = np.zeros((6, *origin.shape))
    coefficients[: 2 * order] = np.tensordot(_HERMITE[order], np.array(scaled), axes=1)
    coefficients[0] += origin
    return coefficients


def _evaluate(
    coefficients: NDArray[np.float64],
    phase: NDArray[np.float64],
    duration: NDArray[np.float64],
) -> JointMotion:
    """Return polynomials of the phase and their derivatives by time; everything broadcasts."""
    c0, c1, c2, c3, c4, c5 = coefficients
    s = phase
    position = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    velocity = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    acceleration = 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
    return JointMotion(position, velocity / duration, acceleration / duration**2)
