"""The state of a robot in dynamic simulation.

A robot with m joints and wheels has 6 + m velocities: base twist in base axes, joint rates, wheel
rates. A state is these, then m positions of joints and wheels, the work done since the start (J),
the pose of the base, and what the thrusters remember: the impulse that they owe, and what is left
of the pulse that is on.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.spatial import rotation_from_quaternion

WORKS, POSE = 4, 12
"""Kinds of work: of the base's drives, joint motors, wheel motors, friction and disturbances;
position (m) and the rows of the rotation from base to inertial axes."""


def state_edges(size: int) -> list[int]:
    """Return where velocities, positions, work, position, rotation, owed and pulse end.

    Parameters
    ----------
    size : int
        Number of velocities.
    """
    return [size, 2 * size - 6, 2 * size - 2, 2 * size + 1, 2 * size + 10, 2 * size + 16]


_IN_PLANE = 1e-12
"""Tilt (rad) and speed (m/s, rad/s) out of the plane that count as none."""


@dataclass(frozen=True, eq=False)
class RobotState:
    """Everything that the future depends on, commands apart.

    Parameters
    ----------
    time : float
        Time, s.
    position : ndarray, shape (3,)
        Position of the base in the inertial frame, m.
    rotation : ndarray, shape (3, 3)
        Attitude of the base, from base to inertial axes.
    attitude : ndarray, shape (4,)
        The same as a quaternion x y z w, without jumps of sign.
    base_twist : ndarray, shape (6,)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    q, qd : ndarray, shape (n,)
        Joint positions and rates.
    wheel_angles, wheel_rates : ndarray, shape (w,)
        Wheels, rad and rad/s.
    work : ndarray, shape (4,)
        Work done so far, J: of the base's drives, of joint motors, of wheel motors, of friction
        and disturbances.
    owed, pulse : ndarray, shape (6,)
        Impulse that the thrusters were asked for and have not fired, and the rest of the pulse
        that is on; N s, N m s.
    """

    time: float
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    attitude: NDArray[np.float64]
    base_twist: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    wheel_angles: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    work: NDArray[np.float64]
    owed: NDArray[np.float64]
    pulse: NDArray[np.float64]

    @classmethod
    def at_rest(cls, model: RobotModel, q: ArrayLike, time: float = 0.0) -> 'RobotState':
        """Return the state of a robot at rest at the inertial frame's origin.

        Raises
        ------
        SimulationError
            If there are not as many joint positions as joints, or one is not finite.
        """
        joints, wheels = len(model.joints), len(model.wheels)
        q = finite('joint positions', q, joints)
        still = (np.zeros(6), q, np.zeros(joints), np.zeros(wheels), np.zeros(wheels))
        rest = (np.zeros(WORKS), np.zeros(6), np.zeros(6))
        return cls(time, np.zeros(3), np.eye(3), np.array([0.0, 0.0, 0.0, 1.0]), *still, *rest)

    @classmethod
    def with_angular_momentum(
        cls,
        model: RobotModel,
        q: ArrayLike,
        angular_momentum: ArrayLike,
        attitude: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        time: float = 0.0,
    ) -> 'RobotState':
        """Return the state of a robot that turns as a whole about its centre of mass, at rest.

        Parameters
        ----------
        model : RobotModel
            Robot with n joints, its wheels at rest.
        q : array_like, shape (n,)
            Joint positions, rad or m.
        angular_momentum : array_like, shape (3,)
            Angular momentum about the centre of mass in inertial axes, kg m^2/s.
        attitude : array_like, shape (4,)
            Quaternion x y z w of the base, of any length but zero.
        time : float
            Time, s.

        Raises
        ------
        SimulationError
            If there are more or fewer values, one is not finite, or the quaternion is zero.
        """
        rest = cls.at_rest(model, q, time)
        quaternion = finite('attitude', attitude, 4)
        if not quaternion.any():
            raise SimulationError('attitude: a quaternion of length zero is no rotation')
        quaternion = quaternion / np.linalg.norm(quaternion)
        rotation = rotation_from_quaternion(quaternion)
        seen = finite('angular momentum', angular_momentum, 3) @ rotation
        total = np.concatenate([np.zeros(3), seen])
        wheels = np.zeros((1, len(model.wheels)))
        still = rest.qd[None]
        twist = base_twist_from_momentum(model, rest.q[None], still, wheels, total)[0]
        return replace(rest, rotation=rotation, attitude=quaternion, base_twist=twist)

    def check(self, model: RobotModel) -> None:
        """Raise SimulationError if this is no state of a robot; names what is wrong."""
        joints, wheels = len(model.joints), len(model.wheels)
        finite('position', self.position, 3)
        finite('base twist', self.base_twist, 6)
        finite('joint positions', self.q, joints)
        finite('joint rates', self.qd, joints)
        finite('wheel angles', self.wheel_angles, wheels)
        rates = finite('wheel rates', self.wheel_rates, wheels)
        for wheel, rate in zip(model.wheels, rates, strict=True):
            if abs(rate) > wheel.rate_limit:
                limit = f'{wheel.rate_limit:g} rad/s'
                raise SimulationError(f'{wheel.name}: {rate:g} rad/s is beyond its limit, {limit}')

    def check_plane(self) -> None:
        """Raise SimulationError if the base rises or tilts, or is tilted already."""
        tilted = abs(self.rotation[2, 2] - 1.0) > _IN_PLANE
        if tilted or np.abs(self.base_twist[2:5]).max() > _IN_PLANE:
            raise SimulationError('planar: the base is tilted, or does not move in the plane')

    def vector(self) -> NDArray[np.float64]:
        """Return the state as the kernel takes it."""
        velocity = self.base_twist, self.qd, self.wheel_rates
        pose = self.position, self.rotation.ravel()
        thrusters = self.owed, self.pulse
        return np.concatenate([*velocity, self.q, self.wheel_angles, self.work, *pose, *thrusters])

    @classmethod
    def from_vector(
        cls, time: float, attitude: NDArray[np.float64], vector: NDArray[np.float64], joints: int
    ) -> 'RobotState':
        """Return the state that the kernel has left."""
        size = (len(vector) - 22) // 2
        velocity, place, work, position, rotation, *thrusters = np.split(vector, state_edges(size))
        twist, qd, wheel_rates = np.split(velocity, [6, 6 + joints])
        q, wheel_angles = np.split(place, [joints])
        moving = (twist, q, qd, wheel_angles, wheel_rates)
        return cls(time, position, rotation.reshape(3, 3), attitude, *moving, work, *thrusters)


def finite(what: str, values: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return values as an array, shape (size,).

    Raises
    ------
    SimulationError
        If there are more or fewer, or one is not finite; names what they are.
    """
    values = np.array(values, dtype=float)
    if values.shape != (size,):
        raise SimulationError(f'{what}: expected {size} values, got shape {values.shape}')
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise SimulationError(f'{what}: value {place} is {values[place]}')
    return values
