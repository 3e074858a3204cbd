"""Joints: what moves, about which axis, how far, fast and hard it may, and what follows what."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Capsule:
    """A capsule fixed to a link; a sphere where start and end are the same.

    Parameters
    ----------
    link : int
        Index of the link.
    start, end : ndarray, shape (3,)
        Ends of its axis in the link's frame, m.
    radius : float
        Radius, m.
    """

    link: int
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    radius: float

    @classmethod
    def of_sphere(cls, radius: float) -> 'Capsule':
        """Return a sphere about the origin."""
        return cls(0, np.zeros(3), np.zeros(3), radius)

    @classmethod
    def of_cylinder(cls, radius: float, length: float) -> 'Capsule':
        """Return what surrounds a cylinder along z, centred in the origin."""
        end = np.array([0.0, 0.0, 0.5 * length])
        return cls(0, -end, end, radius)

    @classmethod
    def of_box(cls, size: ArrayLike) -> 'Capsule':
        """Return what surrounds a box, centred in the origin: its axis is the longest edge's."""
        half = 0.5 * np.asarray(size, dtype=float)
        longest = int(np.argmax(half))
        across = np.delete(half, longest)
        end = np.zeros(3)
        end[longest] = half[longest]
        return cls(0, -end, end, float(np.hypot(*across)))

    def carried(self, link: int, rotation: ArrayLike, translation: ArrayLike) -> 'Capsule':
        """Return the capsule in the frame of a link.

        Parameters
        ----------
        link : int
            Index of the link.
        rotation : array_like, shape (3, 3)
            From this frame's axes to the link's.
        translation : array_like, shape (3,)
            Origin of this frame in the link's, m.
        """
        rotation, translation = np.asarray(rotation), np.asarray(translation)
        return Capsule(
            link,
            rotation @ self.start + translation,
            rotation @ self.end + translation,
            self.radius,
        )


class JointType(Enum):
    """Kind of a joint with one degree of freedom along or about the z axis of its child."""

    REVOLUTE = 'revolute'
    PRISMATIC = 'prismatic'


@dataclass(frozen=True)
class JointLimits:
    """Limits of one joint; infinite where there is none.

    Parameters
    ----------
    lower, upper : float
        Position, rad or m.
    velocity : float
        Largest magnitude of the rate, rad/s or m/s.
    acceleration : float
        Largest magnitude of the acceleration, rad/s^2 or m/s^2.
    effort : float
        Largest magnitude of torque or force, N m or N.
    """

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    acceleration: float = np.inf
    effort: float = np.inf

    def of_leader(self, mimic: 'Mimic') -> 'JointLimits':
        """Return what these limits leave to the joint that one with them follows.

        Effort is not limited: the transmission gives what the following joint takes.
        """
        ratio = mimic.multiplier
        ends = [(end - mimic.offset) / ratio for end in (self.lower, self.upper)]
        lower, upper = ends if ratio > 0.0 else ends[::-1]
        scale = abs(ratio)
        return JointLimits(lower, upper, self.velocity / scale, self.acceleration / scale)

    def excludes(self, other: 'JointLimits') -> bool:
        """Return whether no range of positions keeps both, each of which has positions."""
        has_room = max(self.lower, other.lower) < min(self.upper, other.upper)
        return not has_room and other.lower <= other.upper

    def narrowed(self, other: 'JointLimits') -> 'JointLimits':
        """Return limits that keep these and others, whose positions do not count if excluded."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if self.excludes(other):
            lower, upper = self.lower, self.upper
        return JointLimits(
            lower,
            upper,
            min(self.velocity, other.velocity),
            min(self.acceleration, other.acceleration),
            min(self.effort, other.effort),
        )


@dataclass(frozen=True)
class Mimic:
    """What a joint follows: its position is ``multiplier`` times another's plus ``offset``.

    Parameters
    ----------
    joint : str
        Name of the joint that it follows.
    multiplier : float
        Rate of this joint per rate of that one.
    offset : float
        Position of this joint where that one is at zero, rad or m.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint, and where it puts its child link in the frame of the parent.

    The child's frame is at ``p_PC_P`` and, at position zero, turned by ``R_PC``. A revolute joint
    turns it about the child's z axis, a prismatic one slides it along that axis.

    Parameters
    ----------
    name : str
        Name of the joint.
    type : JointType
        Revolute (limited or continuous) or prismatic.
    parent : int
        Index of the parent link.
    R_PC : ndarray, shape (3, 3)
        Rotation from child to parent axes at position zero.
    p_PC_P : ndarray, shape (3,)
        Origin of the child at position zero in the parent's frame, m.
    limits : JointLimits
        Limits of position, rate, acceleration and effort.
    mimic : Mimic, optional
        The joint that this one follows, by a transmission that gives what it takes; None if it
        has a position of its own.
    """

    name: str
    type: JointType
    parent: int
    R_PC: NDArray[np.float64]
    p_PC_P: NDArray[np.float64]
    limits: JointLimits = field(default_factory=JointLimits)
    mimic: Mimic | None = None

    @property
    def is_continuous(self) -> bool:
        """Whether it turns without an end, so that an encoder may give angles that wrap."""
        ends = self.limits.lower, self.limits.upper
        return self.type is JointType.REVOLUTE and bool(np.isinf(ends).all())


@dataclass(frozen=True, eq=False)
class JointCoupling:
    """Positions of the t joints of a tree, linear in those of the n that lead.

    Parameters
    ----------
    matrix : ndarray, shape (t, n)
        Rates of all joints per rate of the leading ones.
    offset : ndarray, shape (t,)
        Positions of all joints where the leading ones are at zero, rad or m.
    """

    matrix: NDArray[np.float64]
    offset: NDArray[np.float64]

    @classmethod
    def of(cls, joints: Sequence[Joint]) -> Optional['JointCoupling']:
        """Return the coupling of a tree's joints; None if each moves on its own."""
        leading = [joint.name for joint in joints if joint.mimic is None]
        if len(leading) == len(joints):
            return None
        matrix, offset = np.zeros((len(joints), len(leading))), np.zeros(len(joints))
        for row, joint in enumerate(joints):
            if joint.mimic is None:
                matrix[row, leading.index(joint.name)] = 1.0
            else:
                matrix[row, leading.index(joint.mimic.joint)] = joint.mimic.multiplier
                offset[row] = joint.mimic.offset
        return cls(matrix, offset)

    def positions(self, q: ArrayLike) -> NDArray[np.float64]:
        """Return the positions of all joints, shape (..., n) to (..., t)."""
        return np.asarray(q, dtype=float) @ self.matrix.T + self.offset

    def rates(self, qd: ArrayLike) -> NDArray[np.float64]:
        """Return rates, or accelerations, of all joints, shape (..., n) to (..., t)."""
        return np.asarray(qd, dtype=float) @ self.matrix.T

    def contract(
        self, values: NDArray[np.float64], *axes: int, free: int = 0
    ) -> NDArray[np.float64]:
        """Return values per leading joint: what followers get is carried by their leaders.

        Parameters
        ----------
        values : ndarray
            Columns of a Jacobian, torques, rows and columns of a mass matrix.
        axes : int
            Axes of t entries, to be of n.
        free : int
            Entries before those of the joints on these axes, six for the base's, that stay.
        """
        matrix = np.zeros((free + len(self.matrix), free + self.matrix.shape[1]))
        matrix[:free, :free] = np.eye(free)
        matrix[free:, free:] = self.matrix
        for axis in axes:
            values = np.moveaxis(np.tensordot(values, matrix, axes=(axis, 0)), -1, axis)
        return values
