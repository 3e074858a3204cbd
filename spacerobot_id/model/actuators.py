"""What motors and thrusters of a real robot do that ideal ones do not; all off by default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import Gt, Interval
import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import AfterValidator
from scipy.spatial.transform import Rotation

from spacerobot_id.settings.kinds import (
    Array,
    Finite,
    FinitePositive,
    Flag,
    KeyedError,
    keys,
    Maybe,
    NotNegative,
    Positive,
    ReadFrom,
    Share,
    UnitVector,
    Vector,
    WHOLE,
)


@dataclass(frozen=True, eq=False)
class Thruster:
    """A thruster, or a valve with its nozzle.

    Parameters
    ----------
    name : str
        Name.
    position : ndarray, shape (3,)
        Place of its nozzle in the base's frame, m.
    direction : ndarray, shape (3,)
        Direction of the force on the base, in base axes; of unit length, of any
        in a file.
    strength : float
        Force while it is open, N.
    """

    name: str
    position: Array
    direction: UnitVector
    strength: FinitePositive

    @property
    def wrench(self) -> NDArray[np.float64]:
        """Force (N) and moment about the base's origin (N m) while it is open, shape (6,)."""
        force = self.strength * self.direction
        return np.append(force, np.cross(self.position, force))

    def turned_wrenches(self, *, planar: bool) -> NDArray[np.float64]:
        """Return what a turn of the direction changes of the wrench, N and N m per rad.

        Parameters
        ----------
        planar : bool
            Whether it turns about z alone, else about two axes across its direction.

        Returns
        -------
        ndarray, shape (6, A)
            For each of one axis, or of two.
        """
        if planar:
            axes = np.array([[0.0, 0.0, 1.0]])
        else:
            axes = np.linalg.svd(self.direction[None])[2][1:]
        forces = self.strength * np.cross(axes, self.direction)
        return np.hstack([forces, np.cross(self.position, forces)]).T


@dataclass(frozen=True)
class Valves:
    """What the valves and nozzles of thrusters do that ideal ones do not.

    Parameters
    ----------
    strength : mapping of str to float
        Relative error of the strength, by thruster; none for the others.
    direction : mapping of str to tuple of 3 floats
        Rotation vector in base axes from the stated direction to the true one, rad, by thruster.
    strength_loss : float
        Share of the strength that is lost for every further valve that is open.
    dead_time : float
        Time by which every pulse begins too late, s.
    delay : float
        Time by which all commands act late, s.
    scatter : float
        Relative standard deviation of the strength from pulse to pulse.
    """

    strength: Mapping[str, Annotated[Finite, Gt(-1.0)]] = field(default_factory=dict)
    direction: Mapping[str, Vector] = field(default_factory=dict)
    strength_loss: Share = 0.0
    dead_time: NotNegative = 0.0
    delay: NotNegative = 0.0
    scatter: NotNegative = 0.0

    def wrench(self, thruster: Thruster) -> NDArray[np.float64]:
        """Return what a thruster gives while it is open alone, N and N m, shape (6,)."""
        turned = Rotation.from_rotvec(self.direction.get(thruster.name, (0.0, 0.0, 0.0)))
        force = thruster.strength * turned.apply(thruster.direction)
        force = (1.0 + self.strength.get(thruster.name, 0.0)) * force
        return np.append(force, np.cross(thruster.position, force))


@dataclass(frozen=True)
class JointFriction:
    """Friction of one joint.

    Parameters
    ----------
    viscous : float
        Torque per rate, N m s/rad (N s/m).
    coulomb : float
        Torque of dry friction, N m (N).
    """

    viscous: NotNegative = 0.0
    coulomb: NotNegative = 0.0


@dataclass(frozen=True)
class Thrusters:
    """What the thrusters give along each base axis.

    Parameters
    ----------
    max_force : float
        Largest force, N; infinite where there is no limit.
    max_torque : float
        Largest torque, N m; infinite where there is no limit.
    min_impulse : float
        Smallest impulse of a pulse, N s.
    min_angular_impulse : float
        Smallest angular impulse of a pulse, N m s.
    """

    max_force: Positive = np.inf
    max_torque: Positive = np.inf
    min_impulse: NotNegative = 0.0
    min_angular_impulse: NotNegative = 0.0


