"""The motion between the points of a trajectory: quintic, cubic or linear Hermite polynomials.

As ros2_controllers' joint_trajectory_controller does: quintic where the points have velocities
and accelerations, cubic where they have velocities, linear where they have positions alone.
"""

from dataclasses import dataclass
from math import comb, perm

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BPoly, PPoly


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """Joints and wheels at some times; rows are samples, columns as in the plan's names.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times since the start, s.
    position, velocity, acceleration : ndarray, shape (N, m)
        Of every actuator: rad, rad/s, rad/s^2 (m for prismatic joints).
    """

    times: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]

    def __getitem__(self, samples: NDArray[np.intp] | slice) -> 'PlannedMotion':
        """Return some samples of the motion."""
        return PlannedMotion(
            self.times[samples],
            self.position[samples],
            self.velocity[samples],
            self.acceleration[samples],
        )


@dataclass(frozen=True, eq=False)
class SampleGradient:
    """Derivatives of a number by the samples of a motion; arrays have shape (N, m).

    Parameters
    ----------
    position, velocity, acceleration : ndarray
        Per rad (m), rad/s and rad/s^2 of each actuator at each sample.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]

    def __add__(self, other: 'SampleGradient') -> 'SampleGradient':
        """Return the derivatives of the sum of two numbers."""
        return SampleGradient(
            self.position + other.position,
            self.velocity + other.velocity,
            self.acceleration + other.acceleration,
        )


MAX_POINTS = 100_000
"""Largest number of points of a trajectory."""


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """Points that joints or wheels pass through; times count from when it is received.

    Parameters
    ----------
    names : tuple of str
        Names of the m joints.
    times : ndarray, shape (K,)
        Times of the points since the start, s.
    positions : ndarray, shape (K, m)
        Positions, rad or m.
    velocities : ndarray, shape (K, m), optional
        Rates, rad/s or m/s.
    accelerations : ndarray, shape (K, m), optional
        Accelerations, rad/s^2 or m/s^2; only with velocities.
    """

    names: tuple[str, ...]
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    accelerations: NDArray[np.float64] | None = None


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
    """A motion in time, piece by piece a polynomial; at rest before its start and after its end.

    Parameters
    ----------
    knots : ndarray, shape (K + 1,)
        Times between the pieces, s, strictly increasing.
    curve : PPoly
        Positions of m joints, rad or m; its first and last pieces are the rest before and after.
    """

    knots: NDArray[np.float64]
    curve: PPoly

    @classmethod
    def at_rest(cls, position: ArrayLike, time: float) -> 'TrajectoryMotion':
        """Return the motion of joints that stand still."""
        position = np.array(position, dtype=float)
        return cls._between_rests(np.array([time]), np.zeros((1, 0, len(position))), position)

    @classmethod
    def _between_rests(
        cls,
        knots: NDArray[np.float64],
        coefficients: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> 'TrajectoryMotion':
        """Return the motion with the coefficients of its pieces, highest power first."""
        first = coefficients[-1, :1] if coefficients.shape[1] else last[None]
        padded = np.pad(coefficients, ((0, 0), (1, 1), (0, 0)))
        padded[-1, 0], padded[-1, -1] = first[0], last
        breaks = np.concatenate([[knots[0] - 1.0], knots, [knots[-1] + 1.0]])
        return cls(knots, PPoly.construct_fast(padded, breaks))

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
        coefficients = _hermite_coefficients(times, derivatives)
        return cls._between_rests(start + times, coefficients, derivatives[0][-1])

    @property
    def end(self) -> float:
        """Time from which on the joints rest, s."""
        return float(self.knots[-1])

    @property
    def last(self) -> NDArray[np.float64]:
        """Positions at the end, shape (m,), rad or m."""
        return self.curve.c[-1, -1]

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
        if side == 'left':
            times = np.nextafter(times, -np.inf)
        return JointMotion(*(self.curve(times, order) for order in range(3)))

    def within_pieces(self, phases: ArrayLike) -> JointMotion:
        """Return the motion at the same phases, 0 to 1, of all pieces: shapes (K, S, m)."""
        begins, ends = self.knots[:-1, None], self.knots[1:, None]
        times = begins + np.asarray(phases, dtype=float) * (ends - begins)
        return self.at(np.clip(times, begins, np.nextafter(ends, -np.inf)))


def _hermite_coefficients(
    times: NDArray[np.float64], derivatives: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the coefficients of the powers of time in each piece, the highest first.

    As ``BPoly.from_derivatives``, for all pieces at once.

    Parameters
    ----------
    times : ndarray, shape (K + 1,)
        Times of the points, s.
    derivatives : list of ndarray, shape (K + 1, m)
        Positions at the points, and one or two of their derivatives by time.

    Returns
    -------
    ndarray, shape (2 d, K, m)
        With d the number of arrays given.
    """
    count, durations = len(derivatives), np.diff(times)[:, None]
    degree = 2 * count - 1
    # Positions far from zero would cost digits of the rates: wheels turn on and on.
    origin = derivatives[0][:-1]
    begins = [np.zeros_like(origin), *(values[:-1] for values in derivatives[1:])]
    ends = [derivatives[0][1:] - origin, *(values[1:] for values in derivatives[1:])]
    bernstein = np.empty((degree + 1, *origin.shape))
    for place in range(count):
        bernstein[place] = bernstein[degree - place] = 0.0
        for order in range(place + 1):
            scale = comb(place, order) / perm(degree, order) * durations**order
            bernstein[place] += scale * begins[order]
            bernstein[degree - place] += (-1) ** order * scale * ends[order]
    coefficients = PPoly.from_bernstein_basis(BPoly.construct_fast(bernstein, times)).c
    coefficients[-1] += origin
    return coefficients