@dataclass(frozen=True)
class Propellers:
    """Propellers, or thrusters, fixed to the base, each with a thrust of its own.

    Parameters
    ----------
    mixing : tuple of six tuples of M floats
        The mixing matrix ``A`` of [Ekal 2019] Eq. 1, which carries the thrusts to the force (N)
        and the moment about the base's origin (N m), in base axes.
    max_thrust : float
        Largest thrust of each, in either direction, N.

    Raises
    ------
    ValueError
        If the matrix has not six rows of one length, or its rank is not six.
    """

    mixing: tuple[tuple[float, ...], ...]
    max_thrust: float = np.inf

    def __post_init__(self) -> None:
        if len(self.mixing) != 6 or len({len(row) for row in self.mixing}) != 1:
            raise ValueError('must be six rows of one length')
        rank = np.linalg.matrix_rank(self.matrix) if np.isfinite(self.matrix).all() else 0
        if rank < 6:
            raise ValueError(f'must give force and moment in every direction; its rank is {rank}')

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The mixing matrix, shape (6, M)."""
        return np.array(self.mixing, dtype=float)

    @property
    def allocation(self) -> NDArray[np.float64]:
        """The least thrusts for a wrench: the pseudo-inverse of the mixing matrix, (M, 6)."""
        return np.linalg.pinv(self.matrix)

    def thrusts(self, wrench: ArrayLike) -> NDArray[np.float64]:
        """Return the thrusts that stand for a wrench, each cut to its limit.

        Parameters
        ----------
        wrench : array_like, shape (..., 6)
            Force (N) and moment (N m) asked for.

        Returns
        -------
        ndarray, shape (..., M)
            Thrusts, N.
        """
        asked = np.asarray(wrench, dtype=float) @ self.allocation.T
        return np.clip(asked, -self.max_thrust, self.max_thrust)

    def given(self, wrench: ArrayLike) -> NDArray[np.float64]:
        """Return the wrench that comes of one asked for, shape (..., 6)."""
        return self.thrusts(wrench) @ self.matrix.T


def _even(count: float) -> float:
    if count % 2:
        raise ValueError(f'must be an even number, got {count:g}')
    return count


@dataclass(frozen=True)
class PropellerRing:
    """Propellers on a regular polygon about the base's z axis.

    Each is tilted about its radius, one to the left, the next to the right, and turns the other
    way than its neighbours: six of them move the base in every direction.

    Parameters
    ----------
    count : int
        Number of propellers; even.
    radius : float
        Distance of their hubs from the axis, m.
    tilt : float
        Angle between thrust and axis, rad.
    torque_per_thrust : float
        Drag torque per thrust, m.
    """

    count: Annotated[int, Interval(ge=1, le=1000), WHOLE, AfterValidator(_even)]
    radius: Positive
    tilt: Finite
    torque_per_thrust: NotNegative = 0.0

    @property
    def mixing(self) -> tuple[tuple[float, ...], ...]:
        """The mixing matrix, six rows."""
        angle = 2.0 * np.pi * np.arange(self.count) / self.count
        side = 1.0 - 2.0 * (np.arange(self.count) % 2)
        outward = np.stack([np.cos(angle), np.sin(angle), np.zeros(self.count)])
        along = np.stack([-np.sin(angle), np.cos(angle), np.zeros(self.count)])
        up = np.array([[0.0], [0.0], [1.0]])
        thrust = np.cos(self.tilt) * up + side * np.sin(self.tilt) * along
        moment = self.radius * np.cross(outward, thrust, axis=0)
        moment += side * self.torque_per_thrust * thrust
        return tuple(tuple(map(float, row)) for row in np.vstack([thrust, moment]))


def _propellers(given: Mapping[str, Any]) -> Propellers:
    if ('ring' in given) == ('mixing_matrix' in given):
        raise ValueError('needs either a ring or a mixing_matrix')
    key = 'ring' if 'ring' in given else 'mixing_matrix'
    matrix = given['ring'].mixing if key == 'ring' else given[key]
    try:
        return Propellers(matrix, given.get('max_thrust', np.inf))
    except ValueError as error:
        raise KeyedError((key,), str(error)) from None


def _propeller_content(propellers: Propellers) -> dict[str, object]:
    limit = propellers.max_thrust
    given = {} if limit == np.inf else {'max_thrust': limit}
    return {'mixing_matrix': propellers.mixing, **given}


_MATRIX = 'Six rows: force and moment about the origin of the base, by thrust.'
_PROPELLERS = {
    'ring': (PropellerRing, 'A regular polygon about z.'),
    'mixing_matrix': (tuple[tuple[Finite, ...], ...], _MATRIX),
    'max_thrust': (Positive, 'Largest thrust of each, in either direction, N.'),
}
_FROM_KEYS = ReadFrom(keys('', _PROPELLERS), _propellers, _propeller_content)


@dataclass(frozen=True)
class Actuators:
    """Drives of the robot as the simulator has them.

    Parameters
    ----------
    joint_limits : bool
        Whether joint motors keep the limits of effort and push no joint beyond its rate.
    wheel_limits : bool
        Whether wheel motors keep the limits of torque, rate and momentum.
    friction : mapping of str to JointFriction
        Friction by name of the joint; none for the others.
    thrusters : Thrusters
        Thrusters.
    propellers : Propellers, optional
        What turns a wrench asked for into the one given; ideal if None. Either a ``ring`` or a
        ``mixing_matrix`` in a file.
    valves : Valves
        How the thrusters that the description names differ from it.
    """

    joint_limits: Flag = False
    wheel_limits: Flag = False
    friction: Mapping[str, JointFriction] = field(default_factory=dict)
    thrusters: Thrusters = field(default_factory=Thrusters)
    propellers: Maybe[Annotated[Propellers, _FROM_KEYS]] = None
    valves: Valves = field(default_factory=Valves)

    def friction_of(self, joint: str) -> JointFriction:
        """Return the friction of a joint."""
        return self.friction.get(joint, JointFriction())
